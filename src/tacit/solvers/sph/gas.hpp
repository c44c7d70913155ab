// The gas: initial conditions as a file or set-up gives them, and the particle fields that the solver advances.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/particles/share.hpp"
#include "tacit/solvers/sph/other_particles.hpp"

namespace tacit::sph {

enum class Boundary { periodic, open, reflecting };

/// GADGET's types of particles that attract: gas, halo, disc, bulge, stars, black holes.
inline constexpr std::size_t attracting_types = 6;

using particles::Rows;
using particles::Share;

/// What a run starts from, in code units; every array has shape (N), except h, which may be empty (not known). Of
/// several ranks each has its share.
struct InitialConditions {
  int dimension = 3;     ///< of the space: 1, 2 or 3; along the axes beyond it all positions and velocities are 0
  base::Vec3 box;        ///< [length]; of an open domain the region that pictures show, or 0 if it is not said
  double time = 0.0;     ///< [time]
  std::string source;    ///< file name or set-up, for provenance
  std::string checksum;  ///< of the file's content, on the first rank; empty for a set-up
  std::vector<std::uint64_t> id;
  std::vector<double> x, y, z;        ///< position [length]
  std::vector<double> vx, vy, vz;     ///< velocity [length time^-1]
  std::vector<double> m;              ///< mass [mass], > 0
  std::vector<double> u;              ///< specific internal energy [length^2 time^-2], >= 0
  std::vector<double> h;              ///< first guess of the smoothing length [length]; 0 of what is no gas
  bool has_types = false;             ///< whether there are particles that are no gas, on any rank
  std::vector<std::uint8_t> type;     ///< GADGET's, 0 (gas) to 5; empty where all are gas. Of all others u is 0
  std::vector<std::string> left_out;  ///< names of datasets that are not kept
  OtherParticles others;              ///< what neither moves nor acts; all of it on every rank
  [[nodiscard]] std::size_t size() const noexcept { return x.size(); }
};

/// Which fields there are beside those that any gas has.
struct GasContents {
  bool has_own_steps = false;  ///< from where particles with steps of their own drift
  bool has_gravity = false;    ///< of the particles' own gravity
  bool has_types = false;      ///< particles that are no gas
  bool has_expansion = false;  ///< of an expanding box
};

/// All fields of the gas, shape (N) each, in the order of the cells. Other particles, if they attract and move, stand
/// behind the gas of their cell: what has no meaning for them is 0, but for v_sig, which limits nothing. Velocity and
/// thermal variable exist twice: as integrated (at the middle of the particle's own step) and as predicted to the time
/// of the positions, which is what neighbours see. With steps of their own, particles drift from where their steps
/// began: what is predicted at a time follows from the step alone, however often and by whom. What is summed up over
/// many steps, or may leave the range of floats in units of an astronomer, is kept in double precision; what every step
/// recomputes, in single, or as a double whose upper half says all: h, rho, omega_P and thermal_p, which are shown to
/// neighbours on other ranks.
struct Gas : GasContents {
  std::vector<std::uint64_t> id;
  std::vector<double> x, y, z;          ///< position [length]
  std::vector<double> m;                ///< mass [mass]
  std::vector<double> vx, vy, vz;       ///< velocity as integrated [length time^-1]
  std::vector<double> thermal;          ///< as integrated: A of P = A rho^gamma (gadget2), or u (sphenix)
  std::vector<float> vx_p, vy_p, vz_p;  ///< velocity predicted
  std::vector<double> thermal_p;        ///< thermal variable predicted
  std::vector<double> h;                ///< smoothing length [length]; support radius is kernel gamma * h
  std::vector<double> rho;              ///< density [mass length^-3]
  std::vector<double> rho_before;       ///< density when the particle's step began; not positive: it was cut short
  std::vector<double> omega_P;          ///< f P / rho^2
  std::vector<float> f;                 ///< 1 / (1 + h/(d rho) drho/dh)
  std::vector<float> cs;                ///< sound speed [length time^-1]
  std::vector<float> balsara;           ///< viscosity limiter, 0 .. 1
  std::vector<float> div_v;             ///< velocity divergence [time^-1]
  std::vector<float> div_v_before;      ///< the same at the end of the step before [time^-1]
  std::vector<float> alpha_v;           ///< viscosity coefficient (sphenix)
  std::vector<float> alpha_v_before;    ///< the same at the end of the step before
  std::vector<float> alpha_d;           ///< conduction coefficient (sphenix)
  std::vector<float> alpha_d_before;    ///< the same at the end of the step before
  std::vector<float> ax, ay, az;        ///< acceleration [length time^-2]
  std::vector<double> dthermal_dt;      ///< rate of change of the thermal variable
  std::vector<float> v_sig;             ///< largest signal velocity among the neighbours [length time^-1]
  std::vector<float> dt;                ///< longest stable step [time]; may be infinite
  std::vector<std::uint8_t> bin;        ///< of the particle's time step; see TimeLine
  // With steps of their own, else empty: the state from which the particle drifts, when its step began. Of a step that
  // was cut short: the state from which it would have come to where it was then; its density is -rho_before.
  std::vector<double> x_before, y_before, z_before;  ///< [length]
  std::vector<double> h_before;                      ///< [length]
  std::vector<double> omega_P_before;
  std::vector<float> cs_before;  ///< [length time^-1]
  // With gravity of their own, else empty: as of when the particle last ended a step.
  std::vector<float> gx, gy, gz;   ///< its part of the acceleration [length time^-2]
  std::vector<float> phi;          ///< potential, < 0 [length^2 time^-2]
  std::vector<std::uint8_t> type;  ///< GADGET's, 0 for gas; empty: all are gas
  // In an expanding box, else empty: where the energies that it takes come from.
  std::vector<double> phi_da;  ///< integral of phi da since the begin [length^2 time^-2]
  std::vector<double> phi_at;  ///< a up to which it goes: when phi was computed last
  [[nodiscard]] std::size_t size() const noexcept { return x.size(); }
  [[nodiscard]] bool is_gas(std::size_t i) const noexcept { return type.empty() || type[i] == 0; }
  /// Of so many particles from `begin` on, a cell: how many are gas, which come first.
  [[nodiscard]] std::size_t gas_in(std::size_t begin, std::size_t count) const noexcept {
    if (type.empty()) return count;
    const auto first = type.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto end = first + static_cast<std::ptrdiff_t>(count);
    return static_cast<std::size_t>(std::partition_point(first, end, [](std::uint8_t t) { return t == 0; }) - first);
  }
};

}  // namespace tacit::sph
