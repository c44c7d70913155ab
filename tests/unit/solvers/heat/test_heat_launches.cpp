// Heat in launch slots: the bits of the workers' loops, with any slots, ranks, threads and failures.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "running_heat.hpp"

namespace tacit::heat {
namespace heat_launches_test {
namespace {

using testing::outcome_of;

/// A temperature, diffusivity and source that are alike in no two places.
HeatParameters parameters_of(Cell cells, std::size_t dimensions, Wall wall, bool is_given, std::size_t stages) {
  HeatParameters p;
  p.domain.dimensions = dimensions;
  p.domain.cells = cells;
  const std::array walls{wall, Wall::periodic, wall};
  std::copy_n(walls.begin(), dimensions, p.domain.walls.begin());
  p.domain.low = {0.5, 0.0, 1.5};
  p.domain.high = {1.0, 0.0, -1.0};
  p.stages = stages == 2 ? mesh::rk2() : mesh::rkl2(stages);
  p.cfl = 0.9;
  p.initial.temperature = [](const Cell& c) {
    return std::sin(0.3 + 1.7 * static_cast<double>(c[0]) + 2.9 * static_cast<double>(c[1] * c[1] + 3 * c[2]));
  };
  if (is_given) {
    p.initial.diffusivity = [](const Cell& c) {
      return 1.0 + 0.1 * static_cast<double>((c[0] + 2 * c[1] + 5 * c[2]) % 7);
    };
    p.initial.source = [](const Cell& c) { return 0.1 * static_cast<double>(c[0] - c[1] + c[2]); };
  } else {
    p.diffusivity = 0.8;
  }
  p.launches.device.memory_bytes = std::size_t{1} << 24U;
  p.launches.poisons = true;
  return p;
}

/// Cells and conserved heat; statistics have the counts of launches, too.
void expect_same(const testing::Outcome& got, const testing::Outcome& expected, const std::string& what) {
  EXPECT_TRUE(got.cells == expected.cells) << what;
  EXPECT_EQ(got.numbers[0], expected.numbers[0]) << what;
}

TEST(HeatLaunches, ResultsAreThoseOfTheWorkers) {
  std::size_t number = 0;
  for (const Wall wall : {Wall::periodic, Wall::fixed, Wall::insulating}) {
    for (const auto& [cells, dimensions] :
         {std::pair<Cell, std::size_t>{{37, 1, 1}, 1}, {{9, 14, 1}, 2}, {{11, 8, 9}, 3}, {{40, 9, 4}, 3}}) {
      const std::size_t stages = number % 2 == 0 ? 2 : 5;
      HeatParameters p = parameters_of(cells, dimensions, wall, number % 3 == 1, stages);
      ++number;
      const double dt = testing::RunningHeat(p).solver().time_step();
      const testing::Outcome alone = outcome_of(p, 1, 1, 3, dt);
      p.launches.device.order = gpu::PhaseOrder::backward;
      for (const std::size_t slots : {1U, 128U}) {
        p.launches.slots = slots;
        p.launches.fallback = static_cast<gpu::Fallback>((number / 3 + slots) % 3);
        p.launches.device.random_delay_s = number % 2 == 0 ? 100e-6 : 0.0;
        // Each combination of slots and ranks comes four times.
        const std::size_t ranks = std::array<std::size_t, 3>{1, 2, 4}[(number + slots) % 3];
        expect_same(outcome_of(p, ranks, ranks == 4 ? 1 : 2, 3, dt), alone,
                    std::to_string(ranks) + " ranks, " + std::to_string(slots) + " slots, " +
                        std::to_string(dimensions) + " dimensions, " + std::to_string(stages) + " stages");
      }
    }
  }
}

TEST(HeatLaunches, FailuresAndLossesChangeNoBit) {
  HeatParameters p = parameters_of({24, 16, 16}, 3, Wall::fixed, true, 5);
  const double dt = testing::RunningHeat(p).solver().time_step();
  const testing::Outcome alone = outcome_of(p, 1, 1, 6, dt);
  p.launches.slots = 8;
  p.launches.device.failing_share = 0.3;
  for (const gpu::Fallback fallback : {gpu::Fallback::always, gpu::Fallback::never}) {
    p.launches.fallback = fallback;
    p.launches.device.lost_at = 20;
    testing::RunningHeat run(p, 2);
    run.steps(6, dt);
    EXPECT_TRUE(run.temperatures() == alone.cells);
    const gpu::LaunchCounts counts = run.solver().slots()->counts();
    EXPECT_GE(counts.launched, 20U);
    EXPECT_GT(counts.rescued, 0U);
    EXPECT_GT(counts.on_cpu, 0U);  // behind the loss
    EXPECT_EQ(run.statistic("launches"), static_cast<double>(counts.launched - counts.rescued));
  }
}

TEST(HeatLaunches, AllTilesAreLaunchedWhereSlotsWait) {
  HeatParameters p = parameters_of({16, 16, 64}, 3, Wall::periodic, false, 2);
  p.launches.slots = 4;
  p.launches.fallback = gpu::Fallback::never;
  testing::RunningHeat run(p, 1);
  run.steps(3, 1e-5);
  const gpu::LaunchCounts counts = run.solver().slots()->counts();
  // 16384 cells are cut in 4 pieces: more would be smaller than a launch is worth.
  EXPECT_EQ(counts.launched, 3U * 2U * 4U);
  EXPECT_EQ(counts.on_cpu, 0U);
  EXPECT_EQ(run.statistic("device_share"), 1.0);
}

TEST(HeatLaunches, TilesThatDoNotFitAreComputedByWorkersAndItIsSaid) {
  HeatParameters p = parameters_of({16, 16, 16}, 3, Wall::periodic, false, 2);
  p.launches.slots = 4;
  p.launches.device.memory_bytes = 4096;
  testing::RunningHeat run(p, 1);
  run.steps(1, 1e-5);
  EXPECT_EQ(run.statistic("device_share"), 0.0);
  EXPECT_EQ(run.statistic("launches"), 0.0);
}

TEST(HeatLaunches, KeysSetThem) {
  const std::string heat = "heat.cells = [8, 8]\nheat.diffusivity = 1\ninitial.setup = \"eigenmode\"\n";
  EXPECT_EQ(read_parameters(testing::parameters_of(heat)).launches.slots, 0U);
  const HeatParameters p =
      read_parameters(testing::parameters_of(heat + "gpu.slots = 12\ngpu.fallback = \"predicted\"\ngpu.memory = 3\n"));
  EXPECT_EQ(p.launches.slots, 12U);
  EXPECT_EQ(p.launches.device.streams, 12U);
  EXPECT_EQ(p.launches.fallback, gpu::Fallback::predicted);
  EXPECT_EQ(p.launches.device.memory_bytes, 3'000'000U);
  EXPECT_THROW(static_cast<void>(testing::parameters_of(heat + "gpu.fallback = \"never\"\n")), config::Error);
}

}  // namespace
}  // namespace heat_launches_test
}  // namespace tacit::heat
