// Potential and force of a pair of bodies, softened or not, as formulas over packs of any width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/pack.hpp"

namespace tacit::fmm::kernels {

/// Of two bodies of mass 1 with G = 1, both > 0.
template <class P>
struct PairGravity {
  P potential;     ///< minus the potential: 1/r where nothing is softened
  P force_over_r;  ///< attraction over separation: 1/r^3 where nothing is softened
};

/// A softening that keeps its lengths as packs; made once for a loop.
///
///     const Softening softening(length);
///     const PairGravity<P> pair = softening(r2);
///
/// An unsoftened pair. Bodies at the same place, r2 = 0, do not act on each other.
template <class P>
class Newtonian {
 public:
  template <class Number>
  explicit Newtonian(Number /*length*/) noexcept {}
  [[gnu::always_inline]] PairGravity<P> operator()(const P& r2) const noexcept {
    const P inverse_r = select(r2 > P(0), reciprocal(sqrt(r2)), P(0));
    return {inverse_r, inverse_r * inverse_r * inverse_r};
  }
};

/// Plummer's softening:
///
///     potential = 1 / sqrt(r^2 + epsilon^2),   force = r / (r^2 + epsilon^2)^(3/2)
///
/// @pre epsilon > 0
template <class P>
class Plummer {
 public:
  template <class Number>
  explicit Plummer(Number epsilon) noexcept : epsilon2_(epsilon * epsilon) {}
  [[gnu::always_inline]] PairGravity<P> operator()(const P& r2) const noexcept {
    const P inverse_s = reciprocal(sqrt(r2 + epsilon2_));
    return {inverse_s, inverse_s * inverse_s * inverse_s};
  }

 private:
  P epsilon2_;
};

/// Each body a sphere of density W(r, H), Wendland's C2 kernel, as seen by a point; Newtonian from H on:
///
///     potential = (3 - 7 u^2 + 21 u^4 - 28 u^5 + 15 u^6 - 3 u^7) / H
///     force / r = (14 - 84 u^2 + 140 u^3 - 90 u^4 + 21 u^5) / H^3     u = r / H < 1
///
/// H = 3 epsilon has the central potential of a Plummer sphere of epsilon.
///
/// @pre H > 0
/// @see Schaller et al. (2024), MNRAS 530, 2378, on gravitational softening
template <class P>
class WendlandC2 {
 public:
  template <class Number>
  explicit WendlandC2(Number H) noexcept : H2_(H * H), inverse_H_(Number(1) / H), inverse_H3_(Number(1) / H / H / H) {}
  [[gnu::always_inline]] PairGravity<P> operator()(const P& r2) const noexcept {
    const P inverse_r = reciprocal(sqrt(r2));  // infinite at 0, where it is not taken
    const PairGravity<P> outside{inverse_r, inverse_r * inverse_r * inverse_r};
    const auto is_inside = r2 < H2_;
    if (!any(is_inside)) return outside;
    const PairGravity<P> inside = polynomials(P(1) - min(sqrt(r2) * inverse_H_, P(1)));
    return {select(is_inside, inside.potential, outside.potential),
            select(is_inside, inside.force_over_r, outside.force_over_r)};
  }

 private:
  /// In powers of v = 1 - u: those of u have coefficients of 140 that cancel near u = 1. Here they are those of 1/u and
  /// 1/u^3 but for the last.
  [[gnu::always_inline]] PairGravity<P> polynomials(const P& v) const noexcept {
    P w = fma(P(3), v, P(-6));
    for (int power = 5; power >= 0; --power) w = fma(w, v, P(1));
    P f = fma(P(-21), v, P(15));
    f = fma(f, v, P(10));
    f = fma(f, v, P(6));
    f = fma(f, v, P(3));
    f = fma(f, v, P(1));
    return {w * inverse_H_, f * inverse_H3_};
  }

  P H2_, inverse_H_, inverse_H3_;
};

}  // namespace tacit::fmm::kernels
