// Set-ups of test problems: symmetry, momentum, profiles and equilibria of the gas they make.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "samples.hpp"
#include "tacit/base/exact_sum.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"
#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::sph::setup_problems_test {
namespace {

constexpr double gamma = 5.0 / 3.0;
// Each value of the sums has a few roundings of 1.1e-16; the sums themselves are exact.
constexpr double rounding = 1e-14;

template <class Value>
double sum_of(const InitialConditions& gas, Value&& value) {
  base::ExactSum sum;
  for (std::size_t i = 0; i < gas.size(); ++i) sum.add(value(i));
  return sum.value();
}

double mass_of(const InitialConditions& gas) {
  return sum_of(gas, [&](std::size_t i) { return gas.m[i]; });
}

base::Vec3 momentum_of(const InitialConditions& gas) {
  return {sum_of(gas, [&](std::size_t i) { return gas.m[i] * gas.vx[i]; }),
          sum_of(gas, [&](std::size_t i) { return gas.m[i] * gas.vy[i]; }),
          sum_of(gas, [&](std::size_t i) { return gas.m[i] * gas.vz[i]; })};
}

void expect_equal_masses(const InitialConditions& gas) {
  const auto [lightest, heaviest] = std::ranges::minmax(gas.m);
  EXPECT_EQ(lightest, heaviest);
}

/// Density and pressure that h and u stand for.
double rho_of(const InitialConditions& gas, std::size_t i, double eta) {
  return gas.m[i] * std::pow(eta / gas.h[i], gas.dimension);
}

double P_of(const InitialConditions& gas, std::size_t i, double eta) {
  return (gamma - 1.0) * rho_of(gas, i, eta) * gas.u[i];
}

constexpr double eta = 1.2348;

}  // namespace

TEST(SetupProblems, BallsOfLatticesAreSymmetricAndFull) {
  for (const int d : {1, 2, 3}) {
    for (const double radius : {1.0, 1.03}) {
      std::vector<base::Vec3> ball;
      for_each_in_ball(radius, 0.1, d, [&ball](const base::Vec3& at) { ball.push_back(at); });
      EXPECT_EQ(ball.size(), count_in_ball(radius, 0.1, d));
      for (const base::Vec3& at : ball) {
        const auto is_opposite = [&](const base::Vec3& other) { return norm(at + other) < rounding; };
        EXPECT_EQ(std::ranges::count_if(ball, is_opposite), 1);
      }
      const double volume =
          d == 1 ? 2.0 * radius : std::numbers::pi * radius * radius * (d == 2 ? 1.0 : 4.0 / 3.0 * radius);
      const double expected = 2.0 * volume / std::pow(0.1, d);
      // The rim cuts the cells at random: an error of the square root of the number of places near it, d expected / 20
      // for a layer of half a cell; three times that.
      EXPECT_NEAR(static_cast<double>(ball.size()), expected, 3.0 * std::sqrt(d * expected / 20.0)) << d;
    }
  }
}

TEST(SetupProblems, NohFallsOntoItsCentreAtOneSpeed) {
  for (const int d : {1, 2, 3}) {
    const InitialConditions gas = make(Noh{.resolution = 12, .radius = 2.0, .rho = 3.0, .speed = 5.0, .dimension = d});
    EXPECT_LE(norm(momentum_of(gas)), rounding * 5.0 * mass_of(gas));
    for (std::size_t i = 0; i < gas.size(); ++i) {
      const base::Vec3 v{gas.vx[i], gas.vy[i], gas.vz[i]};
      const base::Vec3 r{gas.x[i] - 2.0, d > 1 ? gas.y[i] - 2.0 : 0.0, d > 2 ? gas.z[i] - 2.0 : 0.0};
      EXPECT_NEAR(dot(v, r), -5.0 * norm(r), 5.0 * 4.0 * rounding);  // opposite to r with all of its length
      EXPECT_NEAR(norm(v), 5.0, 5.0 * rounding);
      EXPECT_NEAR(P_of(gas, i, eta), 1e-6, 1e-6 * rounding);
      EXPECT_NEAR(rho_of(gas, i, eta), 3.0, 3.0 * rounding);
    }
  }
}

