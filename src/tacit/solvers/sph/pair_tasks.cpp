// Drivers of the vector loops over the particles of one cell, group by group.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/pair_tasks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/solvers/sph/cell_view.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/solvers/sph/kernels/equation_of_state.hpp"
#include "tacit/solvers/sph/kernels/smoothing_length.hpp"

namespace tacit::sph {
namespace {

using kernels::vector::VectorCache;

/// Lists and caches serve smoothing lengths this much larger than the present ones, for the iteration has to look.
constexpr double search_margin = 1.1;

base::Vec3 place_of(const Motion& motion, std::size_t i) { return {motion.x[i], motion.y[i], motion.z[i]}; }
base::Vec3 velocity_of(const Motion& motion, std::size_t i) { return {motion.vx_p[i], motion.vy_p[i], motion.vz_p[i]}; }

/// What follows from density and thermal variable: pressure term, sound speed, viscosity limiter.
void set_hydro(const Hydro& hydro, std::size_t i, const kernels::Density& density, double thermal,
               const kernels::VelocityGradients& gradients, const SphParameters& physics) {
  const double rho = density.rho;
  const double h = hydro.h[i];
  const double P = physics.pressure(thermal, rho);
  // f = 1 / (1 + h/(d rho) drho/dh): Springel & Hernquist (2002), MNRAS 333, 649, eq. 8, in d dimensions. For a lone
  // particle rho ~ h^-d, so the bracket vanishes; it has no gradients, and f = 1 keeps it finite.
  const double bracket = 1.0 + h / (physics.dimension * rho) * density.drho_dh;
  const double f = bracket > 1e-3 ? 1.0 / bracket : 1.0;
  const double cs = kernels::sound_speed(physics.eos, P, rho, physics.gamma);
  hydro.rho[i] = rho;
  hydro.omega_P[i] = f * P / (rho * rho);
  hydro.f[i] = static_cast<float>(f);
  hydro.cs[i] = static_cast<float>(cs);
  hydro.balsara[i] = static_cast<float>(kernels::balsara_factor(gradients, cs, h));
  hydro.div_v[i] = static_cast<float>(gradients.div_v);
}

/// The density of one cell.
struct DensityLoop {
  const StepData& data;
  const CellView& all;   ///< before any is done
  const CellView& left;  ///< what is not done yet
  VectorCache& cache;
  std::span<std::uint8_t> done;

  /// Computes the wanted particles of a group that find their h within `radius`. @return whether some did not
  [[nodiscard]] bool run_group(std::size_t g, const Selection& wanted, double radius) const {
    data.loops.shortlist(cache, wanted.box, radius);
    bool is_short = false;
    for (std::size_t i = all.motion.groups[g]; i < all.motion.groups[g + 1]; ++i) {
      if (!left.is_wanted(i)) continue;
      done[i] = run_particle(i, radius) ? 1 : 0;
      is_short |= done[i] == 0;
    }
    return is_short;
  }

  bool run_particle(std::size_t i, double radius) const {
    using State = kernels::SmoothingLengthResult::State;
    const SphParameters& physics = data.physics;
    const base::Vec3 at = place_of(all.motion, i);
    const auto solved = data.loops.solve_smoothing_length(cache, at, all.motion.m[i], all.hydro.h[i],
                                                          radius / physics.kernel_gamma, physics.smoothing);
    all.hydro.h[i] = solved.h;
    if (solved.state == State::out_of_reach) return false;
    const auto gradients = data.loops.gradients(cache, at, velocity_of(all.motion, i), solved.h, solved.density.rho);
    set_hydro(all.hydro, i, solved.density, all.motion.thermal_p[i], gradients, physics);
    return true;
  }

  /// All groups, with a cache that serves `radius`. @return whether some particle needs more
  [[nodiscard]] bool run(const CellView& cell, double radius) const {
    bool is_short = false;
    for (std::size_t g = 0; g < cell.groups(); ++g) {
      const Selection wanted = cell.select_group(g);
      if (wanted.count == 0) continue;
      const double near = std::min(search_margin * data.physics.kernel_gamma * wanted.h, radius);
      if (!run_group(g, wanted, near)) continue;
      is_short |= near >= radius || run_group(g, left.select_group(g), radius);
    }
    return is_short;
  }
};

/// A step that may be endless, as a number that a checkpoint can hold.
float finite(double dt) {
  return static_cast<float>(std::min(dt, static_cast<double>(std::numeric_limits<float>::max())));
}

/// The largest h of each group after the density.
void update_group_h(const Motion& motion, const Hydro& hydro) {
  for (std::size_t g = 0; g + 1 < motion.groups.size(); ++g) {
    const auto of_group = hydro.h.subspan(motion.groups[g], motion.groups[g + 1] - motion.groups[g]);
    hydro.group_h[g] = *std::ranges::max_element(of_group);
  }
}

/// The forces of one cell.
struct ForceLoop {
  const StepData& data;
  const CellView& cell;
  const Forces& forces;
  VectorCache& cache;

