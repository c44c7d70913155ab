// The task graph of one step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "tacit/particles/cell_grid.hpp"
#include "tacit/solvers/sph/cell_data.hpp"
#include "tacit/solvers/sph/cell_tasks.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::sph {

/// What the tasks of the graph work on; all of it must outlive the graph and stay where it is.
struct StepData {
  const SphParameters& physics;
  const particles::CellGrid& grid;
  std::span<const double> reach;               ///< shape (cells): how far each cell's list serves [length]
  std::span<CellData> cells;                   ///< shape (cells)
  std::span<CellReport> reports;               ///< shape (cells)
  std::span<kernels::NeighbourCache> scratch;  ///< shape (workers)
  std::span<SourceScratch> source_scratch{};   ///< shape (workers)
};

/// The graph of a step and the parts of it that are run.
struct StepGraph {
  tasks::Graph graph;
  tasks::Activation drift;      ///< kick_drift alone: before particles are sorted again
  tasks::Activation densities;  ///< density alone: to find the first smoothing lengths
  tasks::Activation evaluate;   ///< density and force
  tasks::Activation advance;    ///< kick_drift, density and force
  tasks::Activation close;      ///< kick
};

/// Builds the graph: for each cell
///
///     kick_drift(c) --> density(c) --> force(c) --> kick(c)
///           `---> density(d) `---> force(d)             d: the cells that list c
///
/// Every task writes only its own cell (owner computes), so no locks are needed and the result does not depend on the
/// order in which tasks run.
[[nodiscard]] StepGraph build_step(const StepData& data, tasks::Conflicts conflicts);

}  // namespace tacit::sph