TEST(SetupProblems, GreshosPressureHoldsItsRotation) {
  for (const int d : {2, 3}) {
    const Gresho gresho{.resolution = 20, .box = 2.0, .rho = 3.0, .P = 7.0, .speed = 1.5, .dimension = d};
    const InitialConditions gas = make(gresho);
    EXPECT_NEAR(mass_of(gas), 3.0 * 4.0 * (d == 3 ? gas.box.z : 1.0), 12.0 * rounding);
    EXPECT_LE(norm(momentum_of(gas)), rounding * mass_of(gas));
    expect_equal_masses(gas);
    for (std::size_t i = 0; i < gas.size(); ++i) {
      const double dx = gas.x[i] - 1.0;
      const double dy = gas.y[i] - 1.0;
      const double r = std::hypot(dx, dy);
      const auto v = [](double at) { return 1.5 * std::max(0.0, std::min(at / 0.4, 2.0 - at / 0.4)); };
      EXPECT_NEAR(gas.vy[i] * dx - gas.vx[i] * dy, v(r) * r, rounding);
      EXPECT_NEAR(gas.vx[i] * dx + gas.vy[i] * dy, 0.0, rounding);
      EXPECT_EQ(gas.vz[i], 0.0);
      // dP/dr = rho v^2 / r, by the midpoint rule: 1000 intervals of a function with a second derivative of at most
      // 200 err by 200 r^3 / (24 10^6) = 2e-5 and at the two kinks by as much.
      double P = 7.0;
      for (int k = 0; k < 1000; ++k) {
        const double at = (k + 0.5) * r / 1000.0;
        P += 3.0 * v(at) * v(at) / at * r / 1000.0;
      }
      EXPECT_NEAR((gamma - 1.0) * 3.0 * gas.u[i], P, 5e-5);
    }
  }
}

TEST(SetupProblems, ShearLayersHaveTheDensityOfTheirProfile) {
  for (const int d : {2, 3}) {
    const KelvinHelmholtz shear{.resolution = 96, .dimension = d};
    const InitialConditions gas = make(shear);
    const double depth = d == 3 ? gas.box.z : 1.0;
    EXPECT_NEAR(mass_of(gas), 1.5 * depth, 1.5 * rounding);
    expect_equal_masses(gas);
    EXPECT_NEAR(momentum_of(gas).y, 0.0, rounding);
    const auto layer = static_cast<std::size_t>(96 * (d == 3 ? 24 : 1));
    ASSERT_EQ(gas.size() % layer, 0U);
    for (std::size_t i = layer; i + layer < gas.size(); i += layer) {
      const double expected =
          gas.m[i] * static_cast<double>(layer) / depth / (0.5 * (gas.y[i + layer] - gas.y[i - layer]));
      // Pressure equilibrium: u names the density. Layers are up to 1/78 apart and the profile bends like
      // rho / (2 l)^2 = 800 with a kink of slope 20 in its curvature: 800 / 78^2 / 12 = 1 % at the most.
      EXPECT_NEAR(2.5 / ((gamma - 1.0) * gas.u[i]), expected, 0.012 * expected) << gas.y[i];
    }
  }
}

TEST(SetupProblems, ShearProfilesAreThoseOfMcNally) {
  const InitialConditions gas = make(KelvinHelmholtz{.resolution = 32, .dimension = 2});
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const double y = gas.y[i];
    const double l = 0.025;
    const double share = y < 0.25   ? 0.5 * std::exp((y - 0.25) / l)
                         : y < 0.5  ? 1.0 - 0.5 * std::exp((0.25 - y) / l)
                         : y < 0.75 ? 1.0 - 0.5 * std::exp((y - 0.75) / l)
                                    : 0.5 * std::exp((0.75 - y) / l);
    EXPECT_NEAR(gas.vx[i], 0.5 - share, rounding);
    EXPECT_NEAR(2.5 / ((gamma - 1.0) * gas.u[i]), 1.0 + share, rounding);
    EXPECT_NEAR(gas.vy[i], 0.01 * std::sin(4.0 * std::numbers::pi * gas.x[i]), rounding);
  }
}

