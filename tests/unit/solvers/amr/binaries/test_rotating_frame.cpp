// Frames that turn: the path of free gas, Jacobi's integral, and stars that stay where they are in them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "unit/solvers/amr/running_amr.hpp"

namespace tacit::amr {
namespace {

using testing::column;
using testing::parameters_of;
using testing::RunningAmr;

/// A vector in a frame at rest, as it is in one that has turned by an angle.
std::array<double, 2> seen(double x, double y, double angle) {
  return {std::cos(angle) * x + std::sin(angle) * y, -std::sin(angle) * x + std::cos(angle) * y};
}

/// Gas of one velocity, without gravity to speak of, and in it a parcel that is marked: it goes straight on, which is a
/// spiral in the frame.
TEST(AmrRotatingFrame, FreeGasGoesStraightOn) {
  constexpr double Omega = 0.8;
  constexpr double middle = 2.0;
  AmrParameters parameters = parameters_of(
      "initial.setup = \"polytrope\"\n[gravity]\nself = true\nconstant = 1e-12\n[amr]\nroot = [4, 4, 4]\n"
      "box = [4.0, 4.0, 4.0]\nlow = \"outflow\"\nspecies = 2\nframe = \"rotating\"\nframe_rotation = 0.8\n"
      "gamma = 1.6666666666666667\n");
  parameters.initial.features.clear();
  parameters.initial.state = [](const Point& x) {
    return GasState{1.0, {0.3 + Omega * (x[1] - middle), 0.1 - Omega * (x[0] - middle), 0.0}, 0.02};
  };
  parameters.initial.fractions = [](const Point& x) {
    const double r2 = (x[0] - 1.7) * (x[0] - 1.7) + (x[1] - 2.1) * (x[1] - 2.1) + (x[2] - 2.0) * (x[2] - 2.0);
    const double X = std::exp(-r2 / 0.06);
    return Fractions{X, 1.0 - X};
  };
  RunningAmr run(parameters);
  run.until(0.8);
  double mass = 0.0;
  std::array<double, 2> centre{};
  const auto V = seen(0.3, 0.1, Omega * 0.8);
  for (std::size_t leaf = 0; leaf < run.solver().tree().size(); ++leaf) {
    const auto U = run.solver().grids().now(leaf);
    for (std::size_t cell = 0; cell < run.solver().grids().cells(); ++cell) {
      const Point x = centre_of(parameters.domain, run.solver().tree().leaf(leaf), cell);
      const double m = U.of(run.solver().grids().fields().first_species())[cell];
      mass += m;
      for (std::size_t axis = 0; axis < 2; ++axis) centre[axis] += m * (x[axis] - middle);
      // Beyond there is what sides have sent.
      if (std::hypot(x[0] - middle, x[1] - middle, x[2] - middle) > 0.6) continue;
      ASSERT_NEAR(U.of(1)[cell] / U.of(0)[cell], V[0] + Omega * (x[1] - middle), 3e-4);
      ASSERT_NEAR(U.of(2)[cell] / U.of(0)[cell], V[1] - Omega * (x[0] - middle), 3e-4);
    }
  }
  const auto end = seen(-0.3 + 0.3 * 0.8, 0.1 + 0.1 * 0.8, Omega * 0.8);
  EXPECT_NEAR(centre[0] / mass, end[0], 5e-3);
  EXPECT_NEAR(centre[1] / mass, end[1], 5e-3);
}

/// Walls that turn with the frame, a star that does not, levels whose borders go through it: the sum of internal,
/// kinetic and potential energy with the centrifugal one changes by rounding.
TEST(AmrRotatingFrame, KeepsJacobisIntegral) {
  RunningAmr star(
      "initial.setup = \"polytrope\"\n[gravity]\nself = true\n[polytrope]\nambient = 1e-2\n"
      "velocity = [0.3, 0.2, -0.1]\n[amr]\ngamma = 1.6666666666666667\nroot = [1, 1, 1]\nbox = [3.0, 3.0, 3.0]\n"
      "level = 1\nlow = \"reflecting\"\nregions = [2, 0.0, 1.2, 0.0, 1.4, 1.6, 3.0]\n"
      "frame = \"rotating\"\nframe_rotation = 0.7\n");
  const auto before = star.solver().conserved();
  const double kinetic = column(star, "kinetic_energy");
  const double potential = column(star, "potential_energy");
  star.steps(12);
  const auto after = star.solver().conserved();
  ASSERT_EQ(after.quantities[2].name, "energy");
  EXPECT_NEAR(after.quantities[2].value[0], before.quantities[2].value[0], 1e-14 * before.quantities[2].scale);
  EXPECT_NEAR(after.quantities[0].value[0], before.quantities[0].value[0], 1e-14);
  EXPECT_FALSE(after.quantities[1].is_kept);
  EXPECT_GT(std::abs(column(star, "kinetic_energy") - kinetic), 1e-3);
  EXPECT_GT(std::abs(column(star, "potential_energy") - potential), 1e-3);
}

/// Five cells in a radius, for a tenth of an orbit, in the frame that turns with them and in one at rest, where they
/// move on by 36 degrees.
TEST(AmrRotatingFrame, ABinaryKeepsItsSeparation) {
  const std::string pair =
      "initial.setup = \"binary\"\n[gravity]\nself = true\norder = 4\n[binary]\nfilling_1 = 0.9\nambient = 1e-4\n"
      "[amr]\ngamma = 1.6666666666666667\nroot = [1, 1, 1]\nlevel = 2\nbox = [2.4, 2.4, 2.4]\nlow = \"outflow\"\n";
  for (const char* const frame : {"rotating", "inertial"}) {
    RunningAmr stars(pair + "frame = \"" + frame + "\"\n", 2);
    const engine::Conserved before = stars.solver().conserved();
    const double spin = stars.statistic("angular_momentum_z");
    EXPECT_NEAR(stars.statistic("separation"), 1.0, 3e-3);
    EXPECT_LT(stars.statistic("virial_error"), 0.04);
    // m1 m2 sqrt(a) for points of masses 1/2.
    EXPECT_NEAR(stars.statistic("orbital_angular_momentum"), 0.25, 0.01);
    EXPECT_NEAR(stars.statistic("spin_1"), stars.statistic("spin_2"), 1e-6);
    stars.until(0.1 * 2.0 * 3.14159265 / 1.009);
    EXPECT_NEAR(stars.statistic("separation"), 1.0, 0.01) << frame;
    EXPECT_NEAR(stars.statistic("angular_momentum_z"), spin, 0.02 * spin) << frame;
    const engine::Conserved after = stars.solver().conserved();
    for (std::size_t k : {0U, 2U, 3U, 4U, 5U}) {
      EXPECT_NEAR(after.quantities[k].value[0], before.quantities[k].value[0], 1e-13 * after.quantities[k].scale)
          << after.quantities[k].name;
    }
  }
}

}  // namespace
}  // namespace tacit::amr
