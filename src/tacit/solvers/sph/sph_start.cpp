// How a run begins: from initial conditions to the first forces and steps.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/particles/spacing.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/formats/carried.hpp"
#include "tacit/solvers/sph/kernels/upper_half.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"

namespace tacit::sph {
namespace {

/// The corners of the smallest box around all particles of all ranks [length].
struct Corners {
  base::Vec3 low, high;
};
Corners corners_of(const InitialConditions& initial, comm::Communicator& ranks) {
  std::array<double, 6> ends{};  // along each axis: minus the lowest, and the highest
  ends.fill(-std::numeric_limits<double>::infinity());
  const std::array<const std::vector<double>*, 3> positions{&initial.x, &initial.y, &initial.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const double x : *positions[axis]) {
      ends[2 * axis] = std::max(ends[2 * axis], -x);
      ends[2 * axis + 1] = std::max(ends[2 * axis + 1], x);
    }
  }
  exchange::take_largest(ranks, std::span<double>(ends));
  return {{-ends[0], -ends[2], -ends[4]}, {ends[1], ends[3], ends[5]}};
}

/// What pictures show: the box, or where an open one says nothing, all between 0 and the farthest particles.
base::Vec3 shown_box(const InitialConditions& initial, comm::Communicator& ranks) {
  if (initial.box.x > 0.0) return initial.box;
  const auto [low, high] = corners_of(initial, ranks);
  base::Vec3 box;
  for (std::size_t axis = 0; axis < 3; ++axis) box[axis] = std::max(std::abs(low[axis]), std::abs(high[axis]));
  const double longest = std::max({box.x, box.y, box.z});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(box[axis] > 0.0)) box[axis] = longest > 0.0 ? longest : 1.0;
  }
  return box;
}

/// How far kernels may reach in an open domain [length].
/// @param spacing  of each particle of gas, as particles::local_spacing finds it [length]
double farthest_reach(const SphParameters& parameters, const InitialConditions& initial,
                      std::span<const double> spacing, comm::Communicator& ranks) {
  if (parameters.boundary != Boundary::open) return 0.0;
  std::array<std::uint64_t, 1> all{spacing.size()};
  exchange::add_over(ranks, all);
  const auto [low, high] = corners_of(initial, ranks);
  double around = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) around = std::max(around, high[axis] - low[axis]);
  if (!(around > 0.0)) around = shown_box(initial, ranks).x;  // all are at one place
  if (all[0] == 0) return around;                             // there is no gas
  std::vector<double> room(spacing.size());
  return farthest_in_open(parameters, initial.dimension, static_cast<double>(all[0]),
                          exchange::kth_smallest(ranks, spacing, all[0] / 2, room), around);
}

/// Of all ranks: how many particles lie where readers of snapshots take the box for all there is, and see none.
std::uint64_t count_outside(const InitialConditions& initial, const base::Vec3& box, comm::Communicator& ranks) {
  std::array<std::uint64_t, 1> outside{0};
  for (std::size_t i = 0; i < initial.size(); ++i) {
    const base::Vec3 at{initial.x[i], initial.y[i], initial.z[i]};
    bool is_inside = true;
    for (std::size_t axis = 0; axis < 3; ++axis) is_inside = is_inside && at[axis] >= 0.0 && at[axis] <= box[axis];
    if (!is_inside) ++outside[0];
  }
  exchange::add_over(ranks, outside);
  return outside[0];
}

/// Around all particles of an open domain, so that it has a volume [length].
double least_margin(const Physics& physics, const base::Vec3& box) {
  double shortest = box.x;
  for (std::size_t axis = 1; axis < static_cast<std::size_t>(physics.dimension); ++axis) {
    shortest = std::min(shortest, box[axis]);
  }
  return shortest * 1e-6;
}

}  // namespace

SphSolver::SphSolver(const SphParameters& parameters, const base::UnitSystem& units, InitialConditions initial,
                     const engine::Resources& resources)
    : SphSolver(parameters, units, with_spacing(std::move(initial), resources.ranks), resources) {}

SphSolver::Start SphSolver::with_spacing(InitialConditions initial, comm::Communicator& ranks) {
  Start start{.initial = std::move(initial)};
  const InitialConditions& all = start.initial;
  if (!all.has_types) {
    start.spacing = particles::local_spacing({all.x, all.y, all.z}, all.dimension, &ranks);
    return start;
  }
  std::array<std::vector<double>, 3> of_gas;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.type[i] != 0) continue;
    of_gas[0].push_back(all.x[i]);
    of_gas[1].push_back(all.y[i]);
    of_gas[2].push_back(all.z[i]);
  }
  std::array<std::uint64_t, 1> gas{of_gas[0].size()};
  exchange::add_over(ranks, gas);
  if (gas[0] > 0) start.spacing = particles::local_spacing({of_gas[0], of_gas[1], of_gas[2]}, all.dimension, &ranks);
  return start;
}

