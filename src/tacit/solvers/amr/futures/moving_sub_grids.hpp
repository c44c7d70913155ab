// Sub-grids as objects that go to other ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "tacit/actions/actions.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"
#include "tacit/tasks/coroutine.hpp"

namespace tacit::amr {

/// Where sub-grids that have come to a rank put their cells.
class Landing {
 public:
  void put(std::size_t leaf, std::vector<double> cells);
  /// By leaf.
  [[nodiscard]] std::map<std::size_t, std::vector<double>> take();

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<double>> cells_;
};

/// A sub-grid on its way.
class MovingSubGrid : public actions::Movable {
 public:
  MovingSubGrid() = default;
  MovingSubGrid(std::size_t leaf, std::span<const double> cells) : leaf_(leaf), cells_(cells.begin(), cells.end()) {}
  /// Ends its way on the rank where it is.
  /// @param landing  of that rank   @param self  this
  void land(actions::Context context, actions::Handle<Landing> landing, actions::Handle<MovingSubGrid> self);
  static constexpr auto record() noexcept {
    return base::record("sub-grid", base::member("leaf", &MovingSubGrid::leaf_),
                        base::member("cells", &MovingSubGrid::cells_));
  }

 private:
  std::uint64_t leaf_ = 0;
  std::vector<double> cells_;  // field by field
};

/// Takes sub-grids to other ranks. All ranks make it, and call it at the same points.
class MovingSubGrids {
 public:
  static void add_to(actions::Table& table);
  /// @param actions  with a table that has these
  MovingSubGrids(actions::Actions& actions, comm::Communicator& ranks);

  /// Takes own leaves to the ranks that want them, and gets the copies that this one has room for.
  /// @param leaving  the rank, and which leaf
  /// @throws what actions throw; comm::PeerError
  void move(const std::set<std::pair<comm::RankId, std::size_t>>& leaving, SubGrids& grids);

 private:
  [[nodiscard]] tasks::Task<> take(std::size_t leaf, comm::RankId to, const SubGrids& grids);

  actions::Actions& actions_;
  actions::Handle<Landing> landing_;
  std::vector<std::uint64_t> landing_of_;  // by rank
};

}  // namespace tacit::amr
