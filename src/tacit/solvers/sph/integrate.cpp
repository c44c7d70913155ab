// Drifts and kicks: loops over the particles of a cell, without neighbours.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/integrate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "tacit/solvers/sph/kernels/prediction.hpp"

namespace tacit::sph {
namespace {

/// Powers of the density that f P / rho^2 and c follow where the thermal variable stays.
struct Exponents {
  double omega_P, cs;
};
Exponents exponents(const SphParameters& physics) {
  const bool follows_entropy = physics.is_ideal() && physics.scheme == Scheme::gadget2;
  if (follows_entropy) return {physics.gamma - 2.0, 0.5 * (physics.gamma - 1.0)};
  return {-1.0, 0.0};
}

kernels::vector::DriftArrays arrays_of(const Motion& motion, const Integrated& state, const Hydro& hydro,
                                       const Forces& forces) {
  kernels::vector::DriftArrays arrays{};
  arrays.count = motion.size();
  arrays.x = motion.x.data();
  arrays.y = motion.y.data();
  arrays.z = motion.z.data();
  arrays.vx = state.vx.data();
  arrays.vy = state.vy.data();
  arrays.vz = state.vz.data();
  arrays.thermal = state.thermal.data();
  arrays.x_before = state.x_before.data();
  arrays.y_before = state.y_before.data();
  arrays.z_before = state.z_before.data();
  arrays.h_before = state.h_before.data();
  arrays.rho_before = state.rho_before.data();
  arrays.omega_P_before = state.omega_P_before.data();
  arrays.cs_before = state.cs_before.data();
  arrays.ax = forces.ax.data();
  arrays.ay = forces.ay.data();
  arrays.az = forces.az.data();
  arrays.dthermal_dt = forces.dthermal_dt.data();
  arrays.bin = state.bin.data();
  arrays.vx_p = motion.vx_p.data();
  arrays.vy_p = motion.vy_p.data();
  arrays.vz_p = motion.vz_p.data();
  arrays.thermal_p = motion.thermal_p.data();
  arrays.h = hydro.h.data();
  arrays.rho = hydro.rho.data();
  arrays.omega_P = hydro.omega_P.data();
  arrays.cs = hydro.cs.data();
  arrays.div_v = hydro.div_v.data();
  return arrays;
}

}  // namespace

void drift(const Motion& motion, const Integrated& state, const Hydro& hydro, const Forces& forces,
           const SphParameters& physics, const Drift& how, std::vector<double>& room) {
  const bool is_common = how.clock.is_common;
  if (!is_common) room.resize(2 * motion.size());
  const Exponents powers = exponents(physics);
  const kernels::vector::DriftRule rule{
      is_common,      how.dt,   how.clock.begun.data(), how.clock.since.data(), how.has_idle, physics.dimension,
      powers.omega_P, powers.cs};
  how.loops(arrays_of(motion, state, hydro, forces), rule, room.data());
}

void reflect(const Motion& motion, const Integrated& state, const Forces& forces, const particles::Domain& domain) {
  struct Axis {
    std::span<double> x, v;
    std::span<float> v_p, a;
  };
  const std::array<Axis, 3> axes{{{motion.x, state.vx, motion.vx_p, forces.ax},
                                  {motion.y, state.vy, motion.vy_p, forces.ay},
                                  {motion.z, state.vz, motion.vz_p, forces.az}}};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(domain.dimension); ++axis) {
    const auto& [x, v, v_p, a] = axes[axis];
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto [folded, sign] = particles::reflect(x[i], domain.origin[axis], domain.size[axis]);
      x[i] = folded;
      v[i] *= sign;
      v_p[i] *= static_cast<float>(sign);
      a[i] *= static_cast<float>(sign);
    }
  }
}

void reflect_predicted(const Motion& motion, const particles::Domain& domain) {
  const std::array<std::span<double>, 3> places{motion.x, motion.y, motion.z};
  const std::array<std::span<float>, 3> velocities{motion.vx_p, motion.vy_p, motion.vz_p};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(domain.dimension); ++axis) {
    for (std::size_t i = 0; i < motion.size(); ++i) {
      const auto [folded, sign] = particles::reflect(places[axis][i], domain.origin[axis], domain.size[axis]);
      places[axis][i] = folded;
      velocities[axis][i] *= static_cast<float>(sign);
    }
  }
}

