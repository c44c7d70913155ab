// Slopes and fluxes as formulas over packs of any width; with a width of one they are the plain loops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/gpu/macros.hpp"
#include "tacit/solvers/amr/kernels/gas.hpp"

namespace tacit::amr::kernels {
// Included by files that are compiled once per instruction set: nothing here may be visible to the linker.
namespace {

/// Beside a face, seen along its normal: density, velocity along the normal and across it, pressure.
template <class P>
struct State {
  P rho, u, v, w, p;
};

/// A flux of density, momentum along the normal and across it, and energy.
template <class P>
struct Flux {
  P rho, u, v, w, E;
};

template <class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline P absolute(const P& a) {
  return max(a, -a);
}

/// +0 or the slope over the width of the cell; `low` and `high` are the differences to both neighbours.
template <Limiter limiter, class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline P slope_of(const P& low, const P& high) {
  const P product = low * high;
  if constexpr (limiter == Limiter::van_leer) {
    // Where the product underflows there is no slope, and the sum may be 0.
    const auto has_slope = product > P(0.0);
    return select(has_slope, (product + product) / select(has_slope, low + high, P(1.0)), P(0.0));
  } else {
    const P a = absolute(low);
    const P b = absolute(high);
    P size = min(a, b);
    if constexpr (limiter == Limiter::monotonised_central) size = min(size + size, P(0.5) * (a + b));
    return select(product > P(0.0), select(low > P(0.0), size, -size), P(0.0));
  }
}

/// E = p / (gamma - 1) + rho v^2 / 2
template <class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline P energy_of(const State<P>& s, double gamma) {
  return s.p * P(1.0 / (gamma - 1.0)) + P(0.5) * s.rho * (s.u * s.u + (s.v * s.v + s.w * s.w));
}

template <class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline Flux<P> flux_of(const State<P>& s, const P& E) {
  const P m = s.rho * s.u;
  return {m, m * s.u + s.p, m * s.v, m * s.w, (E + s.p) * s.u};
}

/// Bounds of the speeds of all waves of a Riemann problem.
///
///     low = min(u_L - c_L, u - d)    high = max(u_R + c_R, u + d)
///     d^2 = (r_L c_L^2 + r_R c_R^2) / (r_L + r_R) + (gamma - 1)/2 r_L r_R / (r_L + r_R)^2 (u_R - u_L)^2
///
/// with r = sqrt(rho) and u the mean by r: Roe's mean state, whose speeds are exact where the states are joined by one
/// shock. @see Einfeldt, Munz, Roe & Sjogreen (1991), J. Comput. Phys. 92, 273; Batten et al. (1997), SIAM J. Sci.
/// Comput. 18, 1553
template <class P>
struct Speeds {
  P low, high;
};

template <class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline Speeds<P> speeds_of(const State<P>& L, const State<P>& R,
                                                                    double gamma) {
  const P c2_L = P(gamma) * L.p / L.rho;
  const P c2_R = P(gamma) * R.p / R.rho;
  const P r_L = sqrt(L.rho);
  const P r_R = sqrt(R.rho);
  const P share = P(1.0) / (r_L + r_R);
  const P u = (r_L * L.u + r_R * R.u) * share;
  const P jump = R.u - L.u;
  const P d2 =
      (r_L * c2_L + r_R * c2_R) * share + P(0.5 * (gamma - 1.0)) * (r_L * r_R) * (share * share) * (jump * jump);
  const P d = sqrt(d2);
  return {min(L.u - sqrt(c2_L), u - d), max(R.u + sqrt(c2_R), u + d)};
}

/// Two waves around one state. @see Harten, Lax & van Leer (1983), SIAM Rev. 25, 35
template <class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline Flux<P> flux_hll(const State<P>& L, const State<P>& R, double gamma) {
  const Speeds<P> speeds = speeds_of(L, R, gamma);
  const P low = min(speeds.low, P(0.0));
  const P high = max(speeds.high, P(0.0));
  const P E_L = energy_of(L, gamma);
  const P E_R = energy_of(R, gamma);
  const Flux<P> F_L = flux_of(L, E_L);
  const Flux<P> F_R = flux_of(R, E_R);
  const P share = P(1.0) / (high - low);
  const auto mean = [&](const P& f_L, const P& f_R, const P& q_L, const P& q_R) __attribute__((always_inline)) {
    return ((high * f_L - low * f_R) + (low * high) * (q_R - q_L)) * share;
  };
  return {mean(F_L.rho, F_R.rho, L.rho, R.rho), mean(F_L.u, F_R.u, L.rho * L.u, R.rho * R.u),
          mean(F_L.v, F_R.v, L.rho * L.v, R.rho * R.v), mean(F_L.w, F_R.w, L.rho * L.w, R.rho * R.w),
          mean(F_L.E, F_R.E, E_L, E_R)};
}

/// The same with the contact between two states of one pressure p and one velocity s, whose flux is that of gas which
/// moves with it: rho s, rho s^2 + p, (E + p) s; so a contact at rest passes nothing at all.
/// @see Toro, Spruce & Speares (1994), Shock Waves 4, 25
template <class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline Flux<P> flux_hllc(const State<P>& L, const State<P>& R, double gamma) {
  const Speeds<P> speeds = speeds_of(L, R, gamma);
  const P m_L = L.rho * (speeds.low - L.u);
  const P m_R = R.rho * (speeds.high - R.u);
  const P s = ((R.p - L.p) + (m_L * L.u - m_R * R.u)) / (m_L - m_R);
  const P p = P(0.5) * ((L.p + m_L * (s - L.u)) + (R.p + m_R * (s - R.u)));
  // Of both sides only the one from which the gas comes counts.
  const auto is_left = s >= P(0.0);
  const auto upwind = [&](const P& l, const P& r) __attribute__((always_inline)) { return select(is_left, l, r); };
  const State<P> K{upwind(L.rho, R.rho), upwind(L.u, R.u), upwind(L.v, R.v), upwind(L.w, R.w), upwind(L.p, R.p)};
  const P m = upwind(m_L, m_R);
  const P speed = upwind(speeds.low, speeds.high);
  const P E = energy_of(K, gamma);
  const Flux<P> outer = flux_of(K, E);
  const P share = P(1.0) / (speed - s);
  const P mass = m * share * s;
  const P E_star = ((speed - K.u) * E + (p * s - K.p * K.u)) * share;
  const auto is_outer = upwind(speeds.low, -speeds.high) >= P(0.0);
  return {select(is_outer, outer.rho, mass), select(is_outer, outer.u, mass * s + p),
          select(is_outer, outer.v, mass * K.v), select(is_outer, outer.w, mass * K.w),
          select(is_outer, outer.E, (E_star + p) * s)};
}

template <Riemann riemann, class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline Flux<P> flux_between(const State<P>& L, const State<P>& R,
                                                                     double gamma) {
  if constexpr (riemann == Riemann::hll) {
    return flux_hll(L, R, gamma);
  } else {
    return flux_hllc(L, R, gamma);
  }
}

}  // namespace
}  // namespace tacit::amr::kernels