TEST(SetupProblems, ShearWithoutSmoothingJumps) {
  const InitialConditions gas = make(KelvinHelmholtz{.resolution = 24, .smoothing = 0.0, .dimension = 2});
  std::size_t inside = 0;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const bool is_inside = gas.y[i] > 0.25 && gas.y[i] < 0.75;
    inside += is_inside ? 1U : 0U;
    EXPECT_EQ(gas.vx[i], is_inside ? -0.5 : 0.5);
  }
  EXPECT_EQ(inside * 3, gas.size() * 2);  // 2 : 1 of the mass
}

TEST(SetupProblems, SquaresRestInPressureEquilibrium) {
  for (const int d : {2, 3}) {
    const InitialConditions gas = make(Square{.resolution = 16, .box = 2.0, .rho = 3.0, .P = 7.0, .dimension = d});
    EXPECT_NEAR(mass_of(gas), 3.0 * (3.0 + 4.0) * (d == 3 ? gas.box.z : 1.0), 21.0 * rounding);
    expect_equal_masses(gas);
    std::size_t inside = 0;
    for (std::size_t i = 0; i < gas.size(); ++i) {
      const bool is_inside = gas.x[i] > 0.5 && gas.x[i] < 1.5 && gas.y[i] > 0.5 && gas.y[i] < 1.5;
      inside += is_inside ? 1U : 0U;
      EXPECT_NEAR(rho_of(gas, i, eta), is_inside ? 12.0 : 3.0, 12.0 * rounding);
      EXPECT_NEAR(P_of(gas, i, eta), 7.0, 7.0 * rounding);
      EXPECT_EQ(gas.vx[i], 0.0);
    }
    EXPECT_EQ(inside * 7, gas.size() * 4);
    // As seen in a mirror: the mean place is the middle.
    EXPECT_NEAR(sum_of(gas, [&](std::size_t i) { return gas.x[i] - 1.0; }), 0.0, rounding * 1000.0);
    EXPECT_NEAR(sum_of(gas, [&](std::size_t i) { return gas.y[i] - 1.0; }), 0.0, rounding * 1000.0);
  }
}

TEST(SetupProblems, BlobsAreTenTimesDenserThanTheirWind) {
  for (const int d : {2, 3}) {
    const Blob blob{.resolution = 32, .radius = 0.5, .rho = 3.0, .P = 7.0, .dimension = d};
    const InitialConditions gas = make(blob);
    expect_equal_masses(gas);
    const double c = std::sqrt(gamma * 7.0 / 3.0);
    double cloud = 0.0;
    for (std::size_t i = 0; i < gas.size(); ++i) {
      const base::Vec3 r{gas.x[i] - 2.5, gas.y[i] - 2.5, d == 3 ? gas.z[i] - 2.5 : 0.0};
      const bool is_inside = norm(r) < 0.5;
      cloud += is_inside ? gas.m[i] : 0.0;
      EXPECT_NEAR(gas.vx[i], is_inside ? 0.0 : 2.7 * c, rounding * c);
      EXPECT_NEAR(P_of(gas, i, eta), 7.0, 7.0 * 2.0 * rounding);
    }
    const double volume = std::numbers::pi * 0.25 * (d == 3 ? 4.0 / 3.0 * 0.5 : 1.0);
    // Some 650 (2700) particles, of which the rim takes or leaves the square root of 60 (500): 1 %; three times that.
    EXPECT_NEAR(cloud, 30.0 * volume, 0.035 * 30.0 * volume);
    const double tunnel = 20.0 * 5.0 * (d == 3 ? 5.0 : 1.0);
    EXPECT_NEAR(mass_of(gas), 3.0 * (tunnel + 9.0 * volume), 0.035 * 30.0 * volume);
  }
}

