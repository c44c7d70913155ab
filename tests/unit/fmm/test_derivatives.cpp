// Derivatives of 1/r against closed forms, Laplace's equation and Taylor's series.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tacit/fmm/kernels/derivatives.hpp"

namespace tacit::fmm::kernels {
namespace {

using Double = base::Pack<double, base::isa::scalar>;
using Point = std::array<double, 3>;

template <int q>
std::vector<double> derivatives_at(const Point& r, double softening2) {
  Double d[terms(q)];
  derivatives<q>(Vector<Double>{Double(r[0]), Double(r[1]), Double(r[2])}, Double(softening2), d);
  std::vector<double> values;
  for (const Double& value : d) values.push_back(value.value());
  return values;
}

/// The place of a derivative along these axes, one after the other.
std::size_t place_along(std::initializer_list<std::size_t> axes) {
  std::array<int, 3> n{};
  for (const std::size_t axis : axes) ++n[axis];
  return place_of({n[0], n[1], n[2]});
}

constexpr Point somewhere{0.7, -1.3, 0.45};

TEST(FmmDerivatives, AreTheTensorsOfTextbooks) {
  for (const double softening2 : {0.0, 0.3}) {
    const Point& x = somewhere;
    const std::vector<double> d = derivatives_at<4>(x, softening2);
    const double s = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + softening2);
    const auto delta = [](std::size_t a, std::size_t b) { return a == b ? 1.0 : 0.0; };
    const double tolerance = 1e-13;  // some 20 operations on numbers of order 1 to 10
    EXPECT_NEAR(d[0], 1.0 / s, tolerance);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(d[place_along({i})], -x[i] / std::pow(s, 3), tolerance);
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(d[place_along({i, j})], 3.0 * x[i] * x[j] / std::pow(s, 5) - delta(i, j) / std::pow(s, 3),
                    tolerance);
        for (std::size_t k = 0; k < 3; ++k) {
          const double linear = delta(i, j) * x[k] + delta(j, k) * x[i] + delta(i, k) * x[j];
          EXPECT_NEAR(d[place_along({i, j, k})],
                      -15.0 * x[i] * x[j] * x[k] / std::pow(s, 7) + 3.0 * linear / std::pow(s, 5), tolerance);
          for (std::size_t l = 0; l < 3; ++l) {
            const double pairs = delta(i, j) * delta(k, l) + delta(i, k) * delta(j, l) + delta(i, l) * delta(j, k);
            const double square =
                linear * x[l] + delta(i, l) * x[j] * x[k] + delta(j, l) * x[i] * x[k] + delta(k, l) * x[i] * x[j];
            EXPECT_NEAR(d[place_along({i, j, k, l})],
                        105.0 * x[i] * x[j] * x[k] * x[l] / std::pow(s, 9) - 15.0 * square / std::pow(s, 7) +
                            3.0 * pairs / std::pow(s, 5),
                        tolerance);
          }
        }
      }
    }
  }
}

TEST(FmmDerivatives, HaveNoTrace) {
  const std::vector<double> d = derivatives_at<6>(somewhere, 0.0);
  for (std::size_t n = 0; n < terms(4); ++n) {
    const MultiIndex& index = term_table<4>.index[n];
    const double xx = d[place_of({index.x + 2, index.y, index.z})];
    const double yy = d[place_of({index.x, index.y + 2, index.z})];
    const double zz = d[place_of({index.x, index.y, index.z + 2})];
    const double scale = std::max({std::abs(xx), std::abs(yy), std::abs(zz)});
    EXPECT_NEAR(xx + yy + zz, 0.0, 1e-13 * scale + 1e-15) << "order " << order_of(index) + 2;
  }
}

/// 1 / sqrt(|r + h|^2 + softening2) less its Taylor series up to order q.
template <int q>
double remainder(double softening2, const Point& h) {
  const std::vector<double> d = derivatives_at<q>(somewhere, softening2);
  double sum = 0.0;
  for (std::size_t n = 0; n < terms(q); ++n) {
    const auto& [x, y, z] = term_table<q>.index[n];
    sum += d[n] * std::pow(h[0], x) * std::pow(h[1], y) * std::pow(h[2], z) / term_table<q>.factorial[n];
  }
  double r2 = softening2;
  for (std::size_t axis = 0; axis < 3; ++axis) r2 += std::pow(somewhere[axis] + h[axis], 2);
  return std::abs(1.0 / std::sqrt(r2) - sum);
}

/// The norm over directions, as the next order vanishes along some.
template <int q>
double remainders(double softening2, double size) {
  double sum = 0.0;
  for (const double x : {-0.6, 0.7}) {
    for (const double y : {-0.5, 0.3}) {
      for (const double z : {-0.4, 0.8}) sum += std::pow(remainder<q>(softening2, {size * x, size * y, size * z}), 2);
    }
  }
  return std::sqrt(sum);
}

template <int q>
void expect_taylor() {
  for (const double softening2 : {0.0, 0.49}) {
    // Steps so small that the next order rules the remainder, and so large that rounding does not.
    const double ratio = remainders<q>(softening2, 0.04) / remainders<q>(softening2, 0.02);
    EXPECT_NEAR(std::log2(ratio), q + 1, 0.15) << "softening " << softening2;
  }
}

TEST(FmmDerivatives, AreThoseOfTaylorsSeries) {
  expect_taylor<0>();
  expect_taylor<1>();
  expect_taylor<2>();
  expect_taylor<3>();
  expect_taylor<4>();
  expect_taylor<5>();
  expect_taylor<6>();
}

}  // namespace
}  // namespace tacit::fmm::kernels
