// Forces of one cell: the drivers of the last loop over neighbours, and the source terms.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/solvers/sph/cell_view.hpp"
#include "tacit/solvers/sph/kernels/equation_of_state.hpp"
#include "tacit/solvers/sph/kernels/sphenix.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph {
namespace {

using kernels::vector::VectorCache;

/// A step that may be endless, as a number that a checkpoint can hold.
float finite(double dt) {
  return static_cast<float>(std::min(dt, static_cast<double>(std::numeric_limits<float>::max())));
}

/// dt = C sqrt(epsilon / |a|): a particle at rest goes C^2 / 2 of the softening length.
double gravity_step(const SelfGravity& gravity, const base::Vec3& a, std::size_t type) {
  const double size = norm(a);
  return size > 0.0 ? gravity.time_step_factor * std::sqrt(gravity.softening_of(type) / size)
                    : std::numeric_limits<double>::infinity();
}

/// The step whose middle asks for its own length, as it would backwards in time: else orbits gain or lose energy with
/// each turn. From the rate at which the stable step has changed in the step before.
///
///     dt = tau(t + dt/2) ~ tau + tau' dt/2
///
/// @param before  tau when the step began that ends now, a time `dt_before` ago; 0: it is the first
/// @see Pelupessy, Jaenes & Portegies Zwart (2012), New Astronomy 17, 711
double symmetric_step(double tau, double before, double dt_before) {
  constexpr double steepest = 0.5;
  if (!(dt_before > 0.0) || !std::isfinite(tau) || !std::isfinite(before)) return tau;
  const double rate = std::clamp((tau - before) / dt_before, -steepest, steepest);
  return tau / (1.0 - 0.5 * rate);
}

/// What pulls the active particles of a cell that are no gas.
/// @param dt_common  the step that ends now, where it is that of all [time]
void take_collisionless(const StepData& data, const Motion& motion, std::span<const std::uint8_t> bin,
                        const Attraction& attraction, const Forces& forces, double dt_common) {
  const SphParameters& physics = data.physics;
  const bool is_all = data.clock.is_common;
  for (std::size_t i = motion.gas(); i < motion.size(); ++i) {
    if (!is_all && !data.clock.is_active(bin[i])) continue;
    base::Vec3 a = data.clock.a * base::Vec3{attraction.gx[i], attraction.gy[i], attraction.gz[i]};
    double dt = std::numeric_limits<double>::infinity();
    const std::uint8_t type = attraction.type_of(i);
    if (physics.potential.is_present()) {
      const auto external =
          kernels::pull(physics.potential, {motion.x[i], motion.y[i], motion.z[i]}, physics.gravity.softening_of(type));
      a = a + external.a;
      dt = external.dt;
    }
    // The accelerations of the begin of the step are still there.
    const double before = gravity_step(physics.gravity, {forces.ax[i], forces.ay[i], forces.az[i]}, type);
    const double now = gravity_step(physics.gravity, a, type);
    forces.ax[i] = static_cast<float>(a.x);
    forces.ay[i] = static_cast<float>(a.y);
    forces.az[i] = static_cast<float>(a.z);
    forces.v_sig[i] = std::numeric_limits<float>::max();
    forces.dt[i] = finite(std::min(dt, symmetric_step(now, before, data.clock.step_of(bin[i], dt_common))));
  }
}

/// The forces of the gas of one cell.
struct ForceLoop {
  const StepData& data;
  const CellView& cell;
  const Forces& forces;
  std::span<const float> alpha_d;
  VectorCache& cache;
  const Attraction* attraction;  ///< null: without gravity of the particles' own

  void run_group(const GroupSelection& wanted) const {
    const std::size_t g = wanted.group;
    data.loops.shortlist_either(cache, wanted.particles.box, data.physics.kernel_gamma * wanted.particles.h);
    for (std::size_t i = cell.motion.groups[g]; i < cell.motion.groups[g + 1]; ++i) {
      if (cell.is_wanted(i)) run_particle(i);
    }
  }

  /// The sums over the hits.
  [[nodiscard]] Rates rates_of(std::size_t i, const kernels::ForceTarget& target) const {
    const SphParameters& physics = data.physics;
    if (physics.scheme == Scheme::sphenix) {
      const auto force =
          data.loops.sphenix_force(cache, sphenix_target_of(cell, i, target, alpha_d[i]), physics.sphenix.beta_v);
      return {force.a, force.du_dt, force.v_sig};
    }
    const kernels::Force force = data.loops.force(cache, target, physics.alpha);
    return {force.a, kernels::entropy_rate(force.dissipation, target.rho, physics.gamma), force.v_sig};
  }

  void run_particle(std::size_t i) const {
    const kernels::ForceTarget target = target_of(cell, i);
    const double H = data.physics.kernel_gamma * target.h;
    data.loops.find_within_either(cache, place_of(cell.motion, i), H);
    take(i, rates_of(i, target));
  }

  /// What neighbours do to a particle, and what else does.
  void take(std::size_t i, const Rates& force) const {
    const SphParameters& physics = data.physics;
    const double H = physics.kernel_gamma * cell.hydro.h[i];
    const base::Vec3 at = place_of(cell.motion, i);
    const kernels::Pull external = physics.potential.is_present()
                                       ? kernels::pull(physics.potential, {at.x, at.y, at.z}, H)
                                       : kernels::Pull{{}, std::numeric_limits<double>::infinity()};
    base::Vec3 a = force.a + external.a;
    double dt = external.dt;
    if (attraction != nullptr) {
      a = a + data.clock.a * base::Vec3{attraction->gx[i], attraction->gy[i], attraction->gz[i]};
      dt = std::min(dt, gravity_step(physics.gravity, a, 0));
    }
    forces.ax[i] = static_cast<float>(a.x);
    forces.ay[i] = static_cast<float>(a.y);
    forces.az[i] = static_cast<float>(a.z);
    forces.dthermal_dt[i] = physics.is_ideal() ? force.thermal : 0.0;
    forces.v_sig[i] = static_cast<float>(force.v_sig);
    forces.dt[i] = finite(std::min(stable_step(i, H, force.v_sig), dt));
  }

