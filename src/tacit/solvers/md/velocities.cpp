// Draws velocities from counters: the same for the same atom, however atoms are ordered or divided.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/velocities.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "tacit/base/exact_sum.hpp"
#include "tacit/base/random.hpp"

namespace tacit::md {
namespace {

/// A normal deviate of Box and Muller. @param draw  a pair of numbers is drawn for each
double normal(std::uint64_t seed, std::uint64_t id, std::uint64_t draw) {
  const double u = 1.0 - base::uniform(seed, id, 2 * draw);  // in (0, 1]
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * base::uniform(seed, id, 2 * draw + 1));
}

}  // namespace

void set_velocities(Configuration& atoms, std::span<const double> masses, const Thermal& thermal) {
  const std::size_t n = atoms.size();
  atoms.v.assign(n, {});
  if (n < 2 || thermal.thermal_energy == 0.0) return;
  std::array<base::ExactSum, 3> momentum;
  base::ExactSum mass;
  for (std::size_t i = 0; i < n; ++i) {
    const double m = masses[atoms.type[i]];
    mass.add(m);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      atoms.v[i][axis] = normal(thermal.seed, atoms.id[i], axis) / std::sqrt(m);
      momentum[axis].add(m * atoms.v[i][axis]);
    }
  }
  base::ExactSum squares;
  const base::Vec3 mean =
      (1.0 / mass.value()) * base::Vec3{momentum[0].value(), momentum[1].value(), momentum[2].value()};
  for (std::size_t i = 0; i < n; ++i) {
    atoms.v[i] = atoms.v[i] - mean;
    squares.add(masses[atoms.type[i]] * base::dot(atoms.v[i], atoms.v[i]));
  }
  const double scale = std::sqrt(degrees_of_freedom(n) * thermal.thermal_energy / squares.value());
  for (base::Vec3& v : atoms.v) v = scale * v;
}

}  // namespace tacit::md
