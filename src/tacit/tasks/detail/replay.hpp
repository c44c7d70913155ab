// Turns a sequence of accesses into the order that they demand among tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tacit/tasks/detail/dag.hpp"
#include "tacit/tasks/detail/data_tree.hpp"

namespace tacit::tasks::detail {

/// For each access mode a time, counted in accesses from 1; 0 is never.
using Times = std::array<std::uint64_t, 3>;

/// Consecutive accesses of one mode to one datum, with nothing of a conflicting mode in between on that datum, its
/// ancestors or its parts. A write is a run of its own.
struct Run {
  AccessMode mode = AccessMode::read;
  DatumId datum = DatumId::none;
  std::uint64_t opened = 0;            ///< when its first member came, counted in accesses from 1
  std::uint64_t last = 0;              ///< when its last member came
  bool meets = false;                  ///< commuting: another commuting run on a related datum is unordered with it
  std::vector<std::uint32_t> members;  ///< local tasks
  std::vector<std::uint32_t> predecessors;  ///< runs that must be over before this one begins; none of them still grows
};

/// Replays accesses in order of creation and collects the runs and the order among them.
///
/// Two accesses conflict if their data are equal or one contains the other, unless both read or both commute. The order
/// of the runs is exactly the transitive closure of all conflicting pairs. Why so few predecessors are enough:
///
///  - on one datum, every run precedes all later ones: neighbours of different mode conflict, and neighbours of the
///    same mode were separated by an access that conflicts with both;
///  - so of each related datum only the newest conflicting run counts, and not even that if an earlier run of the
///    own datum conflicts with it and came later, or if an access above or below stands between the two.
class Replay {
 public:
  /// @param tree  must outlive the replay
  explicit Replay(const DataTree& tree);

  /// Adds the next access of `task`; those of one task come one after the other, as merge_accesses leaves them.
  void add(std::uint32_t task, const Access& access);

  [[nodiscard]] const std::vector<Run>& runs() const noexcept { return runs_; }
  /// Pairs of commuting runs, one on a part of the other's datum, with no order among them.
  [[nodiscard]] const std::vector<std::pair<std::uint32_t, std::uint32_t>>& meetings() const noexcept {
    return meetings_;
  }

  /// The runs' order as edges among `nodes` tasks, with joins where several tasks precede several others.
  /// @param nodes  in: number of tasks; out: with joins added
  [[nodiscard]] std::vector<Edge> edges(std::uint32_t& nodes) const;

 private:
  static constexpr std::uint32_t no_run = std::numeric_limits<std::uint32_t>::max();
  struct State {
    std::array<std::uint32_t, 3> newest{no_run, no_run, no_run};  // run of each mode on the datum itself
    Times below{};                                                // last access of each mode to any of its parts
  };

  [[nodiscard]] std::uint64_t opened(DatumId datum, AccessMode mode) const;
  [[nodiscard]] std::uint64_t last(DatumId datum, AccessMode mode) const;
  [[nodiscard]] std::uint64_t last_inside(DatumId datum) const;
  [[nodiscard]] std::uint64_t last_conflict(DatumId datum, AccessMode mode) const;
  [[nodiscard]] std::uint32_t newest_conflict(DatumId datum, AccessMode mode) const;
  [[nodiscard]] std::uint32_t newest_run(DatumId datum) const;
  [[nodiscard]] bool is_implied(const Run& earlier, DatumId datum) const;
  [[nodiscard]] std::uint64_t all_implied_before(const Access& access) const;
  void find_predecessors(const Access& access, Run& run) const;
  void find_below(const Access& access, DatumId part, std::uint64_t implied_before, const Times& above, Run& run) const;
  void find_meetings(const Access& access);
  void meet_below(std::uint32_t run, DatumId part, std::uint64_t separated_before);
  void meet(std::uint32_t a, std::uint32_t b);
  void open(const Access& access);

  const DataTree* tree_;
  std::vector<State> states_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> previous_commuting_;  // per run: the commuting run before it on the same datum
  std::vector<std::pair<std::uint32_t, std::uint32_t>> meetings_;
  std::uint64_t now_ = 0;
};

}  // namespace tacit::tasks::detail
