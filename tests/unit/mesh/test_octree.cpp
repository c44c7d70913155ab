// Octrees against plain searches through all leaves: cover, neighbours, balance, the curve.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <set>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/mesh/octree.hpp"

namespace tacit::mesh {
namespace {

constexpr OctreeSpec box_of_roots{
    .dimensions = 3, .roots = {3, 2, 1}, .boundaries = {Boundary::periodic, Boundary::wall, Boundary::periodic}};

/// In units of the cells of a fine level: [begin, end) along an axis.
struct Extent {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Extent extent_of(const Octree& tree, const Node& node, std::size_t axis, std::uint32_t fine) {
  if (axis >= tree.spec().dimensions) return {0, 1};
  const std::int64_t size = std::int64_t{1} << (fine - node.level);
  return {node.at[axis] * size, (node.at[axis] + 1) * size};
}

/// Whether two leaves touch, around the box where that is periodic.
bool touch(const Octree& tree, const Node& a, const Node& b) {
  const std::uint32_t fine = tree.finest();
  for (std::size_t axis = 0; axis < tree.spec().dimensions; ++axis) {
    const Extent mine = extent_of(tree, a, axis, fine);
    const Extent theirs = extent_of(tree, b, axis, fine);
    const std::int64_t length = tree.nodes(axis, fine);
    bool meets = false;
    for (const std::int64_t turn : {-length, std::int64_t{0}, length}) {
      if (turn != 0 && tree.spec().boundaries[axis] != Boundary::periodic) continue;
      meets |= theirs.begin + turn <= mine.end && mine.begin <= theirs.end + turn;
    }
    if (!meets) return false;
  }
  return true;
}

/// Deep in some random places.
Octree random_tree(const OctreeSpec& spec, std::uint32_t levels, unsigned seed) {
  std::mt19937 random(seed);
  const Octree roots(spec, 0U);
  std::vector<Node> divided;
  for (int place = 0; place < 3; ++place) {
    Node node = roots.leaf(random() % roots.size());
    for (std::uint32_t level = 0; level < levels; ++level) {
      divided.push_back(node);
      const auto children = roots.children(node);
      node = children[random() % children.size()];
    }
  }
  return {spec, divided};
}

std::vector<OctreeSpec> all_specs() {
  return {box_of_roots,
          {.dimensions = 2, .roots = {2, 3, 1}, .boundaries = {Boundary::wall, Boundary::periodic, Boundary::wall}},
          {.dimensions = 1, .roots = {2, 1, 1}, .boundaries = {Boundary::periodic, Boundary::wall, Boundary::wall}}};
}

TEST(Octree, OfOneLevelHasAllNodesOnceAlongTheCurve) {
  const Octree tree(box_of_roots, 2U);
  ASSERT_EQ(tree.size(), 3U * 2U * 1U * 64U);
  std::set<Node> seen;
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    EXPECT_EQ(tree.leaf(leaf).level, 2U);
    EXPECT_TRUE(seen.insert(tree.leaf(leaf)).second);
    EXPECT_EQ(tree.covering(tree.leaf(leaf)), leaf);
  }
  // Eight that follow each other from a multiple of eight on are the parts of one node.
  for (std::size_t first = 0; first < tree.size(); first += 8) {
    for (std::size_t child = 1; child < 8; ++child) {
      EXPECT_EQ(tree.parent(tree.leaf(first + child)), tree.parent(tree.leaf(first)));
    }
  }
}

TEST(Octree, CoversTheBoxOnceWhateverTheLevels) {
  for (const OctreeSpec& spec : all_specs()) {
    for (unsigned seed = 1; seed < 6; ++seed) {
      const Octree tree = random_tree(spec, 4, seed);
      ASSERT_EQ(tree.finest(), 4U);
      double volume = 0.0;
      for (const Node& leaf : tree.leaves()) volume += 1.0 / Octree::leaves_of_level(spec, leaf.level);
      EXPECT_NEAR(volume, 1.0, 1e-13) << "some hundred roundings, as 1/6 is none of the numbers";
      const Octree fine(spec, 4U);
      for (const Node& node : fine.leaves()) EXPECT_TRUE(tree.covering(node).has_value());
    }
  }
}

TEST(Octree, LeavesThatTouchAreThoseOfASearchAndDifferByOneLevel) {
  for (const OctreeSpec& spec : all_specs()) {
    for (unsigned seed = 1; seed < 6; ++seed) {
      const Octree tree = random_tree(spec, 4, seed);
      for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
        std::vector<std::size_t> expected;
        for (std::size_t other = 0; other < tree.size(); ++other) {
          if (other != leaf && touch(tree, tree.leaf(leaf), tree.leaf(other))) expected.push_back(other);
        }
        EXPECT_EQ(tree.touching(leaf), expected);
        for (const std::size_t other : expected) {
          const auto difference = static_cast<int>(tree.leaf(other).level) - static_cast<int>(tree.leaf(leaf).level);
          EXPECT_LE(std::abs(difference), 1);
        }
      }
    }
  }
}

TEST(Octree, WhatIsBesideOneHasItBeside) {
  for (const OctreeSpec& spec : all_specs()) {
    const Octree tree = random_tree(spec, 3, 7);
    std::array<int, 4> seen{};
    for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
      for (std::size_t axis = 0; axis < spec.dimensions; ++axis) {
        for (const Side side : {Side::low, Side::high}) {
          const Beside beside = tree.beside(leaf, axis, side);
          ++seen[static_cast<std::size_t>(beside.relation)];
          const std::size_t finer = std::size_t{1} << (spec.dimensions - 1);
          const bool is_outside = beside.relation == Beside::Relation::outside;
          const bool is_finer = beside.relation == Beside::Relation::finer;
          ASSERT_EQ(beside.count, is_outside ? 0U : is_finer ? finer : 1U);
          const Side back = side == Side::low ? Side::high : Side::low;
          for (std::size_t i = 0; i < beside.count; ++i) {
            const Beside from_there = tree.beside(beside.leaves[i], axis, back);
            const auto end = from_there.leaves.begin() + static_cast<std::ptrdiff_t>(from_there.count);
            EXPECT_NE(std::find(from_there.leaves.begin(), end, leaf), end);
          }
        }
      }
    }
    EXPECT_GT(seen[1], 0);
    EXPECT_EQ(seen[2] > 0, seen[3] > 0);
  }
}

