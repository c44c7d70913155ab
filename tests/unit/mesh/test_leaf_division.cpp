// Leaves divided among ranks by number and by cost: given tables of costs, and trees that change.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tacit/mesh/leaf_division.hpp"

namespace tacit::mesh {
namespace {

using Costs = std::vector<std::uint64_t>;

/// Where ranges begin, and where the last one ends.
std::vector<std::size_t> begins_of(const LeafDivision& division) {
  std::vector<std::size_t> begins;
  for (std::uint32_t rank = 0; rank < division.ranks(); ++rank) begins.push_back(division.of(comm::RankId{rank}).begin);
  begins.push_back(division.leaves());
  return begins;
}

TEST(LeafDivision, GivesEveryLeafToOneRankInTheirOrder) {
  for (std::size_t leaves = 1; leaves < 40; ++leaves) {
    for (std::size_t ranks = 1; ranks <= leaves; ++ranks) {
      const LeafDivision division(leaves, ranks);
      std::size_t next = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const comm::RankId id{static_cast<std::uint32_t>(rank)};
        const LeafRange range = division.of(id);
        EXPECT_EQ(range.begin, next);
        EXPECT_GE(range.size(), leaves / ranks);
        EXPECT_LE(range.size(), leaves / ranks + 1);
        for (std::size_t leaf = range.begin; leaf < range.end; ++leaf) EXPECT_EQ(division.owner(leaf), id);
        next = range.end;
      }
      EXPECT_EQ(next, leaves);
    }
  }
}

TEST(LeafDivision, RanksWithoutALeafOwnNone) {
  const LeafDivision division({0, 0, 2, 2, 5, 5});
  EXPECT_TRUE(division.has_idle_ranks());
  EXPECT_FALSE(LeafDivision(5, 5).has_idle_ranks());
  const std::vector<std::uint32_t> owners{1, 1, 3, 3, 3};
  for (std::size_t leaf = 0; leaf < owners.size(); ++leaf) EXPECT_EQ(division.owner(leaf), comm::RankId{owners[leaf]});
}

TEST(LeafDivision, ByCostHasTheRangesOfATable) {
  struct Case {
    Costs costs;
    std::vector<std::size_t> begins;
  };
  const std::vector<Case> cases{
      {{1, 1, 1, 1, 1, 1}, {0, 3, 6}},  // alike: as by number
      {{5, 1, 1, 1, 1, 1}, {0, 1, 6}},  // a dear one alone
      {{1, 1, 1, 1, 1, 5}, {0, 5, 6}},
      {{4, 2, 2, 4, 2, 2}, {0, 2, 4, 6}},  // 6, 6, 4
      {{9, 0, 0, 0, 0, 0}, {0, 4, 5, 6}},  // what costs nothing is no reason to be idle; 4 are twice the mean
      {{0, 0, 0, 0}, {0, 2, 3, 4}},        // nothing is known
      {
          {100, 1, 1, 1, 1, 1, 1, 1, 1, 1},
          {0, 1, 10},
      },
  };
  for (const Case& one : cases) {
    const LeafDivision division = divided_by_cost(one.costs, one.begins.size() - 1);
    EXPECT_EQ(begins_of(division), one.begins);
    EXPECT_FALSE(division.has_idle_ranks());
  }
}

TEST(LeafDivision, ByCostLeavesTheRankWithMostAsLittleAsCanBe) {
  std::mt19937 random(3);
  for (int turn = 0; turn < 50; ++turn) {
    Costs costs(12);
    for (std::uint64_t& cost : costs) cost = 10 + random() % 11;  // so that no rank is kept from more by its memory
    const std::uint64_t found = largest_cost(divided_by_cost(costs, 3), costs);
    std::uint64_t least = found + 1;
    for (std::size_t first = 1; first < 11; ++first) {
      for (std::size_t second = first + 1; second < 12; ++second)
        least = std::min(least, largest_cost(LeafDivision({0, first, second, 12}), costs));
    }
    EXPECT_EQ(found, least);
  }
}

TEST(LeafDivision, NoRankGetsMoreThanTwiceTheMean) {
  Costs costs(40, 1);
  costs[0] = 1000;
  EXPECT_EQ(begins_of(divided_by_cost(costs, 4)), (std::vector<std::size_t>{0, 1, 21, 39, 40}));
}

TEST(LeafDivision, NoiseMovesNothing) {
  const LeafDivision present(40, 4);
  std::mt19937 random(5);
  for (int turn = 0; turn < 20; ++turn) {
    Costs costs(40);
    for (std::uint64_t& cost : costs) cost = 1000 + random() % 100;  // of ten leaves together less than a twentieth
    EXPECT_EQ(better_division(present, costs), present);
  }
}

TEST(LeafDivision, WhatGainsATwentiethIsTaken) {
  const LeafDivision present(40, 2);
  Costs costs(40, 100);
  costs[0] = 200;  // 21 to 20
  EXPECT_EQ(better_division(present, costs), present);
  costs[0] = 600;  // 25 to 20, and 23 to 22 where the first has two leaves less
  const LeafDivision better = better_division(present, costs);
  EXPECT_EQ(largest_cost(better, costs), 2300U);
  EXPECT_EQ(better_division(better, costs), better);
  EXPECT_NE(better, present);
}

TEST(LeafDivision, IdleAndOverfullRanksAreNoneToKeep) {
  const Costs costs(8, 7);
  EXPECT_EQ(begins_of(better_division(LeafDivision({0, 0, 8}), costs)), (std::vector<std::size_t>{0, 4, 8}));
  Costs cheap(8, 0);
  cheap[0] = 10;
  EXPECT_EQ(begins_of(better_division(LeafDivision({0, 5, 6, 7, 8}), cheap)),
            (std::vector<std::size_t>{0, 4, 6, 7, 8}));
}

/// One of four roots of a plane is divided; then another one.
TEST(LeafDivision, GoesOverToAnotherTreeWithItsCells) {
  const OctreeSpec spec{.dimensions = 2, .roots = {2, 2, 1}};
  const std::vector<Node> second{{0, {1, 0, 0}}};
  const std::vector<Node> third{{0, {0, 1, 0}}};
  const Octree before(spec, second);  // leaves: 1 root, 4 parts, 2 roots
  const Octree after(spec, third);    // leaves: 2 roots, 4 parts, 1 root
  ASSERT_EQ(before.size(), 7U);
  ASSERT_EQ(after.size(), 7U);
  const Costs costs{10, 1, 2, 3, 6, 20, 30};
  EXPECT_EQ(carried_over(costs, before, after), (Costs{10, 3, 20, 20, 20, 20, 30}));
  EXPECT_EQ(carried_over(costs, before, before), costs);
  // The root that is joined goes to the owner of its first part.
  EXPECT_EQ(begins_of(carried_over(LeafDivision({0, 2, 5, 7}), before, after)), (std::vector<std::size_t>{0, 2, 2, 7}));
  EXPECT_EQ(begins_of(carried_over(LeafDivision({0, 1, 6, 7}), before, after)), (std::vector<std::size_t>{0, 1, 6, 7}));
  EXPECT_EQ(carried_over(LeafDivision({0, 3, 4, 7}), before, before), LeafDivision({0, 3, 4, 7}));
}

}  // namespace
}  // namespace tacit::mesh
