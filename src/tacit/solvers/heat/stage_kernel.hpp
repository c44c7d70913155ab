// A stage of a tile as a kernel of a team.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "tacit/gpu/kernel.hpp"
#include "tacit/solvers/heat/kernels/diffusion_model.hpp"

namespace tacit::heat::kernels {

/// A block is a plane across z. Each cell is computed alone, by the formula of the vector loops.
template <Kappa kappa>
struct StageKernel {
  static constexpr std::string_view name = "heat stage";
  mesh::StageTile tile;
  Diffusion by;  ///< its fields begin where the tile does
  mesh::Stage stage;
  double dt = 0.0;
  mesh::StageFields at;

  template <class Team>
  TACIT_HOST_DEVICE void operator()(Team& team, std::size_t z) const {
    using Single = base::Pack<double, typename Team::Isa>;
    const Model<kappa> model{tile, by, at.y};
    const std::ptrdiff_t plane = static_cast<std::ptrdiff_t>(z) * tile.next[2];
    team.each(tile.n[0] * tile.n[1], [&](std::size_t cell) {
      const auto row = static_cast<std::ptrdiff_t>(cell / tile.n[0]) * tile.next[1];
      const auto x = static_cast<std::ptrdiff_t>(cell % tile.n[0]);
      mesh::advance_cells<Single, 1>(stage, dt, &at, plane + row + x, model);
    });
  }
};

}  // namespace tacit::heat::kernels

namespace tacit::gpu {

template <>
[[nodiscard]] StartOnDevice code_on_device<heat::kernels::StageKernel<heat::kernels::Kappa::constant>>() noexcept;
template <>
[[nodiscard]] StartOnDevice code_on_device<heat::kernels::StageKernel<heat::kernels::Kappa::given>>() noexcept;

}  // namespace tacit::gpu
