// Sums and extrema over points are exact, and the same on any ranks and threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tacit/mesh/cell_sums.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/polling.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::mesh {
namespace {

double wave(const Point& point) {
  return std::sin(0.3 + 1.7 * static_cast<double>(point[0]) + 2.9 * static_cast<double>(point[1] + 3 * point[2])) *
         std::pow(10.0, static_cast<double>(point[0] % 7));
}

std::array<Sums, 2> sums_on(std::size_t ranks, std::size_t workers, const GridSpec& spec) {
  std::array<Sums, 2> found;
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    trace::Recorder recorder(workers);
    tasks::Scheduler scheduler(workers, recorder);
    const comm::testing::Polling polling(scheduler, world);
    exchange::RankReductions reductions(world);
    const BlockGrid grid(spec, world);
    auto sums = sums_over_points<2>(grid, scheduler, [&](auto& numbers, std::size_t place, const Point& point) {
      numbers[0].add(wave(point));
      numbers[1].add_to_sum(static_cast<double>(place < grid.layout().size() ? 1 : 0));
    });
    join_ranks(reductions, sums);
    if (world.rank() == comm::RankId{0}) found = sums;
    world.synchronise();
  });
  return found;
}

TEST(MeshCellSums, AreThoseOfAPlainLoopOnAnyRanksAndThreads) {
  for (const auto& points : {std::vector<Index>{37}, {9, 14}, {11, 8, 9}}) {
    const GridSpec spec{.points = points, .boundaries = std::vector<Boundary>(points.size(), Boundary::periodic)};
    base::ExactSum sum;
    double least = INFINITY;
    double largest = -INFINITY;
    double count = 0.0;
    Point at{};
    const auto n = [&](std::size_t axis) { return axis < points.size() ? points[axis] : Index{1}; };
    for (at[2] = 0; at[2] < n(2); ++at[2]) {
      for (at[1] = 0; at[1] < n(1); ++at[1]) {
        for (at[0] = 0; at[0] < n(0); ++at[0], ++count) {
          sum.add(wave(at));
          least = std::min(least, wave(at));
          largest = std::max(largest, wave(at));
        }
      }
    }
    for (const std::size_t ranks : {1U, 2U, 3U}) {
      for (const std::size_t workers : {1U, 2U}) {
        const std::array<Sums, 2> found = sums_on(ranks, workers, spec);
        EXPECT_EQ(found[0].sum.value(), sum.value()) << ranks;
        EXPECT_EQ(found[0].least, least);
        EXPECT_EQ(found[0].largest, largest);
        EXPECT_EQ(found[1].sum.value(), count);
      }
    }
  }
}

TEST(MeshCellSums, AZeroHasNoSignAndANumberThatIsNoneStays) {
  comm::testing::on_ranks(2, [](comm::Communicator& world) {
    exchange::RankReductions reductions(world);
    const bool is_first = world.rank() == comm::RankId{0};
    std::array<Sums, 2> sums;
    sums[0].see(is_first ? -0.0 : 0.0);
    sums[1].see(is_first ? 1.0 : std::nan(""));
    join_ranks(reductions, sums);
    EXPECT_FALSE(std::signbit(sums[0].least) || std::signbit(sums[0].largest));
    EXPECT_TRUE(std::isnan(sums[1].least) && std::isnan(sums[1].largest));
    world.synchronise();
  });
}

}  // namespace
}  // namespace tacit::mesh
