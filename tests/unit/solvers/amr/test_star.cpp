// Gas under its own gravity: stars at rest and in motion, and what is conserved.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "running_amr.hpp"
#include "tacit/base/error.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/solvers/amr/setups/lane_emden.hpp"

namespace tacit::amr {
namespace {

using testing::column;
using testing::parameters_of;
using testing::RunningAmr;

TEST(AmrLaneEmden, HasTheClosedSolutions) {
  constexpr double pi = std::numbers::pi;
  const LaneEmden uniform(0.0);
  EXPECT_NEAR(uniform.xi1(), std::sqrt(6.0), 1e-10);
  EXPECT_NEAR(uniform.mass(), 2.0 * std::sqrt(6.0), 2e-2);  // which a step beyond the surface adds to
  EXPECT_NEAR(uniform.theta(1.0), 1.0 - 1.0 / 6.0, 1e-11);
  const LaneEmden one(1.0);
  EXPECT_NEAR(one.xi1(), pi, 1e-10);
  EXPECT_NEAR(one.mass(), pi, 1e-8);
  for (const double xi : {1e-5, 0.01, 0.777, 2.0, 3.14}) EXPECT_NEAR(one.theta(xi), std::sin(xi) / xi, 1e-11) << xi;
  EXPECT_EQ(one.theta(3.15), 0.0);
}

/// Chandrasekhar's table has these to fewer digits.
TEST(AmrLaneEmden, HasTheKnownSurfaces) {
  const LaneEmden convective(1.5);
  EXPECT_NEAR(convective.xi1(), 3.65375373622, 1e-8);
  EXPECT_NEAR(convective.mass(), 2.71405512012, 1e-8);
  const LaneEmden radiative(3.0);
  EXPECT_NEAR(radiative.xi1(), 6.89684861937, 1e-8);
  EXPECT_NEAR(radiative.mass(), 2.01823595094, 1e-8);
}

/// G = M = R = 1, in a box with sides of 3.
std::string star_of(const std::string& amr, const std::string& more = {}) {
  return "initial.setup = \"polytrope\"\n[gravity]\nself = true\n" + more + "[amr]\ngamma = 1.6666666666666667\n" +
         "root = [1, 1, 1]\nbox = [3.0, 3.0, 3.0]\n" + amr;
}

TEST(AmrStar, HasItsPotentialEnergy) {
  for (const auto& [index, expected] : {std::pair{1.5, -6.0 / 7.0}, std::pair{1.0, -0.75}}) {
    const std::string more = "[polytrope]\nambient = 1e-6\nindex = " + std::to_string(index) + "\n";
    const RunningAmr star(star_of("level = 2\nlow = \"outflow\"\n", more));
    // Eleven cells in a radius.
    EXPECT_NEAR(column(star, "potential_energy"), expected, 0.01 * std::abs(expected)) << index;
  }
}

/// A star whose radius is a third of a cell, off all centres: where cells may become finer they do until they show it,
/// else they have its mean; nowhere is its mass lost. The box has gas of 1e-4 of the density in the centre.
TEST(AmrStar, IsNotPassedOverByCoarseCells) {
  const std::string small =
      "initial.setup = \"polytrope\"\n[gravity]\nself = true\n[polytrope]\nradius = 0.35\n[amr]\n"
      "gamma = 1.6666666666666667\nlow = \"outflow\"\nroot = [1, 1, 1]\nbox = [8.0, 8.0, 8.0]\n";
  constexpr double around = 512.0e-4 * 5.99070451628 / (4.0 / 3.0 * std::numbers::pi * 0.35 * 0.35 * 0.35);
  const auto mass_of = [](const RunningAmr& run) { return run.solver().conserved().quantities[0].value[0]; };
  RunningAmr adaptive(small + "finest = 4\n");
  EXPECT_NEAR(mass_of(adaptive), 1.0 + around, 0.02);
  EXPECT_EQ(adaptive.solver().tree().leaf(adaptive.solver().tree().covering({4, {8, 8, 8}}).value()).level, 4U);
  EXPECT_TRUE(adaptive.new_warnings().empty());
  RunningAmr uniform(small);
  EXPECT_NEAR(mass_of(uniform), 1.0 + around, 0.02);
  const std::vector<std::string> warnings = uniform.new_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("the star meets cells 1 long, and its shape needs cells of 0.0875"), std::string::npos)
      << warnings[0];
  EXPECT_TRUE(uniform.new_warnings().empty()) << "it is said twice";
  // A star so small that no place in a cell is within it.
  std::string tiny = small;
  tiny.replace(tiny.find("0.35"), 4, "0.01");
  EXPECT_THROW(RunningAmr{tiny}, base::Error);
}

/// Walls that nothing passes, stars that pulsate, levels whose borders go through them: the sum of all energies changes
/// by rounding, the parts by many times the limit.
TEST(AmrStar, KeepsTheSumOfItsEnergies) {
  const std::string levels =
      "level = 1\nlow = \"reflecting\"\nregions = [2, 0.0, 1.2, 0.0, 1.4, 1.6, 3.0, 3, 1.55, 1.7, 1.3, 1.4, 1.5, "
      "1.6]\n";
  for (const std::string& amr : {std::string("level = 1\nlow = \"reflecting\"\n"), levels}) {
    RunningAmr star(star_of(
        amr, "order = 4\n[polytrope]\nambient = 1e-2\npulse = 0.3\nrotation = 0.3\nvelocity = [0.3, 0.2, -0.1]\n"));
    const auto before = star.solver().conserved();
    const double potential = column(star, "potential_energy");
    star.steps(12);
    const auto after = star.solver().conserved();
    for (std::size_t k = 0; k < before.quantities.size(); ++k) {
      if (before.quantities[k].name == "momentum") continue;  // walls give some
      EXPECT_NEAR(after.quantities[k].value[0], before.quantities[k].value[0], 1e-14 * before.quantities[k].scale)
          << before.quantities[k].name;
    }
    EXPECT_GT(std::abs(column(star, "potential_energy") - potential), 1e-3);
  }
}

/// Five cells in a radius: enough to see that pressure and weight are in balance. Without gravity it would be gone.
TEST(AmrStar, StaysAtRest) {
  RunningAmr star(star_of("level = 1\nlow = \"outflow\"\n"));
  const double before = star.statistic("largest_density");
  star.until(1.0);
  // As found, 0.80 and 1.6e-3; a quarter of the potential energy would be 0.2.
  EXPECT_GT(star.statistic("largest_density"), 0.75 * before);
  EXPECT_LT(star.statistic("largest_density"), 1.02 * before);
  EXPECT_LT(column(star, "kinetic_energy"), 3e-3);
}

/// Of quantities, over their scales, from the begin of a run to its end.
std::array<double, 3> drifts_between(const engine::Conserved& before, const engine::Conserved& after) {
  std::array<double, 3> drifts{};
  for (std::size_t k = 0; k < drifts.size(); ++k) {
    for (std::size_t i = 0; i < after.quantities[k].value.size(); ++i) {
      const double change = std::abs(after.quantities[k].value[i] - before.quantities[k].value[i]);
      drifts[k] = std::max(drifts[k], change / std::max(before.quantities[k].scale, after.quantities[k].scale));
    }
  }
  return drifts;
}

/// Gas at the pressure of that around, 1e-4 of the centre's, has the sound speed 0.15 in the star: it moves at ten
/// times that for five of its radii, with default keys. What goes through the sides counts.
TEST(AmrStar, MovesThroughThinGas) {
  const std::string text =
      "initial.setup = \"polytrope\"\n[polytrope]\nvelocity = [1.5, 0.0, 0.0]\nambient_velocity = [0.0, 0.0, 0.0]\n"
      "[gravity]\nself = true\n[amr]\nroot = [4, 1, 1]\nlevel = 1\nbox = [12.0, 3.0, 3.0]\nlow = \"outflow\"\n"
      "gamma = 1.6666666666666667\n";
  RunningAmr star(text, 2);
  const engine::Conserved before = star.solver().conserved();
  const double density = star.statistic("largest_density");
  star.until(10.0 / 3.0);
  const engine::Conserved after = star.solver().conserved();
  const auto [mass, momentum, energy] = drifts_between(before, after);
  // As found, 2e-16, 4e-18 and 6e-16.
  EXPECT_LT(mass, 1e-13);
  EXPECT_LT(momentum, 1e-13);
  EXPECT_LT(energy, 1e-12);
  // Many times more than that has gone through sides.
  EXPECT_GT(std::abs(column(star, "mass_left")), 1e-3);
  EXPECT_GT(std::abs(column(star, "energy_left")), 1e-3);
  EXPECT_GT(std::abs(column(star, "momentum_x") - before.quantities[1].value[0]), 1e-4);
  EXPECT_NEAR(star.statistic("largest_density"), density, 0.1 * density);
  EXPECT_NEAR(column(star, "potential_energy"), -6.0 / 7.0, 0.05);
  // Internal energies without an equation of their own are used up at its surface.
  AmrParameters alone = parameters_of(text + "dual_energy = \"never\"\n");
  alone.halvings = 2;
  RunningAmr cold(alone, 2);
  EXPECT_THROW(cold.until(10.0 / 3.0), engine::NumericsError);
}

/// A step that fails leaves NaN in what gravity keeps: the halves that follow must not take it up.
TEST(AmrStar, IsAsGoodAfterAStepThatFailed) {
  const std::string text = star_of("level = 1\nlow = \"outflow\"\ncfl = 1.0\n",
                                   "[polytrope]\nvelocity = [6.0, 0.0, 0.0]\nambient_velocity = [0.0, 0.0, 0.0]\n");
  RunningAmr star(text, 2);
  star.step(0.2);  // some ten cells long
  ASSERT_FALSE(star.new_warnings().empty()) << "the step has not failed";
  for (const double number : star.state()) ASSERT_TRUE(std::isfinite(number));
}

}  // namespace
}  // namespace tacit::amr
