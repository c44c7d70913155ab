// Stages of sub-grids in launch slots: what is copied there and back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "tacit/gpu/slots.hpp"
#include "tacit/solvers/amr/parameters.hpp"
#include "tacit/solvers/amr/pencils.hpp"

namespace tacit::amr {

/// What a launch of a stage is told of a sub-grid, in memory of the host that stays until the launch has ended.
struct StageOfLeaf {
  kernels::Stage stage = kernels::Stage::first;
  double dt = 0.0;
  std::array<double, 3> scale{};  ///< 1 / dx
  kernels::Variables<const double> U;
  kernels::Variables<const double> base;
  kernels::Variables<double> out;
  struct Side {
    bool is_outside = false;  ///< the domain ends there
    bool turns = false;       ///< and its wall reflects
    kernels::Variables<double> kept = {};
  };
  std::array<std::array<Side, 2>, 3> sides{};
  /// Writes the cells beyond a side that is not outside. @param to  shape (ghosts, lanes): conserved variables
  std::function<void(std::size_t axis, mesh::Side side, kernels::Variables<double> to)> take_beyond;
};

/// Launches of the stages of a run's sub-grids, which are all of one size. Gas alone.
class StageLaunches {
 public:
  StageLaunches(const AmrParameters& parameters, const std::vector<PencilShape>& shapes);

  /// What a launch takes of a slot.
  [[nodiscard]] gpu::Need need() const noexcept { return need_; }
  /// Writes the launch down: gathers the cells around the sub-grid in pinned memory, and copies them, its own, and what
  /// comes back.
  void record(gpu::Program& program, const StageOfLeaf& of) const;

 private:
  const AmrParameters& parameters_;
  const std::vector<PencilShape>& shapes_;
  std::size_t cells_ = 1;
  std::size_t most_lanes_ = 0;
  gpu::Need need_;
};

}  // namespace tacit::amr
