// The task graph of a step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/pencils.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"

namespace tacit::amr {

/// Advances the sub-grids by steps.
class Step {
 public:
  /// Builds the graph. @param grids  whose memory stays where it is; all must outlive this
  Step(const AmrParameters& parameters, const mesh::Octree& tree, SubGrids& grids, const engine::Resources& resources);

  void run(const tasks::StepContext& step) { scheduler_.run(graph_, activation_, step); }
  /// Looks at a state that no step has left.
  void look();
  /// The largest sum of (|v_i| + c) / dx_i in any cell [1/time].
  [[nodiscard]] double fastest() const;
  /// A state with cells that are not valid.
  struct Flaw {
    std::size_t leaf = 0;
    kernels::Stage after = kernels::Stage::first;
  };
  /// The first such sub-grid after the earliest stage that has left one.
  [[nodiscard]] std::optional<Flaw> flaw() const;

 private:
  using Neighbours = std::array<std::array<mesh::Beside, 2>, 3>;
  void add_stage(kernels::Stage stage);
  void advance(kernels::Stage stage, std::size_t leaf, double dt, Scratch& scratch);
  void fill_pencils(kernels::Stage stage, std::size_t leaf, std::size_t axis, Scratch& scratch) const;
  [[nodiscard]] kernels::Variables<const double> before(kernels::Stage stage, std::size_t leaf) const;
  [[nodiscard]] kernels::Gas gas_at(std::size_t leaf) const;

  const AmrParameters& parameters_;
  const mesh::Octree& tree_;
  SubGrids& grids_;
  const kernels::Loops loops_;
  tasks::Scheduler& scheduler_;
  std::vector<PencilShape> shapes_;                            // by axis
  std::vector<Neighbours> beside_;                             // by leaf
  std::vector<Scratch> scratch_;                               // by worker
  std::array<std::vector<kernels::Condition>, 2> conditions_;  // by stage and leaf
  tasks::Graph graph_;
  tasks::Activation activation_;
  std::vector<tasks::DatumId> now_;  // by leaf
  std::vector<tasks::DatumId> between_;
};

}  // namespace tacit::amr
