// Partitions of graphs: complete, never worse than a cut along the curve, and numbered as the parts before.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/topology/detail/empty_parts.hpp"
#include "tacit/topology/partition.hpp"

namespace tacit::topology::graph_partition_test {
namespace {

using Weights = std::vector<std::uint64_t>;
using Parts = std::vector<std::uint32_t>;

/// Units of a plane, row by row, each joined to those beside it.
struct Grid {
  Weights weights;
  std::vector<Edge> edges;
};

Grid grid(std::uint32_t nx, std::uint32_t ny, std::uint64_t cost) {
  Grid grid;
  grid.weights.assign(std::size_t{nx} * ny, 100);
  for (std::uint32_t i = 0; i < nx; ++i) {
    for (std::uint32_t j = 0; j < ny; ++j) {
      const std::uint32_t unit = i * ny + j;
      if (i + 1 < nx) grid.edges.push_back({unit, unit + ny, cost});
      if (j + 1 < ny) grid.edges.push_back({unit, unit + 1, cost});
    }
  }
  return grid;
}

/// Weights that differ a hundredfold, some of them nothing.
Grid uneven_grid(std::uint32_t side, std::uint64_t seed) {
  Grid uneven = grid(side, side, 0);
  for (std::size_t i = 0; i < uneven.weights.size(); ++i) {
    const double share = base::uniform(seed, i, 0);
    uneven.weights[i] = share < 0.1 ? 0 : static_cast<std::uint64_t>(20.0 / (share * share));
  }
  for (std::size_t k = 0; k < uneven.edges.size(); ++k) {
    uneven.edges[k].cost = static_cast<std::uint64_t>(40.0 * base::uniform(seed, k, 1));
  }
  return uneven;
}

std::size_t count_parts(const Parts& part_of) { return std::set<std::uint32_t>(part_of.begin(), part_of.end()).size(); }

Weights sums(const Weights& weights, const Parts& part_of, std::size_t parts) {
  Weights result(parts, 0);
  for (std::size_t i = 0; i < weights.size(); ++i) result[part_of[i]] += weights[i];
  return result;
}

}  // namespace

TEST(LargestLoad, CountsAnEdgeOnBothSides) {
  const Weights weights{5, 1, 2, 4};
  const std::vector<Edge> edges{{0, 1, 10}, {1, 2, 3}, {2, 1, 4}, {3, 3, 99}};
  EXPECT_EQ(largest_load(weights, edges, 2, Parts{0, 0, 1, 1}), 6U + 7U);
  EXPECT_EQ(largest_load(weights, edges, 2, Parts{0, 1, 1, 1}), 7U + 10U);
  EXPECT_EQ(largest_load(weights, {}, 1, Parts{0, 0, 0, 0}), 12U);
}

TEST(Partition, OfAGridIsBalancedAndHasShortCuts) {
  if (!has_metis()) GTEST_SKIP() << "built without METIS";
  const Grid square = grid(24, 24, 10);
  const auto blocks = topology::partition(square.weights, square.edges, 4, {}, {}, Method::metis);
  const Weights loads = sums(square.weights, blocks, 4);
  EXPECT_LE(std::ranges::max(loads), 14400U * 103 / 100);  // a hundredth, and what is left over of a row
  // Strips along the curve have two borders of 24 edges each, blocks of 12 x 12 two of 12.
  const auto strips = topology::partition(square.weights, square.edges, 4, {}, {}, Method::curve);
  EXPECT_EQ(largest_load(square.weights, square.edges, 4, strips), 14400U + 2 * 24 * 10);
  EXPECT_LT(largest_load(square.weights, square.edges, 4, blocks), 14400U + 2 * 18 * 10);
}

TEST(Partition, IsNeverWorseThanTheCurve) {
  std::size_t better = 0;
  ::testing::internal::CaptureStdout();
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Grid uneven = uneven_grid(6 + 3 * static_cast<std::uint32_t>(seed % 5), seed);
    for (const std::size_t parts : {1U, 2U, 3U, 7U, 12U}) {
      const auto best = topology::partition(uneven.weights, uneven.edges, parts);
      EXPECT_EQ(count_parts(best), parts);
      EXPECT_LE(largest_load(uneven.weights, uneven.edges, parts, best),
                largest_load(uneven.weights, uneven.edges, parts, cut_curve(uneven.weights, parts)));
      const auto metis = topology::partition(uneven.weights, uneven.edges, parts, {}, {}, Method::metis);
      EXPECT_EQ(count_parts(metis), parts) << "some are empty";
      EXPECT_LT(std::ranges::max(metis), parts);
      better += largest_load(uneven.weights, uneven.edges, parts, metis) <
                        largest_load(uneven.weights, uneven.edges, parts, cut_curve(uneven.weights, parts))
                    ? 1
                    : 0;
    }
  }
  EXPECT_TRUE(::testing::internal::GetCapturedStdout().empty()) << "METIS prints what it cannot do";
  EXPECT_EQ(better > 10, has_metis()) << better;
}