Drifted drifted(const Integrated& state, const Hydro& hydro, const Forces& forces, std::size_t i,
                const SinceStep& since, const particles::Domain& domain) {
  const base::Vec3 v{state.vx[i], state.vy[i], state.vz[i]};
  const base::Vec3 a{forces.ax[i], forces.ay[i], forces.az[i]};
  const double div_v = hydro.div_v[i];
  Drifted now{.x = base::Vec3{state.x_before[i], state.y_before[i], state.z_before[i]} + since.begin * v,
              .v = v + since.middle * a,
              .sign = {1.0, 1.0, 1.0},
              .thermal = kernels::later(state.thermal[i], forces.dthermal_dt[i], since.middle),
              .h = state.h_before[i] * kernels::growth(div_v * (since.begin / domain.dimension)),
              .rho = std::abs(state.rho_before[i]) * kernels::growth(-div_v * since.begin)};
  if (!domain.mirrored) return now;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(domain.dimension); ++axis) {
    const auto [folded, sign] = particles::reflect(now.x[axis], domain.origin[axis], domain.size[axis]);
    now.x[axis] = folded;
    now.v[axis] *= sign;
    now.sign[axis] = sign;
  }
  return now;
}

CellBounds bound_groups(const Motion& motion, const Hydro& hydro, kernels::vector::BoundFunction bound) {
  const std::size_t groups = motion.groups.size() - 1;
  bound(arrays_of(motion, {}, hydro, {}), {groups, motion.groups.data()}, motion.boxes.sides, hydro.group_h.data());
  CellBounds all{kernels::empty_box, 0.0};
  for (std::size_t g = 0; g < groups; ++g) {
    all.box = kernels::around(all.box, motion.boxes[g]);
    all.h = std::max(all.h, hydro.group_h[g]);
  }
  return all;
}

namespace {

/// The bin for the next step of a particle that was in bin `before`. The first step is a quarter of what is stable, for
/// initial conditions are seldom in equilibrium, and what will move is not known from where they start: with full steps
/// at once, the energy of a point explosion drifts by 0.3 % instead of 0.1 %.
std::uint8_t next_bin(int wanted, std::uint8_t before, const StepClock& clock) {
  constexpr int caution = 2;
  if (clock.is_first) wanted = std::max(wanted - caution, std::min(wanted, int{TimeLine::first_bin}));
  const int most = clock.is_first ? int{clock.active} : std::min<int>(clock.active, before + 1);
  return static_cast<std::uint8_t>(std::clamp(wanted, 0, std::min<int>(most, clock.longest)));
}

/// The bin that a stable step allows, -1 if none. A longer step than before is taken only with a margin: particles that
/// change bins with every ripple of the signal velocity have one-sided pairs all the time. In a point explosion this
/// takes a third off the random walk of the momentum, for an eighth more updates.
int bin_with_margin(double stable, std::uint8_t before, const StepClock& clock) {
  constexpr double margin = 0.8;
  const int wanted = clock.bin_within(stable);
  if (clock.is_first || wanted <= int{before}) return wanted;
  return std::max(int{before}, clock.bin_within(margin * stable));
}

void shift(const Integrated& state, const Forces& forces, std::size_t i, double t) {
  state.vx[i] += static_cast<double>(forces.ax[i]) * t;
  state.vy[i] += static_cast<double>(forces.ay[i]) * t;
  state.vz[i] += static_cast<double>(forces.az[i]) * t;
  state.thermal[i] = kernels::later(state.thermal[i], forces.dthermal_dt[i], t);
}

/// The factor that makes the adiabatic change of u in a step of length dt that of the density; see kick.
double work_missed(const Integrated& state, const Hydro& hydro, std::size_t i, double dt, double gamma) {
  constexpr double much = 0.01;
  const double change = std::log(hydro.rho[i] / state.rho_before[i]);
  const double divergence = static_cast<double>(hydro.div_v_before[i]) + static_cast<double>(hydro.div_v[i]);
  const double missed = change + 0.5 * dt * static_cast<double>(hydro.f[i]) * divergence;
  const double share = 1.0 - std::min(std::abs(change) / much, 1.0);
  return kernels::growth((gamma - 1.0) * share * missed);
}

/// The bounds of how far the next drifts can take particles.
struct Fastest {
  double v2 = 0.0;
  double v2_of_gas = 0.0;
  double a2 = 0.0;
  std::uint64_t not_finite = CellReport::none;

