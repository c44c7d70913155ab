// Smoothing kernels in three dimensions: W(r, h) = K / H^3 w(r / H), H = gamma h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numbers>

namespace tacit::sph::kernels {

// h is twice the standard deviation of the kernel, so that h means the same resolution for every kernel; H = gamma h is
// the radius beyond which W vanishes (SWIFT's and swiftsimio's convention). K normalises: 4 pi K int_0^1 w q^2 dq = 1.
// All values: Dehnen & Aly (2012), MNRAS 425, 1068, table 1 (three dimensions), w as in its column 2.

/// x_+^n = max(x, 0)^n, by multiplication.
template <int n, class T>
[[nodiscard]] constexpr T positive_power(T x) noexcept {
  const T base = x > T(0) ? x : T(0);
  T power = T(1);
  for (int i = 0; i < n; ++i) power *= base;
  return power;
}

/// M4, w = (1 - q)_+^3 - 4 (1/2 - q)_+^3.
struct CubicSpline {
  static constexpr double gamma = 1.825742;
  static constexpr double norm = 16.0 / std::numbers::pi;
  template <class T>
  [[nodiscard]] static constexpr T w(T q) noexcept {
    return positive_power<3>(T(1) - q) - T(4) * positive_power<3>(T(0.5) - q);
  }
  template <class T>
  [[nodiscard]] static constexpr T dw_dq(T q) noexcept {
    return T(-3) * positive_power<2>(T(1) - q) + T(12) * positive_power<2>(T(0.5) - q);
  }
};

/// M5, w = (1 - q)_+^4 - 5 (3/5 - q)_+^4 + 10 (1/5 - q)_+^4.
struct QuarticSpline {
  static constexpr double gamma = 2.018932;
  static constexpr double norm = 15625.0 / (512.0 * std::numbers::pi);
  template <class T>
  [[nodiscard]] static constexpr T w(T q) noexcept {
    return positive_power<4>(T(1) - q) - T(5) * positive_power<4>(T(0.6) - q) + T(10) * positive_power<4>(T(0.2) - q);
  }
  template <class T>
  [[nodiscard]] static constexpr T dw_dq(T q) noexcept {
    return T(-4) * positive_power<3>(T(1) - q) + T(20) * positive_power<3>(T(0.6) - q) -
           T(40) * positive_power<3>(T(0.2) - q);
  }
};

/// M6, w = (1 - q)_+^5 - 6 (2/3 - q)_+^5 + 15 (1/3 - q)_+^5.
struct QuinticSpline {
  static constexpr double gamma = 2.195775;
  static constexpr double norm = 2187.0 / (40.0 * std::numbers::pi);
  template <class T>
  [[nodiscard]] static constexpr T w(T q) noexcept {
    return positive_power<5>(T(1) - q) - T(6) * positive_power<5>(T(2.0 / 3.0) - q) +
           T(15) * positive_power<5>(T(1.0 / 3.0) - q);
  }
  template <class T>
  [[nodiscard]] static constexpr T dw_dq(T q) noexcept {
    return T(-5) * positive_power<4>(T(1) - q) + T(30) * positive_power<4>(T(2.0 / 3.0) - q) -
           T(75) * positive_power<4>(T(1.0 / 3.0) - q);
  }
};

/// W(r, h) [length^-3]; r >= 0, h > 0.
template <class Kernel>
[[nodiscard]] constexpr double W(double r, double h) noexcept {
  const double H = Kernel::gamma * h;
  return Kernel::norm / (H * H * H) * Kernel::w(r / H);
}

/// dW/dr [length^-4].
template <class Kernel>
[[nodiscard]] constexpr double dW_dr(double r, double h) noexcept {
  const double H = Kernel::gamma * h;
  return Kernel::norm / (H * H * H * H) * Kernel::dw_dq(r / H);
}

/// dW/dh at fixed r [length^-4]: W depends on h as H^-3 w(r/H), so  dW/dh = -(3 W + r dW/dr) / h.
template <class Kernel>
[[nodiscard]] constexpr double dW_dh(double r, double h) noexcept {
  return -(3.0 * W<Kernel>(r, h) + r * dW_dr<Kernel>(r, h)) / h;
}

}  // namespace tacit::sph::kernels
