// Applies thermostats to the velocities of atoms.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/ensembles/thermostat.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "tacit/base/random.hpp"
#include "tacit/solvers/md/velocities.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::md {
namespace {

constexpr std::size_t atoms_of_chunk = 4096;

/// Three normal deviates of an atom in a step, by Box and Muller.
/// @param seed  not that of initial velocities, which are drawn from the same counters
base::Vec3 normal_vector(std::uint64_t seed, std::uint64_t id, std::uint64_t step) {
  const auto pair = [&](std::uint64_t which) {
    const double u = 1.0 - base::uniform(seed, id, 4 * step + 2 * which);  // in (0, 1]
    const double angle = 2.0 * std::numbers::pi * base::uniform(seed, id, 4 * step + 2 * which + 1);
    const double radius = std::sqrt(-2.0 * std::log(u));
    return std::array{radius * std::cos(angle), radius * std::sin(angle)};
  };
  const auto [x, y] = pair(0);
  return {x, y, pair(1)[0]};
}

/// Adds value(i) of all own atoms.
template <class Value>
base::ExactSum sum_over(tasks::Scheduler& workers, std::size_t count, const Value& value) {
  const auto of_some = [&](std::size_t first, std::size_t end) {
    base::BufferedSum sum;
    for (std::size_t i = first; i < end; ++i) sum.add(value(i));
    return sum.sum();
  };
  const auto together = [](base::ExactSum all, const base::ExactSum& more) {
    all.merge(more);
    return all;
  };
  return tasks::parallel_reduce(workers, 0, count, atoms_of_chunk, base::ExactSum(), of_some, together);
}

}  // namespace

Thermostat::Thermostat(ThermostatParameters parameters, double begin, std::span<const double> masses,
                       std::uint64_t atoms, bool keeps_momentum, const engine::Resources& resources,
                       std::span<const double> state)
    : parameters_(std::move(parameters)),
      masses_(masses.begin(), masses.end()),
      degrees_of_freedom_(parameters_.method == ThermostatMethod::langevin || !keeps_momentum
                              ? 3.0 * static_cast<double>(atoms)
                              : md::degrees_of_freedom(atoms)),
      scheduler_(resources.scheduler),
      reductions_(resources.ranks),
      thermal_energy_(parameters_.thermal_energy.at(begin)),
      chain_v_(parameters_.method == ThermostatMethod::nose_hoover ? parameters_.chain : 0, 0.0) {
  if (state.empty()) return;
  if (state.size() != 3 + chain_v_.size() ||
      !std::ranges::all_of(state, [](double value) { return std::isfinite(value); })) {
    throw base::FormatError("the checkpoint", "has no state of this thermostat; the file is damaged");
  }
  step_ = static_cast<std::uint64_t>(state[0]);
  taken_ = state[1];
  thermal_energy_ = state[2];
  std::ranges::copy(state.subspan(3), chain_v_.begin());
}

std::vector<double> Thermostat::state() const {
  std::vector<double> result{static_cast<double>(step_), taken_, thermal_energy_};
  result.insert(result.end(), chain_v_.begin(), chain_v_.end());
  return result;
}

double Thermostat::energy() const {
  double result = taken_;
  for (std::size_t k = 0; k < chain_v_.size(); ++k) result += 0.5 * chain_mass(k) * chain_v_[k] * chain_v_[k];
  return result;
}

void Thermostat::begin_step(Atoms& atoms, const tasks::StepContext& step) {
  if (parameters_.method != ThermostatMethod::nose_hoover) return;
  want(parameters_.thermal_energy.at(step.time));
  turn_chain(atoms, 0.5 * step.dt);
}

void Thermostat::end_step(Atoms& atoms, const tasks::StepContext& step) {
  want(parameters_.thermal_energy.at(step.time + step.dt));
  switch (parameters_.method) {
    case ThermostatMethod::langevin:
      randomize(atoms, step.dt);
      break;
    case ThermostatMethod::nose_hoover:
      turn_chain(atoms, 0.5 * step.dt);
      break;
    case ThermostatMethod::berendsen:
    case ThermostatMethod::rescale: {
      const double twice_kinetic = twice_kinetic_energy(atoms);
      const double ratio = degrees_of_freedom_ * thermal_energy_ / twice_kinetic;
      const bool at_once = parameters_.method == ThermostatMethod::rescale;
      const double square = at_once ? ratio : 1.0 + step.dt / parameters_.relaxation_time * (ratio - 1.0);
      scale(atoms, std::sqrt(square));
      taken_ -= 0.5 * twice_kinetic * (square - 1.0);
      break;
    }
  }
  ++step_;
}

