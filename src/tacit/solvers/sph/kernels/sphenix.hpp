// The SPHENIX scheme: density and energy, with viscosity and conduction that are there only where they are needed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/solvers/sph/kernels/force.hpp"

namespace tacit::sph::kernels {

// All of it: Borrow, Schaller, Bower & Schaye (2022), MNRAS 511, 2367, section 2, in terms of the support's radius
// H = gamma h. Their correction f_ij for gradients of h, made for a constant number of neighbours, is here
// f_i = 1 / (1 + h / (d rho) drho/dh), which belongs to rho h^d = m eta^d; for equal masses the two are the same.

/// Constants of the switches, with the values that the authors' code (SWIFT) has for this scheme.
struct SphenixParameters {
  double alpha_v_start = 0.1;  ///< viscosity coefficient of the initial conditions
  double alpha_v_min = 0.0;
  double alpha_v_max = 2.0;
  double viscosity_decay = 0.05;  ///< decay rate of alpha_v in units of c / H
  double beta_v = 3.0;            ///< what approach adds to the signal velocity
  double alpha_d_start = 0.0;     ///< conduction coefficient of the initial conditions
  double alpha_d_min = 0.0;
  double alpha_d_max = 1.0;
  double beta_d = 1.0;  ///< how fast alpha_d grows where the energy jumps
};

/// The particle for which the sums are taken.
struct SphenixTarget {
  ForceTarget gas;
  double u;        ///< specific internal energy [velocity^2]
  double f;        ///< correction for gradients of h, as in omega_P
  double alpha_v;  ///< viscosity coefficient
  double alpha_d;  ///< conduction coefficient; the gradients do not need it
};

struct SphenixGradients {
  double v_sig = 0.0;      ///< largest pair signal velocity, at least 2 c [velocity]
  double laplace_u = 0.0;  ///< [velocity^2 length^-2]
  double alpha_v = 0.0;    ///< largest viscosity coefficient among the neighbours and the particle itself
};

/// What must be known of the neighbours before the forces; over the hits of find_within with the radius of the support.
///
///     laplace u_i = 2 sum_j m_j / rho_j (u_i - u_j) / r_ij dW(r_ij, h_i)/dr
///
/// Cost: about 40 flops per hit.
template <class Kernel>
[[nodiscard]] SphenixGradients sphenix_gradients(const NeighbourCache& cache, const SphenixTarget& i, double beta_v,
                                                 const Space& space = space_of<Kernel>(3));

struct SphenixForce {
  base::Vec3 a;        ///< acceleration [acceleration]
  double du_dt = 0.0;  ///< work of the pressure, viscous heating and conduction [velocity^2 time^-1]
  double v_sig = 0.0;  ///< largest pair signal velocity, at least 2 c [velocity]
};

/// Sums forces and heating of `i` over the hits of find_within_either.
///
///     dv_i/dt = -sum_j m_j [f_i P_i/rho_i^2 grad_i W(r_ij, h_i) + f_j P_j/rho_j^2 grad_i W(r_ij, h_j)
///                           + Pi_ij / 2 (f_i grad_i W(r_ij, h_i) + f_j grad_i W(r_ij, h_j))]
///     du_i/dt =  sum_j m_j [f_i P_i/rho_i^2 v_ij . grad_i W(r_ij, h_i)
///                           + Pi_ij / 4 v_ij . (f_i grad_i W(r_ij, h_i) + f_j grad_i W(r_ij, h_j))
///                           + alpha_D v_D (u_i - u_j) (f_i / rho_i dW(r_ij, h_i)/dr + f_j / rho_j dW(r_ij, h_j)/dr)]
///     Pi_ij   = -(alpha_i + alpha_j)/2 (B_i + B_j)/2  v_sig w_ij / (rho_i + rho_j),   w_ij = min(v_ij . r_ij, 0) /
///     r_ij v_sig   = c_i + c_j - beta_v w_ij v_D     = (|v_ij . r_ij| / r_ij + sqrt(2 |P_i - P_j| / (rho_i + rho_j)))
///     / 2 alpha_D = (P_i alpha_D,i + P_j alpha_D,j) / (P_i + P_j)
///
/// Momentum and sum m (v . dv/dt + du/dt) = 0 are kept to rounding. A particle at zero distance adds nothing.
/// Cost: about 110 flops per hit.
template <class Kernel>
[[nodiscard]] SphenixForce sphenix_force(const NeighbourCache& cache, const SphenixTarget& i, double beta_v,
                                         const Space& space = space_of<Kernel>(3));

/// What the density loop says of a particle now and said a step ago.
struct Compression {
  double div_v;         ///< [time^-1]
  double div_v_before;  ///< dt ago [time^-1]
  double dt;            ///< [time], >= 0; 0 at the start, when nothing is known of before
};

/// The viscosity coefficient after dt: jumps up where compression grows, decays elsewhere.
///
///     S = H^2 max(0, -d(div v)/dt) where div v < 0, else 0;   alpha_loc = alpha_max S / (c^2 + S)
///     alpha -> alpha_loc where that is larger, else (alpha + x alpha_loc) / (1 + x),   x = viscosity_decay c dt / H
///
/// The decay is implicit: no dt is too long for it.
/// @param H  radius of the support [length]
[[nodiscard]] double viscosity_coefficient(double alpha, const Compression& compression, double cs, double H,
                                           const SphenixParameters& parameters) noexcept;

/// The conduction coefficient after dt: grows where u has a kink, decays elsewhere, and is kept low in viscous flows.
///
///     d alpha/dt = beta_d H laplace u / sqrt(u) - (alpha - alpha_min) v_sig / H
///     alpha <= alpha_d_max (1 - alpha_v / alpha_v_max),   alpha_v the largest among the neighbours
///
/// Implicit in the decay. Gas without energy conducts none.
/// @param H  radius of the support [length]
[[nodiscard]] double conduction_coefficient(double alpha, const SphenixGradients& gradients, double u, double H,
                                            double dt, const SphenixParameters& parameters) noexcept;

}  // namespace tacit::sph::kernels