  /// dt = 2 C H / v_sig: SWIFT's form of Springel (2005), eq. 16, so that the same cfl gives the same steps; and the
  /// density may change by a factor of 1.4 at most. A gas without sound and motion may take any step.
  [[nodiscard]] double stable_step(std::size_t i, double H, double v_sig) const {
    constexpr double most_compression = 0.3365;  // ln 1.4
    const double divergence = std::abs(static_cast<double>(cell.hydro.div_v[i]));
    const double endless = std::numeric_limits<double>::infinity();
    const double courant = v_sig > 0.0 ? 2.0 * data.physics.cfl * H / v_sig : endless;
    return divergence > 0.0 ? std::min(courant, most_compression / divergence) : courant;
  }
};

const Attraction* attraction_of(const StepData& data, const CellData& own, const tasks::StepContext& step) {
  return data.gravity != nullptr ? &step.read(own.attraction) : nullptr;
}

/// Adds the rates of source terms to the forces of the active particles and shortens their steps.
void add_sources(const StepData& data, const CellView& cell, const Integrated& state, const Forces& forces, double time,
                 Scratch& scratch) {
  const std::size_t n = cell.motion.gas();
  const auto widened = [n](std::vector<double>& to, std::span<const float> from) {
    to.assign(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(n));
    return std::span<double>(to);
  };
  scratch.u.resize(n);
  scratch.du_dt.assign(n, 0.0);
  const SphParameters& physics = data.physics;
  for (std::size_t i = 0; i < n; ++i) {
    scratch.u[i] = physics.internal_energy(cell.motion.thermal_p[i], cell.hydro.rho[i]);
  }
  const SourceInput input{time,
                          state.id.first(n),
                          cell.motion.x.first(n),
                          cell.motion.y.first(n),
                          cell.motion.z.first(n),
                          widened(scratch.vx, cell.motion.vx_p),
                          widened(scratch.vy, cell.motion.vy_p),
                          widened(scratch.vz, cell.motion.vz_p),
                          cell.motion.m.first(n),
                          cell.hydro.h.first(n),
                          cell.hydro.rho.first(n),
                          scratch.u};
  const SourceRates rates{scratch.du_dt, widened(scratch.ax, forces.ax), widened(scratch.ay, forces.ay),
                          widened(scratch.az, forces.az)};
  double dt = std::numeric_limits<double>::infinity();
  for (const auto& source : physics.sources) dt = std::min(dt, source->add(input, rates));
  for (std::size_t i = 0; i < n; ++i) {
    if (!cell.is_wanted(i)) continue;
    forces.ax[i] = static_cast<float>(scratch.ax[i]);
    forces.ay[i] = static_cast<float>(scratch.ay[i]);
    forces.az[i] = static_cast<float>(scratch.az[i]);
    if (physics.is_ideal()) forces.dthermal_dt[i] += physics.thermal_of(scratch.du_dt[i], cell.hydro.rho[i]);
    forces.dt[i] = std::min(forces.dt[i], finite(dt));
  }
}

}  // namespace

void compute_forces(const StepData& data, std::size_t c, tasks::StepContext& step) {
  const CellData& own = data.cells[c];
  const Motion& motion = step.read(own.motion);
  const Hydro& hydro = step.read(own.hydro);
  if (motion.size() == 0 || !data.is_active(c)) return;
  Scratch& scratch = data.scratch[step.worker()];
  const Integrated& state = step.read(own.integrated);
  const Forces& forces = step.write(own.forces);
  const Attraction* const attraction = attraction_of(data, own, step);
  if (motion.gas() < motion.size()) take_collisionless(data, motion, state.bin, *attraction, forces, step.dt);
  if (motion.gas() == 0) return;
  const CellView cell{data, c, motion, hydro, state.bin.first(motion.gas()), {}, data.are_all_active(c)};
  const Selection all = cell.select(scratch.wanted);
  const bool is_sparse = cell.is_sparse(all);
  const auto collect = [&](const Selection& particles) {
    collect_gas(data, c, {particles.box, data.physics.kernel_gamma * particles.h}, scratch.cache, step);
  };
  if (!is_sparse) collect(all);
  const ForceLoop loop{data, cell, forces, step.read(own.gradients).alpha_d, scratch.cache, attraction};
  for (const GroupSelection& group : scratch.wanted) {
    if (is_sparse) collect(group.particles);
    loop.run_group(group);
  }
  if (!data.physics.sources.empty()) add_sources(data, cell, state, forces, step.time + step.dt, scratch);
}

void finish_forces(const StepData& data, std::size_t c, std::span<const Rates> found, tasks::StepContext& step) {
  const CellData& own = data.cells[c];
  Scratch& scratch = data.scratch[step.worker()];
  const Integrated& state = step.read(own.integrated);
  const Forces& forces = step.write(own.forces);
  const CellView cell{data, c, step.read(own.motion), step.read(own.hydro), state.bin, {}, true};
  const ForceLoop loop{data, cell, forces, {}, scratch.cache, attraction_of(data, own, step)};
  for (std::size_t i = 0; i < found.size(); ++i) loop.take(i, found[i]);
  if (!data.physics.sources.empty() && !found.empty()) {
    add_sources(data, cell, state, forces, step.time + step.dt, scratch);
  }
}

}  // namespace tacit::sph
