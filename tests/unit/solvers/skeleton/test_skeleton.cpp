// Skeleton against what is known of it: growth, order in space and time, the same bits on any ranks, restarts.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "support/running_solver.hpp"
#include "support/temporary_folder.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/solvers/skeleton/skeleton_solver.hpp"

namespace tacit::skeleton {
namespace {

using tacit::testing::outcome_of;
using tacit::testing::RunningSolver;

/// A small spot that changes soon.
const std::string lively = "\nwidth = 0.2\ngrowth = 3.0\ndiffusivity = 1e-3";

std::string text(const std::string& keys) { return "initial.setup = \"spot\"\n[skeleton]\n" + keys + "\n"; }

TEST(SkeletonGrowth, OfAUniformPopulationFollowsTheLogisticCurve) {
  // A spot that is much wider than the box is uniform, to every bit.
  const auto error = [](std::size_t steps) {
    RunningSolver run(solver_entry(), text("cells = [4]\nwidth = 1e9\nheight = 0.1\ngrowth = 2.0\ndiffusivity = 1.0"));
    run.steps(steps, 1.0 / static_cast<double>(steps));
    EXPECT_EQ(run.statistic("u_least"), run.statistic("u_largest"));
    const double e = std::exp(2.0);
    return std::abs(run.statistic("u_mean") - 0.1 * e / (0.9 + 0.1 * e));
  };
  EXPECT_NEAR(std::log2(error(100) / error(200)), 2.0, 0.05);
}

TEST(SkeletonSpreading, WithoutGrowthAGaussianWidensAndItsErrorIsOfSecondOrder) {
  // In a box that is wide enough exp(-x^2 / 2 w^2) becomes w / s exp(-x^2 / 2 s^2), s^2 = w^2 + 2 D t.
  const auto error = [](std::size_t cells) {
    RunningSolver run(solver_entry(),
                      text(fmt::format("cells = [{}]\nwidth = 0.06\ngrowth = 0.0\ndiffusivity = 1.0", cells)));
    const double end = 1e-3;
    run.steps(cells * cells / 16, end * 16.0 / static_cast<double>(cells * cells));
    const double s2 = 0.06 * 0.06 + 2.0 * end;
    const double x = 0.5 / static_cast<double>(cells);  // of the cells beside the middle
    return std::abs(run.statistic("u_largest") - 0.06 / std::sqrt(s2) * std::exp(-0.5 * x * x / s2));
  };
  EXPECT_NEAR(std::log2(error(64) / error(128)), 2.0, 0.1);
}

TEST(SkeletonSpreading, WithoutGrowthTheTotalStays) {
  RunningSolver run(solver_entry(), text("cells = [24, 18]\nwidth = 0.1\ngrowth = 0.0\ndiffusivity = 1.0"));
  const double before = run.statistic("u_mean");
  const double variance = run.statistic("u_variance");
  run.steps(20, run.solver().time_step());
  EXPECT_NEAR(run.statistic("u_mean"), before, 20 * 2 * 1.2e-16);  // roundings of 40 stages
  EXPECT_LT(run.statistic("u_variance"), variance);
  EXPECT_GE(run.statistic("u_least"), 0.0);
}

TEST(SkeletonRanks, ResultsDoNotDependOnRanksAndThreads) {
  for (const char* cells : {"cells = [37]", "cells = [9, 14]", "cells = [11, 8, 9]"}) {
    const std::string keys = text(cells + lively);
    const auto on = [&](std::size_t ranks, std::size_t workers) {
      return outcome_of(solver_entry(), keys, "u", ranks, workers, 5, 0.05);
    };
    const std::vector<double> alone = on(1, 1);
    ASSERT_GT(alone.size(), 37U);
    EXPECT_EQ(on(1, 2), alone) << cells;
    EXPECT_EQ(on(2, 2), alone) << cells;
    EXPECT_EQ(on(3, 1), alone) << cells;
  }
}

TEST(SkeletonRestart, GoesOnWithTheSameBitsOnOtherRanks) {
  const test::TemporaryFolder folder;
  const std::string keys = text("cells = [9, 14]" + lively);
  const auto run = [&](std::size_t ranks, std::size_t steps, const std::filesystem::path& from,
                       const std::filesystem::path& keep) {
    return outcome_of(solver_entry(), keys, "u", ranks, 1, steps, 0.05, from, keep);
  };
  const std::vector<double> through = run(1, 7, {}, {});
  static_cast<void>(run(1, 3, {}, folder / "checkpoint.hdf5"));
  EXPECT_EQ(run(2, 4, folder / "checkpoint.hdf5", {}), through);
}

// Each field is passed five times in the two stages, and its stages alone take six operations.
TEST(SkeletonCost, SaysWhatACellTakesOfTheMachine) {
  RunningSolver run(solver_entry(), text("cells = [8, 8]"));
  const auto cost = run.solver().update_cost();
  ASSERT_TRUE(cost);
  const double fields = cost->bytes / 40.0;
  EXPECT_GE(fields, 1.0);
  EXPECT_EQ(fields, std::floor(fields));
  EXPECT_GE(cost->flops, 6.0 * fields);
}

TEST(SkeletonSteps, AFixedStepIsTakenOrRefused) {
  const auto step = [](const std::string& more) {
    return RunningSolver(solver_entry(), text("cells = [8]\ngrowth = 0.0\ndiffusivity = 1.0\n" + more))
        .solver()
        .time_step();
  };
  EXPECT_NEAR(step("cfl = 1.0"), 1.0 / 128.0, 1e-15);
  EXPECT_EQ(step("dt = 0.0078"), 0.0078);
  EXPECT_THROW(static_cast<void>(step("dt = 0.0079")), engine::NumericsError);
  EXPECT_NEAR(step("cfl = 1.0\nscheme = \"rkl2\"\nstages = 5"), 7.0 / 128.0, 1e-14);
}

}  // namespace
}  // namespace tacit::skeleton
