// Density, its derivative with respect to h, and the velocity gradients: the first loop over neighbours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/sph/kernels/neighbour_cache.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"

namespace tacit::sph::kernels {

struct Density {
  double rho = 0.0;      ///< [density]
  double drho_dh = 0.0;  ///< [density / length]
};

/// Density at a particle from the hits of its cache; the particle itself must be among them.
///
///     rho_i = sum_j m_j W(r_ij, h_i)         drho_i/dh_i = sum_j m_j dW(r_ij, h_i)/dh_i
///
/// @param h      smoothing length of the particle [length], > 0, at most the search radius over space.gamma
/// @param space  the kernel's numbers in the dimensions of the run; densities are per length, area or volume
/// @see          Springel & Hernquist (2002), MNRAS 333, 649, eq. 3
/// Cost: about 30 flops per hit.
template <class Kernel>
[[nodiscard]] Density density_sum(const NeighbourCache& cache, double h, const Space& space = space_of<Kernel>(3));

struct VelocityGradients {
  double div_v = 0.0;  ///< divergence [time^-1]
  base::Vec3 curl_v;   ///< curl [time^-1]
};

/// Divergence and curl of the velocity field at a particle.
///
///     div v_i  = -(1/rho_i) sum_j m_j v_ij . grad_i W(r_ij, h_i)
///     curl v_i =  (1/rho_i) sum_j m_j v_ij x grad_i W(r_ij, h_i)        v_ij = v_i - v_j
///
/// @see Springel (2005), MNRAS 364, 1105, the text after eq. 17; Balsara (1995)
template <class Kernel>
[[nodiscard]] VelocityGradients velocity_gradients(const NeighbourCache& cache, const Point& at, const base::Vec3& v,
                                                   double h, double rho, const Space& space = space_of<Kernel>(3));

/// The limiter that switches viscosity off in shear.
///
///     f = |div v| / (|div v| + |curl v| + 1e-4 c / h)
///
/// @see Springel (2005), MNRAS 364, 1105, eq. 17 (h here as in the kernel: twice its standard deviation)
[[nodiscard]] double balsara_factor(const VelocityGradients& gradients, double cs, double h) noexcept;

}  // namespace tacit::sph::kernels
