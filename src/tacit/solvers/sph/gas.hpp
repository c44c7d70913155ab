// The gas: initial conditions as a file or set-up gives them, and the particle fields that the solver advances.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/sph/other_particles.hpp"

namespace tacit::sph {

enum class Boundary { periodic, open, reflecting };

/// What a run starts from, in code units; every array has shape (N), except h, which may be empty (not known).
struct InitialConditions {
  int dimension = 3;     ///< of the space: 1, 2 or 3; along the axes beyond it all positions and velocities are 0
  base::Vec3 box;        ///< [length]; of an open domain the region that pictures and cells cover
  double time = 0.0;     ///< [time]
  std::string source;    ///< file name or set-up, for provenance
  std::string checksum;  ///< of the file's content; empty for a set-up
  std::vector<std::uint64_t> id;
  std::vector<double> x, y, z;     ///< position [length]
  std::vector<double> vx, vy, vz;  ///< velocity [length time^-1]
  std::vector<double> m;           ///< mass [mass], > 0
  std::vector<double> u;           ///< specific internal energy [length^2 time^-2], >= 0
  std::vector<double> h;           ///< first guess of the smoothing length [length]
  OtherParticles others;           ///< all but the gas
  [[nodiscard]] std::size_t size() const noexcept { return x.size(); }
};

/// All fields of the gas, shape (N) each, in the order of the cells. Velocity and entropy exist twice: as integrated
/// (half a step behind during a step) and as predicted to the time of the positions, which is what neighbours see.
struct Gas {
  std::vector<std::uint64_t> id;
  std::vector<double> x, y, z;           ///< position [length]
  std::vector<double> m;                 ///< mass [mass]
  std::vector<double> vx, vy, vz;        ///< velocity as integrated [length time^-1]
  std::vector<double> A;                 ///< entropic function as integrated, P = A rho^gamma
  std::vector<double> vx_p, vy_p, vz_p;  ///< velocity predicted
  std::vector<double> A_p;               ///< entropic function predicted
  std::vector<double> h;                 ///< smoothing length [length]; support radius is kernel gamma * h
  std::vector<double> rho;               ///< density [mass length^-3]
  std::vector<double> omega_P;           ///< f P / rho^2, f = 1 / (1 + h/(d rho) drho/dh)
  std::vector<double> cs;                ///< sound speed [length time^-1]
  std::vector<double> balsara;           ///< viscosity limiter, 0 .. 1
  std::vector<double> div_v;             ///< velocity divergence [time^-1]
  std::vector<double> ax, ay, az;        ///< acceleration [length time^-2]
  std::vector<double> dA_dt;             ///< rate of change of A
  std::vector<double> v_sig;             ///< largest signal velocity among the neighbours [length time^-1]
  [[nodiscard]] std::size_t size() const noexcept { return x.size(); }
};

}  // namespace tacit::sph
