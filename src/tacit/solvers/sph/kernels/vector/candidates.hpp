// Candidates, hits and sums as the vector loops see them: plain pointers to floats, in the units of one cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tacit::sph::kernels::vector {

/// Lanes of the widest pack; arrays are padded so that whole packs of any width can be read and written.
inline constexpr std::size_t widest = 16;

struct Float3 {
  float x, y, z;
};

/// Candidate neighbours. Short lists are made from x, y, z, m and H2; the sums look up the records of the few hits,
/// each 16 bytes and aligned to that. Behind the last candidate come `widest` more that are far away, without mass, and
/// otherwise like a particle.
struct Candidates {
  std::size_t size = 0;
  const float* x = nullptr;
  const float* y = nullptr;
  const float* z = nullptr;
  const float* m = nullptr;
  const float* H2 = nullptr;       ///< squared radius of the support
  const float* place = nullptr;    ///< records x, y, z, m
  const float* flow = nullptr;     ///< records vx, vy, vz, cs
  const float* state = nullptr;    ///< records 1/H, rho, omega_P, balsara
  const float* thermal = nullptr;  ///< records u, f, alpha_v, alpha_d; for SPHENIX
};

/// A box and a radius around it.
struct Region {
  Float3 low, high;
  float radius;
};

/// The candidates that a group of particles may see, side by side in their order; with `widest` massless ones behind.
struct Shortlist {
  std::size_t size = 0;
  const float *x = nullptr, *y = nullptr, *z = nullptr, *m = nullptr, *H2 = nullptr;
  const std::uint32_t* index = nullptr;  ///< of each among the candidates
};
/// Room for one: the padded size of the candidates and one pack more.
struct ShortlistTarget {
  float *x = nullptr, *y = nullptr, *z = nullptr, *m = nullptr, *H2 = nullptr;
  std::uint32_t* index = nullptr;
};

/// What a search keeps for one particle; room for the padded size of the candidates and one pack more. Filled up with
/// massless candidates to whole packs.
struct Hits {
  std::size_t count = 0;
  std::uint32_t* index = nullptr;  ///< among the candidates
  float* r = nullptr;              ///< separation; find_within only
  float* m = nullptr;              ///< mass; find_within only
};

/// The particle that sums are for.
struct MovingCentre {
  Float3 at;
  Float3 v;
};
struct GasCentre {
  MovingCentre motion;
  float cs, inverse_H, rho, omega_P, balsara;
  float hubble = 0.0F;
};

struct SphenixCentre {
  GasCentre gas;
  float u, f, alpha_v, alpha_d;
};

/// Constants of a run that the force needs.
struct ForceConstants {
  float viscosity;  ///< alpha of force_sum; beta_v of SPHENIX
  float norm;       ///< K of the kernel
  int dimension;    ///< 1, 2 or 3
};

/// Sums over neighbours, from which density and its derivative follow in any dimension.
///
///     rho = K / H^d sum_w          d rho / dh = -K / H^d (d sum_w + sum_q_dw) / h
struct DensitySums {
  double sum_w = 0.0;     ///< sum_j m_j w(q_j)
  double sum_q_dw = 0.0;  ///< sum_j m_j q_j w'(q_j)
};

/// div v = -K / (H^(d + 1) rho) dot,   curl v = K / (H^(d + 1) rho) cross.
struct GradientSums {
  double dot = 0.0;                                    ///< sum_j m_j w'(q_j) / r_j (v_i - v_j) . (x_i - x_j)
  double cross_x = 0.0, cross_y = 0.0, cross_z = 0.0;  ///< the same with x for .
};

struct ForceSums {
  double ax = 0.0, ay = 0.0, az = 0.0;
  double dissipation = 0.0;
  float v_sig = 0.0F;  ///< over the neighbours; 0 without any
};

/// laplace u = 2 K / H^(d + 1) laplace.
struct SphenixGradientSums {
  double laplace = 0.0;  ///< sum_j m_j w'(q_j) / r_j (u_i - u_j) / rho_j
  float v_sig = 0.0F;    ///< over the neighbours; 0 without any
  float alpha_v = 0.0F;  ///< largest within the support, the particle itself included
};

struct SphenixForceSums {
  double ax = 0.0, ay = 0.0, az = 0.0;
  double du_dt = 0.0;
  float v_sig = 0.0F;  ///< over the neighbours; 0 without any
};

}  // namespace tacit::sph::kernels::vector
