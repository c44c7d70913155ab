// The task graph of a step whose stages compute fields from stencils: halos, ghosts at sides, a task for each tile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/mesh/block_grid.hpp"
#include "tacit/mesh/cells.hpp"
#include "tacit/mesh/kernels/stages.hpp"
#include "tacit/mesh/sides.hpp"
#include "tacit/mesh/stage_launch.hpp"
#include "tacit/mesh/tiles.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::mesh {

/// What is advanced, and how.
struct StagedFields {
  std::vector<Field*> fields;    ///< the state; their memory stays where it is
  std::vector<SideRules> sides;  ///< of each; all have images along the same axes
  std::vector<Stage> stages;     ///< of the scheme
  /// Computes a stage in the cells of a tile. Called by tasks, for several tiles at once.
  /// @param at  shape (fields)
  std::function<void(const StageTile&, const Stage&, double dt, std::span<const StageFields> at)> advance;
  StageLaunches launches = {};  ///< the same on a device, with the same bits
};

/// Advances fields of a rank by steps. Every stage computes the state after it from y, the one before, tile by tile:
///
///     halo pack, post .. arrive, unpack --> stage of the rim ------> halo pack of the next stage
///                   (y of the tiles around) --> stage of the interior
///
/// A tile also sets the ghost cells that follow from its own: at walls, and beyond the other side of an axis that is
/// periodic and that no rank divides. So it waits for the tiles around it, and beside other ranks for messages. All
/// fields travel in one message. With launch slots the task of a tile may launch it on a device, and ends when that has
/// copied the result back; then a task of its own sets the ghosts.
class StagedStep {
 public:
  /// Builds the graph, and connects to the ranks beside this one; so all ranks make it.
  /// @param grid  of one to three axes, see grid_with_sides; outlives this, as the fields do
  /// @pre         as many sides as fields; at least two stages, as one would change what its neighbours still read
  StagedStep(const BlockGrid& grid, StagedFields system, tasks::Scheduler& scheduler, comm::Communicator& ranks);
  /// Sets the ghost cells of the state that follow from its own: once, for a state that no step has left.
  void fill_sides();
  void run(const tasks::StepContext& step) { scheduler_.run(graph_, activation_, step); }

 private:
  [[nodiscard]] std::size_t interior_pieces() const;
  [[nodiscard]] StageTile tile_of(const Piece& piece) const;
  [[nodiscard]] std::vector<StageFields> fields_at(std::array<std::size_t, 3> y_prev_out, std::size_t first);
  void add_halo(std::size_t state);
  void add_stage(std::size_t number);
  void launch_or_advance(std::size_t number, const StageTile& tile, std::span<const StageFields> at,
                         tasks::StepContext& step, std::uint32_t key);
  void fill_sides_of(std::size_t piece, std::size_t state) const;

  const BlockGrid& grid_;
  StagedFields system_;
  tasks::Scheduler& scheduler_;
  exchange::Exchange exchange_;
  tasks::Graph graph_;
  tasks::Activation activation_;
  Tiles tiles_;
  gpu::LaunchKind launch_kind_{};
  std::vector<Field> memory_;                    // of the states between, and of rates where a scheme keeps them
  std::array<std::vector<Field*>, 3> states_{};  // at the begin, and two in the midst of a step
  std::vector<Field*> rates_;
  std::array<FieldData, 3> data_{};  // of the states: cells with the ghosts that follow from them, and ghosts
};

}  // namespace tacit::mesh
