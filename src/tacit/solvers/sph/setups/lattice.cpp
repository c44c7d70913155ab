// Particles on lattices.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/setups/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
  const auto half = static_cast<std::int64_t>(std::ceil(radius / side));
  const auto cells = [&](int axis) {
    return axis < dimension ? std::pair(-half, half) : std::pair<std::int64_t, std::int64_t>(0, 1);
  };
  const auto place = [&](int axis, std::int64_t i, double within) {
    return axis < dimension ? side * (static_cast<double>(i) + within) : 0.0;
  };
  std::vector<base::Vec3> found;
  for (std::int64_t i = -2 * half; i < 2 * half; ++i) {  // half cells along x: both sublattices in one order
    const double within = (i & 1) == 0 ? 0.25 : 0.75;
    for (std::int64_t j = cells(1).first; j < cells(1).second; ++j) {
      for (std::int64_t k = cells(2).first; k < cells(2).second; ++k) {
        const base::Vec3 at{place(0, i >> 1, within), place(1, j, within), place(2, k, within)};
        if (norm(at) < radius) found.push_back(at);
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
