// Which sub-grids become finer or coarser, and what their cells get.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::amr {

/// The largest relative jump of density or pressure over two cells, in each leaf:
///
///     |q(i+1) - q(i-1)| / (q(i+1) + q(i-1))        along every axis, across the faces of the leaf too
[[nodiscard]] std::vector<double> jumps_of(const AmrParameters& parameters, const mesh::Octree& tree,
                                           const SubGrids& grids, tasks::Scheduler& scheduler);

/// The tree for the next steps: leaves with a jump beyond `refine_above`, and those that touch them, are divided up to
/// the finest level; those whose siblings all have less than `coarsen_below` are joined. Base level and regions stay.
[[nodiscard]] mesh::Octree adapted(const AmrParameters& parameters, const mesh::Octree& tree,
                                   const std::vector<double>& jumps);

/// Fills sub-grids out of those of another tree, whose levels differ by one at most: copies, means, and limited linear
/// parts with the same sums.
void transfer(const AmrParameters& parameters, const mesh::Octree& from_tree, const SubGrids& from,
              const mesh::Octree& to_tree, SubGrids& to, tasks::Scheduler& scheduler);

}  // namespace tacit::amr
