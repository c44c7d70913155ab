// The task graph of a step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/levels.hpp"
#include "tacit/solvers/amr/pencils.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"

namespace tacit::amr {

/// Advances the sub-grids by steps.
class Step {
 public:
  /// Builds the graph. @param tree, grids  must outlive this
  Step(const AmrParameters& parameters, const mesh::Octree& tree, SubGrids& grids, const engine::Resources& resources);

  /// Builds the graph anew: tree and sub-grids are others now. Memory is used again.
  void rebuild();
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
  /// Of all but the graph.
  [[nodiscard]] std::size_t bytes_held() const noexcept;

 private:
  using Neighbours = std::array<std::array<mesh::Beside, 2>, 3>;
  /// Of the sides of a leaf, where the fluxes through one are kept: beside another level. By axis and side.
  static constexpr std::size_t not_kept = std::numeric_limits<std::size_t>::max();
  using KeptFluxes = std::array<std::array<std::size_t, 2>, 3>;
  void keep_fluxes();
  void add_stage(kernels::Stage stage);
  void advance(kernels::Stage stage, std::size_t leaf, double dt, Scratch& scratch);
  void add_correction(kernels::Stage stage, std::size_t leaf);
  void correct(kernels::Stage stage, std::size_t leaf, double dt);
  void correct_side(kernels::Stage stage, std::size_t leaf, std::size_t axis, std::size_t side, double dt);
  [[nodiscard]] kernels::Variables<double> kept(std::size_t leaf, std::size_t axis, std::size_t side);
  [[nodiscard]] kernels::Variables<double> after(kernels::Stage stage, std::size_t leaf);
  [[nodiscard]] bool is_beside(std::size_t leaf, mesh::Beside::Relation relation) const;
  void fill_pencils(kernels::Stage stage, std::size_t leaf, std::size_t axis, Scratch& scratch) const;
  [[nodiscard]] kernels::Variables<const double> before(kernels::Stage stage, std::size_t leaf) const;
  [[nodiscard]] kernels::Gas gas_at(std::size_t leaf) const;

  const AmrParameters& parameters_;
  const mesh::Octree& tree_;
  SubGrids& grids_;
  const kernels::Loops loops_;
  tasks::Scheduler& scheduler_;
  std::vector<PencilShape> shapes_;  // by axis
  std::vector<Neighbours> beside_;   // by leaf
  std::vector<Scratch> scratch_;     // by worker
  Levels levels_;
  std::vector<KeptFluxes> kept_;  // by leaf: places in fluxes_
  base::PackVector<double> fluxes_;
  std::array<std::vector<kernels::Condition>, 2> conditions_;  // by stage and leaf
  tasks::Graph graph_;
  tasks::Activation activation_;
  std::vector<tasks::DatumId> now_;  // by leaf
  std::vector<tasks::DatumId> between_;
};

}  // namespace tacit::amr
