// Particles on cubic and body-centred cubic lattices.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/setups/lattice.hpp"

namespace tacit::sph {
namespace {

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

}  // namespace tacit::sph
