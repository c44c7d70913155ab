// Which sub-grids become finer or coarser, and what their cells get.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/futures/moving_sub_grids.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::amr {

/// What the criteria look at, in each leaf.
struct Indicators {
  /// The largest relative jump of density or pressure over two cells:
  ///
  ///     |q(i+1) - q(i-1)| / (q(i+1) + q(i-1))        along every axis, across the faces of the leaf too
  double jump = 0.0;
  double density = 0.0;  ///< the largest of any cell
  /// The same of species, as far as these have criteria.
  std::array<double, kernels::most_species> of_species{};
};
/// Of all leaves, on all ranks, which call it. @pre the copies are of the present state
[[nodiscard]] std::vector<Indicators> indicators_of(const AmrParameters& parameters, const mesh::Octree& tree,
                                                    const SubGrids& grids, tasks::Scheduler& scheduler,
                                                    comm::Communicator& ranks);

/// The tree for the next steps. Each criterion asks for levels down to its own deepest one: leaves that it refines, and
/// those that touch them, are divided; those whose siblings are kept by none are joined. Base level and regions stay.
[[nodiscard]] mesh::Octree adapted(const AmrParameters& parameters, const mesh::Octree& tree,
                                   const std::vector<Indicators>& indicators);

/// Moves sub-grids to other trees, and to their owners there. All ranks make it, and call `move` with the same trees.
class Mover {
 public:
  /// @param scheduler  polls ranks.completions()   All outlive this.
  /// @param moves      takes sub-grids to other ranks as objects; null: messages do
  Mover(const AmrParameters& parameters, tasks::Scheduler& scheduler, comm::Communicator& ranks,
        MovingSubGrids* moves = nullptr);
  /// To a tree whose levels differ by one at most, or to another division of the same: copies, means, and limited
  /// linear parts with the same sums. First each rank gets the old sub-grids that its new ones are made from, as they
  /// are. Takes no memory unless there are more sub-grids than ever before.
  void move(const mesh::Octree& from, const mesh::Octree& to, mesh::LeafDivision division, SubGrids& grids);

 private:
  void fetch(const mesh::Octree& from, const mesh::Octree& to, const Share& after, SubGrids& grids);

  const AmrParameters& parameters_;
  tasks::Scheduler& scheduler_;
  comm::Communicator& ranks_;
  exchange::Exchange exchange_;
  MovingSubGrids* moves_;
};

}  // namespace tacit::amr
