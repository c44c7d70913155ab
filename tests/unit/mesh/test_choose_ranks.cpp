// Ranks per axis: the least is exchanged, equals are decided alike, and errors say what does not fit.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/mesh/choose_ranks.hpp"
#include "unit/mesh/grids.hpp"

namespace tacit::mesh::choose_ranks_test {

using testing::boundaries;
using testing::for_points;

GridSpec grid(std::vector<Index> points, unsigned periodic = 0, Index ghosts = 1,
              std::vector<std::uint32_t> ranks = {}) {
  const std::size_t dimensions = points.size();
  return {.points = std::move(points),
          .boundaries = boundaries(dimensions, periodic),
          .ghosts = ghosts,
          .ranks = std::move(ranks)};
}

std::string error_of(const GridSpec& spec, std::size_t ranks) {
  try {
    const BlockGrid made(spec, ranks, comm::RankId{0});
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

/// What all ranks together send to others, by counting neighbours' points.
std::size_t sent_to_others(const GridSpec& spec, std::size_t ranks) {
  std::size_t sum = 0;
  for (const BlockGrid& block : testing::on_all_ranks(spec, ranks)) {
    for (const Neighbour& there : block.neighbours(Neighbours::faces)) {
      if (there.rank != block.own()) sum += there.send.points();
    }
  }
  return sum;
}

TEST(MeshChooseRanks, NoOtherDivisionExchangesLess) {
  testing::for_grids([](const GridSpec& spec, std::size_t ranks) {
    if (spec.ghosts != 1) return;
    const std::size_t chosen = sent_to_others(spec, ranks);
    Box all{.begin = {1, 1, 1, 1}, .end = {2, 2, 2, 2}};
    for (std::size_t a = 0; a < spec.points.size(); ++a) all.end[a] = static_cast<Index>(ranks) + 1;
    if (ranks > 8 && spec.points.size() > 3) return;  // 4096 divisions are enough
    for_points(all, [&](const Point& tried) {
      if (tried[0] * tried[1] * tried[2] * tried[3] != static_cast<Index>(ranks)) return;
      GridSpec given = spec;
      for (std::size_t a = 0; a < spec.points.size(); ++a) given.ranks.push_back(static_cast<std::uint32_t>(tried[a]));
      if (find_ranks(given, ranks)) {
        EXPECT_LE(chosen, sent_to_others(given, ranks)) << testing::describe(spec, ranks);
      }
    });
  });
}

TEST(MeshChooseRanks, OfEqualsTheSlowestAxisIsCut) {
  EXPECT_EQ(choose_ranks(grid({64, 64, 64}), 2), (Point{1, 1, 2, 1}));
  EXPECT_EQ(choose_ranks(grid({64, 64, 64}), 4), (Point{1, 2, 2, 1}));
  EXPECT_EQ(choose_ranks(grid({64, 64, 64}, 7), 4), (Point{1, 1, 4, 1}));  // alone in a periodic axis nothing is sent
  EXPECT_EQ(choose_ranks(grid({64, 64, 64}), 8), (Point{2, 2, 2, 1}));
  EXPECT_EQ(choose_ranks(grid({64, 64}), 6), (Point{2, 3, 1, 1}));
  EXPECT_EQ(choose_ranks(grid({16, 16, 16, 16}), 2), (Point{1, 1, 1, 2}));
  EXPECT_EQ(choose_ranks(grid({100, 10}), 2), (Point{2, 1, 1, 1}));
  EXPECT_EQ(choose_ranks(grid({9}), 3), (Point{3, 1, 1, 1}));
}

TEST(MeshChooseRanks, EachRankKeepsAsManyPointsAsGhosts) {
  EXPECT_EQ(choose_ranks(grid({64, 64, 5}, 0, 2), 4), (Point{2, 2, 1, 1}));
  EXPECT_EQ(choose_ranks(grid({1000, 7}, 0, 2), 3), (Point{3, 1, 1, 1}));
  EXPECT_FALSE(find_ranks(grid({7}, 0, 2), 4));
  EXPECT_TRUE(find_ranks(grid({8}, 0, 2), 4));
  EXPECT_TRUE(find_ranks(grid({1}, 0, 2), 1));  // an axis that is not cut may be shorter
}

TEST(MeshChooseRanks, GivenRanksAreTaken) {
  EXPECT_EQ(choose_ranks(grid({8, 8, 8}, 0, 1, {4, 1, 1}), 4), (Point{4, 1, 1, 1}));
  EXPECT_EQ(choose_ranks(grid({8, 8, 8}, 0, 1, {2, 0, 0}), 4), (Point{2, 1, 2, 1}));
  EXPECT_EQ(choose_ranks(grid({8, 8, 8}, 0, 1, {0, 0, 0}), 2), (Point{1, 1, 2, 1}));
}

TEST(MeshChooseRanks, ErrorsSayWhatDoesNotFit) {
  EXPECT_EQ(error_of(grid({4, 4}), 17),
            "17 ranks are too many for a grid of 4 x 4 points: each needs at least 1 along every axis that is cut; "
            "use 16 ranks");
  EXPECT_EQ(error_of(grid({8, 6}, 0, 3), 5),
            "5 ranks are too many for a grid of 8 x 6 points: each needs at least 3 along every axis that is cut, as "
            "many as ghost points; use 4 ranks");
  EXPECT_EQ(
      error_of(grid({8, 8}, 0, 2, {8, 1}), 8),
      "8 ranks, as 8 x 1, are too many for a grid of 8 x 8 points: each needs at least 2 along every axis that is "
      "cut, as many as ghost points; leave the ranks per axis out to have them chosen");
  EXPECT_EQ(
      error_of(grid({8, 8}, 0, 1, {2, 3}), 4),
      "a grid of 2 x 3 ranks cannot be made of the 4 that there are: change the ranks per axis, or leave them out "
      "to have them chosen");
  EXPECT_EQ(error_of(grid({8, 8}, 0, 1, {3, 0}), 4),
            "a grid of 3 x any ranks cannot be made of the 4 that there are: change the ranks per axis, or leave them "
            "out to have them chosen");
}

TEST(MeshChooseRanks, FarTooManyRanksAreRefusedAtOnce) {
  const auto hint = [](const GridSpec& spec, std::size_t ranks) {
    const std::string error = error_of(spec, ranks);
    return error.substr(error.rfind("; ") + 2);
  };
  EXPECT_EQ(hint(grid({8, 6}), std::size_t{1} << 24U), "use 48 ranks");
  EXPECT_EQ(hint(grid({8, 6}, 0, 2), std::size_t{1} << 62U), "use 12 ranks");
  EXPECT_EQ(hint(grid({8, 6}, 0, 1, {0, 3}), std::size_t{3} << 60U), "use 24 ranks");
  EXPECT_EQ(hint(grid({8, 6}, 0, 1, {16, 0}), std::size_t{1} << 60U),
            "leave the ranks per axis out to have them chosen");
}

TEST(MeshChooseRanks, ErrorsNameWhatIsWrongWithTheGrid) {
  EXPECT_EQ(error_of(grid({}), 1), "a grid has 0 dimensions; 1 to 4 are possible");
  EXPECT_EQ(error_of(grid({2, 2, 2, 2, 2}), 1), "a grid has 5 dimensions; 1 to 4 are possible");
  EXPECT_EQ(error_of(grid({2, 0, 2}), 1), "axis y of a grid has 0 points; at least 1 is needed");
  EXPECT_EQ(error_of(grid({2, 2}, 0, -1), 1), "a grid has -1 ghost points; 0 is the least");
  EXPECT_EQ(error_of(grid({2, 2, 2}, 4, 3), 1),
            "axis z of a grid is periodic and has 2 points, fewer than the 3 ghost points at its ends; more points are "
            "needed");
  EXPECT_EQ(error_of({.points = {2, 2}, .boundaries = boundaries(1, 0)}, 1),
            "a grid has 2 dimensions, but 1 boundaries are given");
  EXPECT_EQ(error_of(grid({2, 2}, 0, 1, {1}), 1), "a grid has 2 dimensions, but ranks for 1 axes are given");
}

}  // namespace tacit::mesh::choose_ranks_test
