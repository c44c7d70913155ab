// How wide cells are, how many particles they hold and how far their lists serve.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace tacit::sph {

/// Lists serve kernels this much larger than those they were made for, so that they last for many steps.
inline constexpr double reach_margin = 1.1;
/// Particles may move by this part of a cell before they are sorted again.
inline constexpr double slack_in_cells = 0.1;
/// Width of a cell over the typical support radius, so that it holds some 100 particles: one task, one cache.
[[nodiscard]] constexpr double cell_width(int dimension) {
  constexpr std::array widths{4.0, 4.0, 2.4};
  return widths[static_cast<std::size_t>(dimension - 1)];
}
/// Particles in a top-level cell, at least, on average: two fifths of what a cell of this width holds where density is
/// the same everywhere. Where most particles crowd, these cells are split; narrower ones would hold a particle or less
/// elsewhere, and list hundreds of the like.
[[nodiscard]] constexpr std::size_t least_per_top_cell(int dimension) {
  constexpr std::array<std::size_t, 3> least{3, 32, 64};
  return least[static_cast<std::size_t>(dimension - 1)];
}
/// Particles that share a short list of neighbours.
inline constexpr std::size_t per_group = 12;
/// Cells with more particles are split.
inline constexpr std::size_t most_per_cell = 400;

}  // namespace tacit::sph
