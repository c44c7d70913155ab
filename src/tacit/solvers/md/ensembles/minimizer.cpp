// Steers atoms downhill.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/ensembles/minimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "tacit/base/exact_sum.hpp"
#include "tacit/solvers/md/groups/groups.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::md {
namespace {

using config::Choice;
using config::Key;

enum class MinimizerMethod : std::uint8_t { fire };
constexpr std::array minimizer_choices{
    Choice{"fire", MinimizerMethod::fire, "atoms run downhill, and stop where it goes up"}};
constexpr std::array relaxed_axes_choices{
    Choice{"isotropic", true, "all edges grow alike, by the mean of the pressures along the axes"},
    Choice{"each", false, "each edge has its own length, by the pressure along it; those across open faces stay"},
};
constexpr std::array minimizer_table{
    Key::choice("minimize.method", minimizer_choices,
                "How the energy of the atoms is minimised, from rest. Without it atoms move freely."),
    Key::positive("minimize.force_tolerance", "The run ends where no atom has a larger force, in code units.")
        .needs("minimize.method"),
    Key::real("minimize.pressure", config::any,
              "Pressure to which the box relaxes, too, in the unit of the pressures in statistics.csv: the enthalpy is "
              "minimised. Without it the box stays.")
        .needs("minimize.method"),
    Key::positive("minimize.pressure_tolerance",
                  "The run ends where no pressure along an axis that changes is farther from it, in the same unit.")
        .needs("minimize.pressure"),
    Key::choice("minimize.axes", relaxed_axes_choices, true, "How the box may change."),
};

// The numbers of the paper, but for the shortest step: so that rounding at the end does not stop it.
constexpr double first_alpha = 0.1;
constexpr double alpha_factor = 0.99;
constexpr double longer = 1.1;
constexpr double shorter = 0.5;
constexpr double steps_before_longer = 5.0;
constexpr double longest_factor = 10.0;
constexpr double shortest_factor = 0.02;
constexpr double longest_strain = 0.01;  // of the box in a step

std::optional<BoxRelaxation> read_relaxation(const config::Parameters& p, const Units& units, const Box& box,
                                             std::uint64_t atoms) {
  if (!p.has("minimize.pressure")) return std::nullopt;
  if (!p.has("minimize.pressure_tolerance")) {
    throw config::Error(p.where("minimize.pressure"), "minimize.pressure_tolerance",
                        "is missing: minimize.pressure is given",
                        "a number in the unit of the pressures, for example 1.0 with metal units (bar)");
  }
  BoxRelaxation result{.pressure = p.real("minimize.pressure") / units.pressure,
                       .tolerance = p.real("minimize.pressure_tolerance") / units.pressure,
                       .is_isotropic = p.choice("minimize.axes", relaxed_axes_choices),
                       .axes = box.periodic,
                       .atoms = static_cast<double>(atoms),
                       .volume = box.volume()};
  const auto open = std::ranges::count(box.periodic, false);
  if (open == 0 || (!result.is_isotropic && open < 3)) return result;
  throw config::Error(p.where("minimize.pressure"), "minimize.pressure",
                      "changes the box, but a face of it is open: beyond it is empty space",
                      open == 3 ? "make it periodic (md.boundary), or leave the key out"
                                : "write 'axes = \"each\"', which leaves the open axes as they are");
}

}  // namespace

std::span<const config::Key> minimizer_keys() { return minimizer_table; }

std::optional<MinimizerParameters> read_minimizer(const config::Parameters& p, const Units& units, const Box& box,
                                                  std::uint64_t atoms, double dt, double skin) {
  if (!p.has("minimize.method")) return std::nullopt;
  const auto refuse_beside = [&p](const char* key) {
    if (!p.has(key)) return;
    throw config::Error(p.where(key), key, "stands beside minimize.method, which begins at rest and takes heat away",
                        "remove one of the two lines");
  };
  refuse_beside("thermostat.method");
  refuse_beside("velocities.temperature");
  if (!p.has("minimize.force_tolerance")) {
    throw config::Error(p.where("minimize.method"), "minimize.force_tolerance", "is missing: minimize.method is given",
                        "for example 1e-6 in the units of md.units");
  }
  // Half of the skin, for which lists hold; without one a small part of what atoms are apart.
  return MinimizerParameters{.force_tolerance = p.real("minimize.force_tolerance"),
                             .dt = dt,
                             .longest_dt = longest_factor * dt,
                             .longest_move = skin > 0.0 ? 0.5 * skin : 0.1,
                             .box = read_relaxation(p, units, box, atoms)};
}