double Thermostat::twice_kinetic_energy(const Atoms& atoms) {
  std::array sums{sum_over(scheduler_, atoms.count(), [&](std::size_t i) {
    if (!acts_on(atoms, i)) return 0.0;
    const base::Vec3 v = atoms.velocity(i);
    return masses_[atoms.type[i]] * base::dot(v, v);
  })};
  reductions_.add(sums);
  return sums[0].value();
}

void Thermostat::scale(Atoms& atoms, double factor) {
  tasks::parallel_for(scheduler_, 0, atoms.count(), [&](std::size_t i) {
    if (!acts_on(atoms, i)) return;
    for (auto& component : atoms.v) component[i] *= factor;
  });
}

void Thermostat::randomize(Atoms& atoms, double dt) {
  const double kept = std::exp(-dt / parameters_.relaxation_time);
  const double given = -std::expm1(-2.0 * dt / parameters_.relaxation_time) * thermal_energy_;
  std::vector<double> widths;
  for (const double mass : masses_) widths.push_back(std::sqrt(given / mass));
  const std::uint64_t seed = base::mix64(parameters_.seed ^ 0x4c616e676576696eULL);
  std::array heat{sum_over(scheduler_, atoms.count(), [&](std::size_t i) {
    if (!acts_on(atoms, i)) return 0.0;
    const base::Vec3 before = atoms.velocity(i);
    const base::Vec3 v = kept * before + widths[atoms.type[i]] * normal_vector(seed, atoms.id[i], step_);
    for (std::size_t axis = 0; axis < 3; ++axis) atoms.v[axis][i] = v[axis];
    return 0.5 * masses_[atoms.type[i]] * (base::dot(v, v) - base::dot(before, before));
  })};
  reductions_.add(heat);
  taken_ -= heat[0].value();
}

/// The masses for which all members swing with the period that the relaxation time says.
double Thermostat::chain_mass(std::size_t member) const {
  const double tau2 = parameters_.relaxation_time * parameters_.relaxation_time;
  return (member == 0 ? degrees_of_freedom_ : 1.0) * thermal_energy_ * tau2;
}

/// Gives the chain the masses of another temperature. What that changes in its energy comes from outside.
void Thermostat::want(double thermal_energy) {
  if (thermal_energy == thermal_energy_) return;
  const double before = energy();
  thermal_energy_ = thermal_energy;
  taken_ += before - energy();
}

double Thermostat::chain_force(std::size_t member, double twice_kinetic) const {
  const double drive = member == 0
                           ? twice_kinetic - degrees_of_freedom_ * thermal_energy_
                           : chain_mass(member - 1) * chain_v_[member - 1] * chain_v_[member - 1] - thermal_energy_;
  return drive / chain_mass(member);
}

/// From the end of the chain to the atoms, and back. @param dt  half of a step
void Thermostat::turn_chain(Atoms& atoms, double dt) {
  double twice_kinetic = twice_kinetic_energy(atoms);
  const auto turn = [&](std::size_t k) {
    const double damping = k + 1 < chain_v_.size() ? std::exp(-0.25 * dt * chain_v_[k + 1]) : 1.0;
    chain_v_[k] = (chain_v_[k] * damping + 0.5 * dt * chain_force(k, twice_kinetic)) * damping;
  };
  for (std::size_t k = chain_v_.size(); k-- > 0;) turn(k);
  const double factor = std::exp(-dt * chain_v_[0]);
  twice_kinetic *= factor * factor;
  for (std::size_t k = 0; k < chain_v_.size(); ++k) {
    taken_ += (k == 0 ? degrees_of_freedom_ : 1.0) * thermal_energy_ * chain_v_[k] * dt;
  }
  for (std::size_t k = 0; k < chain_v_.size(); ++k) turn(k);
  scale(atoms, factor);
}

}  // namespace tacit::md
