// Acceleration, entropy production and signal velocity: the second loop over neighbours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/sph/kernels/neighbour_cache.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"

namespace tacit::sph::kernels {

/// The particle for which forces are summed: predicted velocity and the results of the density loop.
struct ForceTarget {
  Point at;        ///< position [length]
  base::Vec3 v;    ///< velocity [velocity]
  double h;        ///< smoothing length [length]
  double rho;      ///< density [density]
  double omega_P;  ///< f P / rho^2
  double cs;       ///< sound speed [velocity]
  double balsara;  ///< viscosity limiter
  /// Velocity over separation with which space itself parts particles, beside v; viscosity and conduction see both
  /// [time^-1].
  double hubble = 0.0;
};

struct Force {
  base::Vec3 a;              ///< acceleration [acceleration]
  double dissipation = 0.0;  ///< sum_j m_j Pi_ij v_ij . grad W: twice the rate of heating [specific energy / time]
  double v_sig = 0.0;        ///< largest pair signal velocity, at least 2 c [velocity]
};

/// Sums the pressure and viscous forces on `i` over the hits of its cache (find_within_either).
///
///     dv_i/dt = -sum_j m_j [ f_i P_i/rho_i^2 grad_i W(r_ij, h_i) + f_j P_j/rho_j^2 grad_i W(r_ij, h_j)
///                            + Pi_ij grad_i W_mean ],       W_mean = (W(r_ij, h_i) + W(r_ij, h_j)) / 2
///     Pi_ij   = -(alpha/2) (B_i + B_j)/2  v_sig w_ij / rho_ij,   w_ij = min(v_ij . r_ij, 0) / r_ij
///     v_sig   = c_i + c_j - 3 w_ij,          rho_ij = (rho_i + rho_j) / 2
///
/// Swapping i and j gives exactly the opposite force, so momentum is kept to rounding. A particle at zero distance (the
/// particle itself) adds nothing.
///
/// @param alpha  viscosity coefficient, of order 1
/// @see   Springel & Hernquist (2002), MNRAS 333, 649, eq. 10; Springel (2005), MNRAS 364, 1105, eqs. 13 to 17
/// Cost: about 70 flops per hit.
template <class Kernel>
[[nodiscard]] Force force_sum(const NeighbourCache& cache, const ForceTarget& i, double alpha,
                              const Space& space = space_of<Kernel>(3));

/// dA/dt of a particle from the dissipation in its Force.
///
///     dA_i/dt = (1/2) (gamma - 1) / rho_i^(gamma - 1) sum_j m_j Pi_ij v_ij . grad_i W_mean
///
/// @see Springel (2005), MNRAS 364, 1105, eq. 13
[[nodiscard]] double entropy_rate(double dissipation, double rho, double gamma) noexcept;

}  // namespace tacit::sph::kernels