Minimizer::Minimizer(const MinimizerParameters& parameters, std::span<const double> masses,
                     const engine::Resources& resources, std::span<const double> state)
    : parameters_(parameters),
      masses_(masses.begin(), masses.end()),
      scheduler_(resources.scheduler),
      reduction_(resources.ranks, {.sums = 3, .largest = 3}),
      dt_(parameters.dt),
      alpha_(first_alpha) {
  if (const auto& box = parameters_.box) {
    c2_ = box->atoms * std::pow(box->volume / box->atoms, 2.0 / 3.0);
    mass_ = std::accumulate(masses_.begin(), masses_.end(), 0.0) / static_cast<double>(masses_.size());
  }
  if (state.empty()) return;
  if (state.size() != (parameters_.box ? 11 : 6) ||
      !std::ranges::all_of(state, [](double value) { return std::isfinite(value); })) {
    throw base::FormatError("the checkpoint", "has no state of a minimisation; the file is damaged");
  }
  dt_ = state[0];
  alpha_ = state[1];
  downhill_ = state[2];
  largest_force_ = state[3];
  fastest_ = state[4];
  hardest_ = state[5];
  if (!parameters_.box) return;
  w_ = {state[6], state[7], state[8]};
  largest_misfit_ = state[9];
  box_hardest_ = state[10];
}

std::vector<double> Minimizer::state() const {
  std::vector<double> result{dt_, alpha_, downhill_, largest_force_, fastest_, hardest_};
  if (parameters_.box) result.insert(result.end(), {w_.x, w_.y, w_.z, largest_misfit_, box_hardest_});
  return result;
}

double Minimizer::time_step() const {
  const double move = parameters_.longest_move;
  double dt = dt_;
  if (fastest_ > 0.0) dt = std::min(dt, 0.5 * move / fastest_);
  if (hardest_ > 0.0) dt = std::min(dt, std::sqrt(move / hardest_));
  const double rate = std::max({std::abs(w_.x), std::abs(w_.y), std::abs(w_.z)});
  if (rate > 0.0) dt = std::min(dt, 0.5 * longest_strain / rate);
  if (box_hardest_ > 0.0) dt = std::min(dt, std::sqrt(longest_strain / box_hardest_));
  return dt;
}

Minimizer::Sums Minimizer::measure(const Atoms& atoms) {
  struct Part {
    std::array<base::ExactSum, 3> sums;
    std::array<double, 3> largest{};
  };
  const auto of_some = [&](std::size_t first, std::size_t end) {
    std::array<base::BufferedSum, 3> sums;
    Part part;
    for (std::size_t i = first; i < end; ++i) {
      if (!is_free(atoms, i, parameters_.held)) continue;
      const base::Vec3 v = atoms.velocity(i);
      const base::Vec3 f = atoms.force(i);
      const double v2 = base::dot(v, v);
      const double f2 = base::dot(f, f);
      const double m = masses_[atoms.type[i]];
      sums[0].add(base::dot(f, v));
      sums[1].add(v2);
      sums[2].add(f2);
      part.largest = {exchange::larger(part.largest[0], v2), exchange::larger(part.largest[1], f2),
                      exchange::larger(part.largest[2], f2 / (m * m))};
    }
    for (std::size_t k = 0; k < 3; ++k) part.sums[k] = sums[k].sum();
    return part;
  };
  const auto together = [](Part all, const Part& more) {
    for (std::size_t k = 0; k < 3; ++k) {
      all.sums[k].merge(more.sums[k]);
      all.largest[k] = exchange::larger(all.largest[k], more.largest[k]);
    }
    return all;
  };
  constexpr std::size_t chunk = 4096;
  const Part mine = tasks::parallel_reduce(scheduler_, 0, atoms.count(), chunk, Part{}, of_some, together);
  std::ranges::copy(mine.sums, reduction_.sums().begin());
  std::ranges::copy(mine.largest, reduction_.largest().begin());
  reduction_.run();
  const auto sums = reduction_.sums();
  const auto largest = reduction_.largest();
  return {.power = sums[0].value(),
          .v2 = sums[1].value(),
          .f2 = sums[2].value(),
          .largest_v2 = largest[0],
          .largest_f2 = largest[1],
          .largest_a2 = largest[2]};
}

