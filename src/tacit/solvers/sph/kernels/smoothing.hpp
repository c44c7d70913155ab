// Smoothing kernels in one, two and three dimensions: W(r, h) = K / H^d w(r / H), H = gamma h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numbers>

namespace tacit::sph::kernels {

// h is twice the standard deviation of the kernel, so that h means the same resolution for every kernel; H = gamma h is
// the radius beyond which W vanishes (SWIFT's and swiftsimio's convention). K normalises: the integral of W is 1.
// All values: Dehnen & Aly (2012), MNRAS 425, 1068, table 1, w as in its column 2; gamma from the integral itself,
// which differs from the table by at most 2 in the sixth decimal.

/// What turns a kernel's shape into W(r, h) in a space of 1, 2 or 3 dimensions.
struct Space {
  int dimension = 3;   ///< d
  double gamma = 0.0;  ///< support radius over h
  double norm = 0.0;   ///< K
};

/// The numbers of `Kernel` in `dimension` dimensions.
/// @pre  Kernel is one of that space: WendlandC2 and its kin serve 2 and 3, WendlandC2Line and its kin 1
template <class Kernel>
[[nodiscard]] constexpr const Space& space_of(int dimension) noexcept {
  return Kernel::spaces[static_cast<std::size_t>(dimension - Kernel::spaces.front().dimension)];
}

/// x^-n for n = 1 to 4, without a loop: it stands in the innermost one.
template <class T>
[[nodiscard]] constexpr T inverse_power(T x, int n) noexcept {
  const T inverse = T(1) / x;
  const T square = inverse * inverse;
  if (n == 3) return square * inverse;
  if (n == 4) return square * square;
  return n == 2 ? square : inverse;
}

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
  static constexpr std::array<Space, 3> spaces{{{1, 1.732051, 8.0 / 3.0},
                                                {2, 1.778002, 80.0 / (7.0 * std::numbers::pi)},
                                                {3, 1.825742, 16.0 / std::numbers::pi}}};
  static constexpr double gamma = spaces[2].gamma;  ///< in three dimensions
  static constexpr double norm = spaces[2].norm;    ///< in three dimensions
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
  static constexpr std::array<Space, 3> spaces{{{1, 1.936492, 3125.0 / 768.0},
                                                {2, 1.977173, 46875.0 / (2398.0 * std::numbers::pi)},
                                                {3, 2.018932, 15625.0 / (512.0 * std::numbers::pi)}}};
  static constexpr double gamma = spaces[2].gamma;
  static constexpr double norm = spaces[2].norm;
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
  static constexpr std::array<Space, 3> spaces{{{1, 2.121320, 243.0 / 40.0},
                                                {2, 2.158130, 15309.0 / (478.0 * std::numbers::pi)},
                                                {3, 2.195775, 2187.0 / (40.0 * std::numbers::pi)}}};
  static constexpr double gamma = spaces[2].gamma;
  static constexpr double norm = spaces[2].norm;
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

/// Wendland C2 in two and three dimensions, w = (1 - q)_+^4 (1 + 4 q).
struct WendlandC2 {
  static constexpr std::array<Space, 2> spaces{
      {{2, 1.897367, 7.0 / std::numbers::pi}, {3, 1.936492, 21.0 / (2.0 * std::numbers::pi)}}};
  static constexpr double gamma = spaces[1].gamma;
  static constexpr double norm = spaces[1].norm;
  template <class T>
  [[nodiscard]] static constexpr T w(T q) noexcept {
    return positive_power<4>(T(1) - q) * (T(1) + T(4) * q);
  }
  template <class T>
  [[nodiscard]] static constexpr T dw_dq(T q) noexcept {
    return T(-20) * q * positive_power<3>(T(1) - q);
  }
};

/// Wendland C4 in two and three dimensions, w = (1 - q)_+^6 (1 + 6 q + 35/3 q^2).
struct WendlandC4 {
  static constexpr std::array<Space, 2> spaces{
      {{2, 2.171241, 9.0 / std::numbers::pi}, {3, 2.207940, 495.0 / (32.0 * std::numbers::pi)}}};
  static constexpr double gamma = spaces[1].gamma;
  static constexpr double norm = spaces[1].norm;
  template <class T>
  [[nodiscard]] static constexpr T w(T q) noexcept {
    return positive_power<6>(T(1) - q) * (T(1) + q * (T(6) + T(35.0 / 3.0) * q));
  }
  template <class T>
  [[nodiscard]] static constexpr T dw_dq(T q) noexcept {
    return T(-56.0 / 3.0) * q * (T(1) + T(5) * q) * positive_power<5>(T(1) - q);
  }
};

/// Wendland C6 in two and three dimensions, w = (1 - q)_+^8 (1 + 8 q + 25 q^2 + 32 q^3).
struct WendlandC6 {
  static constexpr std::array<Space, 2> spaces{
      {{2, 2.415229, 78.0 / (7.0 * std::numbers::pi)}, {3, 2.449490, 1365.0 / (64.0 * std::numbers::pi)}}};
  static constexpr double gamma = spaces[1].gamma;
  static constexpr double norm = spaces[1].norm;
  template <class T>
  [[nodiscard]] static constexpr T w(T q) noexcept {
    return positive_power<8>(T(1) - q) * (T(1) + q * (T(8) + q * (T(25) + T(32) * q)));
  }
  template <class T>
  [[nodiscard]] static constexpr T dw_dq(T q) noexcept {
    return T(-22) * q * (T(1) + q * (T(7) + T(16) * q)) * positive_power<7>(T(1) - q);
  }
};

/// Wendland C2 in one dimension, w = (1 - q)_+^3 (1 + 3 q).
struct WendlandC2Line {
  static constexpr std::array<Space, 1> spaces{{{1, 1.620185, 5.0 / 4.0}}};
  template <class T>
  [[nodiscard]] static constexpr T w(T q) noexcept {
    return positive_power<3>(T(1) - q) * (T(1) + T(3) * q);
  }
  template <class T>
  [[nodiscard]] static constexpr T dw_dq(T q) noexcept {
    return T(-12) * q * positive_power<2>(T(1) - q);
  }
};

/// Wendland C4 in one dimension, w = (1 - q)_+^5 (1 + 5 q + 8 q^2).
struct WendlandC4Line {
  static constexpr std::array<Space, 1> spaces{{{1, 1.936492, 3.0 / 2.0}}};
  template <class T>
  [[nodiscard]] static constexpr T w(T q) noexcept {
    return positive_power<5>(T(1) - q) * (T(1) + q * (T(5) + T(8) * q));
  }
  template <class T>
  [[nodiscard]] static constexpr T dw_dq(T q) noexcept {
    return T(-14) * q * (T(1) + T(4) * q) * positive_power<4>(T(1) - q);
  }
};

/// Wendland C6 in one dimension, w = (1 - q)_+^7 (1 + 7 q + 19 q^2 + 21 q^3).
struct WendlandC6Line {
  static constexpr std::array<Space, 1> spaces{{{1, 2.207940, 55.0 / 32.0}}};
  template <class T>
  [[nodiscard]] static constexpr T w(T q) noexcept {
    return positive_power<7>(T(1) - q) * (T(1) + q * (T(7) + q * (T(19) + T(21) * q)));
  }
  template <class T>
  [[nodiscard]] static constexpr T dw_dq(T q) noexcept {
    return T(-6) * q * (T(3) + q * (T(18) + T(35) * q)) * positive_power<6>(T(1) - q);
  }
};

/// W(r, h) [length^-d]; r >= 0, h > 0.
template <class Kernel>
[[nodiscard]] constexpr double W(double r, double h, const Space& space = space_of<Kernel>(3)) noexcept {
  const double H = space.gamma * h;
  return space.norm * inverse_power(H, space.dimension) * Kernel::w(r / H);
}

/// dW/dr [length^-(d+1)].
template <class Kernel>
[[nodiscard]] constexpr double dW_dr(double r, double h, const Space& space = space_of<Kernel>(3)) noexcept {
  const double H = space.gamma * h;
  return space.norm * inverse_power(H, space.dimension + 1) * Kernel::dw_dq(r / H);
}

/// dW/dh at fixed r [length^-(d+1)]: W depends on h as H^-d w(r/H), so  dW/dh = -(d W + r dW/dr) / h.
template <class Kernel>
[[nodiscard]] constexpr double dW_dh(double r, double h, const Space& space = space_of<Kernel>(3)) noexcept {
  return -(space.dimension * W<Kernel>(r, h, space) + r * dW_dr<Kernel>(r, h, space)) / h;
}

}  // namespace tacit::sph::kernels
