// Derivatives of 1/r of all orders by recurrence, as formulas over packs of any width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "tacit/base/pack.hpp"
#include "tacit/fmm/kernels/multi_index.hpp"

namespace tacit::fmm::kernels {

template <class P>
struct Vector {
  P x, y, z;
  template <int axis>
  [[nodiscard]] const P& along() const noexcept {
    if constexpr (axis == 0) return x;
    if constexpr (axis == 1) return y;
    if constexpr (axis == 2) return z;
  }
};

/// The axis along which the recurrence lowers n: the one with the smallest exponent that is not 0, as its second term
/// then most often vanishes.
[[nodiscard]] consteval int recurrence_axis(const MultiIndex& n) {
  int best = -1;
  for (int axis = 0; axis < 3; ++axis) {
    if (n[axis] > 0 && (best < 0 || n[axis] < n[best])) best = axis;
  }
  return best;
}

namespace detail {

/// d[n] of level j out of lower orders of level j + 1, which stand in the same array.
template <std::size_t n, class P>
[[gnu::always_inline]] inline void raise_term(P* d, const Vector<P>& r) noexcept {
  constexpr int axis = recurrence_axis(index_of<n>);
  constexpr int times = index_of<n>[axis] - 1;
  constexpr std::size_t once = place_of(lowered(index_of<n>, axis));
  if constexpr (times == 0) {
    d[n] = r.template along<axis>() * d[once];
  } else {
    constexpr std::size_t twice = place_of(lowered(index_of<n>, axis, 2));
    d[n] = fma(r.template along<axis>(), d[once], times == 1 ? d[twice] : P(times) * d[twice]);
  }
}

/// Highest places first, so that what is needed is not overwritten.
template <std::size_t count, class P, std::size_t... k>
[[gnu::always_inline]] inline void raise_terms(P* d, const Vector<P>& r,
                                               std::index_sequence<k...> /*from 0*/) noexcept {
  (raise_term<count - 1 - k>(d, r), ...);
}

template <int q, int level, class P>
[[gnu::always_inline]] inline void raise_levels(const P* radial, const Vector<P>& r, P* d) noexcept {
  if constexpr (level >= 0) {
    constexpr std::size_t count = terms(q - level);
    raise_terms<count>(d, r, std::make_index_sequence<count - 1>());
    d[0] = radial[level];
    raise_levels<q, level - 1>(radial, r, d);
  }
}

}  // namespace detail

/// All derivatives of f(r) = 1 / sqrt(|r|^2 + softening2) with respect to r, up to order q.
///
///     D(0)_n = d^n f,   D(j)_0 = ((1/r) d/dr)^j f = (-1)^j (2 j - 1)!! / s^(2 j + 1),   s^2 = |r|^2 + softening2
///     D(j)_(n + e) = r_e D(j + 1)_n + n_e D(j + 1)_(n - e)     along any axis e
///
/// Both follow from d/dr_e g(r) = r_e (1/r) dg/dr. C(q + 4, 4) terms are computed, 126 for q = 5.
///
/// @param d  shape (terms(q)): D_n in the order of place_of [length^-(1 + |n|)]
/// @see      McMurchie & Davidson (1978), J. Comput. Phys. 26, 218, for such recurrences
template <int q, class P>
[[gnu::always_inline]] inline void derivatives(const Vector<P>& r, const P& softening2, P* d) noexcept {
  const P inverse_s = reciprocal(sqrt(fma(r.x, r.x, fma(r.y, r.y, fma(r.z, r.z, softening2)))));
  const P minus_inverse_s2 = -(inverse_s * inverse_s);
  P radial[q + 1];
  radial[0] = inverse_s;
  for (int j = 1; j <= q; ++j) radial[j] = P(2 * j - 1) * minus_inverse_s2 * radial[j - 1];
  d[0] = radial[q];
  detail::raise_levels<q, q - 1>(radial, r, d);
}

}  // namespace tacit::fmm::kernels
