// Densities of one cell: the drivers of the first loop over neighbours.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tacit/solvers/sph/cell_view.hpp"
#include "tacit/solvers/sph/kernels/equation_of_state.hpp"
#include "tacit/solvers/sph/kernels/smoothing_length.hpp"
#include "tacit/solvers/sph/kernels/sphenix.hpp"
#include "tacit/solvers/sph/kernels/upper_half.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph {
namespace {

using kernels::vector::VectorCache;

/// Lists and caches serve smoothing lengths this much larger than the present ones, for the iteration has to look.
constexpr double search_margin = 1.1;

/// The shortest support in which places can be told apart well enough: rounding to quanta moves particles by 1/8192 of
/// it at most, which leaves densities right to some 1e-5.
double shortest_support(const kernels::vector::Frame& frame) noexcept { return 4096.0 * frame.quantum(); }

/// Shorter supports beside the longest of the neighbourhood give densities, and powers of 1/H, that are no floats.
double least_support(const StepData& data, std::size_t c) {
  double longest = 0.0;
  for (const auto& neighbour : data.grid.neighbours(c)) longest = std::max(longest, data.reach[neighbour.cell]);
  return 0x1p-28 * longest;
}

/// What follows from density and thermal variable: pressure term, sound speed, viscosity limiter. What neighbours look
/// at is rounded so that it travels in few bytes, whether it travels or not.
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
  hydro.omega_P[i] = kernels::rounded_to_upper_half(f * P / (rho * rho));
  hydro.f[i] = static_cast<float>(f);
  hydro.cs[i] = static_cast<float>(cs);
  hydro.balsara[i] = static_cast<float>(kernels::balsara_factor(gradients, cs, h));
  hydro.div_v[i] = static_cast<float>(gradients.div_v);
}

/// The largest h of a group, some of which are new.
void update_group_h(const CellView& cell, std::size_t g) {
  const std::size_t begin = cell.motion.groups[g];
  cell.hydro.group_h[g] = std::ranges::max(cell.hydro.h.subspan(begin, cell.motion.groups[g + 1] - begin));
}

/// The density of one cell.
struct DensityLoop {
  const StepData& data;
  const CellView& all;   ///< before any is done
  const CellView& left;  ///< what is not done yet
  const tasks::StepContext& step;
  VectorCache& cache;
  std::span<std::uint8_t> done;
  double dt;             ///< of a common step [time]
  double least_support;  ///< whatever the frame: what others' floats can hold [length]

  /// Computes the wanted particles of a group that find their h within `radius`. @return whether some did not
  [[nodiscard]] bool run_group(std::size_t g, const Selection& wanted, double radius) const {
    data.loops.shortlist(cache, wanted.box, radius);
    bool is_short = false;
    for (std::size_t i = all.motion.groups[g]; i < all.motion.groups[g + 1]; ++i) {
      if (!left.is_wanted(i)) continue;
      done[i] = run_particle(i, radius) ? 1 : 0;
      is_short |= done[i] == 0;
    }
    update_group_h(all, g);
    return is_short;
  }

  bool run_particle(std::size_t i, double radius) const {
    using State = kernels::SmoothingLengthResult::State;
    const SphParameters& physics = data.physics;
    const base::Vec3 at = place_of(all.motion, i);
    const double m = all.motion.m[i];
    const double guess = all.hydro.h[i];
    const double reach = radius / physics.kernel_gamma;
    const double shortest_h = std::max(shortest_support(cache.frame()), least_support) / physics.kernel_gamma;
    auto solved = data.loops.solve_smoothing_length(cache, at, m, guess, reach, physics.smoothing);
    if (!(solved.h >= shortest_h)) {
      const double besides = mass_besides(i, physics.kernel_gamma * shortest_h);
      if (besides > 0.0) {
        solved = data.loops.solve_smoothing_length_beside(cache, at, m, besides, guess, reach, physics.smoothing);
      }
    }
    all.hydro.h[i] = solved.h;
    if (solved.state == State::out_of_reach) return false;
    if (!(solved.h >= shortest_h)) {
      // Finer cells may do better: they are made for this h.
      all.hydro.h[i] = shortest_h;
      data.reports[all.c].unresolved = data.grid.range(all.c).begin + i;
    }
    const auto gradients = data.loops.gradients(cache, at, velocity_of(all.motion, i), solved.h, solved.density.rho);
    take(i, solved.density, gradients);
    return true;
  }

