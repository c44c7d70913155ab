// Heat against what is known of it: modes, orders in space and time, steady states, conservation.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <string>

#include "running_heat.hpp"
#include "support/under_sanitizer.hpp"

namespace tacit::heat {
namespace {

using testing::parameters_of;
using testing::RunningHeat;

std::string text(const std::string& heat, const std::string& setup = "eigenmode", const std::string& more = "") {
  return "initial.setup = \"" + setup + "\"\n" + more + "[heat]\n" + heat + "\n";
}

HeatParameters read(const std::string& heat, const std::string& setup = "eigenmode", const std::string& more = "") {
  return read_parameters(parameters_of(text(heat, setup, more)));
}

const std::string fixed = "walls = [\"fixed\"]\nlow = [1.0, 1.0, 1.0]\nhigh = [1.0, 1.0, 1.0]\n";
const std::string insulating = "walls = [\"insulating\"]\n";
const std::string mixed =
    "walls = [\"fixed\", \"periodic\", \"insulating\"]\nlow = [1.0, 0.0, 0.0]\n"
    "high = [3.0, 0.0, 0.0]\n";

std::string cells(std::size_t n, std::size_t dimensions) {
  std::string list;
  for (std::size_t i = 0; i < dimensions; ++i) list += (i > 0 ? ", " : "") + std::to_string(n + 2 * i);
  return "cells = [" + list + "]\n";
}

/// The largest error at a time, by so many steps.
double error_of(const HeatParameters& parameters, double end, std::size_t steps) {
  RunningHeat run(parameters);
  run.steps(steps, end / static_cast<double>(steps));
  return run.statistic("largest_error");
}

TEST(HeatOrders, OfTwiceTheCellsErrorsAreAQuarter) {
  for (const std::string& walls : {std::string(), fixed, insulating, mixed}) {
    for (const char* scheme : {"rk2", "rkl2"}) {
      const auto error = [&](std::size_t n) {
        const std::string list = fmt::format("cells = [{}, {}, {}]\n", n, n * 5 / 4, n * 3 / 2);
        // dt goes with dx^2 and is short, so that its error, of dt^2, is small beside that of dx^2.
        return error_of(read(walls + list + "diffusivity = 0.7\nscheme = \"" + scheme + "\"\n"), 0.01, n * n / 2);
      };
      // Few cells where all is slow: then the next term of the error shows.
      const std::size_t n = tasks::testing::under_tsan ? 8 : 16;
      EXPECT_NEAR(std::log2(error(n) / error(2 * n)), 2.0, n == 8 ? 0.2 : 0.1) << scheme << " " << walls;
    }
  }
}

/// By which a mode decays per step of a scheme, where it is an eigenvector of L: -lambda of the grid.
double lambda(const HeatParameters& parameters, double half_waves) {
  const Domain& domain = parameters.domain;
  double sum = 0.0;
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    const double waves = half_waves * (domain.walls[axis] == Wall::periodic ? 2.0 : 1.0);
    const double s =
        2.0 / domain.spacing(axis) * std::sin(0.5 * std::numbers::pi * waves * domain.spacing(axis) / domain.box[axis]);
    sum += parameters.diffusivity * s * s;
  }
  return sum;
}

TEST(HeatOrders, StepsOfHalfTheLengthHaveAQuarterOfTheError) {
  for (const char* scheme : {"rk2", "rkl2"}) {
    // Against exp(-lambda t) with the eigenvalue of the grid, only the error in time is left.
    const auto error = [&](std::size_t steps) {
      const HeatParameters p = read(cells(8, 1) + "diffusivity = 1.0\nscheme = \"" + scheme + "\"\n");
      RunningHeat run(p);
      run.steps(steps, 0.02 / static_cast<double>(steps));
      const double amplitude = run.statistic("largest") / std::cos(std::numbers::pi / 8.0);
      return std::abs(amplitude - std::exp(-lambda(p, 1.0) * 0.02));
    };
    EXPECT_NEAR(std::log2(error(8) / error(16)), 2.0, 0.1) << scheme;
    EXPECT_NEAR(std::log2(error(16) / error(32)), 2.0, 0.06) << scheme;
  }
}

TEST(HeatModes, DecayAsTheEigenvaluesOfTheGridSay) {
  for (const std::string& walls : {std::string(), fixed, insulating, mixed}) {
    const HeatParameters p = read(walls + cells(8, 3) + "diffusivity = 0.5\n");
    RunningHeat run(p);
    const std::vector<double> before = run.temperatures();
    const double dt = 0.5 * run.solver().time_step();
    run.steps(10, dt);
    const std::vector<double> after = run.temperatures();
    const double z = -lambda(p, 1.0) * dt;
    const double growth = std::pow(1.0 + z + 0.5 * z * z, 10);
    // Where walls bring a temperature that is linear in x, it stays.
    const ExactAt steady(between_walls(p.domain, 0.0), p.domain, 0.0);
    std::size_t i = 0;
    for (std::int64_t z_cell = 0; z_cell < 12; ++z_cell) {
      for (std::int64_t y = 0; y < 10; ++y) {
        for (std::int64_t x = 0; x < 8; ++x, ++i) {
          const double about = steady({x, y, z_cell});
          // 20 stages of a dozen roundings of numbers below 4, and the power.
          ASSERT_NEAR(after[i] - about, growth * (before[i] - about), 20 * 12 * 4.0 * 1.2e-16) << walls;
        }
      }
    }
  }
}

TEST(HeatModes, AGaussianSpreadsAsTheExactOne) {
  for (const std::string& walls : {std::string(), fixed, insulating}) {
    const auto error = [&](std::size_t n) {
      const std::string list = fmt::format("cells = [{}, {}]\ndiffusivity = 1.0\n", n, n + n / 2);
      return error_of(read(walls + list, "gaussian", "gaussian.width = 0.15\n"), 0.01, n * n / 8);
    };
    const double coarse = error(24);
    EXPECT_LT(coarse, 5e-3) << walls;
    EXPECT_NEAR(std::log2(coarse / error(48)), 2.0, 0.1) << walls;
  }
}

TEST(HeatModes, AWideGaussianIsTheSumOfAllItsImages) {
  for (const std::string& walls : {std::string(), fixed, insulating}) {
    const auto exact_of = [&](double width) {
      return *read(walls + cells(8, 1) + "diffusivity = 1.0\n", "gaussian",
                   fmt::format("gaussian.width = {:e}\n", width))
                  .initial.exact;
    };
    for (const double width : {1.6, 1.9, 2.1, 2.3}) {  // the series replaces the images at 2
      for (const double x : {0.0, 0.1, 0.5, 0.8}) {
        double sum = 0.0;
        for (int n = -30; n <= 30; ++n) {
          const double distance = (x - 0.5 - n) / width;
          sum += (walls == fixed && n % 2 != 0 ? -1.0 : 1.0) * std::exp(-0.5 * distance * distance);
        }
        // Some 30 terms below 1, each rounded.
        EXPECT_NEAR(exact_of(width).factor(0, x, 0.0), sum, 30 * 1.2e-16) << walls << width;
      }
    }
    const double mean = walls == fixed ? 0.0 : std::sqrt(2.0 * std::numbers::pi) * 1e20;
    EXPECT_DOUBLE_EQ(exact_of(1e20).factor(0, 0.5, 0.0), mean) << walls;
  }
}

TEST(HeatSteady, TwoLayersBecomeLinearWithTheSameFlowThroughBoth) {
  const HeatParameters p = read(
      "walls = [\"fixed\", \"insulating\"]\nlow = [2.0, 0.0, 0.0]\nhigh = [1.0, 0.0, 0.0]\ncells = [16, 4]\n"
      "scheme = \"rkl2\"\n",
      "two_layers", "two_layers.low = 1.0\ntwo_layers.high = 0.25\ntwo_layers.thickness = 0.25\n");
  RunningHeat run(p);
  run.until(40.0);  // the slowest mode decays with exp(-3 t) or faster
  // Harmonic means make the steady state exact; what is left is rounding, which stages add up and decay removes.
  EXPECT_LT(run.statistic("largest_error"), 1e-13);
  const double flow = 1.0 / (0.25 / 1.0 + 0.75 / 0.25);
  EXPECT_NEAR(run.statistic("inflow_low"), flow, 1e-12);
  EXPECT_NEAR(run.statistic("inflow_high"), -flow, 1e-12);
}

TEST(HeatSteady, AUniformTemperatureStaysInEveryBit) {
  for (const std::string& walls : {std::string(), insulating, fixed}) {
    const HeatParameters p = read(walls + cells(6, 3) + "diffusivity = 0.3\n", "gaussian",
                                  "gaussian.amplitude = 0.0\ngaussian.mean = 1.0\n");
    RunningHeat run(p);
    run.steps(20, run.solver().time_step());
    EXPECT_EQ(run.temperatures(), std::vector<double>(6 * 8 * 10, 1.0));
  }
}

TEST(HeatSums, HeatIsKeptToRoundingAndASourceAddsWhatItSays) {
  const auto heat = [](const RunningHeat& run) { return run.solver().conserved().quantities[0]; };
  for (const std::string& walls : {std::string(), insulating}) {
    RunningHeat run(read(walls + cells(12, 3) + "diffusivity = 1.0\n", "gaussian", "gaussian.mean = 1.0\n"));
    const double before = heat(run).value[0];
    run.steps(50, run.solver().time_step());
    EXPECT_TRUE(heat(run).is_kept);
    // Roundings of 100 stages in 2688 cells: 1.1e-16 each at random, 100 sqrt(2688) / 2688 of them in the mean.
    EXPECT_NEAR(heat(run).value[0], before, 10.0 * 1.1e-16 * before);
  }
  RunningHeat run(read(cells(12, 3) + "diffusivity = 1.0\nsource = 2.0\n", "gaussian"));
  const double before = heat(run).value[0];
  EXPECT_FALSE(heat(run).is_kept);
  run.steps(50, 1e-4);
  EXPECT_NEAR(heat(run).value[0], before + 2.0 * 50 * 1e-4, 1e-14);
}

TEST(HeatSums, TheZeroOfAnExtremeHasNoSign) {
  HeatParameters p = read(cells(4, 1) + "diffusivity = 1.0\n");
  for (const std::int64_t place : {0, 3}) {
    p.initial.temperature = [place](const Cell& cell) { return cell[0] == place ? 0.0 : -0.0; };
    const RunningHeat run(p);
    for (const char* extreme : {"least", "largest"}) EXPECT_FALSE(std::signbit(run.statistic(extreme))) << extreme;
  }
}

TEST(HeatSums, AnExactSolutionIsOnlyClaimedWhereItHolds) {
  EXPECT_TRUE(read(cells(4, 1) + "diffusivity = 1.0\n").initial.exact);
  EXPECT_FALSE(read(cells(4, 1) + "diffusivity = 1.0\nsource = 1.0\n").initial.exact);
  const std::string unlike = "walls = [\"fixed\"]\nlow = [1.0, 2.0, 0.0]\nhigh = [1.0, 1.0, 0.0]\n";
  EXPECT_FALSE(read(unlike + cells(4, 2) + "diffusivity = 1.0\n").initial.exact);
}

TEST(HeatFields, FacesBetweenAnyTwoDiffusivitiesHaveTheirHarmonicMean) {
  HeatParameters p = read(cells(4, 1) + "diffusivity = 1.0\nbox = [4, 1, 1]\n");
  p.initial.diffusivity = [](const Cell& cell) {
    return std::array{1e-200, 1e-190, 1e200, 3e200}[static_cast<std::size_t>(cell[0])];
  };
  const RunningHeat run(p);
  const FieldSet& fields = run.solver().fields();
  const auto face = [&](std::int64_t x) { return fields.faces[0][run.solver().grid().layout().index({x, 0, 0, 0})]; };
  EXPECT_DOUBLE_EQ(face(1), 2e-200 / (1.0 + 1e-10));
  EXPECT_DOUBLE_EQ(face(2), 2e-190);
  EXPECT_DOUBLE_EQ(face(3), 1.5e200);
  EXPECT_EQ(face(0), face(4));  // beyond both ends
}

TEST(HeatFields, WhatASetUpHoldsIsReleasedOnceTheFieldsAreFilled) {
  const auto held = std::make_shared<double>(2.0);
  std::optional<HeatParameters> p = read(cells(4, 1) + "diffusivity = 1.0\n");
  p->initial.source = [held](const Cell&) { return *held; };
  const RunningHeat run(*p);
  p.reset();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_FALSE(run.solver().conserved().quantities[0].is_kept);
}

TEST(HeatSteps, AFixedStepIsTakenOrRefused) {
  const std::string grid = cells(8, 1) + "diffusivity = 1.0\n";
  const double longest = RunningHeat(read(grid + "cfl = 1.0\n")).solver().time_step();
  EXPECT_NEAR(longest, 1.0 / 128.0, 1e-15);
  EXPECT_EQ(RunningHeat(read(grid + "dt = 0.0078\n")).solver().time_step(), 0.0078);
  EXPECT_THROW(static_cast<void>(RunningHeat(read(grid + "dt = 0.0079\n")).solver().time_step()),
               engine::NumericsError);
  const HeatParameters longer = read(grid + "cfl = 1.0\nscheme = \"rkl2\"\nstages = 5\n");
  EXPECT_NEAR(RunningHeat(longer).solver().time_step(), 7.0 * longest, 1e-14);
}

}  // namespace
}  // namespace tacit::heat
