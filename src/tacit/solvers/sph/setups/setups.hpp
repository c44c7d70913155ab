// Built-in initial conditions: their parameters and the function that makes the particles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>

#include "tacit/solvers/sph/gas.hpp"

namespace tacit::sph {

/// A point explosion: energy put into a cubic-spline blob at the centre of a uniform cold gas on a jittered lattice.
struct Sedov {
  std::int64_t resolution = 32;  ///< particles along each side
  double box = 1.0;              ///< [length]
  double rho = 1.0;              ///< [density]
  double P = 1e-6;               ///< outside the blob [pressure]
  double energy = 1.0;           ///< [energy]
  double jitter = 0.1;           ///< peak to peak [lattice spacing]
  double gamma = 5.0 / 3.0;
  double eta = 1.2348;
  int dimension = 3;  ///< 1, 2: plane and cylindrical explosions, with energy per area and length
};

/// Sod's shock tube, periodic: box 2 x 0.5 x 0.5, left state in x < 1, 1/8 of its density on the right, equal masses; a
/// second, mirrored interface at x = 0. On body-centred cubic lattices; in two dimensions a centred square one beside a
/// square one of twice its side, in one dimension spacings of 1 and 8.
struct Sod {
  std::int64_t resolution = 40;  ///< cells per unit length on the left, a multiple of 4; in one dimension of 8
  double length = 1.0;           ///< scales the box [length]
  double rho_left = 1.0;         ///< [density]
  double P_left = 1.0;           ///< [pressure]
  double P_right = 0.1;          ///< [pressure]
  double gamma = 5.0 / 3.0;
  double eta = 1.2348;
  int dimension = 3;
};

using Setup = std::variant<Sedov, Sod>;

/// The particles of a set-up; the same on every call and machine.
/// @see Sedov (1959), "Similarity and Dimensional Methods in Mechanics"; Sod (1978), J. Comp. Phys. 27, 1
[[nodiscard]] InitialConditions make(const Sedov& sedov);
[[nodiscard]] InitialConditions make(const Sod& sod);
[[nodiscard]] InitialConditions make(const Setup& setup);

/// How many particles `make` returns.
[[nodiscard]] std::uint64_t particle_count(const Sedov& sedov);
[[nodiscard]] std::uint64_t particle_count(const Sod& sod);
[[nodiscard]] std::uint64_t particle_count(const Setup& setup);

}  // namespace tacit::sph