  void run_group(std::size_t g) const {
    const Selection wanted = cell.select_group(g);
    if (wanted.count == 0) return;
    data.loops.shortlist_either(cache, wanted.box, data.physics.kernel_gamma * wanted.h);
    for (std::size_t i = cell.motion.groups[g]; i < cell.motion.groups[g + 1]; ++i) {
      if (cell.is_wanted(i)) run_particle(i);
    }
  }

  [[nodiscard]] kernels::ForceTarget target_of(std::size_t i) const {
    const base::Vec3 at = place_of(cell.motion, i);
    return {{at.x, at.y, at.z}, velocity_of(cell.motion, i), cell.hydro.h[i], cell.hydro.rho[i], cell.hydro.omega_P[i],
            cell.hydro.cs[i],   cell.hydro.balsara[i]};
  }

  void run_particle(std::size_t i) const {
    const SphParameters& physics = data.physics;
    const kernels::ForceTarget target = target_of(i);
    const double H = physics.kernel_gamma * target.h;
    data.loops.find_within_either(cache, place_of(cell.motion, i), H);
    const kernels::Force force = data.loops.force(cache, target, physics.alpha);
    const kernels::Pull external = physics.potential.is_present()
                                       ? kernels::pull(physics.potential, target.at, H)
                                       : kernels::Pull{{}, std::numeric_limits<double>::infinity()};
    const base::Vec3 a = force.a + external.a;
    forces.ax[i] = static_cast<float>(a.x);
    forces.ay[i] = static_cast<float>(a.y);
    forces.az[i] = static_cast<float>(a.z);
    forces.dthermal_dt[i] =
        physics.is_ideal() ? kernels::entropy_rate(force.dissipation, target.rho, physics.gamma) : 0.0;
    forces.v_sig[i] = static_cast<float>(force.v_sig);
    forces.dt[i] = finite(std::min(stable_step(i, H, force.v_sig), external.dt));
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

/// Adds the rates of source terms to the forces of the active particles and shortens their steps.
void add_sources(const StepData& data, const CellView& cell, const Integrated& state, const Forces& forces, double time,
                 Scratch& scratch) {
  const std::size_t n = cell.motion.size();
  const auto widened = [](std::vector<double>& to, std::span<const float> from) {
    to.assign(from.begin(), from.end());
    return std::span<double>(to);
  };
  scratch.u.resize(n);
  scratch.du_dt.assign(n, 0.0);
  const SphParameters& physics = data.physics;
  for (std::size_t i = 0; i < n; ++i) {
    scratch.u[i] = physics.internal_energy(cell.motion.thermal_p[i], cell.hydro.rho[i]);
  }
  const SourceInput input{time,
                          state.id,
                          cell.motion.x,
                          cell.motion.y,
                          cell.motion.z,
                          widened(scratch.vx, cell.motion.vx_p),
                          widened(scratch.vy, cell.motion.vy_p),
                          widened(scratch.vz, cell.motion.vz_p),
                          cell.motion.m,
                          cell.hydro.h,
                          cell.hydro.rho,
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

void compute_densities(const StepData& data, std::size_t c, tasks::StepContext& step) {
  const CellData& own = data.cells[c];
  const Motion& motion = step.read(own.motion);
  const Hydro& hydro = step.write(own.hydro);
  CellReport& report = data.reports[c];
  report.out_of_reach = false;
  if (motion.size() == 0 || !data.is_active(c)) return;
  Scratch& scratch = data.scratch[step.worker()];
  scratch.done.assign(motion.size(), 0);
  const auto& bin = step.read(own.integrated).bin;
  const CellView all{data, c, motion, hydro, bin, {}, data.are_all_active(c)};
  const CellView left{data, c, motion, hydro, bin, scratch.done, all.is_all};
  const DensityLoop loop{data, all, left, scratch.cache, scratch.done};
  const Selection wanted = all.select_all();
  const double near = std::min(search_margin * data.physics.kernel_gamma * wanted.h, data.reach[c]);
  collect_motion(data, c, wanted.box, near, scratch.cache, step);
  if (loop.run(all, near)) {
    report.out_of_reach = near >= data.reach[c];
    if (!report.out_of_reach) {
      collect_motion(data, c, wanted.box, data.reach[c], scratch.cache, step);
      report.out_of_reach = loop.run(left, data.reach[c]);
    }
  }
  update_group_h(motion, hydro);
}

void compute_forces(const StepData& data, std::size_t c, tasks::StepContext& step) {
  const CellData& own = data.cells[c];
  const Motion& motion = step.read(own.motion);
  const Hydro& hydro = step.read(own.hydro);
  if (motion.size() == 0 || !data.is_active(c)) return;
  Scratch& scratch = data.scratch[step.worker()];
  const Integrated& state = step.read(own.integrated);
  const Forces& forces = step.write(own.forces);
  const CellView cell{data, c, motion, hydro, state.bin, {}, data.are_all_active(c)};
  const Selection all = cell.select_all();
  collect_gas(data, c, all.box, data.physics.kernel_gamma * all.h, scratch.cache, step);
  const ForceLoop loop{data, cell, forces, scratch.cache};
  for (std::size_t g = 0; g < cell.groups(); ++g) loop.run_group(g);
  if (!data.physics.sources.empty()) add_sources(data, cell, state, forces, step.time + step.dt, scratch);
}

}  // namespace tacit::sph
