// The leaves of an octree divided among ranks, and which cells of whose leaves the others see.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tacit/comm/rank.hpp"
#include "tacit/mesh/box.hpp"
#include "tacit/mesh/octree.hpp"

namespace tacit::mesh {

/// Leaves along the curve: begin <= number < end.
struct LeafRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] constexpr std::size_t size() const noexcept { return end - begin; }
  [[nodiscard]] constexpr bool contains(std::size_t leaf) const noexcept { return begin <= leaf && leaf < end; }
  friend constexpr bool operator==(const LeafRange&, const LeafRange&) = default;
};

/// Which rank has which leaves: ranges along the curve, in the order of the ranks, whose lengths differ by one at most.
/// So it follows from both numbers alone.
class LeafDivision {
 public:
  /// @pre 0 < ranks
  LeafDivision(std::size_t leaves, std::size_t ranks) noexcept : leaves_(leaves), ranks_(ranks) {}

  [[nodiscard]] std::size_t ranks() const noexcept { return ranks_; }
  [[nodiscard]] LeafRange of(comm::RankId rank) const noexcept {
    const std::size_t place = number(rank);
    return {leaves_ * place / ranks_, leaves_ * (place + 1) / ranks_};
  }
  /// @pre leaf < leaves
  [[nodiscard]] comm::RankId owner(std::size_t leaf) const noexcept {
    return comm::RankId{static_cast<std::uint32_t>(((leaf + 1) * ranks_ - 1) / leaves_)};
  }

 private:
  std::size_t leaves_;
  std::size_t ranks_;
};

/// Cells of a leaf that one rank has and another one sees.
struct SharedCells {
  comm::RankId rank{};   ///< the other one
  std::size_t leaf = 0;  ///< in the whole tree
  Box cells;             ///< in coordinates of the leaf: 0 <= x < block along each axis that is divided
  friend bool operator==(const SharedCells&, const SharedCells&) = default;
};

/// What a rank shows and sees. Both ends of a message find the same boxes, each of them from the tree alone.
struct OctreeHalo {
  std::vector<SharedCells> send;     ///< of own leaves, by rank and leaf
  std::vector<SharedCells> receive;  ///< of leaves of others, by leaf; each once
};

/// What a leaf sees: cells of those beside its faces, and of all that touch it if one of them is coarser, as slopes in
/// coarser cells look further around. Around a periodic box a leaf may be there several times, and itself.
struct SeenCells {
  std::size_t leaf = 0;
  Box cells;  ///< in coordinates of that leaf
};
/// @param block  cells of a leaf along each axis that is divided: an even number
/// @param reach  so many cells are seen beyond the leaf; where one of the two is coarser, so many of its cells
[[nodiscard]] std::vector<SeenCells> seen_from(const Octree& tree, std::size_t leaf, Index block, Index reach);

/// What travels between this rank and the others so that each leaf has what it sees. Where several leaves see parts of
/// one, the box around all these parts travels.
///
/// Cost: for each leaf of the rank, some 30 searches in the tree; those at its rim again for each leaf around.
[[nodiscard]] OctreeHalo halo_of(const Octree& tree, const LeafDivision& division, comm::RankId own, Index block,
                                 Index reach);

}  // namespace tacit::mesh
