// Regular arrangements of particles, for the set-ups.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
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

/// Makes room for so many particles.
void reserve(InitialConditions& gas, std::uint64_t particles);

/// Adds one particle at rest. @param row  among all; its ID is the next number
void add_particle(InitialConditions& gas, std::uint64_t row, const base::Vec3& at, const LatticeGas& common);

/// A cubic (square, even) lattice: one place in each cell.
struct CubicLattice {
  base::Vec3 corner;                           ///< of its first cell [length]
  std::array<std::int64_t, 3> shape{1, 1, 1};  ///< cells; 1 along axes beyond `dimension`, where all places are 0
  double a = 0.0;                              ///< side of a cell [length]
  double offset = 0.5;                         ///< of a place from its cell's lower corner [cells]
  int dimension = 3;

  [[nodiscard]] std::uint64_t size() const noexcept;
  /// The places, the last axis first. @param number  below size()
  [[nodiscard]] base::Vec3 at(std::uint64_t number) const noexcept;
};

/// Both halves of a body-centred cubic (centred square) lattice, with two places per cell, a quarter of its diagonal
/// from the middle.
[[nodiscard]] std::array<CubicLattice, 2> bcc_lattice(const CubicLattice& cells);

/// Adds what `rows` hold of a lattice whose first particle is `begin` of all. @return the row after its last
std::uint64_t add_lattice(InitialConditions& gas, const Rows& rows, std::uint64_t begin, const CubicLattice& lattice,
                          const LatticeGas& common);

/// Calls f(place) for the places of a body-centred cubic (centred square, even) lattice within a ball about 0, cell by
/// cell. The ball's centre is a gap between them, the middle of a face (of a side), so that every place has its mirror
/// images.
///
/// @param side  of a cell, which holds two places [length]
template <class F>
void for_each_in_ball(double radius, double side, int dimension, const F& f) {
  // Both places of a cell as seen from the ball's centre [cells].
  using Pair = std::array<base::Vec3, 2>;
  constexpr std::array<Pair, 3> offsets{
      Pair{{{0.25, 0.0, 0.0}, {0.75, 0.0, 0.0}}},
      Pair{{{0.5, 0.0, 0.0}, {0.0, 0.5, 0.0}}},
      Pair{{{0.5, 0.5, 0.0}, {0.0, 0.0, 0.5}}},
  };
  const auto half = static_cast<std::int64_t>(std::ceil(radius / side)) + 1;
  const std::int64_t half_y = dimension > 1 ? half : 0;
  const std::int64_t half_z = dimension > 2 ? half : 0;
  for (std::int64_t i = -half; i <= half; ++i) {
    for (std::int64_t j = -half_y; j <= half_y; ++j) {
      for (std::int64_t k = -half_z; k <= half_z; ++k) {
        const base::Vec3 cell{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
        for (const base::Vec3& offset : offsets[static_cast<std::size_t>(dimension - 1)]) {
          const base::Vec3 at = side * (cell + offset);
          if (norm(at) < radius) f(at);
        }
      }
    }
  }
}
[[nodiscard]] std::uint64_t count_in_ball(double radius, double side, int dimension);

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
  /// The places, layer by layer. @param number  below size()
  [[nodiscard]] base::Vec3 at(std::uint64_t number) const noexcept;
};

/// How many particles a slab of `n` along x has along z: a quarter, but no fewer than kernels need to fit into it.
[[nodiscard]] std::int64_t slab_depth(std::int64_t n, int dimension);

}  // namespace tacit::sph