TEST(Octree, SeventeenLevelsAreNumbered) {
  const OctreeSpec spec{.dimensions = 3, .roots = {2, 2, 2}, .boundaries = {}};
  std::vector<Node> divided;
  Node node{0, {1, 1, 1}};
  for (std::uint32_t level = 0; level < 17; ++level) {
    divided.push_back(node);
    node = Node{level + 1, {2 * node.at[0], 2 * node.at[1], 2 * node.at[2]}};  // at the centre of the box
  }
  const Octree tree(spec, divided);
  EXPECT_EQ(tree.finest(), 17U);
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    for (const std::size_t other : tree.touching(leaf)) {
      EXPECT_LE(std::abs(static_cast<int>(tree.leaf(other).level) - static_cast<int>(tree.leaf(leaf).level)), 1);
    }
  }
}

TEST(Octree, RefusesMoreThanTheCurveCanNumber) {
  EXPECT_THROW(Octree(OctreeSpec{}, 21U), base::Error);
  EXPECT_THROW(Octree(OctreeSpec{.roots = {1 << 20, 1 << 20, 1}}, 0U), base::Error);
  EXPECT_EQ(Octree::deepest_level(OctreeSpec{}), 21U);
  EXPECT_EQ(Octree::deepest_level(OctreeSpec{.roots = {3, 1, 1}}), 19U);
  const std::array outside{Node{0, {1, 0, 0}}};
  EXPECT_THROW(Octree(OctreeSpec{}, outside), base::PreconditionError);
}

}  // namespace
}  // namespace tacit::mesh