SphSolver::SphSolver(const SphParameters& parameters, const base::UnitSystem& units, Start start,
                     const engine::Resources& resources)
    : box_(start.initial.box),
      shown_box_(shown_box(start.initial, resources.ranks)),
      physics_(physics_of(parameters, start.initial.dimension, box_,
                          farthest_reach(parameters, start.initial, start.spacing, resources.ranks))),
      units_(units),
      resources_(resources),
      cells_(physics_, box_, clock_, gas_, last_records_, resources),
      steps_(physics_, gas_, cells_, clock_, resources_.ranks) {
  if (!(box_.x > 0.0)) warn_of_shown_box(start.initial);
  check_types(start.initial.has_types);
  if (physics_.cosmology) check_expansion(start.initial);
  if (!start.initial.left_out.empty()) {
    start_warnings_.push_back(fmt::format("warning: {}: not kept in snapshots and checkpoints: {}",
                                          start.initial.source, fmt::join(start.initial.left_out, ", ")));
  }
  take(std::move(start));
  tasks::StepContext at_start;
  at_start.time = start_time_;
  steps_.find_densities(at_start);
  set_thermal();
  cells_.measure_units();
  std::ranges::copy(gas_.rho, gas_.rho_before.begin());
  steps_.find_forces(at_start);
  keep_internal_energies();
  steps_.begin(at_start);
}

/// What others read of the files of a run whose initial conditions say no box.
void SphSolver::warn_of_shown_box(const InitialConditions& initial) {
  const std::uint64_t outside = count_outside(initial, shown_box_, resources_.ranks);
  if (outside == 0) return;
  std::array<std::uint64_t, 1> all{initial.size()};
  exchange::add_over(resources_.ranks, all);
  start_warnings_.push_back(
      fmt::format("warning: the initial conditions give no box, and {} of {} particles have negative coordinates: "
                  "programs that take BoxSize of the snapshots for all there is, as yt does, leave these out; move all "
                  "particles into a box that begins at the origin, and say its size in BoxSize",
                  outside, all[0]));
}

/// @throws base::Error where particles that are no gas meet what knows gas alone
void SphSolver::check_types(bool are_there_others) const {
  if (!are_there_others) return;
  if (!physics_.gravity.is_present) {
    throw base::Error("particles that are no gas move by gravity alone: set gravity.self = true");
  }
  if (physics_.pairs == Pairs::symmetric) {
    throw base::Error(
        "pairs are visited once of gas alone, and there are other particles: write sph.pairs = \"gather\"");
  }
  if (resources_.log != nullptr) {
    throw base::Error("the log knows gas alone, and there are other particles: write output.log = false");
  }
}

/// @throws base::Error where the particles are not those of the universe that the keys describe
void SphSolver::check_expansion(const InitialConditions& initial) const {
  std::array<std::uint64_t, 1> gas{0};
  base::BufferedSum mass;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    mass.add(initial.m[i]);
    if (initial.type.empty() || initial.type[i] == 0) ++gas[0];
  }
  exchange::add_over(resources_.ranks, gas);
  constexpr double rounding = 1e-12;
  if (gas[0] > 0 && (std::abs(physics_.gamma - 5.0 / 3.0) > rounding || !physics_.is_ideal())) {
    throw base::Error(
        "cosmology.expanding: gas in a box that expands is ideal, of sph.gamma = 5/3: leave out sph.gamma and "
        "sph.equation_of_state");
  }
  std::array<base::ExactSum, 1> all{mass.sum()};
  reductions_.add(all);
  const Cosmology& cosmology = *physics_.cosmology;
  const double found = all[0].value() / (box_.x * box_.y * box_.z * cosmology.critical_density(physics_.gravity.G));
  constexpr double most = 0.01;
  if (std::abs(found - cosmology.omega_m) <= most * cosmology.omega_m) return;
  throw base::Error(
      fmt::format("cosmology.omega_m is {:.6g}, and the particles in the box have a mean density of {:.6g} critical "
                  "ones\n  Is the hubble constant that of the units, is the box a comoving one, and are lengths and "
                  "masses of the file per h (initial.h_factors)?",
                  cosmology.omega_m, found));
}

