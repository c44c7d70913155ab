// How a state is carried over part of a step: by the drifts, and for output at any time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace tacit::sph {

/// exp(x) for the small changes of one step, to 2e-4 at |x| = 0.1; further off it is kept within bounds.
[[nodiscard]] inline double growth(double x) noexcept {
  const double w = std::clamp(x, -0.2, 0.2);
  return 1.0 + w * (1.0 + 0.5 * w);
}

/// The thermal variable a time t later; it may at most halve, so that an overlong extrapolation leaves it positive.
[[nodiscard]] inline double later(double thermal, double rate, double t) noexcept {
  return std::max(thermal + rate * t, 0.5 * thermal);
}

}  // namespace tacit::sph
