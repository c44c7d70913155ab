// The smoothing length is a root, is found from any guess, and found again bitwise identical.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "samples.hpp"
#include "tacit/solvers/sph/kernels/smoothing_length.hpp"

namespace tacit::sph::smoothing_length_test {
namespace {

using kernels::SmoothingLengthResult;
using State = SmoothingLengthResult::State;
constexpr kernels::SmoothingLengthRule rule{.eta = 1.2348, .tolerance = 1e-4, .h_max = 1e5};
constexpr double everywhere = 1e6;  // a reach that never ends the search

/// Particles in a unit box, denser towards a corner, of masses 1 to 2.
kernels::NeighbourCache random_cache(std::size_t n) {
  kernels::NeighbourCache cache;
  for (std::size_t i = 0; i < n; ++i) {
    const auto place = [i](std::uint64_t axis) { return std::pow(base::uniform(21, i, axis), 1.5); };
    testing::add_candidate(cache, {place(0), place(1), place(2)}, {}, 1.0 + base::uniform(21, i, 3));
  }
  return cache;
}

kernels::Point point(const kernels::NeighbourCache& cache, std::size_t i) {
  return {cache.x[i], cache.y[i], cache.z[i]};
}

/// Newton's step at the result must be below the tolerance: |rho h^3 - m eta^3| <= tol h dF/dh.
void expect_root(const SmoothingLengthResult& result, double m) {
  const double h = result.h;
  const double slope = h * h * (3.0 * result.density.rho + h * result.density.drho_dh);
  const double residual = result.density.rho * h * h * h - m * std::pow(rule.eta, 3);
  // 1e-12 m is rounding of the residual, which the solver computes in another order.
  EXPECT_LE(std::abs(residual), rule.tolerance * h * slope + 1e-12 * m) << "h = " << h;
}

}  // namespace

TEST(SmoothingLength, IsARootFromAnyGuessAndRepeatsItself) {
  testing::for_each_kernel([]<class K>(K) {
    auto cache = random_cache(400);
    for (std::size_t i = 0; i < 400; i += 3) {
      const double m = cache.m[i];
      const auto best = kernels::solve_smoothing_length<K>(cache, point(cache, i), m, 0.2, everywhere, rule);
      for (const double factor : {1e-3, 0.03, 0.5, 0.97, 1.0, 1.002, 1.5, 30.0, 1e3}) {
        const auto found =
            kernels::solve_smoothing_length<K>(cache, point(cache, i), m, factor * best.h, everywhere, rule);
        ASSERT_EQ(found.state, State::converged);
        expect_root(found, m);
        // Both are within Newton's last step of the one root; near it that step is the error to second order.
        EXPECT_NEAR(found.h, best.h, 2.5 * rule.tolerance * best.h);
        const auto again = kernels::solve_smoothing_length<K>(cache, point(cache, i), m, found.h, everywhere, rule);
        EXPECT_EQ(again.h, found.h) << "particle " << i << ", guess " << factor << " h";
        EXPECT_EQ(again.density.rho, found.density.rho);
        EXPECT_EQ(again.density.drho_dh, found.density.drho_dh);
      }
    }
  });
}

// Without it, two runs whose guesses differ have h and rho that differ by the tolerance.
TEST(SmoothingLength, LastStepMeetsTheRootToTheSquareOfTheTolerance) {
  kernels::SmoothingLengthRule tight = rule;
  tight.tolerance = 1e-12;
  testing::for_each_kernel([&tight]<class K>(K) {
    auto cache = random_cache(400);
    for (std::size_t i = 0; i < 400; i += 3) {
      const double m = cache.m[i];
      const auto root = kernels::solve_smoothing_length<K>(cache, point(cache, i), m, 0.2, everywhere, tight);
      for (const double factor : {0.97, 0.9999, 1.00009, 1.002}) {
        const auto found =
            kernels::solve_smoothing_length<K>(cache, point(cache, i), m, factor * root.h, everywhere, rule);
        const auto last = kernels::last_newton_step(found.h, found.density, m, everywhere, rule);
        // Half the second derivative of ln(rho h^3) over the first, and of ln rho: below 10 and 100 for these.
        EXPECT_NEAR(last.h, root.h, 10.0 * rule.tolerance * rule.tolerance * root.h);
        EXPECT_NEAR(last.rho, root.density.rho, 100.0 * rule.tolerance * rule.tolerance * root.density.rho);
      }
      const auto kept = kernels::last_newton_step(0.99995 * root.h, root.density, m, 0.9999 * root.h, rule);
      EXPECT_EQ(kept.h, 0.99995 * root.h);  // it never goes beyond what was searched
    }
  });
}

// Once a guess is the root to rounding, Newton's next estimate is the guess itself, on the edge of its own bracket. It
// used to be taken for a bad estimate and doubled, out of reach of any list.
TEST(SmoothingLength, StaysAtARootThatIsExactToRounding) {
  kernels::SmoothingLengthRule tight = rule;
  tight.tolerance = 1e-12;
  testing::for_each_kernel([&tight]<class K>(K) {
    auto cache = random_cache(400);
    for (std::size_t i = 0; i < 400; ++i) {
      const auto best = kernels::solve_smoothing_length<K>(cache, point(cache, i), cache.m[i], 0.2, everywhere, tight);
      const double reach = 1.05 * best.h;
      const auto again = kernels::solve_smoothing_length<K>(cache, point(cache, i), cache.m[i], best.h, reach, tight);
      ASSERT_EQ(again.state, State::converged) << "particle " << i << ", wants h = " << again.h / best.h << " times";
      EXPECT_EQ(again.h, best.h);
    }
  });
}

TEST(SmoothingLength, LeavesTheNeighboursWithinItsSupport) {
  auto cache = random_cache(200);
  for (std::size_t i = 0; i < 200; i += 7) {
    for (const double guess : {1e-4, 0.2, 50.0}) {
      const auto found = kernels::solve_smoothing_length<kernels::CubicSpline>(cache, point(cache, i), cache.m[i],
                                                                               guess, everywhere, rule);
      std::size_t inside = 0;
      for (std::size_t k = 0; k < cache.hits; ++k) {
        if (std::sqrt(cache.r2[k]) < kernels::CubicSpline::gamma * found.h) ++inside;
      }
      kernels::find_within(cache, point(cache, i), kernels::CubicSpline::gamma * found.h);
      EXPECT_EQ(inside, cache.hits);
    }
  }
}

TEST(SmoothingLength, OfALatticeIsEtaSpacings) {
  auto cache = testing::lattice_cache(4);
  const auto found = kernels::solve_smoothing_length<kernels::CubicSpline>(cache, {0.0, 0.0, 0.0}, 1.0, 1.0, 2.0, rule);
  // h = eta (m / rho)^(1/3), and rho of a lattice is 1 to 1 %.
  EXPECT_NEAR(found.h, rule.eta, 0.01 * rule.eta / 3.0 + rule.tolerance * rule.eta);
}

TEST(SmoothingLength, OfALoneParticleIsTheLimit) {
  kernels::NeighbourCache cache;
  testing::add_candidate(cache, {}, {}, 2.0);
  auto limited = rule;
  limited.h_max = 3.0;
  for (const double guess : {1e-6, 1.0, 3.0, 1e6}) {
    const auto found =
        kernels::solve_smoothing_length<kernels::QuinticSpline>(cache, {0.0, 0.0, 0.0}, 2.0, guess, 4.0, limited);
    EXPECT_EQ(found.state, State::at_limit);
    EXPECT_EQ(found.h, 3.0);
    EXPECT_DOUBLE_EQ(found.density.rho, 2.0 * kernels::W<kernels::QuinticSpline>(0.0, 3.0));
  }
}

TEST(SmoothingLength, SaysHowFarItMustLook) {
  kernels::NeighbourCache cache;
  testing::add_candidate(cache, {}, {}, 2.0);
  const auto found = kernels::solve_smoothing_length<kernels::CubicSpline>(cache, {0.0, 0.0, 0.0}, 2.0, 0.5, 1.0, rule);
  EXPECT_EQ(found.state, State::out_of_reach);
  EXPECT_GT(found.h, 1.0);
  EXPECT_LE(found.h, 2.0);  // at most twice the last h within reach
}

TEST(SmoothingLength, CoincidentParticlesDoNotDisturbIt) {
  auto cache = testing::lattice_cache(4);
  testing::add_candidate(cache, {}, {}, 1.0);
  const auto found = kernels::solve_smoothing_length<kernels::CubicSpline>(cache, {0.0, 0.0, 0.0}, 1.0, 1.0, 2.0, rule);
  EXPECT_EQ(found.state, State::converged);
  expect_root(found, 1.0);
  EXPECT_LT(found.h, rule.eta);
  EXPECT_GT(found.h, 0.5 * rule.eta);
}

TEST(SmoothingLength, IsSearchedAtTheNextOfSixteenRungsPerPowerOfTwo) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double h = std::exp(200.0 * base::uniform(9, i, 0) - 100.0);
    int exponent = 0;
    const double mantissa = std::frexp(h, &exponent);
    const double next = std::ldexp(std::ceil(32.0 * mantissa) / 32.0, exponent);
    EXPECT_EQ(kernels::searched_length(h), next);
    EXPECT_EQ(kernels::searched_length(next), next);
  }
  EXPECT_EQ(kernels::searched_length(1.0), 1.0);
  EXPECT_EQ(kernels::searched_length(std::nextafter(1.0, 0.0)), 1.0);
  EXPECT_EQ(kernels::searched_length(std::nextafter(1.0, 2.0)), 1.0625);
}

}  // namespace tacit::sph::smoothing_length_test
