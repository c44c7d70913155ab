// How quantities change within one step, for a few numbers or whole arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacit::sph::kernels {

// Always inlined: files that are compiled once per instruction set use them too, and none may leave a copy behind.

/// x, or the nearer end of [-most, most].
[[gnu::always_inline]] inline double clamped(double x, double most) noexcept {
  const double above = x < -most ? -most : x;
  return most < above ? most : above;
}

/// exp(x) for the small changes of one step, to 2e-4 at |x| = 0.1; further off it is kept within bounds.
[[gnu::always_inline]] inline double growth(double x) noexcept {
  const double w = clamped(x, 0.2);
  return 1.0 + w * (1.0 + 0.5 * w);
}

/// The thermal variable a time t later; it may at most halve, so that an overlong extrapolation leaves it positive.
[[gnu::always_inline]] inline double later(double thermal, double rate, double t) noexcept {
  const double linear = thermal + rate * t;
  const double half = 0.5 * thermal;
  return linear < half ? half : linear;
}

/// The factor by which the thermal variable has grown; 1 where there was none. Written so that nothing is divided by
/// zero and the compiler need not branch.
[[gnu::always_inline]] inline double heating(double before, double now) noexcept {
  const bool has_heat = before > 0.0;
  const double quotient = now / (has_heat ? before : 1.0);
  return has_heat ? quotient : 1.0;
}

}  // namespace tacit::sph::kernels
