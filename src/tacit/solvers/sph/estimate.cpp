// Makes or reads what is small, and extrapolates what is large.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "tacit/base/memory.hpp"
#include "tacit/solvers/sph/formats/gadget.hpp"

namespace tacit::sph {
namespace {

/// With v_sig = 2 c.
double first_time_step(const SphParameters& sph, const InitialConditions& initial) {
  if (std::ranges::find(initial.type, 0) == initial.type.end() && !initial.type.empty()) return 0.0;
  const double typical = typical_h(sph, extent_of(initial));
  double dt = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < initial.size(); ++i) {
    if (!initial.type.empty() && initial.type[i] != 0) continue;
    const bool is_ideal = sph.eos.kind == kernels::EquationOfState::Kind::ideal;
    const double c = is_ideal ? std::sqrt(sph.gamma * (sph.gamma - 1.0) * initial.u[i]) : sph.eos.c0;
    const double h = initial.h.empty() ? typical : initial.h[i];
    if (c > 0.0) dt = std::min(dt, sph.cfl * sph.kernel_gamma * h / c);
  }
  return dt;
}

/// An open box says nothing of where the gas is.
void fit_open_box(InitialConditions& initial) {
  if (initial.size() == 0) return;
  const std::array<const std::vector<double>*, 3> positions{&initial.x, &initial.y, &initial.z};
  double longest = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [lowest, highest] = std::ranges::minmax(*positions[axis]);
    initial.box[axis] = highest - lowest;
    longest = std::max(longest, initial.box[axis]);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(initial.box[axis] > 0.0)) initial.box[axis] = longest > 0.0 ? longest : 1.0;
  }
}

Estimate whole(SphParameters sph, InitialConditions initial) {
  if (sph.boundary == Boundary::open) fit_open_box(initial);
  set_dimension(sph, initial.dimension);
  double dt = first_time_step(sph, initial);
  if (sph.cosmology) dt = sph.cosmology->growth_within(initial.time, dt, initial.time * sph.dlna_max);
  return {.extent = extent_of(initial), .start_time = initial.time, .first_time_step = dt};
}

/// 0 of a set-up that has none.
std::int64_t resolution_of(const Setup& setup) {
  return std::visit(
      [](const auto& chosen) -> std::int64_t {
        if constexpr (requires { chosen.resolution; }) return chosen.resolution;
        return 0;
      },
      setup);
}

Setup with_resolution(Setup setup, std::int64_t resolution) {
  std::visit(
      [resolution](auto& chosen) {
        if constexpr (requires { chosen.resolution; }) chosen.resolution = resolution;
      },
      setup);
  return setup;
}

/// What becomes of a quantity that went from `small` to `large` as the resolution doubled, when it grows by `factor`
/// once more: as the nearest power that is a multiple of `step`.
double grown(double small, double large, double factor, double step) {
  if (!(small > 0.0 && large > 0.0 && std::isfinite(small) && std::isfinite(large))) return large;
  const double power = step * std::round(std::log2(large / small) / step);
  return large * std::pow(factor, power);
}

/// 8589934592 as 8590000000: more digits are not known.
double rounded(double count) {
  const double unit = std::pow(10.0, std::floor(std::log10(count)) - 2.0);
  return std::round(count / unit) * unit;
}

Estimate estimate_of_setup(const SphParameters& sph, double most_particles) {
  // A multiple of what set-ups ask for; from here on slabs grow in depth too.
  constexpr std::int64_t coarse = 32;
  constexpr std::int64_t fine = 2 * coarse;
  const Setup& setup = *sph.setup;
  const std::int64_t resolution = resolution_of(setup);
  if (resolution <= fine) return whole(sph, make(setup));
  const Estimate small = whole(sph, make(with_resolution(setup, coarse)));
  Estimate result = whole(sph, make(with_resolution(setup, fine)));
  const double factor = static_cast<double>(resolution) / static_cast<double>(fine);
  const double particles = grown(small.extent.particles, result.extent.particles, factor, 1.0);
  if (particles <= most_particles) return whole(sph, make(setup));
  result.extent.particles = rounded(particles);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result.extent.box[axis] = grown(small.extent.box[axis], result.extent.box[axis], factor, 1.0);
  }
  result.first_time_step = grown(small.first_time_step, result.first_time_step, factor, 0.5);
  result.is_estimate = true;
  return result;
}

Estimate estimate_of_file(const SphParameters& sph, const base::UnitSystem& units, double most_bytes) {
  const GadgetOptions options = gadget_options(sph, units);
  const GadgetOutline outline = read_gadget_outline(*sph.file, options);
  // ID, position, velocity, mass, energy and smoothing length; once more of one of them while it is read.
  constexpr double bytes_of_particle = 8.0 * (1.0 + 9.0 + 1.0);
  const double bytes = bytes_of_particle * static_cast<double>(outline.particles) + outline.carried_bytes;
  if (bytes <= most_bytes) return whole(sph, read_gadget(*sph.file, options));
  // Where the box says nothing, one that is full of particles of any spacing: only their number counts.
  const double full = std::pow(static_cast<double>(outline.particles), 1.0 / outline.dimension);
  return {.extent = {.particles = static_cast<double>(outline.particles),
                     .dimension = outline.dimension,
                     .box = outline.box.x > 0.0 ? outline.box : base::Vec3{full, full, full},
                     .carried_bytes = outline.carried_bytes},
          .start_time = outline.time,
          .is_estimate = true};
}

double half_of_the_memory() {
  const auto memory = base::usable_memory();
  return memory ? 0.5 * static_cast<double>(*memory) : std::numeric_limits<double>::infinity();
}

}  // namespace

Estimate estimate(const SphParameters& parameters, const base::UnitSystem& units, const EstimateLimits& limits) {
  if (parameters.setup) return estimate_of_setup(parameters, limits.particles);
  return estimate_of_file(parameters, units, limits.bytes > 0.0 ? limits.bytes : half_of_the_memory());
}

}  // namespace tacit::sph
