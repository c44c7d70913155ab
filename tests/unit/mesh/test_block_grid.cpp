// Blocks and their neighbours: all ranks of a grid are looked at together.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tacit/mesh/block_grid.hpp"
#include "unit/comm/ranks.hpp"
#include "unit/mesh/grids.hpp"

namespace tacit::mesh::block_grid_test {

using testing::axes_outside;
using testing::describe;
using testing::for_grids;
using testing::for_points;
using testing::global_number;
using testing::on_all_ranks;
using testing::rank_id;

constexpr std::array all_kinds{Neighbours::faces, Neighbours::faces_and_edges, Neighbours::all};

std::size_t axes_of(Neighbours which) {
  return which == Neighbours::faces ? 1 : which == Neighbours::faces_and_edges ? 2 : 4;
}

TEST(MeshBlockGrid, EveryPointHasOneOwner) {
  std::size_t grids = 0;
  for_grids([&grids](const GridSpec& spec, std::size_t ranks) {
    const auto blocks = on_all_ranks(spec, ranks);
    std::vector<int> owned(blocks[0].points());
    for (const BlockGrid& grid : blocks) {
      for_points(grid.block(), [&](const Point& local) {
        ++owned[static_cast<std::size_t>(global_number(grid, local))];
        Point global = local;
        for (std::size_t a = 0; a < max_dimensions; ++a) global[a] += grid.range(a).begin;
        EXPECT_EQ(grid.owner(global), grid.own());
      });
    }
    EXPECT_TRUE(std::ranges::all_of(owned, [](int n) { return n == 1; })) << describe(spec, ranks);
    ++grids;
  });
  EXPECT_GT(grids, 1000U);
}

TEST(MeshBlockGrid, SizesDifferByOneAtMost) {
  for_grids([](const GridSpec& spec, std::size_t ranks) {
    const auto blocks = on_all_ranks(spec, ranks);
    for (std::size_t a = 0; a < spec.points.size(); ++a) {
      const auto [least, most] = std::ranges::minmax(blocks, {}, [a](const BlockGrid& g) { return g.range(a).size(); });
      EXPECT_LE(most.range(a).size() - least.range(a).size(), 1) << describe(spec, ranks);
      if (blocks[0].ranks(a) > 1) {
        EXPECT_GE(least.range(a).size(), std::max(Index{1}, spec.ghosts));
      }
    }
  });
}

TEST(MeshBlockGrid, CutsLieAtMultiplesOfTheGranularity) {
  for (const Index granularity : {1, 2, 4}) {
    for (const std::size_t ranks : {1U, 2U, 3U, 4U, 6U, 8U, 12U}) {
      const GridSpec spec{.points = {8, 24, 4, 12},
                          .boundaries = std::vector<Boundary>(4, Boundary::periodic),
                          .ghosts = 1,
                          .granularity = granularity};
      std::vector<int> owned(8U * 24U * 4U * 12U);
      for (const BlockGrid& grid : on_all_ranks(spec, ranks)) {
        for (std::size_t a = 0; a < 4; ++a) {
          EXPECT_EQ(grid.range(a).begin % granularity, 0) << describe(spec, ranks);
          EXPECT_EQ(grid.range(a).size() % granularity, 0) << describe(spec, ranks);
          EXPECT_GT(grid.range(a).size(), 0);
        }
        for_points(grid.block(), [&](const Point& local) {
          ++owned[static_cast<std::size_t>(global_number(grid, local))];
          Point global = local;
          for (std::size_t a = 0; a < max_dimensions; ++a) global[a] += grid.range(a).begin;
          EXPECT_EQ(grid.owner(global), grid.own());
        });
      }
      EXPECT_TRUE(std::ranges::all_of(owned, [](int n) { return n == 1; })) << describe(spec, ranks);
    }
  }
}

TEST(MeshBlockGrid, GridsThatGranulesDoNotDivideSayWhichDo) {
  const auto error_of = [](Index points, std::size_t ranks) {
    const GridSpec spec{.points = {points}, .boundaries = {Boundary::periodic}, .ghosts = 1, .granularity = 4};
    try {
      const BlockGrid made(spec, ranks, rank_id(0));
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(error_of(10, 1), "axis x of a grid has 10 points, no multiple of 4, at which it may be cut; 8 are");
  EXPECT_EQ(error_of(3, 1), "axis x of a grid has 3 points, no multiple of 4, at which it may be cut; 4 are");
  EXPECT_EQ(error_of(12, 3), "none");
  EXPECT_NE(error_of(12, 4).find("each needs at least 4 along every axis that is cut; use 3 ranks"), std::string::npos)
      << error_of(12, 4);
}

TEST(MeshBlockGrid, KnowsTheRangesAndPlacesOfAllRanks) {
  const auto blocks =
      on_all_ranks({.points = {7, 9, 4}, .boundaries = testing::boundaries(3, 2), .ranks = {2, 3, 2}}, 12);
  for (const BlockGrid& grid : blocks) {
    for (std::size_t r = 0; r < 12; ++r) {
      EXPECT_EQ(grid.coordinates(rank_id(r)), blocks[r].coordinates());
      EXPECT_EQ(grid.rank_at(blocks[r].coordinates()), rank_id(r));
      for (std::size_t a = 0; a < 3; ++a) EXPECT_EQ(grid.range(rank_id(r), a), blocks[r].range(a));
    }
  }
  EXPECT_EQ(blocks[1].coordinates(), (Point{1, 0, 0, 0}));  // x is the fastest among the ranks
  EXPECT_EQ(blocks[2].coordinates(), (Point{0, 1, 0, 0}));
  EXPECT_EQ(blocks[6].coordinates(), (Point{0, 0, 1, 0}));
  EXPECT_EQ(blocks[0].rank_at({0, -1, 0, 0}), rank_id(4));  // periodic in y
  EXPECT_EQ(blocks[0].rank_at({0, 7, 0, 0}), rank_id(2));
  EXPECT_FALSE(blocks[0].rank_at({-1, 0, 0, 0}));
  EXPECT_FALSE(blocks[0].rank_at({0, 0, 2, 0}));
  EXPECT_THROW((void)blocks[0].coordinates(rank_id(12)), base::PreconditionError);
}

TEST(MeshBlockGrid, GhostPointsLieAroundOwnOnes) {
  const BlockGrid grid({.points = {6, 5}, .boundaries = testing::boundaries(2, 1), .ghosts = 2}, 1, rank_id(0));
  EXPECT_EQ(grid.block(), (Box{.begin = {}, .end = {6, 5, 1, 1}}));
  EXPECT_EQ(grid.block_with_ghosts(), (Box{.begin = {-2, -2, 0, 0}, .end = {8, 7, 1, 1}}));
  EXPECT_EQ(grid.layout().size(), 90U);
  EXPECT_EQ(grid.layout().index({-2, -2, 0, 0}), 0U);
  EXPECT_EQ(grid.layout().index({0, 0, 0, 0}), 22U);
  EXPECT_EQ(grid.ghosts_at(0, Side::low), (Box{.begin = {-2, 0, 0, 0}, .end = {0, 5, 1, 1}}));
  EXPECT_EQ(grid.ghosts_at(1, Side::high), (Box{.begin = {0, 5, 0, 0}, .end = {6, 7, 1, 1}}));
  EXPECT_TRUE(grid.ghosts_at(2, Side::high).is_empty());
}

TEST(MeshBlockGrid, WallsAreAtTheEndsOfTheGridOnly) {
  for_grids([](const GridSpec& spec, std::size_t ranks) {
    for (const BlockGrid& grid : on_all_ranks(spec, ranks)) {
      for (std::size_t a = 0; a < max_dimensions; ++a) {
        const bool has_walls = a < spec.points.size() && spec.boundaries[a] == Boundary::wall;
        EXPECT_EQ(grid.is_at_wall(a, Side::low), has_walls && grid.range(a).begin == 0);
        EXPECT_EQ(grid.is_at_wall(a, Side::high), has_walls && grid.range(a).end == grid.points(a));
      }
    }
  });
}

TEST(MeshBlockGrid, NumbersOfNeighboursByKind) {
  const std::array<std::array<std::size_t, 3>, 4> expected{{{2, 2, 2}, {4, 8, 8}, {6, 18, 26}, {8, 32, 80}}};
  for (std::size_t dimensions = 1; dimensions <= 4; ++dimensions) {
    const GridSpec spec{.points = std::vector<Index>(dimensions, 3), .boundaries = testing::boundaries(dimensions, 15)};
    const BlockGrid grid(spec, 1, rank_id(0));
    for (std::size_t kind = 0; kind < 3; ++kind) {
      EXPECT_EQ(grid.neighbours(all_kinds[kind]).size(), expected[dimensions - 1][kind]) << dimensions;
    }
    const BlockGrid closed({.points = spec.points, .boundaries = testing::boundaries(dimensions, 0)}, 1, rank_id(0));
    EXPECT_TRUE(closed.neighbours(Neighbours::all).empty());
  }
}

TEST(MeshBlockGrid, KeysTellDirectionsApart) {
  std::set<std::uint32_t> keys;
  for_points({.begin = {-1, -1, -1, -1}, .end = {2, 2, 2, 2}}, [&keys](const Point& p) {
    Offset offset{};
    std::ranges::transform(p, offset.begin(), [](Index o) { return static_cast<std::int8_t>(o); });
    keys.insert(direction_key(offset));
  });
  EXPECT_EQ(keys.size(), directions);
  EXPECT_EQ(*keys.rbegin(), directions - 1);
  EXPECT_EQ(direction_key({1, 0, 0, 0}), 41U);
}

/// All messages of a grid by sender, receiver and key: each has two ends that agree, point by point.
void check_messages(const std::vector<BlockGrid>& blocks, Neighbours which, Index width, const std::string& about) {
  using Name = std::tuple<comm::RankId, comm::RankId, std::uint32_t>;
  std::map<Name, std::vector<std::int64_t>> sent;
  std::map<Name, std::vector<std::int64_t>> received;
  const auto numbers = [](const BlockGrid& grid, const Box& box) {
    std::vector<std::int64_t> found;
    for_points(box, [&](const Point& point) { found.push_back(global_number(grid, point)); });
    return found;
  };
  for (const BlockGrid& grid : blocks) {
    for (const Neighbour& there : grid.neighbours(which, width)) {
      const bool is_new =
          sent.emplace(Name{grid.own(), there.rank, there.send_key}, numbers(grid, there.send)).second &&
          received.emplace(Name{there.rank, grid.own(), there.receive_key}, numbers(grid, there.receive)).second;
      EXPECT_TRUE(is_new) << "a key twice: " << about;
      EXPECT_EQ(intersection(there.send, grid.block()),
                width > 0 ? there.send : intersection(there.send, grid.block()));
    }
  }
  EXPECT_EQ(sent, received) << about;
}

TEST(MeshBlockGrid, BothEndsOfAMessageMeanTheSamePoints) {
  for_grids([](const GridSpec& spec, std::size_t ranks) {
    const auto blocks = on_all_ranks(spec, ranks);
    for (const Neighbours which : all_kinds) {
      for (Index width = 0; width <= spec.ghosts; ++width) check_messages(blocks, which, width, describe(spec, ranks));
    }
  });
}

TEST(MeshBlockGrid, EachGhostPointIsReceivedOnce) {
  for_grids([](const GridSpec& spec, std::size_t ranks) {
    for (const BlockGrid& grid : on_all_ranks(spec, ranks)) {
      for (const Neighbours which : all_kinds) {
        std::vector<int> received(grid.layout().size());
        for (const Neighbour& there : grid.neighbours(which)) {
          for_points(there.receive, [&](const Point& point) { ++received[grid.layout().index(point)]; });
        }
        std::size_t wrong = 0;
        for_points(grid.block_with_ghosts(), [&](const Point& point) {
          const std::size_t axes = axes_outside(grid, point);
          const bool is_expected = axes > 0 && axes <= axes_of(which) && global_number(grid, point) >= 0;
          wrong += received[grid.layout().index(point)] != (is_expected ? 1 : 0) ? 1 : 0;
        });
        EXPECT_EQ(wrong, 0U) << describe(spec, ranks);
      }
    }
  });
}

TEST(MeshBlockGrid, WidthsBeyondTheGhostsAreRefused) {
  const BlockGrid grid({.points = {6}, .boundaries = testing::boundaries(1, 1), .ghosts = 2}, 1, rank_id(0));
  EXPECT_THROW((void)grid.neighbours(Neighbours::faces, 3), base::PreconditionError);
  EXPECT_THROW((void)grid.neighbours(Neighbours::faces, -1), base::PreconditionError);
}

TEST(MeshBlockGrid, TakesRanksFromACommunicator) {
  comm::testing::on_ranks(3, [](comm::Communicator& world) {
    const BlockGrid grid({.points = {4, 9}, .boundaries = testing::boundaries(2, 0)}, world);
    EXPECT_EQ(grid.own(), world.rank());
    EXPECT_EQ(grid.ranks(1), 3);
    EXPECT_EQ(grid.range(1).begin, 3 * static_cast<Index>(number(world.rank())));
  });
}

}  // namespace tacit::mesh::block_grid_test
