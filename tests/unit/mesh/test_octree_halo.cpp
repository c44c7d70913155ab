// Which cells of whose leaves ranks see, against plain searches through all pairs of cells.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "tacit/mesh/octree_halo.hpp"

namespace tacit::mesh {
namespace {

constexpr Index block_cells = 4;
constexpr Index cells_seen = 2;

/// Deep in some random places.
Octree deep_tree(const OctreeSpec& spec, std::uint32_t levels, unsigned seed) {
  std::mt19937 random(seed);
  const Octree roots(spec, 0U);
  std::vector<Node> divided;
  for (int place = 0; place < 2; ++place) {
    Node node = roots.leaf(random() % roots.size());
    for (std::uint32_t level = 0; level < levels; ++level) {
      divided.push_back(node);
      const auto children = roots.children(node);
      node = children[random() % children.size()];
    }
  }
  return {spec, divided};
}

const std::vector<OctreeSpec> halo_specs{
    {.dimensions = 3, .roots = {2, 2, 1}, .boundaries = {Boundary::periodic, Boundary::wall, Boundary::periodic}},
    {.dimensions = 2, .roots = {3, 2, 1}, .boundaries = {Boundary::periodic, Boundary::periodic, Boundary::wall}},
    {.dimensions = 1, .roots = {5, 1, 1}, .boundaries = {Boundary::wall, Boundary::wall, Boundary::wall}}};

/// How many cells are between a leaf and a cell of another one along an axis, by those of the coarser of the two; of
/// all turns around the box the least. -1: their ranges meet.
Index gap_along(const Octree& tree, const Node& leaf, const Node& other, Index cell, std::size_t axis) {
  const std::uint32_t fine = tree.finest();
  const auto unit = [&](const Node& node) { return Index{1} << (fine - node.level); };
  const Index low = leaf.at[axis] * block_cells * unit(leaf);
  const Index high = low + block_cells * unit(leaf);
  const Index begin = (other.at[axis] * block_cells + cell) * unit(other);
  const Index end = begin + unit(other);
  const Index length = tree.nodes(axis, fine) * block_cells;
  Index least = std::int64_t{1} << 40U;
  for (const Index turn : {-length, Index{0}, length}) {
    if (turn != 0 && tree.spec().boundaries[axis] != Boundary::periodic) continue;
    if (begin + turn < high && low < end + turn) return -1;
    least = std::min(least, std::max(begin + turn - high, low - end - turn));
  }
  return least / std::max(unit(leaf), unit(other));
}

bool has_coarser_face(const Octree& tree, std::size_t leaf) {
  for (std::size_t axis = 0; axis < tree.spec().dimensions; ++axis) {
    for (const Side side : {Side::low, Side::high}) {
      if (tree.beside(leaf, axis, side).relation == Beside::Relation::coarser) return true;
    }
  }
  return false;
}

TEST(OctreeHalo, CellsWithinReachAreSeenAndNoOthers) {
  for (const OctreeSpec& spec : halo_specs) {
    const Octree tree = deep_tree(spec, 3, 7);
    const Index ny = spec.dimensions > 1 ? block_cells : 1;
    const Index nz = spec.dimensions > 2 ? block_cells : 1;
    std::size_t wanted = 0;
    for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
      const auto seen = seen_from(tree, leaf, block_cells, cells_seen);
      const bool sees_edges = has_coarser_face(tree, leaf);
      for (std::size_t other = 0; other < tree.size(); ++other) {
        if (other == leaf) continue;
        for (Index i = 0; i < block_cells * ny * nz; ++i) {
          const Point cell{i % block_cells, i / block_cells % ny, i / block_cells / ny, 0};
          bool is_near = true;
          int beyond = 0;  // along so many axes
          for (std::size_t axis = 0; axis < spec.dimensions; ++axis) {
            const Index gap = gap_along(tree, tree.leaf(leaf), tree.leaf(other), cell[axis], axis);
            is_near &= gap < cells_seen;
            beyond += gap >= 0 ? 1 : 0;
          }
          const bool is_seen = std::ranges::any_of(
              seen, [&](const SeenCells& one) { return one.leaf == other && one.cells.contains(cell); });
          if (is_near && (beyond == 1 || sees_edges)) {
            EXPECT_TRUE(is_seen) << leaf << " of " << other;
            ++wanted;
          }
          if (is_seen) {
            EXPECT_TRUE(is_near) << leaf << " of " << other;
          }
        }
      }
    }
    EXPECT_GT(wanted, tree.size());
  }
}

/// What one rank sends is what the other one waits for, cell by cell, and covers what leaves see.
TEST(OctreeHalo, BothEndsOfAMessageFindTheSameCells) {
  for (const OctreeSpec& spec : halo_specs) {
    const Octree tree = deep_tree(spec, 3, 11);
    for (const std::size_t ranks : {1U, 2U, 3U, 7U}) {
      const LeafDivision division(tree.size(), ranks);
      using Way = std::pair<comm::RankId, comm::RankId>;
      std::map<Way, std::vector<std::pair<std::size_t, Box>>> sent;
      std::map<Way, std::vector<std::pair<std::size_t, Box>>> received;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const comm::RankId own{rank};
        const OctreeHalo halo = halo_of(tree, division, own, block_cells, cells_seen);
        for (const SharedCells& one : halo.send) {
          EXPECT_EQ(division.owner(one.leaf), own);
          sent[{own, one.rank}].emplace_back(one.leaf, one.cells);
        }
        std::set<std::size_t> leaves;
        for (const SharedCells& one : halo.receive) {
          EXPECT_EQ(division.owner(one.leaf), one.rank);
          EXPECT_TRUE(leaves.empty() || *leaves.rbegin() < one.leaf);
          leaves.insert(one.leaf);
          received[{one.rank, own}].emplace_back(one.leaf, one.cells);
        }
        for (std::size_t leaf = division.of(own).begin; leaf < division.of(own).end; ++leaf) {
          for (const SeenCells& seen : seen_from(tree, leaf, block_cells, cells_seen)) {
            if (division.owner(seen.leaf) == own) continue;
            const auto found = std::ranges::find(halo.receive, seen.leaf, &SharedCells::leaf);
            ASSERT_NE(found, halo.receive.end());
            EXPECT_EQ(intersection(found->cells, seen.cells), seen.cells);
          }
        }
      }
      EXPECT_EQ(sent, received);
      EXPECT_EQ(sent.empty(), ranks == 1);
    }
  }
}

TEST(OctreeHalo, OfOneLevelOnlyLayersAtTheFacesTravel) {
  const Octree tree(halo_specs[1], 2U);
  const LeafDivision division(tree.size(), 4);
  const OctreeHalo halo = halo_of(tree, division, comm::RankId{1}, 8, 2);
  ASSERT_FALSE(halo.send.empty());
  for (const SharedCells& one : halo.send) {
    EXPECT_TRUE(one.cells.extent(0) == 2 || one.cells.extent(1) == 2 || one.cells.points() == 64U);
    EXPECT_EQ(one.cells.extent(2), 1);
  }
  EXPECT_TRUE(std::ranges::any_of(halo.send, [](const SharedCells& one) { return one.cells.points() == 16; }));
}

}  // namespace
}  // namespace tacit::mesh