void Minimizer::mix(Atoms& atoms, double of_velocity, double of_force) {
  tasks::parallel_for(scheduler_, 0, atoms.count(), [&](std::size_t i) {
    if (!is_free(atoms, i, parameters_.held)) return;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      atoms.v[axis][i] = of_velocity * atoms.v[axis][i] + of_force * atoms.f[axis][i];
    }
  });
}

/// Of the enthalpy, by the strains [energy].
base::Vec3 Minimizer::box_force(const base::Vec3& virial, double volume) const {
  if (!parameters_.box) return {};
  const BoxRelaxation& box = *parameters_.box;
  base::Vec3 force;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (box.axes[axis]) force[axis] = virial[axis] - box.pressure * volume;
  }
  if (!box.is_isotropic) return force;
  const double mean = (force.x + force.y + force.z) / 3.0;
  return {mean, mean, mean};
}

void Minimizer::look_at_box(const base::Vec3& force, double volume) {
  if (!parameters_.box) return;
  const double largest = std::max({std::abs(force.x), std::abs(force.y), std::abs(force.z)});
  largest_misfit_ = largest / volume;
  box_hardest_ = largest / (c2_ * mass_);
}

void Minimizer::begin(Atoms& atoms, const base::Vec3& virial, double volume) {
  mix(atoms, 0.0, 0.0);
  const Sums sums = measure(atoms);
  largest_force_ = std::sqrt(sums.largest_f2);
  hardest_ = std::sqrt(sums.largest_a2);
  look_at_box(box_force(virial, volume), volume);
}

base::Vec3 Minimizer::stretch(const base::Vec3& virial, double volume, double dt) {
  w_ = w_ + (0.5 * dt / (c2_ * mass_)) * box_force(virial, volume);
  base::Vec3 half;
  for (std::size_t axis = 0; axis < 3; ++axis) half[axis] = std::exp(0.5 * dt * w_[axis]);
  return half;
}

void Minimizer::end_step(Atoms& atoms, const base::Vec3& virial, double volume, double dt) {
  Sums sums = measure(atoms);
  largest_force_ = std::sqrt(sums.largest_f2);
  hardest_ = std::sqrt(sums.largest_a2);
  const base::Vec3 force = box_force(virial, volume);
  if (parameters_.box) {
    w_ = w_ + (0.5 * dt / (c2_ * mass_)) * force;
    sums.power += base::dot(force, w_);
    sums.v2 += c2_ * base::dot(w_, w_);
    sums.f2 += base::dot(force, force) / c2_;
    look_at_box(force, volume);
  }
  if (has_converged() || !(sums.power > 0.0)) {
    w_ = {};
    mix(atoms, 0.0, 0.0);
    dt_ = std::max(shorter * dt_, shortest_factor * parameters_.dt);
    alpha_ = first_alpha;
    downhill_ = fastest_ = 0.0;
    return;
  }
  const double along = alpha_ * std::sqrt(sums.v2 / sums.f2);
  mix(atoms, 1.0 - alpha_, along);
  if (parameters_.box) w_ = (1.0 - alpha_) * w_ + (along / c2_) * force;
  fastest_ = (1.0 - alpha_) * std::sqrt(sums.largest_v2) + along * largest_force_;
  if (++downhill_ <= steps_before_longer) return;
  dt_ = std::min(longer * dt_, parameters_.longest_dt);
  alpha_ *= alpha_factor;
}

}  // namespace tacit::md
