// The task graph of a step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/solvers/heat/fields.hpp"
#include "tacit/solvers/heat/kernels/stages.hpp"

namespace tacit::heat {

/// Advances the temperature of a rank by steps.
class Step {
 public:
  /// Builds the graph, and connects to the ranks beside this one; so all ranks make it.
  /// @param fields  of which the memory stays where it is; must outlive this
  Step(const HeatParameters& parameters, const Block& block, FieldSet& fields, const engine::Resources& resources);
  /// Sets the ghost cells of T that mirror its cells: once, for a state that no step has left.
  void mirror();
  void run(const tasks::StepContext& step) { scheduler_.run(graph_, activation_, step); }

 private:
  struct Tile {
    kernels::Tile cells;
    std::ptrdiff_t offset = 0;                   // of its first cell from that of the block
    std::array<tasks::DatumId, 3> data{};        // its cells of T and of the fields between, with their mirrors
    std::array<std::size_t, 3> index{};          // among the tiles along each axis
  };
  void cut();
  void add_stage(std::size_t stage);
  [[nodiscard]] double* field(std::size_t number) const;
  [[nodiscard]] tasks::Accesses reads_around(const Tile& tile, std::size_t field) const;

  const std::vector<kernels::Stage> stages_;
  const Domain domain_;
  const Block block_;
  FieldSet& fields_;
  const kernels::Diffusion diffusion_;
  const kernels::Loops loops_;
  tasks::Scheduler& scheduler_;
  exchange::Exchange exchange_;
  tasks::Graph graph_;
  tasks::Activation activation_;
  std::array<std::size_t, 3> counts_{};  // of tiles along each axis
  std::vector<Tile> tiles_;              // x runs fastest
};

}  // namespace tacit::heat
