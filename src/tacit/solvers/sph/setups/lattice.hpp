// Regular arrangements of particles, for the set-ups.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tacit/solvers/sph/gas.hpp"

namespace tacit::sph {

/// What all particles of a lattice have in common.
struct LatticeGas {
  double m = 0.0;  ///< mass of a particle [mass]
  double u = 0.0;  ///< specific internal energy [specific energy]
  double h = 0.0;  ///< first guess of the smoothing length [length]
};

/// Adds a cubic (square, even) lattice of `shape` cells of side `a`, one particle in the middle of each; IDs go on from
/// the last. Along axes beyond gas.dimension, where `shape` is 1, all particles lie at 0.
void add_cubic_lattice(InitialConditions& gas, const base::Vec3& corner, const std::array<std::int64_t, 3>& shape,
                       double a, const LatticeGas& common);

/// Adds a body-centred cubic (centred square) lattice: two particles per cell, a quarter of its diagonal from the
/// middle.
void add_bcc_lattice(InitialConditions& gas, const base::Vec3& corner, const std::array<std::int64_t, 3>& shape,
                     double a, const LatticeGas& common);

}  // namespace tacit::sph
