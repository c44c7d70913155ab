// Ghost points that follow from points of the same rank: beyond walls, and beyond periodic axes that no rank divides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tacit/comm/rank.hpp"
#include "tacit/mesh/block_grid.hpp"
#include "tacit/mesh/box.hpp"

namespace tacit::mesh {

/// What ghost points beyond an end of the whole grid hold.
struct SideRule {
  enum class Kind : std::uint8_t {
    none,    ///< what other ranks send, or what the solver puts there
    mirror,  ///< shift + sign * the point as far before the face as the ghost is behind it
    image,   ///< shift + sign * the point at the other end of the axis
  };
  Kind kind = Kind::none;
  double sign = 1.0;
  double shift = 0.0;
};
/// At the low and the high side of each axis.
using SideRules = std::array<std::array<SideRule, 2>, max_dimensions>;

/// A grid that is divided so that the least is exchanged, but for an axis that `spec` divides itself. Periodic axes
/// that stay whole get walls, as this rank has all of their points: rules of images say what is behind these.
/// @throws base::Error as BlockGrid
[[nodiscard]] BlockGrid grid_with_sides(GridSpec spec, std::size_t ranks, comm::RankId own);

/// Images along the periodic axes of `spec` that `grid` has whole, and beyond walls nothing yet.
[[nodiscard]] SideRules images_of(const GridSpec& spec, const BlockGrid& grid);

/// The axes along which they are images, for TileRules::wraps.
[[nodiscard]] std::array<bool, max_dimensions> wraps_of(const SideRules& rules);

/// Sets the ghost points that follow from the points of a box of own points. Ghosts at edges and corners stay as they
/// are. Boxes whose points are set by different tasks may be filled at once.
void fill_sides(const BlockGrid& grid, const SideRules& rules, const Box& box, std::span<double> field);

}  // namespace tacit::mesh
