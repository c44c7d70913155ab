// The task graph of one step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/solvers/sph/pair_tasks.hpp"
#include "tacit/tasks/graph.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::sph {

/// The graph of a step and the parts of it that are run.
struct StepGraph {
  tasks::Graph graph;
  tasks::Activation drift;      ///< drift alone: before particles are sorted again
  tasks::Activation densities;  ///< density alone: to find the first smoothing lengths
  tasks::Activation evaluate;   ///< density, gradient and force
  tasks::Activation close;      ///< kick and log, and reports to other ranks
  tasks::Activation advance;    ///< drift, and these
  tasks::Activation tell_bins;  ///< reports to other ranks
  tasks::Activation attract;    ///< gravity of the particles' own, where they are
  tasks::Activation part;       ///< what was chosen last
  // With pairs visited once, the same for steps in which all particles are active; else empty.
  tasks::Activation evaluate_pairs, advance_pairs;
  /// Shape (cells); logs only where there is a log.
  std::vector<tasks::TaskId> drifts, densities_of, gradients_of, forces_of, kicks, logs, limits, wakes;
  std::vector<tasks::TaskId> check;  ///< behind densities, see ReachCheck
  // With gravity of the particles' own.
  std::vector<tasks::TaskId> multipoles;      ///< of cells and of nodes above them; and messages
  std::vector<tasks::TaskId> expansions;      ///< shape (nodes of the tree of gravity); none for cells
  std::vector<tasks::TaskId> attractions_of;  ///< shape (cells)
  std::vector<tasks::TaskId> chosen;
  std::vector<std::uint8_t> is_drifted;   ///< shape (cells): chosen already
  std::vector<std::uint8_t> is_expanded;  ///< shape (nodes of the tree of gravity): chosen already

  /// Sets `part` to the densities, forces and kicks of the cells, what is logged after these, and the drifts of all
  /// that their active particles may see, where these are wanted. Of several ranks, also what others see, and the
  /// messages.
  void choose_advance(const StepData& data, std::span<const std::uint32_t> cells, bool is_drifting);
  /// Sets `part` to the limits of the cells' steps.
  void choose_limits(const StepData& data, std::span<const std::uint32_t> cells);

 private:
  void choose_messages(CellCopies& copies, bool is_drifting);
  void choose_gravity(const StepData& data, std::span<const std::uint32_t> cells, bool is_drifting);
};

/// Builds the graph: for each cell
///
///     drift(c) --> density(c) --> gradient(c) --> force(c) --> kick(c) --> log(c)      limit(c) --> wake(c)
///           `---> density(d) `---> gradient(d) `---> force(d)    ^      d: the cells that list c
///     all densities --> check reach -----------------------------'
///
/// Only SPHENIX has gradients, and only a run with a continuous log has logs. What densities have found is checked by
/// all ranks together while forces are computed; kicks do nothing where some density looked too far or not far enough.
/// With gravity of the particles' own, its tasks stand between drifts and forces (add_gravity).
/// Where pairs are visited once, tasks for steps in which all particles are active stand beside these (add_sweeps).
/// Between ranks, messages travel behind drift, density and gradient of the cells that others list (CellCopies).
/// Every task writes only its own cell (owner computes), so no locks are needed and the result does not depend on the
/// order in which tasks run. Limits come in a run of their own, when it is known that some particle may need one: most
/// steps have none, and then no rank asks another for what they look at.
/// @param workers  that share the building, which are those of `data` or not; null: the caller builds alone
[[nodiscard]] StepGraph build_step(const StepData& data, tasks::Conflicts conflicts,
                                   tasks::Scheduler* workers = nullptr);

/// Adds to the graph, for each cell and each node of the tree over all cells,
///
///     drift(c) --> multipole(c) --> combine(n), children first --> expand(n), parents first --> gravity(c) -->
///     force(c)
///
/// @see GravityField
void add_gravity(StepGraph& step, const StepData& data);

/// Adds to the graph, for each cell,
///
///     drift(c) --> pack(c) --> density sweep(c) --> density end(c) --> the same for gradient and force
///                       `----> density sweep(d) ----^                  d: the cells that list c
///
/// A sweep adds to the sums of its cell and of those behind it: it commutes with the others that do.
/// @see  docs/decisions/0021-owner-computes-for-speed.md
void add_sweeps(StepGraph& step, const StepData& data);

}  // namespace tacit::sph
