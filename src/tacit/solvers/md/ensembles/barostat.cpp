// Changes the box, and the velocities of atoms with it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/ensembles/barostat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacit/base/error.hpp"
#include "tacit/base/exact_sum.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::md {

base::Vec3 half_stretch(const StrainParameters& strain, double since, double dt) {
  base::Vec3 result;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double before = 1.0 + strain.rates[axis] * since;
    const double after = 1.0 + strain.rates[axis] * (since + dt);
    if (!(after > 0.0)) {
      throw base::Error(
          fmt::format("strain.rates: at the time {:.6g} after the begin nothing is left of the box along {}"
                      "\n  hint: end the run before, or give a smaller rate",
                      since + dt, "xyz"[axis]));
    }
    result[axis] = std::sqrt(after / before);
  }
  return result;
}

Barostat::Barostat(const BarostatParameters& parameters, double begin, std::span<const double> masses,
                   std::uint64_t atoms, double degrees, double thermal_energy, const engine::Resources& resources,
                   std::span<const double> state)
    : parameters_(parameters),
      masses_(masses.begin(), masses.end()),
      degrees_(degrees),
      mass_((static_cast<double>(atoms) + 1.0) * thermal_energy * parameters.relaxation_time *
            parameters.relaxation_time),
      chain_mass_(thermal_energy * parameters.relaxation_time * parameters.relaxation_time),
      scheduler_(resources.scheduler),
      reductions_(resources.ranks),
      pressure_(parameters.pressure.at(begin)),
      chain_v_(parameters.chain, 0.0) {
  if (state.empty()) return;
  if (state.size() != 5 + chain_v_.size() ||
      !std::ranges::all_of(state, [](double value) { return std::isfinite(value); })) {
    throw base::FormatError("the checkpoint", "has no state of this barostat; the file is damaged");
  }
  pressure_ = state[0];
  taken_ = state[1];
  w_ = {state[2], state[3], state[4]};
  std::ranges::copy(state.subspan(5), chain_v_.begin());
}

std::vector<double> Barostat::state() const {
  std::vector<double> result{pressure_, taken_, w_.x, w_.y, w_.z};
  result.insert(result.end(), chain_v_.begin(), chain_v_.end());
  return result;
}

double Barostat::energy(double volume) const {
  double result = taken_ + 0.5 * mass_ * base::dot(w_, w_) + pressure_ * volume;
  for (std::size_t k = 0; k < chain_v_.size(); ++k) result += 0.5 * chain_mass(k) * chain_v_[k] * chain_v_[k];
  return result;
}

void Barostat::begin_step(double thermal_energy, double dt) { turn_chain(thermal_energy, 0.5 * dt); }
void Barostat::end_step(double thermal_energy, double dt) { turn_chain(thermal_energy, 0.5 * dt); }

base::Vec3 Barostat::stretch(Atoms& atoms, const base::Vec3& virial, double volume, const tasks::StepContext& step) {
  want(parameters_.pressure.at(step.time), volume);
  push(twice_kinetic_energies(atoms), virial, volume, 0.5 * step.dt);
  scale(atoms, 0.5 * step.dt);
  base::Vec3 half;
  for (std::size_t axis = 0; axis < 3; ++axis) half[axis] = std::exp(0.5 * step.dt * w_[axis]);
  return half;
}

void Barostat::follow(Atoms& atoms, const base::Vec3& virial, double volume, const tasks::StepContext& step) {
  want(parameters_.pressure.at(step.time + step.dt), volume);
  scale(atoms, 0.5 * step.dt);
  push(twice_kinetic_energies(atoms), virial, volume, 0.5 * step.dt);
}

base::Vec3 Barostat::twice_kinetic_energies(const Atoms& atoms) {
  using Sums = std::array<base::ExactSum, 3>;
  const auto of_some = [&](std::size_t first, std::size_t end) {
    std::array<base::BufferedSum, 3> sums;
    for (std::size_t i = first; i < end; ++i) {
      const double m = masses_[atoms.type[i]];
      for (std::size_t axis = 0; axis < 3; ++axis) sums[axis].add(m * atoms.v[axis][i] * atoms.v[axis][i]);
    }
    return Sums{sums[0].sum(), sums[1].sum(), sums[2].sum()};
  };
  const auto together = [](Sums all, const Sums& more) {
    for (std::size_t axis = 0; axis < 3; ++axis) all[axis].merge(more[axis]);
    return all;
  };
  constexpr std::size_t chunk = 4096;
  Sums sums = tasks::parallel_reduce(scheduler_, 0, atoms.count(), chunk, Sums{}, of_some, together);
  reductions_.add(sums);
  return {sums[0].value(), sums[1].value(), sums[2].value()};
}

void Barostat::push(const base::Vec3& twice_kinetic, const base::Vec3& virial, double volume, double dt) {
  const double outside = pressure_ * volume;
  const double shared = (twice_kinetic.x + twice_kinetic.y + twice_kinetic.z) / degrees_;
  base::Vec3 drive;
  for (std::size_t axis = 0; axis < 3; ++axis) drive[axis] = twice_kinetic[axis] + virial[axis] - outside + shared;
  if (parameters_.is_isotropic) {
    const double mean = (drive.x + drive.y + drive.z) / 3.0;
    drive = {mean, mean, mean};
  }
  w_ = w_ + (dt / mass_) * drive;
}

void Barostat::scale(Atoms& atoms, double dt) const {
  const double shared = (w_.x + w_.y + w_.z) / degrees_;
  base::Vec3 factor;
  for (std::size_t axis = 0; axis < 3; ++axis) factor[axis] = std::exp(-dt * (w_[axis] + shared));
  tasks::parallel_for(scheduler_, 0, atoms.count(), [&](std::size_t i) {
    for (std::size_t axis = 0; axis < 3; ++axis) atoms.v[axis][i] *= factor[axis];
  });
}

/// As that of a thermostat, for the kinetic energy of the box. @param dt  half of a step
void Barostat::turn_chain(double thermal_energy, double dt) {
  double twice_kinetic = mass_ * base::dot(w_, w_);
  const auto turn = [&](std::size_t k) {
    const double damping = k + 1 < chain_v_.size() ? std::exp(-0.25 * dt * chain_v_[k + 1]) : 1.0;
    const double drive = k == 0 ? twice_kinetic - members() * thermal_energy
                                : chain_mass(k - 1) * chain_v_[k - 1] * chain_v_[k - 1] - thermal_energy;
    chain_v_[k] = (chain_v_[k] * damping + 0.5 * dt * drive / chain_mass(k)) * damping;
  };
  for (std::size_t k = chain_v_.size(); k-- > 0;) turn(k);
  const double factor = std::exp(-dt * chain_v_[0]);
  twice_kinetic *= factor * factor;
  for (std::size_t k = 0; k < chain_v_.size(); ++k) {
    taken_ += (k == 0 ? members() : 1.0) * thermal_energy * chain_v_[k] * dt;
  }
  for (std::size_t k = 0; k < chain_v_.size(); ++k) turn(k);
  w_ = factor * w_;
}

/// What another pressure changes in P V comes from outside.
void Barostat::want(double pressure, double volume) {
  if (pressure == pressure_) return;
  taken_ += (pressure_ - pressure) * volume;
  pressure_ = pressure;
}

}  // namespace tacit::md
