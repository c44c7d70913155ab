// Primitive variables and slopes of the gas as formulas over packs of any width, and the sum of a stage.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/solvers/amr/kernels/riemann_terms.hpp"

namespace tacit::amr::kernels {
// Included by files that are compiled once per instruction set: nothing here may be visible to the linker.
namespace {

template <class P>
struct Conserved {
  P rho, x, y, z, E;
  [[gnu::always_inline]] TACIT_HOST_DEVICE static Conserved load(const Variables<const double>& U, std::size_t i) {
    return {P::load(U.of(0) + i), P::load(U.of(1) + i), P::load(U.of(2) + i), P::load(U.of(3) + i),
            P::load(U.of(4) + i)};
  }
};

template <class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline P pressure_of(const Conserved<P>& U, const P& inverse_rho,
                                                              double gamma) {
  const P kinetic = P(0.5) * (U.x * U.x + (U.y * U.y + U.z * U.z)) * inverse_rho;
  return P(gamma - 1.0) * (U.E - kinetic);
}

template <class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline void primitive_of(double gamma, const Variables<const double>& from,
                                                                  const Variables<double>& to, std::size_t i) {
  const Conserved<P> U = Conserved<P>::load(from, i);
  const P inverse = P(1.0) / U.rho;
  U.rho.store(to.of(0) + i);
  (U.x * inverse).store(to.of(1) + i);
  (U.y * inverse).store(to.of(2) + i);
  (U.z * inverse).store(to.of(3) + i);
  pressure_of(U, inverse, gamma).store(to.of(4) + i);
}

/// Shortens the slopes of velocity where the states at both faces of a cell would have more kinetic energy than the
/// cell, by more than its heat. A cell is a third of each of these states, and of
///
///     U* = 3 U - U_low - U_high      p* / (gamma - 1) = p / (gamma - 1) - rho d^2 (1 + 2 (drho / rho)^2)
///
/// with d and drho the halves of the slopes. Where p* is not negative, and the step short enough that no wave leaves
/// its third, each part stays positive by itself. @see Berthon (2006), J. Comput. Phys. 218, 495
template <class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline void keep_positive(const State<P>& here, State<P>& half, double gamma) {
  const P squares = half.u * half.u + (half.v * half.v + half.w * half.w);
  const P taken = P(gamma - 1.0) * squares * (here.rho * here.rho + P(2.0) * (half.rho * half.rho));
  const P heat = here.rho * here.p;
  const auto is_too_much = taken > heat;
  if (!any(is_too_much)) [[likely]]
    return;
  const P share = select(is_too_much, sqrt(heat / select(is_too_much, taken, P(1.0))), P(1.0));
  half.u *= share;
  half.v *= share;
  half.w *= share;
}

template <Limiter limiter, class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline State<P> half_slopes(const State<P>& low, const State<P>& here,
                                                                     const State<P>& high, double gamma) {
  const auto half = [](const P& l, const P& h, const P& r) __attribute__((always_inline)) {
    return P(0.5) * slope_of<limiter>(h - l, r - h);
  };
  State<P> halves{half(low.rho, here.rho, high.rho), half(low.u, here.u, high.u), half(low.v, here.v, high.v),
                  half(low.w, here.w, high.w), half(low.p, here.p, high.p)};
  keep_positive(here, halves, gamma);
  return halves;
}

template <class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline State<P> minus(const State<P>& a, const State<P>& b) {
  return {a.rho - b.rho, a.u - b.u, a.v - b.v, a.w - b.w, a.p - b.p};
}

template <class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline State<P> plus(const State<P>& a, const State<P>& b) {
  return {a.rho + b.rho, a.u + b.u, a.v + b.v, a.w + b.w, a.p + b.p};
}

template <Stage stage, class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline void update_cells(const Update& by, std::size_t variable,
                                                                  std::size_t i) {
  const P advanced = P::load(by.U.of(variable) + i) + P(by.dt) * P::load(by.rate.of(variable) + i);
  double* const out = by.out.of(variable) + i;
  if constexpr (stage == Stage::first) {
    advanced.store(out);
  } else {
    const P base = P::load(by.base.of(variable) + i);
    if constexpr (stage == Stage::second) (P(0.5) * (base + advanced)).store(out);
    if constexpr (stage == Stage::second_of_three) (P(0.75) * base + P(0.25) * advanced).store(out);
    if constexpr (stage == Stage::third_of_three) (P(1.0 / 3.0) * base + P(2.0 / 3.0) * advanced).store(out);
  }
}

}  // namespace
}  // namespace tacit::amr::kernels
