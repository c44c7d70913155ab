// The ranks of a job in groups of a node's size, and such groups in the order of a curve.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/placement/network/choice.hpp"

namespace tacit::placement::network::detail {

/// A job's ranks in slots, each to be filled by one node.
struct Slots {
  std::size_t count = 0;
  std::vector<std::uint32_t> of_rank;               // shape (ranks)
  std::vector<std::array<std::uint32_t, 3>> cells;  // shape (count): where in the job's grid; empty: it has none
};

/// Blocks of ranks_per_node ranks in a row.
[[nodiscard]] Slots listed_slots(const Job& job);

/// Cells of the job's grid that leave the fewest bytes between nodes; as listed_slots() where no cell divides the grid.
[[nodiscard]] Slots cell_slots(const Job& job);

/// The place of a point along Hilbert's curve through a cube of 2^bits points a side.
/// @pre every coordinate < 2^bits, bits <= 21
[[nodiscard]] std::uint64_t hilbert(std::array<std::uint32_t, 3> point, unsigned bits);

/// Numbers of `points` in the order in which Hilbert's curve visits them; equal ones as they are listed.
[[nodiscard]] std::vector<std::uint32_t> hilbert_order(std::span<const std::array<std::uint32_t, 3>> points);

/// The nodes in the order in which slots take them.
/// @param order  any but search
[[nodiscard]] std::vector<NodeId> arrange(const Network& network, std::span<const NodeId> nodes, Order order,
                                          std::uint64_t seed);

/// Swaps the nodes of slots, and nodes that no slot has, while that makes the busiest link less busy, or the links
/// together.
///
/// @param nodes  of the slots first, then those that are left over; is put in the better order
/// @return       swaps that were tried
std::size_t improve(const Network& network, const Job& job, const Slots& slots, const PlacementOptions& options,
                    std::vector<NodeId>& nodes);

}  // namespace tacit::placement::network::detail
