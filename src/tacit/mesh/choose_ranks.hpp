// How many ranks each axis of a grid is divided among.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "tacit/mesh/block_grid.hpp"

namespace tacit::mesh {

/// Ranks per axis such that the least is exchanged:
///
///     sum_a cuts_a prod_{b != a} points_b     cuts_a = ranks_a on a periodic axis, ranks_a - 1 between walls; 0 if
///     alone
///
/// Of equals, the one with the most ranks along the last axis, then the last but one: rows stay long, and a face is few
/// pieces of memory. The same on all ranks.
/// @param spec   its numbers fit together; ranks of 0 in it are free. Every rank keeps max(1, ghosts) points, rounded
/// up
///               to granules, along each axis that is cut
/// @return       1 along axes that the grid does not have; nothing if there is no way
/// Cost: of the order of the points along an axis for each factor of `ranks`, however many ranks there are
[[nodiscard]] std::optional<Point> find_ranks(const GridSpec& spec, std::size_t ranks);

/// The same. @throws base::Error that says in words why there is no way, and which number of ranks has one
[[nodiscard]] Point choose_ranks(const GridSpec& spec, std::size_t ranks);

}  // namespace tacit::mesh