TEST(SetupProblems, EvrardsMassGrowsWithTheSquareOfTheRadius) {
  const InitialConditions gas = make(Evrard{.resolution = 24, .radius = 2.0, .mass = 3.0, .u = 0.4});
  EXPECT_NEAR(mass_of(gas), 3.0, 3.0 * rounding);
  std::vector<double> radii;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    radii.push_back(norm(base::Vec3{gas.x[i] - 2.0, gas.y[i] - 2.0, gas.z[i] - 2.0}));
    EXPECT_NEAR(rho_of(gas, i, eta), 3.0 / (2.0 * std::numbers::pi * 4.0 * radii[i]), rounding * 10.0 / radii[i]);
    EXPECT_EQ(gas.u[i], 0.4);
  }
  std::ranges::sort(radii);
  for (const double share : {0.05, 0.2, 0.5, 0.9}) {
    // The lattice fills a sphere up to the places at its rim: those within half a cell of N^(2/3), at random.
    const double r = radii[static_cast<std::size_t>(share * static_cast<double>(radii.size()))];
    EXPECT_NEAR(0.25 * r * r, share, 0.02 * share + 0.005);
  }
}

namespace {

/// Weight of the gas between two radii against the difference of the pressures there: 0 in equilibrium.
///
///     P(r_1) - P(r_2) = int rho g dr = sum m g / (4 pi r^2)
double imbalance(const InitialConditions& gas, const kernels::Potential& halo, double from, double to) {
  double weight = 0.0;
  std::size_t at_from = 0;
  std::size_t at_to = 0;
  std::vector<double> r(gas.size());
  for (std::size_t i = 0; i < gas.size(); ++i) {
    r[i] = norm(base::Vec3{gas.x[i], gas.y[i], gas.z[i]} - halo.centre);
    if (std::abs(r[i] - from) < std::abs(r[at_from] - from)) at_from = i;
    if (std::abs(r[i] - to) < std::abs(r[at_to] - to)) at_to = i;
  }
  for (std::size_t i = 0; i < gas.size(); ++i) {
    if (r[i] <= r[at_from] || r[i] > r[at_to]) continue;
    const double g = norm(kernels::pull(halo, {gas.x[i], gas.y[i], gas.z[i]}, 1.0).a);
    weight += gas.m[i] * g / (4.0 * std::numbers::pi * r[i] * r[i]);
  }
  const double difference = P_of(gas, at_from, eta) - P_of(gas, at_to, eta);
  return (difference - weight) / difference;
}

}  // namespace

TEST(SetupProblems, GasInAHaloIsInHydrostaticEquilibrium) {
  for (const double c0 : {0.0, 0.5}) {
    for (const double softening : {0.0, 0.05}) {
      NfwGas halo{.resolution = 40, .radius = 1.5, .mass = 3.0, .c0 = c0};
      halo.potential = {.centre = {1.5, 1.5, 1.5}, .softening = softening, .GM_halo = 1.0, .r_s = 0.2};
      const InitialConditions gas = make(halo);
      EXPECT_NEAR(mass_of(gas), 3.0, 3.0 * rounding);
      // Shells of thousands of particles, whose number within two radii is uncertain by the square root of those in a
      // layer of the lattice: some 2 %.
      EXPECT_NEAR(imbalance(gas, halo.potential, 0.1, 0.3), 0.0, 0.04);
      EXPECT_NEAR(imbalance(gas, halo.potential, 0.3, 0.7), 0.0, 0.04);
      EXPECT_NEAR(imbalance(gas, halo.potential, 0.2, 1.0), 0.0, 0.04);
    }
  }
}

TEST(SetupProblems, HalosOfGasEndWithoutPressure) {
  NfwGas halo{.resolution = 24, .radius = 1.5};
  halo.potential = {.centre = {1.5, 1.5, 1.5}, .GM_halo = 1.0, .r_s = 0.2};
  const InitialConditions gas = make(halo);
  double hottest = 0.0;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const double r = norm(base::Vec3{gas.x[i], gas.y[i], gas.z[i]} - halo.potential.centre);
    // P/rho = (Gamma-1)/Gamma depth, and the potential of the halo by hand.
    const double depth = std::log1p(r / 0.2) / r - std::log1p(7.5) / 1.5;
    EXPECT_NEAR((gamma - 1.0) * gas.u[i], depth / 6.0, 1e-12);
    hottest = std::max(hottest, gas.u[i]);
  }
  EXPECT_LE(hottest, (1.0 / 0.2 - std::log1p(7.5) / 1.5) / 6.0 / (gamma - 1.0));
}

}  // namespace tacit::sph::setup_problems_test
