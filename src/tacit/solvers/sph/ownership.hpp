// Which rank is to own which leaves of the forest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/topology/partition.hpp"

namespace tacit::sph {

/// What is known of each leaf: by one rank alone of its own particles and cells.
struct LeafCosts {
  std::vector<std::uint64_t> costs;      ///< shape (leaves)
  std::vector<std::uint64_t> particles;  ///< shape (leaves)
};

/// Consecutive leaves that go to one rank together. They are found by halving the line of leaves, which is a walk
/// through the nodes of the forest, until none holds more than a small share of the cost or of the particles; a leaf
/// cannot be cut further.
struct Units {
  std::vector<std::uint32_t> begins;     ///< shape (units + 1): leaves; the last is the number of all
  std::vector<std::uint64_t> costs;      ///< shape (units): of all ranks
  std::vector<std::uint64_t> particles;  ///< shape (units): of all ranks

  [[nodiscard]] std::size_t size() const noexcept { return costs.size(); }
  [[nodiscard]] std::uint32_t of_leaf(std::size_t leaf) const;
  /// Shape (units): what they take [particles].
  [[nodiscard]] std::vector<std::uint64_t> memory() const;
  /// What leaves have, from what units have.
  [[nodiscard]] std::vector<std::uint32_t> spread(std::span<const std::uint32_t> of_units) const;
};

/// No unit holds more than 1 / (units_per_rank ranks) of the cost, or of 1 / least_units where that is less: then parts
/// of whole units are as even as they need be.
inline constexpr std::size_t units_per_rank = 32;
inline constexpr std::size_t least_units = 1024;

/// Finds the units. All ranks call it.
/// @param mine   of this rank
/// @param owner  shape (leaves): no unit has leaves of two ranks; empty: that does not matter
/// Cost: O(leaves), and a sum over ranks of what some units have, for each time that units are cut in eight.
[[nodiscard]] Units find_units(comm::Communicator& ranks, const LeafCosts& mine, std::span<const std::uint32_t> owner);

/// The rank that has most of the particles of each unit. All ranks call it.
/// @param mine  particles of this rank, shape (leaves)
[[nodiscard]] std::vector<std::uint32_t> present_owners(comm::Communicator& ranks, const Units& units,
                                                        std::span<const std::uint64_t> mine);

/// Who is to own the units, and whether that is better than who did.
struct Shares {
  std::vector<std::uint32_t> owner;  ///< shape (units)
  /// What the most loaded rank has, its messages included: as owners are, and as they are to be.
  std::uint64_t load_before = 0, load_after = 0;
  bool had_room = false;  ///< whether no rank has more than its share of the memory allows, as owners are
};

/// Divides units among ranks: the first rank does, and tells the others. All ranks call it.
/// @param mine      what this rank's cells send to other units, or get; those of the same two units add up
/// @param previous  shape (units): their present owners; empty: none yet
/// Cost: O(units) and what travels between them, on the first rank.
[[nodiscard]] Shares share_units(comm::Communicator& ranks, const Units& units, std::span<const topology::Edge> mine,
                                 std::span<const std::uint32_t> previous,
                                 topology::Method method = topology::Method::best);

/// No rank gets more than this many times the mean of the memory for particles and cells, whatever they cost.
inline constexpr double most_memory = 2.0;

/// A leaf, with its lists and tasks, takes as much memory as so many particles: some 5 kB.
inline constexpr std::uint64_t particles_per_leaf = 16;

/// @param sizes  memory, in any unit
/// @return       what a rank may get of it
[[nodiscard]] std::uint64_t most_memory_of_rank(std::span<const std::uint64_t> sizes, std::size_t ranks);

}  // namespace tacit::sph
