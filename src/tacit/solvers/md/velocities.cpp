// Draws velocities from counters: the same for the same atom, however atoms are ordered or divided.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/velocities.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "tacit/base/exact_sum.hpp"
#include "tacit/base/random.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/exchange/reductions.hpp"

namespace tacit::md {
namespace {

/// A normal deviate of Box and Muller. @param draw  a pair of numbers is drawn for each
double normal(std::uint64_t seed, std::uint64_t id, std::uint64_t draw) {
  const double u = 1.0 - base::uniform(seed, id, 2 * draw);  // in (0, 1]
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * base::uniform(seed, id, 2 * draw + 1));
}

}  // namespace

void set_velocities(Configuration& atoms, std::span<const double> masses, const Thermal& thermal,
                    comm::Communicator* ranks) {
  const std::size_t n = atoms.size();
  std::array<std::uint64_t, 1> all{n};
  if (ranks != nullptr) exchange::add_over(*ranks, all);
  atoms.v.assign(n, {});
  if (all[0] < 2 || thermal.thermal_energy == 0.0) return;
  const auto add_over_ranks = [&](std::span<base::ExactSum> sums) {
    if (ranks != nullptr) exchange::RankReductions(*ranks).add(sums);
  };
  std::array<base::ExactSum, 4> momenta_and_mass;
  for (std::size_t i = 0; i < n; ++i) {
    const double m = masses[atoms.type[i]];
    momenta_and_mass[3].add(m);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      atoms.v[i][axis] = normal(thermal.seed, atoms.id[i], axis) / std::sqrt(m);
      momenta_and_mass[axis].add(m * atoms.v[i][axis]);
    }
  }
  add_over_ranks(momenta_and_mass);
  const auto& [x, y, z, mass] = momenta_and_mass;
  const base::Vec3 mean = (1.0 / mass.value()) * base::Vec3{x.value(), y.value(), z.value()};
  std::array<base::ExactSum, 1> squares;
  for (std::size_t i = 0; i < n; ++i) {
    atoms.v[i] = atoms.v[i] - mean;
    squares[0].add(masses[atoms.type[i]] * base::dot(atoms.v[i], atoms.v[i]));
  }
  add_over_ranks(squares);
  const double scale = std::sqrt(degrees_of_freedom(all[0]) * thermal.thermal_energy / squares[0].value());
  for (base::Vec3& v : atoms.v) v = scale * v;
}

}  // namespace tacit::md
