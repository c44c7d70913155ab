// What one neighbour adds to the sums, as formulas over packs of any width, one double included.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/pack.hpp"

namespace tacit::sph::kernels::terms {

/// What the scalar loops compute with.
using Double = base::Pack<double, base::isa::scalar>;

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

/// The pair's force per mass of the neighbour, along the separation; its dissipation; its signal velocity.
template <class P>
struct PairForce {
  P along;        ///< to be multiplied by -m_j (x_i - x_j)
  P dissipation;  ///< to be multiplied by m_j
  P v_sig;
};

/// The terms of force_sum (force.hpp), symmetric in i and j to the bit but for the sign of the separation.
///
/// @param v_r  (v_i - v_j) . (x_i - x_j)
template <class Kernel, class P>
[[nodiscard]] inline PairForce<P> pair_force(const Gas<P>& i, const Gas<P>& j, const Separation<P>& separation,
                                             const P& v_r, const P& alpha, const P& norm, int dimension) noexcept {
  const P dW_i = dW_dr<Kernel>(separation.r, i.inverse_H, norm, dimension);
  const P dW_j = dW_dr<Kernel>(separation.r, j.inverse_H, norm, dimension);
  const P w = min(v_r, P(0)) * separation.inverse_r;  // only approaching pairs dissipate
  const P v_sig = (i.cs + j.cs) - P(3) * w;
  const P Pi = P(-0.5F) * alpha * (i.balsara + j.balsara) * (v_sig * w) / (i.rho + j.rho);
  const P viscous = P(0.5F) * Pi * (dW_i + dW_j) * separation.inverse_r;
  const P pressure = (i.omega_P * dW_i + j.omega_P * dW_j) * separation.inverse_r;
  return {pressure + viscous, viscous * v_r, v_sig};
}

}  // namespace tacit::sph::kernels::terms
