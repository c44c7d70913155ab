// The task graph of a step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/mesh/sides.hpp"
#include "tacit/mesh/tiles.hpp"
#include "tacit/solvers/heat/fields.hpp"

namespace tacit::heat {

/// Advances the temperature of a rank by steps.
class Step {
 public:
  /// Builds the graph, and connects to the ranks beside this one; so all ranks make it.
  /// @param fields  whose memory stays where it is; all must outlive this
  Step(const HeatParameters& parameters, const mesh::BlockGrid& grid, FieldSet& fields,
       const engine::Resources& resources);
  /// Sets the ghost cells of T that mirror its cells: once, for a state that no step has left.
  void mirror();
  void run(const tasks::StepContext& step) { scheduler_.run(graph_, activation_, step); }

 private:
  struct Tile {
    kernels::Tile cells = {};
    kernels::Diffusion diffusion;
    std::size_t first = 0;  // place of its first cell in a field
  };
  void add_tiles();
  [[nodiscard]] Tile tile_of(const mesh::Piece& piece) const;
  void add_halo(std::size_t field);
  void add_stage(std::size_t number);
  [[nodiscard]] Field& field(std::size_t number) { return number == 0 ? fields_.T : fields_.between[number - 1]; }

  const HeatParameters& parameters_;
  const mesh::BlockGrid& grid_;
  FieldSet& fields_;
  const kernels::Loops loops_;
  const mesh::SideRules sides_;
  tasks::Scheduler& scheduler_;
  exchange::Exchange exchange_;
  tasks::Graph graph_;
  tasks::Activation activation_;
  mesh::Tiles pieces_;
  std::vector<Tile> tiles_;                // of the pieces
  std::array<mesh::FieldData, 3> data_{};  // of T and the fields between: cells with their mirrors, and ghosts
};

}  // namespace tacit::heat