/// Fills the gas from initial conditions: everything but smoothing lengths and thermal variables.
void SphSolver::take(Start start) {
  InitialConditions& initial = start.initial;
  const std::size_t n = initial.size();
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
  gas_.has_gravity = physics_.gravity.is_present;
  gas_.has_types = initial.has_types;
  gas_.has_expansion = physics_.cosmology.has_value();
  gas_.type = std::move(initial.type);
  for_each_field(gas_, [n](std::string_view /*name*/, auto& array) { array.resize(n); });
  gas_.vx_p.assign(gas_.vx.begin(), gas_.vx.end());
  gas_.vy_p.assign(gas_.vy.begin(), gas_.vy.end());
  gas_.vz_p.assign(gas_.vz.begin(), gas_.vz.end());
  gas_.thermal_p = std::move(initial.u);  // carried through the first sorting

  gas_.alpha_v_before.assign(n, static_cast<float>(physics_.sphenix.alpha_v_start));
  gas_.alpha_d_before.assign(n, static_cast<float>(physics_.sphenix.alpha_d_start));

  const double volume =
      physics_.boundary == Boundary::open
          ? surroundings(gas_, physics_.dimension, least_margin(physics_, shown_box_), &resources_.ranks).volume()
          : bounded_domain(physics_, box_).volume();
  std::array<std::uint64_t, 1> all{start.spacing.size()};
  exchange::add_over(resources_.ranks, all);
  if (all[0] == 0) return;  // there is no gas
  const double typical =
      physics_.smoothing.eta * std::pow(volume / static_cast<double>(all[0]), 1.0 / physics_.dimension);
  gas_.h = initial.h.empty() ? std::vector<double>(n, typical) : std::move(initial.h);
  for (std::size_t i = 0; i < n; ++i) {
    if (!gas_.is_gas(i)) gas_.h[i] = 0.0;
  }
  bring_guesses_near(start.spacing);
}

/// A first guess in a file, or from the volume of the box, may be off by any factor: the box may be much larger than
/// what is in it. The search would end all the same, but not before lists were made that hold everything.
/// @param spacing  of each particle of gas, as particles::local_spacing finds it [length]
void SphSolver::bring_guesses_near(std::span<const double> spacing) {
  constexpr double most_factor = 8.0;  // beyond what the estimate itself may be off
  std::size_t k = 0;
  for (std::size_t i = 0; i < gas_.size(); ++i) {
    if (!gas_.is_gas(i)) continue;
    double& h = gas_.h[i];
    const double apart = spacing[k++];
    if (apart > 0.0) h = std::clamp(h, apart / most_factor, apart * most_factor);
    h = std::min(h, physics_.smoothing.h_max);
  }
}

/// Turns the specific internal energies in thermal_p into the thermal variable, now that densities are known; a
/// barotropic gas has none.
void SphSolver::set_thermal() {
  if (!physics_.is_ideal()) {
    std::ranges::fill(gas_.thermal, 0.0);
    base::BufferedSum mass;
    base::BufferedSum logarithms;
    for (std::size_t i = 0; i < gas_.size(); ++i) {
      if (!gas_.is_gas(i)) continue;
      mass.add(gas_.m[i]);
      logarithms.add(gas_.m[i] * std::log(gas_.rho[i]));
    }
    std::array<base::ExactSum, 2> sums{mass.sum(), logarithms.sum()};
    reductions_.add(sums);
    // So that the bath has neither given nor taken anything yet.
    if (sums[0].value() > 0.0) rho_0_ = std::exp(sums[1].value() / sums[0].value());
  } else {
    for (std::size_t i = 0; i < gas_.size(); ++i) {
      if (gas_.is_gas(i)) gas_.thermal[i] = physics_.thermal_of(gas_.thermal_p[i], gas_.rho[i]);
    }
  }
  std::ranges::transform(gas_.thermal, gas_.thermal_p.begin(), kernels::rounded_to_upper_half);
}

/// Densities were computed again and came out the same but for rounding. Entropies follow, so that the internal
/// energies are those given.
void SphSolver::keep_internal_energies() {
  if (!physics_.is_ideal()) return;
  for (std::size_t i = 0; i < gas_.size(); ++i) {
    if (!gas_.is_gas(i)) continue;
    gas_.thermal[i] = physics_.thermal_of(physics_.internal_energy(gas_.thermal[i], gas_.rho_before[i]), gas_.rho[i]);
  }
  std::ranges::transform(gas_.thermal, gas_.thermal_p.begin(), kernels::rounded_to_upper_half);
  std::ranges::fill(gas_.rho_before, 0.0);
}

}  // namespace tacit::sph
