// Finds what the leaves of ranks see of each other.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/octree_halo.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace tacit::mesh {
namespace {

bool is_at_a_face(const Touching& one) {
  return std::ranges::count(one.offset, 0) == 2;  // axes that are not divided have none but 0
}

/// What `seen`, moved by turns of the box, has within reach of `own`, in its own coordinates.
Box cells_within_reach(const Octree& tree, const Node& own, const Touching& seen, Index block, Index reach) {
  const Node& other = tree.leaf(seen.leaf);
  Box cells{.begin = {}, .end = {1, 1, 1, 1}};
  for (std::size_t axis = 0; axis < tree.spec().dimensions; ++axis) {
    // The range of `own` in cells of the level of the other one.
    Index begin = own.at[axis] * block;
    Index end = begin + block;
    Index wide = reach;
    if (other.level > own.level) {
      begin *= 2;
      end *= 2;
      wide *= 2;
    } else if (other.level < own.level) {
      begin /= 2;
      end /= 2;
    }
    const Index first = (other.at[axis] + seen.turns[axis] * tree.nodes(axis, other.level)) * block;
    cells.begin[axis] = std::clamp<Index>(begin - wide - first, 0, block);
    cells.end[axis] = std::clamp<Index>(end + wide - first, 0, block);
  }
  return cells;
}

/// Boxes by rank and leaf.
using Boxes = std::map<std::pair<comm::RankId, std::size_t>, Box>;

void join(Boxes& boxes, comm::RankId rank, const SeenCells& seen) {
  const auto [found, is_new] = boxes.try_emplace({rank, seen.leaf}, seen.cells);
  if (is_new) return;
  for (std::size_t axis = 0; axis < max_dimensions; ++axis) {
    found->second.begin[axis] = std::min(found->second.begin[axis], seen.cells.begin[axis]);
    found->second.end[axis] = std::max(found->second.end[axis], seen.cells.end[axis]);
  }
}

std::vector<SharedCells> list_of(const Boxes& boxes) {
  std::vector<SharedCells> list;
  for (const auto& [key, cells] : boxes) list.push_back({key.first, key.second, cells});
  return list;
}

}  // namespace

std::vector<SeenCells> seen_from(const Octree& tree, std::size_t leaf, Index block, Index reach) {
  const Node& own = tree.leaf(leaf);
  const std::vector<Touching> around = tree.around(leaf);
  const bool sees_all = std::ranges::any_of(
      around, [&](const Touching& one) { return is_at_a_face(one) && tree.leaf(one.leaf).level < own.level; });
  std::vector<SeenCells> seen;
  for (const Touching& one : around) {
    if (!sees_all && !is_at_a_face(one)) continue;
    const Box cells = cells_within_reach(tree, own, one, block, reach);
    if (!cells.is_empty()) seen.push_back({one.leaf, cells});
  }
  return seen;
}

OctreeHalo halo_of(const Octree& tree, const LeafDivision& division, comm::RankId own, Index block, Index reach) {
  if (division.ranks() == 1) return {};
  const LeafRange mine = division.of(own);
  Boxes received;
  std::set<std::size_t> beyond;
  for (std::size_t leaf = mine.begin; leaf < mine.end; ++leaf) {
    for (const SeenCells& seen : seen_from(tree, leaf, block, reach)) {
      if (!mine.contains(seen.leaf)) join(received, division.owner(seen.leaf), seen);
    }
    for (const std::size_t other : tree.touching(leaf)) {
      if (!mine.contains(other)) beyond.insert(other);
    }
  }
  Boxes sent;
  for (const std::size_t leaf : beyond) {
    for (const SeenCells& seen : seen_from(tree, leaf, block, reach)) {
      if (mine.contains(seen.leaf)) join(sent, division.owner(leaf), seen);
    }
  }
  return {list_of(sent), list_of(received)};
}

}  // namespace tacit::mesh
