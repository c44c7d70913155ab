// Regular arrangements of particles, for the set-ups.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tacit/solvers/sph/gas.hpp"

namespace tacit::sph {

/// What all particles of a lattice have in common.
struct LatticeGas {
  double m = 0.0;  ///< mass of a particle [mass]
  double u = 0.0;  ///< specific internal energy [specific energy]
  double h = 0.0;  ///< first guess of the smoothing length [length]
};

/// Adds one particle at rest; IDs go on from the last.
void add_particle(InitialConditions& gas, const base::Vec3& at, const LatticeGas& common);

/// Adds a cubic (square, even) lattice of `shape` cells of side `a`, one particle in the middle of each; IDs go on from
/// the last. Along axes beyond gas.dimension, where `shape` is 1, all particles lie at 0.
void add_cubic_lattice(InitialConditions& gas, const base::Vec3& corner, const std::array<std::int64_t, 3>& shape,
                       double a, const LatticeGas& common);

/// Adds a body-centred cubic (centred square) lattice: two particles per cell, a quarter of its diagonal from the
/// middle.
void add_bcc_lattice(InitialConditions& gas, const base::Vec3& corner, const std::array<std::int64_t, 3>& shape,
                     double a, const LatticeGas& common);

/// The places of a body-centred cubic (centred square, even) lattice within a ball about 0, cell by cell. The ball's
/// centre is a gap between them, the middle of a face (of a side), so that every place has its mirror images.
///
/// @param side  of a cell, which holds two places [length]
[[nodiscard]] std::vector<base::Vec3> lattice_ball(double radius, double side, int dimension);

/// Layers of a slab: particles `spacing` apart along x, and along z in three dimensions, where every other layer is
/// shifted by half of that: in the plane a hexagonal lattice where layers are sqrt(3)/2 of the spacing apart, in space
/// a body-centred one at 1/2 and a face-centred one at 1/sqrt(2).
struct Layers {
  std::int64_t along_x = 0;
  std::int64_t along_z = 1;    ///< 1 in two dimensions
  double spacing = 0.0;        ///< [length]
  std::vector<double> y = {};  ///< of each layer, increasing [length]; an even number in a periodic box
  [[nodiscard]] std::uint64_t size() const noexcept {
    return static_cast<std::uint64_t>(along_x) * static_cast<std::uint64_t>(along_z) * y.size();
  }
};

/// How many particles a slab of `n` along x has along z: a quarter, but no fewer than kernels need to fit into it.
[[nodiscard]] std::int64_t slab_depth(std::int64_t n, int dimension);

/// The places of layers, layer by layer.
[[nodiscard]] std::vector<base::Vec3> places(const Layers& layers);

}  // namespace tacit::sph
