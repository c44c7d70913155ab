// How a run begins: from initial conditions to the first forces and steps.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tacit/particles/spacing.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/formats/carried.hpp"
#include "tacit/solvers/sph/loops.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"

namespace tacit::sph {

SphSolver::SphSolver(const SphParameters& parameters, const base::UnitSystem& units, InitialConditions initial,
                     const engine::Resources& resources)
    : parameters_(parameters), units_(units), resources_(resources), scratch_(resources.scheduler.workers()) {
  std::vector<double> u = std::move(initial.u);
  take(std::move(initial));
  gas_.thermal_p = std::move(u);  // carried through the first sorting
  start();
}

SphSolver::SphSolver(const SphParameters& parameters, const base::UnitSystem& units, const io::FileReader& checkpoint,
                     const engine::Resources& resources)
    : parameters_(parameters), units_(units), resources_(resources), scratch_(resources.scheduler.workers()) {
  load(checkpoint);
}

/// Fills the gas from initial conditions: everything but smoothing lengths and thermal variables.
void SphSolver::take(InitialConditions initial) {
  const std::size_t n = initial.size();
  set_dimension(parameters_, initial.dimension);
  loops_ = pair_loops(parameters_.kernel, parameters_.dimension);
  box_ = initial.box;
  start_time_ = initial.time;
  others_ = std::move(initial.others);
  origin_ = {.input = initial.source, .checksum = initial.checksum};
  if (const std::string others = describe(others_); !others.empty()) origin_.more = {{"carried along", others}};
  gas_.id = std::move(initial.id);
  gas_.x = std::move(initial.x);
  gas_.y = std::move(initial.y);
  gas_.z = std::move(initial.z);
  gas_.m = std::move(initial.m);
  gas_.vx = std::move(initial.vx);
  gas_.vy = std::move(initial.vy);
  gas_.vz = std::move(initial.vz);
  for_each_field(gas_, [n](std::string_view /*name*/, auto& array) { array.resize(n); });
  gas_.vx_p.assign(gas_.vx.begin(), gas_.vx.end());
  gas_.vy_p.assign(gas_.vy.begin(), gas_.vy.end());
  gas_.vz_p.assign(gas_.vz.begin(), gas_.vz.end());

  gas_.alpha_v_before.assign(n, static_cast<float>(parameters_.sphenix.alpha_v_start));
  gas_.alpha_d_before.assign(n, static_cast<float>(parameters_.sphenix.alpha_d_start));

  const bool is_bounded = parameters_.boundary != Boundary::open;
  const std::array<double, 3> sides{box_.x, box_.y, box_.z};
  const std::span<const double> used(sides.data(), static_cast<std::size_t>(parameters_.dimension));
  const auto [shortest, longest] = std::ranges::minmax(used);
  double& h_max = parameters_.smoothing.h_max;
  const double widest = (is_bounded ? shortest : longest) / parameters_.kernel_gamma;
  h_max = h_max == 0.0 ? widest : std::min(h_max, widest);
  const double share = (is_bounded ? domain(0.0) : surroundings(shortest * 1e-6)).volume() / static_cast<double>(n);
  const double typical = parameters_.smoothing.eta * std::pow(share, 1.0 / parameters_.dimension);
  gas_.h = initial.h.empty() ? std::vector<double>(n, typical) : std::move(initial.h);
  bring_guesses_near();
  place_potential();
}

/// A first guess in a file, or from the volume of the box, may be off by any factor: the box may be much larger than
/// what is in it. The search would end all the same, but not before lists were made that hold everything.
void SphSolver::bring_guesses_near() {
  constexpr double most_factor = 8.0;  // beyond what the estimate itself may be off
  const auto spacing = particles::local_spacing({gas_.x, gas_.y, gas_.z}, parameters_.dimension);
  for (std::size_t i = 0; i < gas_.size(); ++i) {
    double& h = gas_.h[i];
    if (spacing[i] > 0.0) h = std::clamp(h, spacing[i] / most_factor, spacing[i] * most_factor);
    h = std::min(h, parameters_.smoothing.h_max);
  }
}

/// The centre where none is given, and its images; along unused axes all is at 0.
void SphSolver::place_potential() {
  kernels::Potential& potential = parameters_.potential;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool is_used = axis < static_cast<std::size_t>(parameters_.dimension);
    if (!parameters_.is_centre_given[axis]) potential.centre[axis] = is_used ? 0.5 * box_[axis] : 0.0;
    potential.periods[axis] = is_used && parameters_.boundary == Boundary::periodic ? box_[axis] : 0.0;
  }
}

void SphSolver::start() {
  clock_.is_first = true;
  rebuild_cells();
  tasks::StepContext at_start;
  at_start.time = start_time_;
  run(graph_->densities, at_start);
  rerun_within_reach(at_start);
  set_thermal();
  measure_units();
  std::ranges::copy(gas_.rho, gas_.rho_before.begin());
  evaluate_all(at_start);
  rerun_within_reach(at_start);
  keep_internal_energies();
  run(graph_->close, at_start);
  collect_reports(at_start);
  if (parameters_.has_individual_steps) open_time_line();
}

/// Turns the specific internal energies in thermal_p into the thermal variable, now that densities are known; a
/// barotropic gas has none.
void SphSolver::set_thermal() {
  if (!parameters_.is_ideal()) {
    std::ranges::fill(gas_.thermal, 0.0);
    double mass = 0.0;
    double sum = 0.0;
    for (std::size_t i = 0; i < gas_.size(); ++i) {
      mass += gas_.m[i];
      sum += gas_.m[i] * std::log(gas_.rho[i]);
    }
    rho_0_ = std::exp(sum / mass);  // so that the bath has neither given nor taken anything yet
  } else {
    for (std::size_t i = 0; i < gas_.size(); ++i) {
      gas_.thermal[i] = parameters_.thermal_of(gas_.thermal_p[i], gas_.rho[i]);
    }
  }
  std::ranges::copy(gas_.thermal, gas_.thermal_p.begin());
}

/// Densities were computed again and came out the same but for rounding. Entropies follow, so that the internal
/// energies are those given.
void SphSolver::keep_internal_energies() {
  if (!parameters_.is_ideal()) return;
  for (std::size_t i = 0; i < gas_.size(); ++i) {
    gas_.thermal[i] =
        parameters_.thermal_of(parameters_.internal_energy(gas_.thermal[i], gas_.rho_before[i]), gas_.rho[i]);
  }
  std::ranges::copy(gas_.thermal, gas_.thermal_p.begin());
  std::ranges::fill(gas_.rho_before, 0.0);
}

/// Ticks are a fraction of the shortest first step; then all particles choose their bins.
void SphSolver::open_time_line() {
  // Gas at rest without heat may take any step; this one leaves room for longer bins.
  const double shortest = std::min({dt_stable_, parameters_.dt_max, std::numeric_limits<double>::max() * 0x1p-40});
  if (!(shortest > 0.0)) return;  // the engine refuses a step of no length, and says so
  clock_.line = TimeLine(start_time_, shortest);
  clock_.is_common = false;
  set_clock(0);
  clock_.is_first = true;
  tasks::StepContext at_start;
  at_start.time = start_time_;
  choose_active();
  run(graph_->close, at_start);
  limit_steps(at_start);
  collect_reports(at_start);
  clock_.is_first = false;
  find_next_time();
}

}  // namespace tacit::sph