// Long borders cost much, or hardly anything.
TEST(Partition, TakesMetisWhereItIsClearlyBetter) {
  if (!has_metis()) GTEST_SKIP() << "built without METIS";
  const Grid dear = grid(24, 24, 200);
  EXPECT_NE(topology::partition(dear.weights, dear.edges, 4), cut_curve(dear.weights, 4));
  const Grid cheap = grid(24, 24, 10);
  EXPECT_EQ(topology::partition(cheap.weights, cheap.edges, 4), cut_curve(cheap.weights, 4));
}

TEST(Partition, WithoutEdgesIsACutOfTheCurve) {
  const Grid uneven = uneven_grid(7, 3);
  EXPECT_EQ(topology::partition(uneven.weights, {}, 5), cut_curve(uneven.weights, 5));
  EXPECT_EQ(topology::partition(uneven.weights, uneven.edges, 5, {}, {}, Method::curve), cut_curve(uneven.weights, 5));
}

// Where nothing weighs anything, where a unit is heavier than all others, where pieces are not joined.
TEST(Partition, OfOddGraphsIsComplete) {
  Grid odd = grid(8, 8, 1);
  for (const auto method : {Method::best, Method::metis}) {
    std::ranges::fill(odd.weights, 0);
    EXPECT_EQ(count_parts(topology::partition(odd.weights, odd.edges, 6, {}, {}, method)), 6U);
    odd.weights[20] = 1'000'000;
    EXPECT_EQ(count_parts(topology::partition(odd.weights, odd.edges, 6, {}, {}, method)), 6U);
    odd.weights[21] = 1ULL << 60U;  // the sum of ticks of many ranks does not fit into 32 bits
    EXPECT_EQ(count_parts(topology::partition(odd.weights, odd.edges, 6, {}, {}, method)), 6U);
  }
  // Three pairs and a loner, more parts than pieces; and an edge that is there twice, and one that leads nowhere.
  const Weights weights{3, 3, 3, 3, 3, 3, 3};
  const std::vector<Edge> pairs{{0, 1, 5}, {2, 3, 5}, {3, 2, 5}, {4, 5, 0}, {6, 6, 9}};
  EXPECT_EQ(count_parts(topology::partition(weights, pairs, 5)), 5U);
  EXPECT_EQ(count_parts(topology::partition(weights, pairs, 5, {}, {}, Method::metis)), 5U);
}

TEST(Partition, FillsEmptyPartsFromTheHeaviest) {
  const Weights weights{1, 2, 3, 50, 4, 30, 0};
  Parts part_of{4, 4, 4, 2, 2, 2, 0};  // 1 and 3 are empty; 4 weighs 6, and 2 weighs 84
  detail::fill_empty_parts(weights, 5, part_of);
  EXPECT_EQ(part_of, (Parts{4, 4, 4, 1, 3, 2, 0}));
  part_of.assign(7, 3);
  detail::fill_empty_parts(weights, 7, part_of);
  EXPECT_EQ(count_parts(part_of), 7U);
}

TEST(Partition, OneUnitForEachPartIsAsItMustBe) {
  const Grid small = grid(2, 3, 1);
  EXPECT_EQ(count_parts(topology::partition(small.weights, small.edges, 6)), 6U);
  EXPECT_EQ(topology::partition(small.weights, small.edges, 1), Parts(6, 0));
}

