// Integrates the Lane-Emden equation.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/setups/lane_emden.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/base/error.hpp"

namespace tacit::amr {
namespace {

constexpr double step = 1.0 / 1024.0;

/// theta, and m = -xi^2 dtheta/dxi: dtheta/dxi = -m / xi^2, dm/dxi = xi^2 theta^n.
struct Pair {
  double theta = 1.0;
  double m = 0.0;
};

Pair rates(double n, double xi, const Pair& at) {
  return {-at.m / (xi * xi), xi * xi * std::pow(std::max(at.theta, 0.0), n)};
}

Pair plus(const Pair& a, double factor, const Pair& b) { return {a.theta + factor * b.theta, a.m + factor * b.m}; }

Pair advanced(double n, double xi, const Pair& at) {
  const Pair a = rates(n, xi, at);
  const Pair b = rates(n, xi + 0.5 * step, plus(at, 0.5 * step, a));
  const Pair c = rates(n, xi + 0.5 * step, plus(at, 0.5 * step, b));
  const Pair d = rates(n, xi + step, plus(at, step, c));
  return {at.theta + step / 6.0 * (a.theta + 2.0 * (b.theta + c.theta) + d.theta),
          at.m + step / 6.0 * (a.m + 2.0 * (b.m + c.m) + d.m)};
}

/// The cubic with these values and slopes at 0 and 1.
double cubic(double s, double low, double low_slope, double high, double high_slope) {
  const double t = 1.0 - s;
  return t * t * ((1.0 + 2.0 * s) * low + s * low_slope) + s * s * ((1.0 + 2.0 * t) * high - t * high_slope);
}

}  // namespace

LaneEmden::LaneEmden(double n) : n_(n) {
  TACIT_EXPECT(n >= 0.0 && n < 5.0);
  theta_.push_back(1.0);
  slopes_.push_back(0.0);
  const auto keep = [&](const Pair& at) {
    const double xi = step * static_cast<double>(theta_.size());
    theta_.push_back(at.theta);
    slopes_.push_back(-at.m / (xi * xi));
  };
  // Around the centre, where 1/xi^2 changes within a step, by the series up to xi^6; the next term is below 1e-14.
  constexpr std::size_t series_steps = 32;
  Pair at;
  while (theta_.size() <= series_steps) {
    const double xi = step * static_cast<double>(theta_.size());
    const double x2 = xi * xi;
    const double third = n * (8.0 * n - 5.0);
    at = {1.0 - x2 * (1.0 / 6.0 - x2 * (n / 120.0 - x2 * third / 15120.0)),
          xi * x2 * (1.0 / 3.0 - x2 * (n / 30.0 - x2 * third / 2520.0))};
    keep(at);
  }
  while (at.theta > 0.0) {
    at = advanced(n, step * static_cast<double>(theta_.size() - 1), at);
    keep(at);
  }
  // The surface lies within the last step, in which the mass hardly changes.
  const std::size_t last = theta_.size() - 1;
  double low = 0.0;
  double high = 1.0;
  for (int halving = 0; halving < 60; ++halving) {
    const double s = 0.5 * (low + high);
    const bool is_inside = cubic(s, theta_[last - 1], step * slopes_[last - 1], theta_[last], step * slopes_[last]) > 0;
    (is_inside ? low : high) = s;
  }
  xi1_ = step * (static_cast<double>(last - 1) + low);
  mass_ = at.m;
}

double LaneEmden::theta(double xi) const {
  if (xi >= xi1_) return 0.0;
  const auto k = std::min(static_cast<std::size_t>(xi / step), theta_.size() - 2);
  const double s = xi / step - static_cast<double>(k);
  return std::max(0.0, cubic(s, theta_[k], step * slopes_[k], theta_[k + 1], step * slopes_[k + 1]));
}

}  // namespace tacit::amr
