// Steers atoms downhill.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/ensembles/minimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
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
constexpr std::array minimizer_table{
    Key::choice(
        "minimize.method", minimizer_choices,
        "How the energy of the atoms is minimised, in the box as it is, from rest. Without it atoms move freely."),
    Key::positive("minimize.force_tolerance", "The run ends where no atom has a larger force, in code units.")
        .needs("minimize.method"),
};

// The numbers of the paper, but for the shortest step: so that rounding at the end does not stop it.
constexpr double first_alpha = 0.1;
constexpr double alpha_factor = 0.99;
constexpr double longer = 1.1;
constexpr double shorter = 0.5;
constexpr double steps_before_longer = 5.0;
constexpr double longest_factor = 10.0;
constexpr double shortest_factor = 0.02;

}  // namespace

std::span<const config::Key> minimizer_keys() { return minimizer_table; }

std::optional<MinimizerParameters> read_minimizer(const config::Parameters& p, double dt, double skin) {
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
                             .longest_move = skin > 0.0 ? 0.5 * skin : 0.1};
}

Minimizer::Minimizer(const MinimizerParameters& parameters, std::span<const double> masses,
                     const engine::Resources& resources, std::span<const double> state)
    : parameters_(parameters),
      masses_(masses.begin(), masses.end()),
      scheduler_(resources.scheduler),
      reduction_(resources.ranks, {.sums = 3, .largest = 3}),
      dt_(parameters.dt),
      alpha_(first_alpha) {
  if (state.empty()) return;
  if (state.size() != 6 || !std::ranges::all_of(state, [](double value) { return std::isfinite(value); })) {
    throw base::FormatError("the checkpoint", "has no state of a minimisation; the file is damaged");
  }
  dt_ = state[0];
  alpha_ = state[1];
  downhill_ = state[2];
  largest_force_ = state[3];
  fastest_ = state[4];
  hardest_ = state[5];
}

std::vector<double> Minimizer::state() const { return {dt_, alpha_, downhill_, largest_force_, fastest_, hardest_}; }

double Minimizer::time_step() const {
  const double move = parameters_.longest_move;
  double dt = dt_;
  if (fastest_ > 0.0) dt = std::min(dt, 0.5 * move / fastest_);
  if (hardest_ > 0.0) dt = std::min(dt, std::sqrt(move / hardest_));
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

void Minimizer::begin(Atoms& atoms) {
  mix(atoms, 0.0, 0.0);
  const Sums sums = measure(atoms);
  largest_force_ = std::sqrt(sums.largest_f2);
  hardest_ = std::sqrt(sums.largest_a2);
}

void Minimizer::end_step(Atoms& atoms) {
  const Sums sums = measure(atoms);
  largest_force_ = std::sqrt(sums.largest_f2);
  hardest_ = std::sqrt(sums.largest_a2);
  if (has_converged() || !(sums.power > 0.0)) {
    mix(atoms, 0.0, 0.0);
    dt_ = std::max(shorter * dt_, shortest_factor * parameters_.dt);
    alpha_ = first_alpha;
    downhill_ = fastest_ = 0.0;
    return;
  }
  const double along = alpha_ * std::sqrt(sums.v2 / sums.f2);
  mix(atoms, 1.0 - alpha_, along);
  fastest_ = (1.0 - alpha_) * std::sqrt(sums.largest_v2) + along * largest_force_;
  if (++downhill_ <= steps_before_longer) return;
  dt_ = std::min(longer * dt_, parameters_.longest_dt);
  alpha_ *= alpha_factor;
}

}  // namespace tacit::md
