// Particles on lattices.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/setups/lattice.hpp"

#include <algorithm>
#include <cmath>

namespace tacit::sph {

void add_particle(InitialConditions& gas, const base::Vec3& at, const LatticeGas& common) {
  gas.id.push_back(gas.id.empty() ? 1 : gas.id.back() + 1);
  gas.x.push_back(at.x);
  gas.y.push_back(at.y);
  gas.z.push_back(at.z);
  for (auto* v : {&gas.vx, &gas.vy, &gas.vz}) v->push_back(0.0);
  gas.m.push_back(common.m);
  gas.u.push_back(common.u);
  gas.h.push_back(common.h);
}

namespace {

/// Adds one particle per cell at `offset` (in cells) from its lower corner.
void add_sublattice(InitialConditions& gas, const base::Vec3& corner, const std::array<std::int64_t, 3>& shape,
                    double a, double offset, const LatticeGas& common) {
  const auto place = [&](std::size_t axis, std::int64_t i) {
    if (axis >= static_cast<std::size_t>(gas.dimension)) return 0.0;
    return corner[axis] + a * (static_cast<double>(i) + offset);
  };
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    for (std::int64_t j = 0; j < shape[1]; ++j) {
      for (std::int64_t k = 0; k < shape[2]; ++k) {
        add_particle(gas, {place(0, i), place(1, j), place(2, k)}, common);
      }
    }
  }
}

}  // namespace

void add_cubic_lattice(InitialConditions& gas, const base::Vec3& corner, const std::array<std::int64_t, 3>& shape,
                       double a, const LatticeGas& common) {
  add_sublattice(gas, corner, shape, a, 0.5, common);
}

void add_bcc_lattice(InitialConditions& gas, const base::Vec3& corner, const std::array<std::int64_t, 3>& shape,
                     double a, const LatticeGas& common) {
  add_sublattice(gas, corner, shape, a, 0.25, common);
  add_sublattice(gas, corner, shape, a, 0.75, common);
}

std::vector<base::Vec3> lattice_ball(double radius, double side, int dimension) {
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
  std::vector<base::Vec3> found;
  for (std::int64_t i = -half; i <= half; ++i) {
    for (std::int64_t j = -half_y; j <= half_y; ++j) {
      for (std::int64_t k = -half_z; k <= half_z; ++k) {
        const base::Vec3 cell{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
        for (const base::Vec3& offset : offsets[static_cast<std::size_t>(dimension - 1)]) {
          const base::Vec3 at = side * (cell + offset);
          if (norm(at) < radius) found.push_back(at);
        }
      }
    }
  }
  return found;
}

std::int64_t slab_depth(std::int64_t n, int dimension) { return dimension == 3 ? std::max<std::int64_t>(n / 4, 8) : 1; }

std::vector<base::Vec3> places(const Layers& layers) {
  std::vector<base::Vec3> found;
  found.reserve(layers.size());
  for (std::size_t layer = 0; layer < layers.y.size(); ++layer) {
    const double shift = layer % 2 == 0 ? 0.25 : 0.75;
    for (std::int64_t i = 0; i < layers.along_x; ++i) {
      for (std::int64_t k = 0; k < layers.along_z; ++k) {
        const double z = layers.along_z > 1 ? layers.spacing * (static_cast<double>(k) + shift) : 0.0;
        found.push_back({layers.spacing * (static_cast<double>(i) + shift), layers.y[layer], z});
      }
    }
  }
  return found;
}

}  // namespace tacit::sph
