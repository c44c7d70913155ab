// Angular momentum that is taken from stars, and frames that follow them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>

#include "tacit/solvers/amr/binaries/star_statistics.hpp"
#include "unit/solvers/amr/running_amr.hpp"

namespace tacit::amr {
namespace {

using testing::column;
using testing::parameters_of;
using testing::RunningAmr;

const std::string turning_star =
    "initial.setup = \"rotating_star\"\n[gravity]\nself = true\n[rotating_star]\nambient = 1e-3\n[amr]\n"
    "gamma = 1.6666666666666667\nroot = [1, 1, 1]\nlevel = 1\nbox = [3.0, 3.0, 3.0]\nlow = \"reflecting\"\n";

/// Sums that nothing may change but what is counted.
void expect_kept(const engine::Conserved& before, const engine::Conserved& after) {
  for (std::size_t k = 0; k < before.quantities.size(); ++k) {
    const engine::Quantity& was = before.quantities[k];
    const engine::Quantity& is = after.quantities[k];
    if (!was.is_kept) continue;
    for (std::size_t i = 0; i < was.value.size(); ++i)
      EXPECT_NEAR(is.value[i], was.value[i], 1e-13 * is.scale) << was.name << " " << i;
  }
}

/// For so long that the end of driving is within a step: what is taken is what the rate says, energy and momentum are
/// balanced, and the star has lost as much more than one that is not driven.
TEST(AmrDriving, TakesAPartOfTheAngularMomentumAndCountsIt) {
  for (const std::string frame : {"inertial", "rotating"}) {
    const std::string text = turning_star + "frame = \"" + frame + "\"\n";
    RunningAmr free(text);
    const AmrParameters parameters = parameters_of(text + "[driving]\nrate = 0.3\nuntil = 0.25\n");
    RunningAmr driven(parameters);
    const engine::Conserved before = driven.solver().conserved();
    const double L = driven.statistic("angular_momentum_z");
    const double energy = column(driven, "total_energy");
    EXPECT_EQ(driven.statistic("angular_momentum_driven"), 0.0);
    const double Omega = parameters.initial.rotation;
    const double rate = 0.3 * Omega / (2.0 * std::numbers::pi);
    double expected = 0.0;
    while (driven.time() < 0.4) {
      const double dt = 0.9 * driven.solver().time_step();
      const double counts = std::clamp(0.25 - driven.time(), 0.0, dt);
      const double L_before = driven.statistic("angular_momentum_z");
      driven.step(dt);
      free.step(dt);
      expected -= rate * counts * 0.5 * (L_before + driven.statistic("angular_momentum_z"));
    }
    const double taken = driven.statistic("angular_momentum_driven");
    EXPECT_NEAR(taken, expected, 1e-3 * std::abs(taken)) << frame;
    EXPECT_NEAR(taken, L * std::expm1(-rate * 0.25), 0.03 * std::abs(taken)) << frame;  // L changes by walls, too
    const double difference = driven.statistic("angular_momentum_z") - free.statistic("angular_momentum_z");
    EXPECT_NEAR(difference, taken, 0.06 * std::abs(taken)) << frame;
    expect_kept(before, driven.solver().conserved());
    // A body that turns more slowly has less kinetic energy; in the frame that turns with it, more potential one.
    if (frame == "inertial") {
      EXPECT_LT(column(driven, "total_energy") - energy, 0.9 * taken * Omega);
      EXPECT_NEAR(column(driven, "energy_added"), column(driven, "total_energy") - energy, 1e-13);
    }
  }
}

/// From a frame that turns a tenth slower than the stars, in which they turn away at the begin.
TEST(AmrFollowingFrame, TurnsWithTheStarsAndKeepsSums) {
  const AmrParameters parameters = parameters_of(
      "initial.setup = \"binary\"\n[gravity]\nself = true\n[binary]\nfilling_1 = 0.9\nambient = 1e-3\nmass_ratio = "
      "0.7\n"
      "[amr]\ngamma = 1.6666666666666667\nroot = [1, 1, 1]\nlevel = 2\nbox = [2.4, 2.4, 2.4]\nlow = \"outflow\"\n"
      "frame = \"following\"\nframe_rotation = 0.9\n");
  RunningAmr stars(parameters, 2);
  const engine::Conserved before = stars.solver().conserved();
  EXPECT_EQ(stars.statistic("frame_rotation"), 0.9);
  const double orbital = stars.statistic("orbital_frequency");
  EXPECT_NEAR(orbital, parameters.initial.rotation, 0.01);
  stars.steps(8);
  const double behind = stars.statistic("frame_angle");
  EXPECT_NEAR(behind, 0.9 * stars.time(), 1e-12);
  // As fast as the stars, and a bit faster, as they are ahead by what the frame was too slow.
  const double ahead = (orbital - 0.9) * stars.time();
  EXPECT_NEAR(stars.statistic("frame_rotation"), orbital * (1.0 + ahead * 2.0 / std::numbers::pi), 0.01);
  stars.steps(8);
  EXPECT_NEAR(stars.statistic("frame_angle"), orbital * stars.time(), ahead);
  EXPECT_NEAR(stars.statistic("separation"), 1.0, 0.01);
  expect_kept(before, stars.solver().conserved());
}

/// Two balls of the masses of stars with a stream of known flux between them, on an axis that the cells do not know.
TEST(AmrStars, TheFluxThroughTheInnerLagrangePointIsThatOfAStream) {
  EXPECT_NEAR(inner_Lagrange_point(0.5), 0.5, 1e-15);
  EXPECT_NEAR(inner_Lagrange_point(1.0 / 3.0), 0.57075, 5e-6);
  const double turned = 0.6;
  {
    AmrParameters parameters = parameters_of(
        "initial.setup = \"binary\"\n[gravity]\nself = true\n[amr]\ngamma = 1.6666666666666667\nroot = [1, 1, 1]\n"
        "level = 2\nbox = [2.4, 2.4, 2.4]\nlow = \"outflow\"\n");
    const std::array along{std::cos(turned), std::sin(turned)};
    const auto place = [=](const Point& x) {  // along the line, and away from it
      const double dx = x[0] - 1.2;
      const double dy = x[1] - 1.2;
      const double s = dx * along[0] + dy * along[1];
      return std::array{s, std::hypot(dx - s * along[0], dy - s * along[1], x[2] - 1.2)};
    };
    const auto star_at = [=](const Point& x) {
      const auto [s, r] = place(x);
      return std::hypot(std::abs(s) - 0.5, r) < 0.2 ? (s < 0.0 ? 0U : 1U) : 2U;
    };
    parameters.initial.features.clear();
    parameters.initial.fractions = [=](const Point& x) { return all_of(star_at(x)); };
    parameters.initial.state = [=](const Point& x) {
      const auto [s, r] = place(x);
      const double rho = star_at(x) < 2 ? 1.0 : 0.1 * std::exp(-r * r / (2.0 * 0.08 * 0.08)) + 1e-6;
      const double v = star_at(x) < 2 ? 0.0 : 0.7;
      return GasState{rho, {v * along[0], v * along[1], 0.0}, 0.1};
    };
    const RunningAmr run(parameters);
    const double expected = 0.7 * 0.1 * 2.0 * std::numbers::pi * 0.08 * 0.08;  // the stars have no velocity
    EXPECT_NEAR(run.statistic("flux_L1"), expected, 0.02 * expected) << turned;
  }
}

}  // namespace
}  // namespace tacit::amr