  void add(const Integrated& state, const Motion& motion, const Forces& forces, std::size_t i) {
    const base::Vec3 v{state.vx[i], state.vy[i], state.vz[i]};
    const base::Vec3 a{forces.ax[i], forces.ay[i], forces.az[i]};
    v2 = std::max(v2, dot(v, v));
    if (i < motion.gas()) v2_of_gas = std::max(v2_of_gas, dot(v, v));
    a2 = std::max(a2, dot(a, a));
    if (!std::isfinite(dot(v, v) + state.thermal[i] + motion.x[i] + motion.y[i] + motion.z[i])) {
      not_finite = state.id[i];
    }
  }
  /// What was reported before of particles that are not looked at now: looking costs more than a bound that is not the
  /// best. It becomes the best when particles are sorted.
  void include(const CellReport& before) {
    v2 = std::max(v2, before.v_max * before.v_max);
    v2_of_gas = std::max(v2_of_gas, before.gas_v_max * before.gas_v_max);
    a2 = std::max(a2, before.a_max * before.a_max);
  }
  void tell(CellReport& report) const {
    report.v_max = std::sqrt(v2);
    report.gas_v_max = std::sqrt(v2_of_gas);
    report.a_max = std::sqrt(a2);
    report.not_finite = not_finite;
  }
};

}  // namespace

void report_motion(const Integrated& state, const Motion& motion, const Forces& forces, CellReport& report) {
  Fastest fastest;
  for (std::size_t i = 0; i < state.vx.size(); ++i) fastest.add(state, motion, forces, i);
  fastest.tell(report);
}

void report_bins(const Integrated& state, std::size_t gas, CellReport& report) {
  const auto look_at = [&report](std::span<const std::uint8_t> bins) {
    for (const std::uint8_t bin : bins) {
      report.lowest_bin = std::min(report.lowest_bin, bin);
      report.highest_bin = std::max(report.highest_bin, bin);
    }
  };
  report.lowest_bin = TimeLine::last_bin;
  report.highest_bin = 0;
  look_at(state.bin.first(gas));
  report.lowest_gas_bin = report.lowest_bin;
  report.highest_gas_bin = report.highest_bin;
  look_at(state.bin.subspan(gas));
}

namespace {

void turn(const Integrated& state, std::size_t i, const base::Vec3& sign) {
  state.vx[i] *= sign.x;
  state.vy[i] *= sign.y;
  state.vz[i] *= sign.z;
}

/// Turns the velocity of a particle that has met walls since its step began, a time t ago.
void turn_at_walls(const Integrated& state, std::size_t i, double t, const particles::Domain& domain) {
  const base::Vec3 there = base::Vec3{state.x_before[i], state.y_before[i], state.z_before[i]} +
                           t * base::Vec3{state.vx[i], state.vy[i], state.vz[i]};
  base::Vec3 sign{1.0, 1.0, 1.0};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(domain.dimension); ++axis) {
    sign[axis] = particles::reflect(there[axis], domain.origin[axis], domain.size[axis]).sign;
  }
  turn(state, i, sign);
}

/// Notes from where the particle drifts in the step that begins now.
void begin_step(const Integrated& state, const Motion& motion, const Hydro& hydro, std::size_t i) {
  state.x_before[i] = motion.x[i];
  state.y_before[i] = motion.y[i];
  state.z_before[i] = motion.z[i];
  state.h_before[i] = hydro.h[i];
  state.omega_P_before[i] = hydro.omega_P[i];
  state.cs_before[i] = hydro.cs[i];
}

/// How f P / rho^2 and c of an idle particle have changed since its step began.
struct Change {
  double omega_P, cs;
};
Change change_of(const Integrated& state, const Hydro& hydro, const Forces& forces, std::size_t i,
                 const SinceStep& since, const Exponents& powers) {
  const auto thermal_at = [&](double t) { return kernels::later(state.thermal[i], forces.dthermal_dt[i], t); };
  const double ratio = kernels::heating(thermal_at(since.middle - since.begin), thermal_at(since.middle));
  const double compression = kernels::clamped(-static_cast<double>(hydro.div_v[i]) * since.begin, 0.2);
  return {ratio * kernels::growth(powers.omega_P * compression),
          std::sqrt(ratio) * kernels::growth(powers.cs * compression)};
}

}  // namespace

