// The smoothing kernels: normalisation, support, derivatives, and what h means.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "samples.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"

namespace tacit::sph::smoothing_test {
namespace {

using kernels::dW_dh, kernels::dW_dr, kernels::Space, kernels::W;

/// int_0^1 f(q) dq by ten Gauss-Legendre points on each of 30 intervals. The knots of all splines (multiples of 1/2,
/// 1/5, 1/3) are ends of intervals, and ten points are exact up to degree 19: what remains is rounding.
template <class F>
double integral(const F& f) {
  constexpr std::array nodes{0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845,
                             0.9739065285171717};
  constexpr std::array weights{0.2955242247147529, 0.2692667193099963, 0.2190863625159820, 0.1494513491505806,
                               0.0666713443086881};
  double sum = 0.0;
  for (int i = 0; i < 30; ++i) {
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      for (const double sign : {-1.0, 1.0}) sum += weights[k] * f((i + 0.5 + 0.5 * sign * nodes[k]) / 30.0);
    }
  }
  return sum / 60.0;
}

/// Of the unit sphere: 2, 2 pi, 4 pi.
double surface(int dimension) { return dimension == 1 ? 2.0 : 2.0 * std::numbers::pi * (dimension == 2 ? 1.0 : 2.0); }

/// The average of cos(k x) over the sphere of radius r: what a wave sees of it.
double wave(double kr, int dimension) {
  if (dimension == 1) return std::cos(kr);
  if (dimension == 2) return std::cyl_bessel_j(0.0, kr);
  return kr == 0.0 ? 1.0 : std::sin(kr) / kr;
}

/// Fourier transform of the kernel with support 1 at wave number k; 1 at k = 0.
template <class K>
double transform(double k, const Space& space) {
  return surface(space.dimension) * space.norm *
         integral([&](double q) { return K::w(q) * std::pow(q, space.dimension - 1) * wave(k * q, space.dimension); });
}

}  // namespace

TEST(SmoothingKernels, IntegrateToOne) {
  testing::for_each_space([]<class K>(K, const Space& space) {
    const int d = space.dimension;
    for (const double h : {0.1, 1.0, 7.0}) {
      const double H = space.gamma * h;
      const double mass =
          surface(d) * std::pow(H, d) * integral([&](double q) { return W<K>(q * H, h, space) * std::pow(q, d - 1); });
      EXPECT_NEAR(mass, 1.0, 1e-13) << d;  // 300 terms of the same sign, a few ulp each; the weights have 16 digits
    }
  });
}

TEST(SmoothingKernels, HIsTwiceTheStandardDeviation) {
  testing::for_each_space([]<class K>(K, const Space& space) {
    // sigma^2 = (1/d) int r^2 W d^d r.
    const int d = space.dimension;
    const double variance =
        surface(d) / d * space.norm * integral([d](double q) { return K::w(q) * std::pow(q, d + 1); });
    EXPECT_NEAR(space.gamma, 1.0 / (2.0 * std::sqrt(variance)), 5.1e-7) << d;  // gamma is given to six decimals
  });
}

TEST(SmoothingKernels, WendlandsHavePositiveTransforms) {
  testing::for_each_space([]<class K>(K, const Space& space) {
    EXPECT_NEAR(transform<K>(0.0, space), 1.0, 1e-13);
    const bool is_spline = std::is_same_v<K, kernels::CubicSpline> || std::is_same_v<K, kernels::QuarticSpline> ||
                           std::is_same_v<K, kernels::QuinticSpline>;
    double lowest = 1.0;
    for (double k = 0.5; k < 60.0; k += 0.5) lowest = std::min(lowest, transform<K>(k, space));
    // The slowest transforms fall as k^-4 in 1-D to k^-10 (C6 in 3-D: 60^-10 times some 1e8 is 1e-10): what is below
    // zero is the rounding of 300 terms.
    EXPECT_TRUE(is_spline || lowest > -1e-14) << lowest << " in " << space.dimension;
    // Splines are powers of sin(k)/k in one dimension, odd powers have negative lobes (M5), and no spline is positive
    // in three: that is why they pair.
    EXPECT_TRUE(!is_spline || space.dimension < 3 || lowest < -1e-8) << lowest;
  });
}

TEST(SmoothingKernels, VanishAtAndBeyondTheirSupport) {
  testing::for_each_space([]<class K>(K, const Space& space) {
    const double h = 0.3;
    const double H = space.gamma * h;
    EXPECT_EQ(K::w(1.0), 0.0);
    EXPECT_EQ(K::dw_dq(1.0), 0.0);
    for (const double r : {H * (1.0 + 1e-15), 2.0 * H, 1e9}) {
      EXPECT_EQ(W<K>(r, h, space), 0.0);
      EXPECT_EQ(dW_dr<K>(r, h, space), 0.0);
      EXPECT_EQ(dW_dh<K>(r, h, space), 0.0);
    }
    EXPECT_GT(W<K>(0.999 * H, h, space), 0.0);
  });
}

TEST(SmoothingKernels, FallMonotonically) {
  testing::for_each_space([]<class K>(K, const Space&) {
    // w' of a spline is a difference of terms of up to 20 (at q = 0 they cancel): rounding leaves some 1e-15.
    for (int i = 0; i <= 1000; ++i) EXPECT_LE(K::dw_dq(i / 1000.0), 1e-14);
    EXPECT_NEAR(K::dw_dq(0.0), 0.0, 1e-14);
  });
}

TEST(SmoothingKernels, DerivativeInRIsThatOfDifferences) {
  testing::for_each_space([]<class K>(K, const Space& space) {
    const double h = 0.7;
    const double H = space.gamma * h;
    const double delta = 1e-5 * H;
    for (int i = 1; i < 1200; ++i) {
      const double r = i / 1000.0 * H;
      const double difference = (W<K>(r + delta, h, space) - W<K>(r - delta, h, space)) / (2.0 * delta);
      // The error is delta^2/6 |w'''| with |w'''| < 400 for all (C6: 330 near 0.1), so 6.7e-9; rounding adds
      // 1e-16 / 1e-5.
      EXPECT_NEAR(dW_dr<K>(r, h, space), difference, 7e-9 * space.norm / std::pow(H, space.dimension + 1));
    }
  });
}

TEST(SmoothingKernels, DerivativeInHIsThatOfDifferences) {
  testing::for_each_space([]<class K>(K, const Space& space) {
    const double h = 0.7;
    const double H = space.gamma * h;
    const double delta = 1e-5 * h;
    for (int i = 0; i < 1200; ++i) {
      const double r = i / 1000.0 * H;
      const double difference = (W<K>(r, h + delta, space) - W<K>(r, h - delta, space)) / (2.0 * delta);
      // The third derivative of H^-d w(r/H) is, for d = 3, at most H^-6 |60 w + 60 q w' + 15 q^2 w'' + q^3 w'''|, below
      // 500 H^-6; less for smaller d.
      EXPECT_NEAR(dW_dh<K>(r, h, space), difference,
                  1e-8 * space.gamma * space.norm / std::pow(H, space.dimension + 1));
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
