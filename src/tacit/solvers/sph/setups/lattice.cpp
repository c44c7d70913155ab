// Particles on lattices.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/setups/lattice.hpp"

#include <algorithm>

namespace tacit::sph {

void reserve(InitialConditions& gas, std::uint64_t particles) {
  gas.id.reserve(particles);
  for (auto* values : {&gas.x, &gas.y, &gas.z, &gas.vx, &gas.vy, &gas.vz, &gas.m, &gas.u, &gas.h}) {
    values->reserve(particles);
  }
}

void add_particle(InitialConditions& gas, std::uint64_t row, const base::Vec3& at, const LatticeGas& common) {
  gas.id.push_back(row + 1);
  gas.x.push_back(at.x);
  gas.y.push_back(at.y);
  gas.z.push_back(at.z);
  for (auto* v : {&gas.vx, &gas.vy, &gas.vz}) v->push_back(0.0);
  gas.m.push_back(common.m);
  gas.u.push_back(common.u);
  gas.h.push_back(common.h);
}

std::uint64_t CubicLattice::size() const noexcept {
  return static_cast<std::uint64_t>(shape[0]) * static_cast<std::uint64_t>(shape[1]) *
         static_cast<std::uint64_t>(shape[2]);
}

base::Vec3 CubicLattice::at(std::uint64_t number) const noexcept {
  base::Vec3 place;
  for (std::size_t axis = 3; axis-- > 0;) {
    const auto cells = static_cast<std::uint64_t>(shape[axis]);
    if (axis < static_cast<std::size_t>(dimension)) {
      place[axis] = corner[axis] + a * (static_cast<double>(number % cells) + offset);
    }
    number /= cells;
  }
  return place;
}

std::array<CubicLattice, 2> bcc_lattice(const CubicLattice& cells) {
  std::array<CubicLattice, 2> halves{cells, cells};
  halves[0].offset = 0.25;
  halves[1].offset = 0.75;
  return halves;
}

std::uint64_t add_lattice(InitialConditions& gas, const Rows& rows, std::uint64_t begin, const CubicLattice& lattice,
                          const LatticeGas& common) {
  const Rows held = rows.among(begin, lattice.size());
  for (std::uint64_t row = held.first; row < held.end; ++row) add_particle(gas, row, lattice.at(row - begin), common);
  return begin + lattice.size();
}

std::uint64_t count_in_ball(double radius, double side, int dimension) {
  std::uint64_t count = 0;
  for_each_in_ball(radius, side, dimension, [&count](const base::Vec3& /*at*/) { ++count; });
  return count;
}

std::int64_t slab_depth(std::int64_t n, int dimension) { return dimension == 3 ? std::max<std::int64_t>(n / 4, 8) : 1; }

base::Vec3 Layers::at(std::uint64_t number) const noexcept {
  const auto in_row = static_cast<std::uint64_t>(along_z);
  const auto in_layer = in_row * static_cast<std::uint64_t>(along_x);
  const std::uint64_t layer = number / in_layer;
  const double shift = layer % 2 == 0 ? 0.25 : 0.75;
  const double z = along_z > 1 ? spacing * (static_cast<double>(number % in_row) + shift) : 0.0;
  return {spacing * (static_cast<double>(number % in_layer / in_row) + shift), y[layer], z};
}

}  // namespace tacit::sph