  /// The mass of others that lie where particle i does, and of its own images in mirrors there, if they are to count as
  /// one: if they lie exactly there; or, if they are few, so near that the cell cannot tell. Many so near would be a
  /// dense cloud, for which finer cells are made.
  [[nodiscard]] double mass_besides(std::size_t i, double near) const {
    constexpr std::size_t most_of_no_cloud = 32;
    const base::Vec3 at = place_of(all.motion, i);
    double mass_near = 0.0;
    double mass_here = 0.0;
    std::size_t count = 0;
    for (const auto& neighbour : data.grid.neighbours(all.c)) {
      if (!neighbour.within_own_reach) continue;
      const particles::View view = data.grid.view(neighbour);
      const Motion& motion = step.read(data.cells[neighbour.cell].motion);
      for (std::size_t j = 0; j < motion.gas(); ++j) {
        const double apart = separation(at, place_of(motion, j), view);
        if (apart == 0.0) mass_here += motion.m[j];
        if (!(apart < near)) continue;
        mass_near += motion.m[j];
        ++count;
      }
    }
    return (count <= most_of_no_cloud ? mass_near : mass_here) - all.motion.m[i];
  }

  [[nodiscard]] static double separation(const base::Vec3& a, const base::Vec3& b, const particles::View& view) {
    base::Vec3 apart;
    for (std::size_t axis = 0; axis < 3; ++axis) apart[axis] = view.sign[axis] * b[axis] + view.shift[axis] - a[axis];
    return norm(apart);
  }

  /// What was found at the present h is the answer, but for the last step to the root. Gradients need none: they are
  /// smooth in h.
  void take(std::size_t i, kernels::Density density, const kernels::VelocityGradients& gradients) const {
    double& h = all.hydro.h[i];
    const double most = data.reach[all.c] / data.physics.kernel_gamma;
    const auto rule = data.loops.rule_for_floats(data.physics.smoothing);
    const auto root = kernels::last_newton_step(h, density, all.motion.m[i], most, rule);
    h = kernels::cut_to_upper_half(root.h);
    density.rho = kernels::rounded_to_upper_half(root.rho);
    set_hydro(all.hydro, i, density, all.motion.thermal_p[i], gradients, data.physics);
    if (data.physics.scheme == Scheme::sphenix) set_viscosity(i);
  }

  /// From the coefficient at the end of the step before, so that computing a density twice ages it once.
  void set_viscosity(std::size_t i) const {
    const Hydro& hydro = all.hydro;
    const double of_space = data.physics.dimension * data.clock.hubble;
    const kernels::Compression compression{hydro.div_v[i] + of_space, hydro.div_v_before[i] + of_space,
                                           data.clock.step_of(all.bin[i], dt)};
    hydro.alpha_v[i] = static_cast<float>(
        kernels::viscosity_coefficient(hydro.alpha_v_before[i], compression, hydro.cs[i],
                                       data.physics.kernel_gamma * hydro.h[i], data.physics.sphenix));
  }

  /// A group, with a cache that serves `radius`. @return whether some particle needs more
  [[nodiscard]] bool run(const GroupSelection& wanted, double radius) const {
    const double near = reach_of(wanted.particles, radius);
    if (!run_group(wanted.group, wanted.particles, near)) return false;
    return near >= radius || run_group(wanted.group, left.select_group(wanted.group), radius);
  }

  /// How far these particles look at first [length].
  [[nodiscard]] double reach_of(const Selection& wanted, double most) const {
    return std::min(search_margin * data.physics.kernel_gamma * wanted.h, most);
  }
};

/// Fills the cache for all wanted particles of the cell, which then share it. @return whether some find too little in
/// the cell's reach
bool run_together(const DensityLoop& loop, const Selection& all, std::vector<GroupSelection>& wanted,
                  const tasks::StepContext& step) {
  const double reach = loop.data.reach[loop.all.c];
  double radius = loop.reach_of(all, reach);
  while (true) {
    collect_motion(loop.data, loop.all.c, {all.box, radius}, loop.cache, step);
    bool is_short = false;
    for (const GroupSelection& group : wanted) is_short |= loop.run(group, radius);
    if (!is_short || radius >= reach) return is_short;
    radius = reach;
    loop.left.select(wanted);
  }
}

