// Grids of ranks: factors, neighbours at open and periodic boundaries, and messages to all of them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "tacit/comm/cartesian.hpp"
#include "tacit/comm/window.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {
namespace {

using Grid = std::vector<std::uint32_t>;

TEST(CommCartesian, GridsAreBalanced) {
  EXPECT_EQ(balanced_grid(1, 3), (Grid{1, 1, 1}));
  EXPECT_EQ(balanced_grid(4, 3), (Grid{2, 2, 1}));
  EXPECT_EQ(balanced_grid(12, 2), (Grid{4, 3}));
  EXPECT_EQ(balanced_grid(36, 2), (Grid{6, 6}));
  EXPECT_EQ(balanced_grid(64, 3), (Grid{4, 4, 4}));
  EXPECT_EQ(balanced_grid(97, 2), (Grid{97, 1}));
  EXPECT_THROW(static_cast<void>(balanced_grid(4, 0)), base::Error);
  for (std::size_t ranks = 1; ranks < 200; ++ranks) {
    for (std::size_t dimensions = 1; dimensions < 5; ++dimensions) {
      const Grid grid = balanced_grid(ranks, dimensions);
      EXPECT_EQ(std::accumulate(grid.begin(), grid.end(), std::size_t{1}, std::multiplies<>()), ranks);
      EXPECT_TRUE(std::ranges::is_sorted(grid, std::greater<>()));
    }
  }
}

TEST(CommCartesian, CoordinatesAndRanksAreInverse) {
  on_ranks(6, [](Communicator& world) {
    const std::array<Boundary, 2> boundaries{Boundary::open, Boundary::periodic};
    const Cartesian grid(world, Grid{2, 3}, boundaries);
    for (std::uint32_t rank = 0; rank < 6; ++rank) {
      const Grid at = grid.coordinates(RankId{rank});
      EXPECT_EQ(at, (Grid{rank / 3, rank % 3}));
      EXPECT_EQ(grid.rank_at(std::vector<std::int64_t>(at.begin(), at.end())), RankId{rank});
    }
    EXPECT_TRUE(std::ranges::equal(grid.own(), grid.coordinates(world.rank())));
    EXPECT_EQ(grid.rank_at(std::array<std::int64_t, 2>{1, -4}), RankId{5});
    EXPECT_EQ(grid.rank_at(std::array<std::int64_t, 2>{1, 6}), RankId{3});
    EXPECT_EQ(grid.rank_at(std::array<std::int64_t, 2>{2, 0}), std::nullopt);
    EXPECT_EQ(grid.rank_at(std::array<std::int64_t, 2>{-1, 0}), std::nullopt);
    const std::uint32_t own = number(world.rank());
    EXPECT_EQ(grid.neighbour(0, Side::low), own < 3 ? std::nullopt : std::optional(RankId{own - 3}));
    EXPECT_EQ(grid.neighbour(1, Side::high), RankId{own / 3 * 3 + (own + 1) % 3});
  });
}

TEST(CommCartesian, GridsThatDoNotFitAreErrors) {
  on_ranks(2, [](Communicator& world) {
    EXPECT_THROW(Cartesian(world, Grid{3}, Boundary::open), base::Error);
    EXPECT_THROW(Cartesian(world, Grid{2, 1}, std::array{Boundary::open}), base::Error);
  });
}

/// A number that tells sender, dimension and side.
double letter(RankId from, std::size_t dimension, Side side) {
  return 100.0 * number(from) + 10.0 * static_cast<double>(dimension) + static_cast<double>(side);
}

/// Everybody sends a letter to each neighbour, and gets theirs.
void write_letters(Communicator& world, const Cartesian& grid) {
  NeighbourConnections neighbours(world, grid, 7);
  struct Letters {
    std::size_t dimension;
    Side side;
    std::optional<SendWindow<double>> out = {};
    std::optional<RecvWindow<double>> in = {};
  };
  std::deque<Letters> all;
  for (std::size_t d = 0; d < grid.dimensions(); ++d) {
    for (const Side side : {Side::low, Side::high}) {
      Letters& letters = all.emplace_back(Letters{d, side});
      EXPECT_EQ(neighbours.to(d, side) != nullptr, grid.neighbour(d, side).has_value());
      EXPECT_EQ(neighbours.from(d, side) != nullptr, grid.neighbour(d, side).has_value());
      if (neighbours.to(d, side) != nullptr) letters.out.emplace(*neighbours.to(d, side), 1);
      if (neighbours.from(d, side) != nullptr) letters.in.emplace(*neighbours.from(d, side), 1);
    }
  }
  for (int turn = 0; turn < 3; ++turn) {
    for (Letters& letters : all) {
      if (letters.in) letters.in->init();
    }
    for (Letters& letters : all) {
      if (!letters.out) continue;
      letters.out->data()[0] = letter(world.rank(), letters.dimension, letters.side) + 1000.0 * turn;
      letters.out->post();
    }
    for (Letters& letters : all) {
      if (!letters.in) continue;
      const RankId from = grid.neighbour(letters.dimension, letters.side).value();
      EXPECT_EQ(letters.in->wait()[0], letter(from, letters.dimension, opposite(letters.side)) + 1000.0 * turn);
    }
    for (Letters& letters : all) {
      if (letters.out) letters.out->wait();
    }
  }
}

TEST(CommCartesian, EveryNeighbourGetsItsOwnMessage) {
  for (const std::size_t ranks : {1U, 2U, 3U, 4U, 6U, 8U}) {
    for (const Boundary boundary : {Boundary::open, Boundary::periodic}) {
      for (const std::size_t dimensions : {1U, 2U, 3U}) {
        on_ranks(ranks, [&](Communicator& world) {
          write_letters(world, Cartesian(world, balanced_grid(world.size(), dimensions), boundary));
        });
      }
    }
  }
}

}  // namespace
}  // namespace tacit::comm::testing
