// The background of an expanding box: against closed forms and against quadrature of another kind.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "tacit/solvers/sph/cosmology/cosmology.hpp"

namespace tacit::sph::cosmology_test {
namespace {

constexpr Cosmology einstein_de_sitter{.H0 = 2.0, .omega_m = 1.0, .omega_lambda = 0.0};
constexpr Cosmology flat{.H0 = 2.0, .omega_m = 0.3, .omega_lambda = 0.7};
constexpr Cosmology open{.H0 = 2.0, .omega_m = 0.3, .omega_lambda = 0.0};
/// All that there is, at once.
constexpr Cosmology rich{.H0 = 2.0, .omega_m = 0.28, .omega_lambda = 0.75, .omega_r = 9e-5, .w0 = -0.8, .wa = 0.2};

/// Simpson's rule in ln a, from far more points than it needs. It knows E from its definition alone.
double by_simpson(double low, double high, const std::function<double(double)>& per_ln_a) {
  constexpr int intervals = 20000;
  const double dx = std::log(high / low) / intervals;
  double sum = 0.0;
  for (int k = 0; k <= intervals; ++k) {
    const double weight = k == 0 || k == intervals ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
    sum += weight * per_ln_a(low * std::exp(k * dx));
  }
  return sum * dx / 3.0;
}

double expansion(const Cosmology& c, double a) {
  const double w = -3.0 * (1.0 + c.w0 + c.wa);
  return std::sqrt(c.omega_r * std::pow(a, -4) + c.omega_m * std::pow(a, -3) +
                   (1.0 - c.omega_m - c.omega_r - c.omega_lambda) * std::pow(a, -2) +
                   c.omega_lambda * std::pow(a, w) * std::exp(-3.0 * c.wa * (1.0 - a)));
}

void expect_close(double found, double expected, double part) {
  EXPECT_NEAR(found, expected, part * std::abs(expected));
}

}  // namespace

TEST(Cosmology, EinsteinAndDeSittersIsInClosedForm) {
  for (const double a : {1e-3, 0.02, 0.5, 1.0, 3.0}) {
    expect_close(einstein_de_sitter.hubble(a), 2.0 * std::pow(a, -1.5), 1e-14);
    expect_close(einstein_de_sitter.age(a), std::pow(a, 1.5) / 3.0, 1e-12);
    expect_close(einstein_de_sitter.light_time(a), 1.0 - std::sqrt(a), a == 1.0 ? 0.0 : 1e-12);
    expect_close(einstein_de_sitter.drift_time(a, 0.3 * a), 1.0 / std::sqrt(a) - 1.0 / std::sqrt(1.3 * a), 1e-12);
    expect_close(einstein_de_sitter.hubble_slope(a), -1.5, 1e-14);
    const auto [D, f] = linear_growth(einstein_de_sitter, a);
    expect_close(D, a, 1e-8);  // of its steps
    expect_close(f, 1.0, 1e-8);
  }
  EXPECT_DOUBLE_EQ(einstein_de_sitter.critical_density(3.0), 0.5 / std::acos(-1.0));
}

TEST(Cosmology, AgeOfAFlatUniverse) {
  for (const double a : {0.01, 0.3, 1.0, 2.0}) {
    const double x = std::sqrt(0.7 / 0.3) * std::pow(a, 1.5);
    expect_close(flat.age(a), 2.0 / (3.0 * 2.0 * std::sqrt(0.7)) * std::asinh(x), 1e-12);
  }
}

TEST(Cosmology, OpenUniverseWithoutDarkEnergy) {
  for (const double a : {0.1, 0.5}) {
    // Mattig's formula.
    const double z = 1.0 / a - 1.0;
    const double mattig = 2.0 / (2.0 * 0.09) * (0.3 * z - 1.7 * (std::sqrt(1.0 + 0.3 * z) - 1.0));
    expect_close(open.luminosity_distance(a), mattig, 1e-12);
    expect_close(open.angular_diameter_distance(a), mattig * a * a, 1e-12);
    const double x = (1.0 / 0.3 - 1.0) * a;
    const double shape =
        1.0 + 3.0 / x + 3.0 * std::sqrt(1.0 + x) / std::pow(x, 1.5) * std::log(std::sqrt(1.0 + x) - std::sqrt(x));
    expect_close(linear_growth(open, a).D, 2.5 * 0.3 / 0.7 * shape, 1e-6);
  }
  constexpr Cosmology closed{.H0 = 2.0, .omega_m = 1.5, .omega_lambda = 0.0};
  const double z = 3.0;
  const double mattig = 2.0 / (2.0 * 2.25) * (1.5 * z - 0.5 * (std::sqrt(1.0 + 1.5 * z) - 1.0));
  expect_close(closed.luminosity_distance(0.25), mattig, 1e-12);
}

TEST(Cosmology, QuadratureOfAnotherKindAgrees) {
  for (const Cosmology& c : {flat, open, rich}) {
    for (const double a : {0.02, 0.2, 1.0}) {
      expect_close(c.hubble(a), c.H0 * expansion(c, a), 1e-14);
      const double slope =
          (std::log(expansion(c, a * 1.0001)) - std::log(expansion(c, a / 1.0001))) / (2.0 * std::log(1.0001));
      expect_close(c.hubble_slope(a), slope, 1e-7);
      const double age = by_simpson(1e-12 * a, a, [&](double s) { return 1.0 / (c.H0 * expansion(c, s)); });
      expect_close(c.age(a), age, 1e-8);
      if (a < 1.0) {
        const double light = by_simpson(a, 1.0, [&](double s) { return 1.0 / (s * c.H0 * expansion(c, s)); });
        expect_close(c.light_time(a), light, 1e-10);
      }
      const auto drift = [&](double s) { return 1.0 / (s * s * c.H0 * expansion(c, s)); };
      for (const double growth : {1.00001, 1.02, 1.5, 8.0}) {
        const double found = c.drift_time(a, a * (growth - 1.0));
        expect_close(found, by_simpson(a, growth * a, drift), 1e-10);
        if (growth < 2.0) {
          expect_close(c.growth_within(a, found, std::numeric_limits<double>::infinity()), a * (growth - 1.0), 1e-10);
        }
      }
      EXPECT_EQ(c.growth_within(a, std::numeric_limits<double>::max(), 0.01 * a), 0.01 * a);
    }
  }
}

TEST(Cosmology, GrowthIsHeathsIntegral) {
  for (const Cosmology& c : {flat, open}) {
    for (const double a : {0.02, 0.2, 1.0}) {
      const auto cubed = [&](double s) { return std::pow(s * expansion(c, s), -3) * s; };
      const double heath = 2.5 * c.omega_m * expansion(c, a) * by_simpson(1e-9, a, cubed);
      expect_close(linear_growth(c, a).D, heath, 1e-6);
      const double f =
          (std::log(linear_growth(c, a * 1.001).D) - std::log(linear_growth(c, a / 1.001).D)) / (2.0 * std::log(1.001));
      expect_close(linear_growth(c, a).f, f, 1e-6);
    }
  }
}

TEST(Cosmology, AmidstRadiationMatterGrowsAsMeszarosSays) {
  constexpr Cosmology early{.H0 = 2.0, .omega_m = 0.99, .omega_lambda = 0.0, .omega_r = 0.01};
  const double equal = 0.01 / 0.99;
  for (const double a : {1e-4, equal, 0.3}) {
    const auto [D, f] = linear_growth(early, a);
    expect_close(D, a + 2.0 / 3.0 * equal, 1e-7);
    expect_close(f, a / D, 1e-7);
  }
}

/// An equation of its own: of the growth in a power of a, by steps of the implicit midpoint, as with w0 and wa no
/// closed form is known.
TEST(Cosmology, DarkEnergyThatChangesSlowsGrowth) {
  Cosmology without = rich;
  without.omega_r = 0.0;
  constexpr int steps = 200000;
  const double begin = std::log(1e-3);
  const double dx = -begin / steps;
  double D = 1e-3;
  double rate = 1e-3;
  for (int k = 0; k < steps; ++k) {
    const double x = begin + (k + 0.5) * dx;
    const double s = std::exp(x);
    const double E2 = std::pow(expansion(without, s), 2);
    const double slope = (std::log(expansion(without, s * 1.0001)) - std::log(expansion(without, s / 1.0001))) /
                         (2.0 * std::log(1.0001));
    const double source = 1.5 * without.omega_m / (s * s * s * E2);
    const double drag = 2.0 + slope;
    // (rate' - rate) / dx = source (D + D')/2 - drag (rate + rate')/2, and D' = D + dx (rate + rate')/2
    const double h = 0.5 * dx;
    const double after =
        (rate * (1.0 - h * drag + h * h * source) + 2.0 * h * source * D) / (1.0 + h * drag - h * h * source);
    D += h * (rate + after);
    rate = after;
  }
  const LinearGrowth found = linear_growth(without, 1.0);
  expect_close(found.f, rate / D, 1e-5);
  expect_close(found.D / linear_growth(without, 1e-3).D, D / 1e-3, 1e-4);  // it began with D = a, without the rest
  EXPECT_LT(found.D, linear_growth(flat, 1.0).D);
}

}  // namespace tacit::sph::cosmology_test