/// The same with a cache for each group.
bool run_one_by_one(const DensityLoop& loop, std::span<const GroupSelection> wanted, const tasks::StepContext& step) {
  const double reach = loop.data.reach[loop.all.c];
  bool is_short = false;
  for (GroupSelection group : wanted) {
    for (double radius = loop.reach_of(group.particles, reach);; radius = reach) {
      collect_motion(loop.data, loop.all.c, {group.particles.box, radius}, loop.cache, step);
      if (!loop.run_group(group.group, group.particles, radius)) break;
      if (radius >= reach) {
        is_short = true;
        break;
      }
      group.particles = loop.left.select_group(group.group);
    }
  }
  return is_short;
}

bool run_wanted(const DensityLoop& loop, const Selection& all, std::vector<GroupSelection>& wanted,
                const tasks::StepContext& step) {
  return loop.all.is_sparse(all) ? run_one_by_one(loop, wanted, step) : run_together(loop, all, wanted, step);
}

}  // namespace

void ReachCheck::look(std::span<const CellReport> reports) {
  const auto is_unresolved = [](const CellReport& report) { return report.unresolved != CellReport::none; };
  of_all.counts()[unresolved] = std::ranges::any_of(reports, is_unresolved) ? 1 : 0;
  of_all.counts()[out_of_reach] = std::ranges::any_of(reports, &CellReport::out_of_reach) ? 1 : 0;
}

void compute_densities(const StepData& data, std::size_t c, tasks::StepContext& step) {
  const CellData& own = data.cells[c];
  const Motion& motion = step.read(own.motion);
  const Hydro& hydro = step.write(own.hydro);
  CellReport& report = data.reports[c];
  report.out_of_reach = false;
  report.unresolved = CellReport::none;
  if (!data.is_active(c) || motion.gas() == 0) return;
  Scratch& scratch = data.scratch[step.worker()];
  scratch.done.assign(motion.gas(), 0);
  const auto bin = step.read(own.integrated).bin.first(motion.gas());
  const CellView all{data, c, motion, hydro, bin, {}, data.are_all_active(c)};
  const CellView left{data, c, motion, hydro, bin, scratch.done, all.is_all};
  const DensityLoop loop{data, all, left, step, scratch.cache, scratch.done, step.dt, least_support(data, c)};
  const Selection wanted = all.select(scratch.wanted);
  report.out_of_reach = run_wanted(loop, wanted, scratch.wanted, step);
  data.bounds[c].h = std::ranges::max(hydro.group_h);
}

void finish_densities(const StepData& data, std::size_t c, std::span<const PairDensity> found,
                      tasks::StepContext& step) {
  const CellData& own = data.cells[c];
  const Motion& motion = step.read(own.motion);
  const Hydro& hydro = step.write(own.hydro);
  data.reports[c].out_of_reach = false;
  data.reports[c].unresolved = CellReport::none;
  if (motion.size() == 0) return;
  Scratch& scratch = data.scratch[step.worker()];
  scratch.done.assign(motion.gas(), 0);
  const auto bin = step.read(own.integrated).bin.first(motion.gas());
  const CellView all{data, c, motion, hydro, bin, {}, true};
  const CellView left{data, c, motion, hydro, bin, scratch.done, true};
  const DensityLoop loop{data, all, left, step, scratch.cache, scratch.done, step.dt, least_support(data, c)};
  const kernels::SmoothingLengthRule rule = data.loops.rule_for_floats(data.physics.smoothing);
  for (std::size_t i = 0; i < motion.size(); ++i) {
    kernels::SmoothingLengthIteration iteration(motion.m[i], rule);
    const auto verdict = iteration.judge(hydro.h[i], found[i].density);
    if (verdict.end) {
      loop.take(i, found[i].density, found[i].gradients);
      scratch.done[i] = 1;
    } else {
      hydro.h[i] = verdict.next;
    }
  }
  const Selection wanted = left.select(scratch.wanted);
  if (wanted.count > 0) data.reports[c].out_of_reach = run_wanted(loop, wanted, scratch.wanted, step);
  for (std::size_t g = 0; g < all.groups(); ++g) update_group_h(all, g);
  data.bounds[c].h = std::ranges::max(hydro.group_h);
}

}  // namespace tacit::sph
