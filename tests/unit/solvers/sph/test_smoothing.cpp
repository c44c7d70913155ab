// The smoothing kernels: normalisation, support, derivatives, and what h means.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "samples.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"

namespace tacit::sph::smoothing_test {
namespace {

using kernels::dW_dh, kernels::dW_dr, kernels::W;

/// int_0^1 f(q) dq by five Gauss-Legendre points on each of 30 intervals. The knots of all three kernels (multiples of
/// 1/2, 1/5, 1/3) are ends of intervals, and five points are exact up to degree 9: what remains is rounding.
template <class F>
double integral(const F& f) {
  constexpr std::array nodes{0.0, 0.5384693101056831, -0.5384693101056831, 0.9061798459386640, -0.9061798459386640};
  constexpr std::array weights{0.5688888888888889, 0.4786286704993665, 0.4786286704993665, 0.2369268850561891,
                               0.2369268850561891};
  double sum = 0.0;
  for (int i = 0; i < 30; ++i) {
    for (std::size_t k = 0; k < nodes.size(); ++k) sum += weights[k] * f((i + 0.5 + 0.5 * nodes[k]) / 30.0);
  }
  return sum / 60.0;
}

}  // namespace

TEST(SmoothingKernels, IntegrateToOne) {
  testing::for_each_kernel([]<class K>(K) {
    for (const double h : {0.1, 1.0, 7.0}) {
      const double H = K::gamma * h;
      const double mass =
          4.0 * std::numbers::pi * H * H * H * integral([h, H](double q) { return W<K>(q * H, h) * q * q; });
      EXPECT_NEAR(mass, 1.0, 1e-13);  // 150 terms of the same sign, a few ulp each; the weights have 16 digits
    }
  });
}

TEST(SmoothingKernels, HIsTwiceTheStandardDeviation) {
  testing::for_each_kernel([]<class K>(K) {
    // sigma^2 = (1/3) int r^2 W d^3r, with integrand w q^4 of degree at most 9.
    const double variance =
        4.0 / 3.0 * std::numbers::pi * K::norm * integral([](double q) { return K::w(q) * q * q * q * q; });
    EXPECT_NEAR(K::gamma, 1.0 / (2.0 * std::sqrt(variance)), 5.1e-7);  // gamma is given to six decimals
  });
}

TEST(SmoothingKernels, VanishAtAndBeyondTheirSupport) {
  testing::for_each_kernel([]<class K>(K) {
    const double h = 0.3;
    EXPECT_EQ(K::w(1.0), 0.0);
    EXPECT_EQ(K::dw_dq(1.0), 0.0);
    for (const double r : {K::gamma * h * (1.0 + 1e-15), 2.0 * K::gamma * h, 1e9}) {
      EXPECT_EQ(W<K>(r, h), 0.0);
      EXPECT_EQ(dW_dr<K>(r, h), 0.0);
      EXPECT_EQ(dW_dh<K>(r, h), 0.0);
    }
    EXPECT_GT(W<K>(0.999 * K::gamma * h, h), 0.0);
  });
}

TEST(SmoothingKernels, FallMonotonically) {
  testing::for_each_kernel([]<class K>(K) {
    // w' is a difference of terms of up to 20 (at q = 0 they cancel): rounding leaves some 1e-15 of either sign.
    for (int i = 0; i <= 1000; ++i) EXPECT_LE(K::dw_dq(i / 1000.0), 1e-14);
    EXPECT_NEAR(K::dw_dq(0.0), 0.0, 1e-14);
  });
}

TEST(SmoothingKernels, DerivativeInRIsThatOfDifferences) {
  testing::for_each_kernel([]<class K>(K) {
    const double h = 0.7;
    const double H = K::gamma * h;
    const double delta = 1e-5 * H;
    for (int i = 1; i < 1200; ++i) {
      const double r = i / 1000.0 * H;
      const double difference = (W<K>(r + delta, h) - W<K>(r - delta, h)) / (2.0 * delta);
      // The error is delta^2/6 |w'''| with |w'''| < 200 for all three, so 3.4e-9; rounding adds 1e-16 / 1e-5.
      EXPECT_NEAR(dW_dr<K>(r, h), difference, 4e-9 * K::norm / std::pow(H, 4));
    }
  });
}

TEST(SmoothingKernels, DerivativeInHIsThatOfDifferences) {
  testing::for_each_kernel([]<class K>(K) {
    const double h = 0.7;
    const double H = K::gamma * h;
    const double delta = 1e-5 * h;
    for (int i = 0; i < 1200; ++i) {
      const double r = i / 1000.0 * H;
      const double difference = (W<K>(r, h + delta) - W<K>(r, h - delta)) / (2.0 * delta);
      // The third derivative of H^-3 w(r/H) is at most H^-6 |60 w + 60 q w' + 15 q^2 w'' + q^3 w'''| < 500 H^-6.
      EXPECT_NEAR(dW_dh<K>(r, h), difference, 1e-8 * K::gamma * K::norm / std::pow(H, 4));
    }
  });
}

TEST(SmoothingKernels, CentralValuesAreThoseOfTheSplines) {
  // w(0) summed by hand: 1 - 4/8, 1 - 5 (3/5)^4 + 10 (1/5)^4, 1 - 6 (2/3)^5 + 15 (1/3)^5. A few ulp of 1.
  EXPECT_NEAR(kernels::CubicSpline::w(0.0), 0.5, 1e-15);
  EXPECT_NEAR(kernels::QuarticSpline::w(0.0), 230.0 / 625.0, 1e-15);
  EXPECT_NEAR(kernels::QuinticSpline::w(0.0), 66.0 / 243.0, 1e-15);
}

}  // namespace tacit::sph::smoothing_test
