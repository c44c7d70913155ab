// The exponential function over packs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacit::md::kernels {

/// e^x for |x| <= 200, to 2e-13: the series of a 1024th, squared ten times.
template <class P>
[[gnu::always_inline]] inline P exponential(const P& x) noexcept {
  const P t = x * P(1.0 / 1024.0);
  constexpr double terms[] = {1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0,
                              1.0 / 24.0,     1.0 / 6.0,     0.5,          1.0};
  P sum = P(terms[0]);
  for (int k = 1; k < 9; ++k) sum = sum * t + P(terms[k]);
  // What is above 1 is kept by itself, or its last digits were lost: (1 + y)^2 = 1 + (2 y + y^2).
  P y = sum * t;
  for (int k = 0; k < 10; ++k) y = y * (y + P(2.0));
  return y + P(1.0);
}

}  // namespace tacit::md::kernels