TEST(Partition, KeepsWithinRoom) {
  // The right half weighs nine times as much, the left half takes nine times the room.
  Grid uneven = grid(16, 16, 5);
  Weights sizes(256, 1);
  for (std::size_t i = 0; i < 128; ++i) {
    sizes[i] = 9;
    uneven.weights[i] = 11;
  }
  const std::uint64_t most = 128 * 10 / 4 * 5 / 4;  // a quarter more than each has on average
  const auto with_room = topology::partition(uneven.weights, uneven.edges, 4, {}, {sizes, most});
  EXPECT_LE(std::ranges::max(sums(sizes, with_room, 4)), most);
  const auto without = topology::partition(uneven.weights, uneven.edges, 4);
  EXPECT_GT(std::ranges::max(sums(sizes, without, 4)), most) << "or the test shows nothing";
  // Where there cannot be room enough, as if none was asked for.
  EXPECT_EQ(count_parts(topology::partition(uneven.weights, uneven.edges, 4, {}, {sizes, 3})), 4U);
}

TEST(Partition, KeepsTheNumbersOfParts) {
  const Grid square = grid(16, 16, 10);
  const auto first = topology::partition(square.weights, square.edges, 4);
  Parts renamed = first;
  for (std::uint32_t& part : renamed) part = (part + 3) % 4;
  EXPECT_EQ(topology::partition(square.weights, square.edges, 4, renamed), renamed);
  // Where a few weights change, little moves.
  Weights weights = square.weights;
  for (std::size_t i = 0; i < 16; ++i) weights[i] += 40;
  const auto next = topology::partition(weights, {}, 4, cut_curve(square.weights, 4));
  std::size_t moved = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) moved += next[i] != cut_curve(square.weights, 4)[i] ? 1 : 0;
  EXPECT_LE(moved, 24U);
  // Numbers that are no part's any more, and a part that was not there.
  EXPECT_EQ(topology::partition(Weights{1, 1, 1, 1}, {}, 2, Parts{9, 9, 0, 7}), (Parts{1, 1, 0, 0}));
}

// METIS draws random numbers, and the C library has one sequence for all threads.
TEST(Partition, IsTheSameEachTimeAndOnThreadsAtOnce) {
  const Grid uneven = uneven_grid(20, 5);
  const auto once = topology::partition(uneven.weights, uneven.edges, 7, {}, {}, Method::metis);
  std::vector<Parts> all(4);
  std::vector<std::jthread> threads;
  for (Parts& result : all) {
    threads.emplace_back([&] { result = topology::partition(uneven.weights, uneven.edges, 7, {}, {}, Method::metis); });
  }
  threads.clear();
  for (const Parts& result : all) EXPECT_EQ(result, once);
}

// METIS handles signals itself while it works.
TEST(Partition, LeavesSignalsAsTheyAre) {
  struct sigaction before {};
  struct sigaction after {};
  const auto handler = [](int /*signal*/) {};
  auto* const former = std::signal(SIGTERM, handler);
  sigaction(SIGTERM, nullptr, &before);
  const Grid square = grid(8, 8, 1);
  static_cast<void>(topology::partition(square.weights, square.edges, 3));
  sigaction(SIGTERM, nullptr, &after);
  std::signal(SIGTERM, former);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
  EXPECT_EQ(before.sa_flags, after.sa_flags);
}

TEST(Partition, NeedsAUnitForEachPartAndUnitsForEdges) {
  EXPECT_THROW(static_cast<void>(topology::partition(Weights{1, 2}, {}, 3)), base::PreconditionError);
  const std::vector<Edge> nowhere{{0, 2, 1}};
  EXPECT_THROW(static_cast<void>(topology::partition(Weights{1, 2}, nowhere, 2)), base::PreconditionError);
  EXPECT_THROW(static_cast<void>(topology::partition(Weights{1, 2}, {}, 2, Parts{0})), base::PreconditionError);
}

}  // namespace tacit::topology::graph_partition_test
