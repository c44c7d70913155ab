// Measures states by exact sums.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/statistics.hpp"

#include <cmath>
#include <cstdint>

#include "tacit/solvers/md/velocities.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::md {
namespace {

// Places of the sums.
constexpr std::size_t potential_sum = 0;
constexpr std::size_t virial_sum = 1;     // 6 components
constexpr std::size_t kinetic_sum = 7;    // 6 components of m v v
constexpr std::size_t momentum_sum = 13;  // 3 components
constexpr std::size_t speed_sum = 16;     // |m v|
constexpr std::size_t free_sum = 17;      // m v v of atoms that nothing holds
constexpr std::size_t external_sum = 18;
constexpr std::size_t held_sum = 19;  // 3 components of each group

/// Components of a symmetric tensor in the order xx yy zz xy xz yz.
constexpr std::array<std::array<std::size_t, 2>, 6> tensor_axes{{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};

}  // namespace

Statistics::Statistics(const MdParameters& parameters, const Interaction& interaction,
                       const engine::Resources& resources, std::uint64_t free_atoms)
    : keeps_momentum_(!parameters.groups.act() &&
                      (!parameters.thermostat ||
                       (parameters.thermostat->method != ThermostatMethod::langevin && parameters.groups.heated == 0))),
      masses_(parameters.masses),
      groups_(parameters.groups),
      free_atoms_(free_atoms),
      units_(parameters.units),
      interaction_(interaction),
      scheduler_(resources.scheduler),
      reductions_(resources.ranks) {}

std::vector<base::ExactSum> Statistics::sums_of(const Atoms& atoms, const PerAtom& of_atoms, const Box& box) const {
  const std::size_t sums_count = held_sum + 3 * groups_.held.size();
  const std::uint32_t held = groups_.held_mask();
  const auto of_some = [&](std::size_t first, std::size_t end) {
    std::vector<base::BufferedSum> sums(sums_count);
    for (std::size_t i = first; i < end; ++i) {
      const double m = masses_[atoms.type[i]];
      const base::Vec3 v = atoms.velocity(i);
      sums[potential_sum].add(of_atoms.energy[i]);
      for (std::size_t k = 0; k < 6; ++k) {
        const auto [a, b] = tensor_axes[k];
        sums[virial_sum + k].add(of_atoms.virial[k][i]);
        sums[kinetic_sum + k].add(m * v[a] * v[b]);
      }
      for (std::size_t axis = 0; axis < 3; ++axis) sums[momentum_sum + axis].add(m * v[axis]);
      sums[speed_sum].add(m * base::norm(v));
      if (!groups_.act()) continue;
      if (is_free(atoms, i, held)) sums[free_sum].add(m * base::dot(v, v));
      add_group_sums(atoms, i, box, sums);
    }
    std::vector<base::ExactSum> result;
    for (base::BufferedSum& sum : sums) result.push_back(sum.sum());
    return result;
  };
  const auto together = [sums_count](std::vector<base::ExactSum> all, const std::vector<base::ExactSum>& more) {
    for (std::size_t k = 0; k < sums_count; ++k) all[k].merge(more[k]);
    return all;
  };
  constexpr std::size_t chunk = 4096;
  return tasks::parallel_reduce(scheduler_, 0, atoms.count(), chunk, std::vector<base::ExactSum>(sums_count), of_some,
                                together);
}

/// Held atoms do not feel pulls.
void Statistics::add_group_sums(const Atoms& atoms, std::size_t i, const Box& box,
                                std::vector<base::BufferedSum>& sums) const {
  const auto is_in = [&](std::uint32_t group) { return (atoms.group[i] >> group & 1U) != 0; };
  for (std::size_t k = 0; k < groups_.held.size(); ++k) {
    if (!is_in(groups_.held[k].group)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) sums[held_sum + 3 * k + axis].add(atoms.f[axis][i]);
  }
  if (!is_free(atoms, i, groups_.held_mask())) return;
  const base::Vec3 x = atoms.position(i) + box.shift(atoms.image[i]);
  for (const Groups::Pulled& one : groups_.pulled) {
    if (is_in(one.group)) sums[external_sum].add(-base::dot(one.force, x));
  }
}

Measured Statistics::measure(const Atoms& atoms, const PerAtom& of_atoms, const Box& box) {
  exchange::Reduction& of_all = reductions_.of({.sums = held_sum + 3 * groups_.held.size(), .counts = masses_.size()});
  const auto sums = of_all.sums();
  const auto counts = of_all.counts();
  std::ranges::copy(sums_of(atoms, of_atoms, box), sums.begin());
  std::ranges::fill(counts, 0);
  for (const std::uint32_t type : atoms.type) ++counts[type];
  of_all.run();
  const Tail tail = interaction_.tail(counts, box.volume());
  std::uint64_t count = 0;
  double mass = 0.0;
  for (std::size_t type = 0; type < masses_.size(); ++type) {
    count += counts[type];
    mass += masses_[type] * static_cast<double>(counts[type]);
  }
  Measured result;
  for (std::size_t k = 0; k < 6; ++k) {
    result.stress[k] = (sums[kinetic_sum + k].value() + sums[virial_sum + k].value()) / box.volume();
    if (k < 3) result.stress[k] += tail.pressure;
    result.stress[k] *= units_.pressure;
    if (k < 3) result.virial[k] = sums[virial_sum + k].value() + tail.pressure * box.volume();
  }
  result.pressure = (result.stress[0] + result.stress[1] + result.stress[2]) / 3.0;
  const double squares = sums[kinetic_sum].value() + sums[kinetic_sum + 1].value() + sums[kinetic_sum + 2].value();
  const double degrees = keeps_momentum_ ? degrees_of_freedom(count) : 3.0 * static_cast<double>(free_atoms_);
  result.temperature = (groups_.act() ? sums[free_sum].value() : squares) / (degrees * units_.boltzmann);
  result.external_energy = sums[external_sum].value();
  for (std::size_t k = 0; k < groups_.held.size(); ++k) {
    const std::size_t at = held_sum + 3 * k;
    result.forces_on_held.push_back({sums[at].value(), sums[at + 1].value(), sums[at + 2].value()});
  }
  engine::MechanicalSums& of_state = result.sums;
  of_state.mass = mass;
  for (std::size_t axis = 0; axis < 3; ++axis) of_state.momentum[axis] = sums[momentum_sum + axis].value();
  of_state.momentum_scale = sums[speed_sum].value();
  of_state.kinetic_energy = 0.5 * squares;
  of_state.potential_energy = sums[potential_sum].value() + tail.energy;
  return result;
}

}  // namespace tacit::md
