// Stars in equilibrium: closed solutions, limits of rotation, Poisson's equation, and what is asked of binaries.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>

#include "tacit/solvers/amr/binaries/equilibrium.hpp"
#include "tacit/solvers/amr/setups/lane_emden.hpp"

namespace tacit::amr {
namespace {

constexpr double half_circle = std::numbers::pi;

TEST(AmrEquilibrium, SpheresAreThoseOfLaneAndEmden) {
  for (const double n : {1.0, 1.5, 3.0}) {
    const Equilibrium sphere(RotatingStarSpec{.index = n});
    const LaneEmden exact(n);
    const double a = 1.0 / exact.xi1();
    const double rho_c = 1.0 / (4.0 * half_circle * a * a * a * exact.mass());
    EXPECT_NEAR(sphere.Omega(), 0.0, 1e-6);
    EXPECT_NEAR(sphere.energies().W, -3.0 / (5.0 - n), 3e-4) << n;
    EXPECT_LT(sphere.energies().virial_error(), 5e-4) << n;
    for (const double r : {0.0, 0.2, 0.5, 0.8, 0.95}) {
      const Equilibrium::Gas gas = sphere.at({0.6 * r, 0.0, -0.8 * r});
      EXPECT_NEAR(gas.rho, rho_c * std::pow(exact.theta(r / a), n), 2e-3 * rho_c) << n << " " << r;
    }
    EXPECT_FALSE(sphere.at({0.0, 1.01, 0.0}).star.has_value());
  }
}

/// To first order in f = 1 - axis ratio, f = (1 + k) / 2 Omega^2 R^3 / (G M), with the Love number k of the polytrope:
/// 15 / pi^2 - 1 for n = 1, and 2 x 0.14327 for n = 1.5 (Brooker & Olle 1955).
TEST(AmrEquilibrium, SlowRotationFlattensThemAsLoveNumbersSay) {
  constexpr double f = 0.01;
  for (const auto& [n, k] : {std::pair{1.0, 15.0 / (half_circle * half_circle) - 1.0}, std::pair{1.5, 2.0 * 0.14327}}) {
    const Equilibrium star(RotatingStarSpec{.index = n, .axis_ratio = 1.0 - f});
    const double first = 2.0 * f / (1.0 + k);
    EXPECT_NEAR(star.Omega() * star.Omega(), first, 3.0 * f * first) << n;
  }
}

/// James (1964): no star of n = 1.5 has more than Omega^2 = 0.0436 x 2 pi G rho_c.
TEST(AmrEquilibrium, FastRotationEndsWhereGasWouldLeave) {
  const Equilibrium fast(RotatingStarSpec{.index = 1.5, .axis_ratio = 0.64});
  const double rate = fast.Omega() * fast.Omega() / (2.0 * half_circle * fast.stars()[0].largest_rho);
  EXPECT_GT(rate, 0.042);
  EXPECT_LT(rate, 0.0437);
  EXPECT_LT(fast.energies().virial_error(), 1e-3);
  EXPECT_THROW(Equilibrium(RotatingStarSpec{.index = 1.5, .axis_ratio = 0.55}), NoEquilibrium);
}

/// div grad phi - 4 pi rho by differences, over the largest 4 pi rho.
double poisson_error(const Equilibrium& stars, const Point& x) {
  constexpr double h = 0.02;
  double sum = -6.0 * stars.potential(x);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const double by : {-h, h}) {
      Point beside = x;
      beside[axis] += by;
      sum += stars.potential(beside);
    }
  }
  return std::abs(sum / (h * h) - 4.0 * half_circle * stars.at(x).rho) /
         (4.0 * half_circle * stars.stars()[0].largest_rho);
}

/// Masses by a lattice of points, where each star's centre is, and how it turns: a little faster than points, as the
/// stars are drawn out along the line between them.
TEST(AmrEquilibrium, BinariesHaveWhatIsAskedOfThem) {
  for (const double q : {1.0, 0.5}) {
    const Equilibrium stars(BinarySpec{.mass_ratio = q, .fillings = {0.9, 0.8}});
    EXPECT_LT(stars.energies().virial_error(), 1e-3) << q;
    EXPECT_GT(stars.Omega(), 1.0001);
    EXPECT_LT(stars.Omega(), 1.02);
    std::array<double, 2> mass{};
    std::array<double, 2> moment{};
    constexpr int points = 80;
    constexpr double h = 2.4 / points;
    for (int i = 0; i < points * points * points / 4; ++i) {
      const Point x{(i % points + 0.5) * h - 1.2, (i / points % (points / 2) + 0.5) * h,
                    (i / (points * points / 2) + 0.5) * h};
      const Equilibrium::Gas gas = stars.at(x);
      if (!gas.star) continue;
      mass[*gas.star] += 4.0 * h * h * h * gas.rho;
      moment[*gas.star] += 4.0 * h * h * h * gas.rho * x[0];
    }
    EXPECT_NEAR(mass[0], 1.0 / (1.0 + q), 1e-3);
    EXPECT_NEAR(mass[1], q / (1.0 + q), 1e-3);
    EXPECT_NEAR(moment[0] / mass[0], -q / (1.0 + q), 1e-3);
    EXPECT_NEAR(moment[1] / mass[1], 1.0 / (1.0 + q), 1e-3);
    for (const double part : {0.0, 0.1, 0.25}) {
      const Point x{stars.stars()[0].centre + part, 0.1 * part, 0.6 * part};
      EXPECT_LT(poisson_error(stars, x), 0.01) << q << " " << part;
    }
    // The surface of star 1 on the axis.
    const double inner = -q / (1.0 + q) + 0.9 * (stars.L1() + q / (1.0 + q));
    EXPECT_GT(stars.at({inner - 1e-3, 0.0, 0.0}).rho, 0.0);
    EXPECT_EQ(stars.at({inner + 1e-3, 0.0, 0.0}).rho, 0.0);
  }
}

TEST(AmrEquilibrium, TouchingStarsHaveGasBetweenThem) {
  const Equilibrium apart(BinarySpec{.mass_ratio = 0.5, .fillings = {0.98, 0.98}});
  EXPECT_EQ(apart.at({apart.L1(), 0.0, 0.0}).rho, 0.0);
  const Equilibrium touching(BinarySpec{.mass_ratio = 0.5, .fillings = {1.3, 1.3}});
  for (const double beside : {-0.01, 0.01}) EXPECT_GT(touching.at({touching.L1() + beside, 0.0, 0.0}).rho, 1e-3);
  EXPECT_LT(touching.energies().virial_error(), 1e-3);
}

}  // namespace
}  // namespace tacit::amr