void kick(const Integrated& state, const Motion& motion, const Hydro& hydro, const Gradients& gradients,
          const Forces& forces, const SphParameters& physics, const particles::Domain& domain, const StepClock& clock,
          double dt, CellReport& report) {
  const bool integrates_u = physics.is_ideal() && physics.scheme == Scheme::sphenix;
  report.dt = std::numeric_limits<double>::infinity();
  report.lowest_active_bin = TimeLine::last_bin;
  report.active_at = clock.now;
  report.active = {kernels::empty_box, 0.0};
  Fastest fastest;
  std::uint64_t active = 0;
  float slowest = std::numeric_limits<float>::infinity();
  for_each_active(clock, state.bin, [&](std::size_t i) {
    ++active;
    const std::uint8_t bin = state.bin[i];
    if (!clock.is_common && !clock.is_first && domain.mirrored) turn_at_walls(state, i, clock.begun[bin], domain);
    if (!clock.is_first) shift(state, forces, i, clock.is_common ? 0.5 * dt : clock.since[bin]);
    if (integrates_u && state.rho_before[i] > 0.0) {
      state.thermal[i] *= work_missed(state, hydro, i, clock.step_of(bin, dt), physics.gamma);
    }
    state.rho_before[i] = hydro.rho[i];
    hydro.div_v_before[i] = hydro.div_v[i];
    hydro.alpha_v_before[i] = hydro.alpha_v[i];
    gradients.alpha_d_before[i] = gradients.alpha_d[i];
    const double stable = forces.dt[i];
    report.dt = std::min(report.dt, stable);
    slowest = std::min(slowest, forces.v_sig[i]);
    if (!clock.is_common) {
      // Steps of bodies are chosen alike forwards and backwards in time, without a margin.
      const int wanted = i < motion.gas() ? bin_with_margin(stable, bin, clock) : clock.bin_within(stable);
      state.bin[i] = next_bin(wanted, bin, clock);
      shift(state, forces, i, clock.ahead[state.bin[i]]);
      begin_step(state, motion, hydro, i);
      if (i < motion.gas()) {
        report.lowest_active_bin = std::min(report.lowest_active_bin, state.bin[i]);
        const kernels::Point at{motion.x[i], motion.y[i], motion.z[i]};
        report.active.box = around(report.active.box, {at, at});
        report.active.h = std::max(report.active.h, hydro.h[i]);
      }
    }
    fastest.add(state, motion, forces, i);
  });
  report.active_count = active;
  if (active < state.bin.size()) {
    fastest.include(report);
    slowest = std::min(slowest, report.slowest_signal);
  }
  report.slowest_signal = slowest;
  fastest.tell(report);
  report_bins(state, motion.gas(), report);
}

void change_bin(const Integrated& state, const Hydro& hydro, const Forces& forces, std::size_t i, std::uint8_t to,
                const SphParameters& physics, const particles::Domain& domain, const StepClock& clock) {
  const auto since_step = [&clock](std::uint8_t bin) {
    return SinceStep{clock.since_next_begin(bin), clock.since_next_middle(bin)};
  };
  const SinceStep former = since_step(state.bin[i]);
  const SinceStep next = since_step(to);
  const Exponents powers = exponents(physics);
  const Drifted here = drifted(state, hydro, forces, i, former, domain);
  const Change so_far = change_of(state, hydro, forces, i, former, powers);
  turn(state, i, here.sign);
  forces.ax[i] *= static_cast<float>(here.sign.x);
  forces.ay[i] *= static_cast<float>(here.sign.y);
  forces.az[i] *= static_cast<float>(here.sign.z);
  shift(state, forces, i, former.middle - next.middle);
  state.bin[i] = to;

  const double div_v = hydro.div_v[i];
  const Change from_there = change_of(state, hydro, forces, i, next, powers);
  state.x_before[i] = here.x.x - state.vx[i] * next.begin;
  state.y_before[i] = here.x.y - state.vy[i] * next.begin;
  state.z_before[i] = here.x.z - state.vz[i] * next.begin;
  state.h_before[i] = here.h / kernels::growth(div_v * (next.begin / domain.dimension));
  state.omega_P_before[i] *= so_far.omega_P / from_there.omega_P;
  state.cs_before[i] *= static_cast<float>(so_far.cs / from_there.cs);
  // Its kicks no longer belong to one step of one length.
  state.rho_before[i] = -here.rho / kernels::growth(-div_v * next.begin);
}

}  // namespace tacit::sph
