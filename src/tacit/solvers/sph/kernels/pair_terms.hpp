// What one neighbour adds to the sums, as formulas over packs of any width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/pack.hpp"

namespace tacit::sph::kernels::terms {

template <class P>
struct Vector {
  P x, y, z;
};

template <class P>
[[nodiscard]] inline Vector<P> operator-(const Vector<P>& a, const Vector<P>& b) noexcept {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class P>
[[nodiscard]] inline P dot(const Vector<P>& a, const Vector<P>& b) noexcept {
  return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
}

/// Separation and its inverse; 0 and a large number for coincident particles, so that products with the components of
/// the separation vanish.
template <class P>
struct Separation {
  P r, inverse_r;
  explicit Separation(const P& r2) noexcept {
    using Number = typename P::value_type;
    constexpr auto smallest = static_cast<Number>(sizeof(Number) == sizeof(float) ? 1e-30 : 1e-300);
    inverse_r = reciprocal(sqrt(max(r2, P(smallest))));
    r = r2 * inverse_r;
  }
};

/// q = r / H, at most 1: beyond it w = 0, and a kernel's polynomial need not fit into a float.
template <class P>
[[nodiscard]] inline P kernel_argument(const P& r, const P& inverse_H) noexcept {
  return min(r * inverse_H, P(1));
}

/// K / H^(d + 1) w'(q).
template <class Kernel, class P>
[[nodiscard]] inline P dW_dr(const P& r, const P& inverse_H, const P& norm, int dimension) noexcept {
  const P inverse_H2 = inverse_H * inverse_H;
  P scale = norm * inverse_H2;
  if (dimension == 2) scale *= inverse_H;
  if (dimension == 3) scale *= inverse_H2;
  return scale * Kernel::dw_dq(kernel_argument(r, inverse_H));
}

/// One side of a pair.
template <class P>
struct Gas {
  P cs, inverse_H, rho, omega_P, balsara;
};

/// The velocity at which the sides of a pair hear of each other, and that of their approach; 0 where they part.
template <class P>
struct Signal {
  P w, v;

  /// @param v_r   (v_i - v_j) . (x_i - x_j)
  /// @param beta  what approach adds
  Signal(const Gas<P>& i, const Gas<P>& j, const P& v_r, const P& inverse_r, const P& beta) noexcept {
    w = min(v_r, P(0)) * inverse_r;
    v = (i.cs + j.cs) - beta * w;
  }
};

/// Pi_ij over 1 / (rho_i + rho_j): the viscous pressure of an approaching pair.
template <class P>
[[nodiscard]] inline P viscosity(const Gas<P>& i, const Gas<P>& j, const Signal<P>& signal, const P& alpha) noexcept {
  return P(-0.5F) * alpha * (i.balsara + j.balsara) * (signal.v * signal.w);
}

/// The pair's force per mass of the neighbour, along the separation; its dissipation; its signal velocity.
template <class P>
struct PairForce {
  P along;        ///< to be multiplied by -m_j (x_i - x_j)
  P dissipation;  ///< to be multiplied by m_j
  P v_sig;
};

/// The terms of force_sum (force.hpp), symmetric in i and j to the bit but for the sign of the separation.
///
/// @param v_r      (v_i - v_j) . (x_i - x_j)
/// @param parting  what the expansion of space adds to that, where pressure does no work against it
template <class Kernel, class P>
[[nodiscard]] inline PairForce<P> pair_force(const Gas<P>& i, const Gas<P>& j, const Separation<P>& separation,
                                             const P& v_r, const P& alpha, const P& norm, int dimension,
                                             const P& parting = P(0)) noexcept {
  const P seen_v_r = v_r + parting;
  const P dW_i = dW_dr<Kernel>(separation.r, i.inverse_H, norm, dimension);
  const P dW_j = dW_dr<Kernel>(separation.r, j.inverse_H, norm, dimension);
  const Signal<P> signal(i, j, seen_v_r, separation.inverse_r, P(3));
  const P Pi = viscosity(i, j, signal, alpha) / (i.rho + j.rho);
  const P viscous = P(0.5F) * Pi * (dW_i + dW_j) * separation.inverse_r;
  const P pressure = (i.omega_P * dW_i + j.omega_P * dW_j) * separation.inverse_r;
  return {pressure + viscous, viscous * seen_v_r, signal.v};
}

/// What SPHENIX knows of one side beyond Gas.
template <class P>
struct Thermal {
  P u, f, alpha_v, alpha_d;
};

/// What a pair adds to `i`, per mass of the neighbour; and to the energy of that, per mass of `i`.
template <class P>
struct PairSphenix {
  P along;  ///< to be multiplied by -m_j (x_i - x_j)
  P du_dt;  ///< to be multiplied by m_j
  P v_sig;
  P du_dt_of_j;  ///< to be multiplied by m_i
};

/// To be multiplied by m_j 2 K / H^(d + 1): the part of a pair in the Laplacian of u.
template <class Kernel, class P>
[[nodiscard]] inline P laplacian(const Separation<P>& separation, const P& inverse_H, const P& u_ij,
                                 const P& rho_j) noexcept {
  return Kernel::dw_dq(kernel_argument(separation.r, inverse_H)) * separation.inverse_r * u_ij / rho_j;
}

/// alpha_D v_D of a pair: how fast heat is conducted where pressure jumps or the gas moves.
///
///     v_D = (|v_ij . r_ij| / r_ij + sqrt(2 |P_i - P_j| / (rho_i + rho_j))) / 2
///     alpha_D = (P_i alpha_i + P_j alpha_j) / (P_i + P_j)
template <class P>
[[nodiscard]] inline P conduction_speed(const Thermal<P>& i, const Thermal<P>& j, const P& P_i, const P& P_j,
                                        const P& inverse_rho_sum, const P& v) noexcept {
  using Number = typename P::value_type;
  constexpr auto smallest = static_cast<Number>(sizeof(Number) == sizeof(float) ? 1e-37 : 1e-300);
  const P jump = P_i - P_j;
  const P alpha = (P_i * i.alpha_d + P_j * j.alpha_d) / max(P_i + P_j, P(smallest));
  return P(0.5F) * alpha * (sqrt(P(2) * max(jump, -jump) * inverse_rho_sum) + max(v, -v));
}

/// The terms of sphenix_force (sphenix.hpp); force and conduction turn their sign to the bit as i and j are swapped.
template <class Kernel, class P>
[[nodiscard]] inline PairSphenix<P> pair_sphenix(const Gas<P>& i, const Gas<P>& j, const Thermal<P>& heat_i,
                                                 const Thermal<P>& heat_j, const Separation<P>& separation,
                                                 const P& v_r, const P& beta, const P& norm, int dimension,
                                                 const P& parting = P(0)) noexcept {
  const P seen_v_r = v_r + parting;
  const P dW_i = dW_dr<Kernel>(separation.r, i.inverse_H, norm, dimension);
  const P dW_j = dW_dr<Kernel>(separation.r, j.inverse_H, norm, dimension);
  const P f_dW_i = heat_i.f * dW_i;
  const P f_dW_j = heat_j.f * dW_j;
  const P inverse_rho_sum = reciprocal(i.rho + j.rho);
  const Signal<P> signal(i, j, seen_v_r, separation.inverse_r, beta);
  const P Pi = viscosity(i, j, signal, P(0.5F) * (heat_i.alpha_v + heat_j.alpha_v)) * inverse_rho_sum;
  const P viscous = P(0.5F) * Pi * (f_dW_i + f_dW_j) * separation.inverse_r;
  const P work_i = i.omega_P * dW_i * separation.inverse_r;
  const P work_j = j.omega_P * dW_j * separation.inverse_r;
  const P P_i = i.omega_P * i.rho * i.rho / heat_i.f;
  const P P_j = j.omega_P * j.rho * j.rho / heat_j.f;
  const P speed = conduction_speed(heat_i, heat_j, P_i, P_j, inverse_rho_sum, seen_v_r * separation.inverse_r);
  const P conducted = speed * (heat_i.u - heat_j.u) * (f_dW_i / i.rho + f_dW_j / j.rho);
  const P heating = P(0.5F) * viscous * parting;
  return {(work_i + work_j) + viscous, (work_i + P(0.5F) * viscous) * v_r + (heating + conducted), signal.v,
          (work_j + P(0.5F) * viscous) * v_r + (heating - conducted)};
}

}  // namespace tacit::sph::kernels::terms
