// Which cells of whose leaves ranks see, where the leaves of an octree are divided among them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tacit/comm/rank.hpp"
#include "tacit/mesh/box.hpp"
#include "tacit/mesh/leaf_division.hpp"
#include "tacit/mesh/octree.hpp"

namespace tacit::mesh {

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
