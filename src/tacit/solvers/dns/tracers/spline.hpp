// The velocity between the points of the grid: cubic B-splines whose coefficients come from the modes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/dns/flow.hpp"

namespace tacit::dns {

/// What the cubic B-splines of the points -1, 0, 1 and 2 are worth at t in [0, 1), in units of their distance.
///
///     B(d) = (4 - 6 d^2 + 3 |d|^3) / 6   |d| <= 1
///            (2 - |d|)^3 / 6             1 <= |d| <= 2
///
/// @return  four weights >= 0 whose sum is 1
[[nodiscard]] constexpr std::array<double, 4> spline_weights(double t) noexcept {
  const double s = 1.0 - t;
  const auto near = [](double d) { return (4.0 - 6.0 * d * d + 3.0 * d * d * d) / 6.0; };
  return {s * s * s / 6.0, near(t), near(s), t * t * t / 6.0};
}

/// By what a wave of k waves in n points is multiplied when its values are taken as coefficients of splines:
/// the sum over points of B(d) exp(-2 pi i k d / n), between 1 (k = 0) and 1/3 (k = n/2).
[[nodiscard]] inline double spline_transform(std::int64_t k, std::size_t n) noexcept {
  const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  return (2.0 + std::cos(angle)) / 3.0;
}

/// A place in the grid along one axis: the point below, and how far beyond it.
struct GridPlace {
  std::size_t cell = 0;   ///< 0 to n - 1
  double fraction = 0.0;  ///< in units of the points' distance, 0 <= fraction < 1
};

/// @param x  any position [length]; what is not finite is taken as 0
/// @param n  points of the axis   @param side  of the periodic box [length]
[[nodiscard]] inline GridPlace grid_place(double x, std::size_t n, double side) noexcept {
  const auto points = static_cast<double>(n);
  double s = x * (points / side);
  s -= std::floor(s / points) * points;
  if (!(s >= 0.0 && s < points)) s = 0.0;  // rounding may bring it to n, which is 0 again
  const auto cell = static_cast<std::size_t>(s);
  return {cell, s - static_cast<double>(cell)};
}

/// The interpolated velocity of a flow. It agrees with the flow at the points of the grid, has two continuous
/// derivatives, and its error falls with the fourth power of the points' distance.
///
/// The coefficients are the field whose modes are those of the flow divided by the splines' transform: no system of
/// equations is solved. They depend on the modes alone, not on how many threads or ranks there are, and a position's
/// sum over 4 x 4 x 4 of them has a fixed order.
///
/// Each rank has the coefficients of its points and of ghost planes around them, which other ranks send; all ranks
/// make it, and call `update`, at the same points.
///
/// Memory: three words per point, and the buffers of a pass of three fields.
/// @see Yeung & Pope (1988), J. Comput. Phys. 79, 373
class VelocitySpline {
 public:
  /// @param flow, scheduler  outlive this
  VelocitySpline(const Flow& flow, tasks::Scheduler& scheduler);
  ~VelocitySpline();
  VelocitySpline(const VelocitySpline&) = delete;
  VelocitySpline& operator=(const VelocitySpline&) = delete;

  /// Takes the flow's present field. Cost: three transforms.
  void update();
  /// The velocity at a position [length], which may lie outside of the box: it is periodic. Several threads at once.
  /// @pre update was called, and the position's cell is of this rank
  [[nodiscard]] base::Vec3 at(const base::Vec3& position) const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  class Coefficients;
  std::unique_ptr<Coefficients> coefficients_;
  std::unique_ptr<fft::Pass<double>> pass_;
};

}  // namespace tacit::dns
