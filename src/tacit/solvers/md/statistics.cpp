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
constexpr std::size_t sums_count = 17;

/// Components of a symmetric tensor in the order xx yy zz xy xz yz.
constexpr std::array<std::array<std::size_t, 2>, 6> tensor_axes{{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};

}  // namespace

Statistics::Statistics(const MdParameters& parameters, const Interaction& interaction,
                       const engine::Resources& resources)
    : box_(parameters.initial.atoms.box),
      keeps_momentum_(!parameters.thermostat || parameters.thermostat->method != ThermostatMethod::langevin),
      masses_(parameters.masses),
      units_(parameters.units),
      interaction_(interaction),
      scheduler_(resources.scheduler),
      reductions_(resources.ranks) {}

std::vector<base::ExactSum> Statistics::sums_of(const Atoms& atoms, const PerAtom& of_atoms) const {
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
    }
    std::vector<base::ExactSum> result;
    for (base::BufferedSum& sum : sums) result.push_back(sum.sum());
    return result;
  };
  const auto together = [](std::vector<base::ExactSum> all, const std::vector<base::ExactSum>& more) {
    for (std::size_t k = 0; k < sums_count; ++k) all[k].merge(more[k]);
    return all;
  };
  constexpr std::size_t chunk = 4096;
  return tasks::parallel_reduce(scheduler_, 0, atoms.count(), chunk, std::vector<base::ExactSum>(sums_count), of_some,
                                together);
}

Measured Statistics::measure(const Atoms& atoms, const PerAtom& of_atoms) {
  exchange::Reduction& of_all = reductions_.of({.sums = sums_count, .counts = masses_.size()});
  const auto sums = of_all.sums();
  const auto counts = of_all.counts();
  std::ranges::copy(sums_of(atoms, of_atoms), sums.begin());
  std::ranges::fill(counts, 0);
  for (const std::uint32_t type : atoms.type) ++counts[type];
  of_all.run();
  const Tail tail = interaction_.tail(counts, box_.volume());
  std::uint64_t count = 0;
  double mass = 0.0;
  for (std::size_t type = 0; type < masses_.size(); ++type) {
    count += counts[type];
    mass += masses_[type] * static_cast<double>(counts[type]);
  }
  Measured result;
  for (std::size_t k = 0; k < 6; ++k) {
    result.stress[k] = (sums[kinetic_sum + k].value() + sums[virial_sum + k].value()) / box_.volume();
    if (k < 3) result.stress[k] += tail.pressure;
    result.stress[k] *= units_.pressure;
  }
  result.pressure = (result.stress[0] + result.stress[1] + result.stress[2]) / 3.0;
  const double squares = sums[kinetic_sum].value() + sums[kinetic_sum + 1].value() + sums[kinetic_sum + 2].value();
  const double degrees = keeps_momentum_ ? degrees_of_freedom(count) : 3.0 * static_cast<double>(count);
  result.temperature = squares / (degrees * units_.boltzmann);
  engine::MechanicalSums& of_state = result.sums;
  of_state.mass = mass;
  for (std::size_t axis = 0; axis < 3; ++axis) of_state.momentum[axis] = sums[momentum_sum + axis].value();
  of_state.momentum_scale = sums[speed_sum].value();
  of_state.kinetic_energy = 0.5 * squares;
  of_state.potential_energy = sums[potential_sum].value() + tail.energy;
  return result;
}

}  // namespace tacit::md
