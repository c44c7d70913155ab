// Dividing work among ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tacit::topology {

/// What units take beside their weights, such as memory, and how much of it a part has room for.
struct Room {
  std::span<const std::uint64_t> sizes;  ///< shape (units); empty: nothing
  std::uint64_t most = 0;
};

/// Cuts units that lie along a curve into consecutive parts, so that the largest weight of a part is as small as it can
/// be; among such cuts the one whose parts are filled from the first on. No part is empty.
///
/// @param weights  shape (units)
/// @param parts    > 0
/// @param room     no part takes more, if units can be cut so at all; else it is as if it were not given
/// @return         shape (units): the part of each, ascending
/// @throws base::PreconditionError if there are fewer units than parts
/// Cost: O(units log sum)
[[nodiscard]] std::vector<std::uint32_t> cut_curve(std::span<const std::uint64_t> weights, std::size_t parts,
                                                   const Room& room = {});

/// Two units between which data travel where they are in different parts: that costs each of these parts so much, in
/// the unit of weights.
struct Edge {
  std::uint32_t a = 0, b = 0;
  std::uint64_t cost = 0;
};

/// What the most loaded part has: the weights of its units, and the costs of edges that lead out of it. Partitions are
/// compared by this number.
/// @param weights  shape (units)
/// @param edges    of units below `weights.size()`; those of a unit with itself count nothing
/// @param part_of  shape (units): below `parts`
/// Cost: O(units + edges)
[[nodiscard]] std::uint64_t largest_load(std::span<const std::uint64_t> weights, std::span<const Edge> edges,
                                         std::size_t parts, std::span<const std::uint32_t> part_of);

enum class Method : std::uint8_t {
  best,   ///< METIS where that leaves the most loaded part less than the curve does by a twentieth, else the curve
  curve,  ///< consecutive parts
  metis,  ///< a partition of the graph; without METIS, or where units are too large for it, consecutive parts
};

/// Whether the program was built with METIS.
[[nodiscard]] bool has_metis() noexcept;

/// Divides units among parts, none of which is empty. The result follows from the arguments alone.
///
/// Parts are numbered such that much of the weight stays in the part that it was in: the pairs of a new and a former
/// part that share most take each other's number first.
///
/// @param weights   shape (units): along a curve, so that consecutive units are near each other
/// @param edges     as in `largest_load`; several of the same two units add up. Without any, units are cut along the
///                  curve
/// @param parts     > 0
/// @param previous  shape (units): the parts of before; those not below `parts` are none. Empty: there were none
/// @param room      as in `cut_curve`
/// @return          shape (units): the part of each
/// @throws base::PreconditionError if there are fewer units than parts, or an edge of a unit that there is not
/// @see Karypis & Kumar (1998), SIAM J. Sci. Comput. 20, 359
/// Cost: O(units log sum + edges log edges); with METIS some 2 us per unit. Threads: any; METIS runs for one at a time.
[[nodiscard]] std::vector<std::uint32_t> partition(std::span<const std::uint64_t> weights, std::span<const Edge> edges,
                                                   std::size_t parts, std::span<const std::uint32_t> previous = {},
                                                   const Room& room = {}, Method method = Method::best);

}  // namespace tacit::topology
