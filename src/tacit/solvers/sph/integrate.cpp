// Drifts and kicks: loops over the particles of a cell, without neighbours.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/integrate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "tacit/solvers/sph/prediction.hpp"

namespace tacit::sph {
namespace {

// Loops over one axis at a time: with few arrays in each the compiler makes them vectors.

/// q += rate t.
void kick_axis(std::span<double> q, std::span<const float> rate, double t) {
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += static_cast<double>(rate[i]) * t;
}

void move_axis(std::span<double> x, std::span<const double> v, double dt) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += v[i] * dt;
}

/// v_p = v + a t.
void predict_axis(std::span<float> v_p, std::span<const double> v, std::span<const float> a,
                  std::span<const double> t) {
  for (std::size_t i = 0; i < v.size(); ++i) v_p[i] = static_cast<float>(v[i] + static_cast<double>(a[i]) * t[i]);
}

void open_common_step(const Integrated& state, const Forces& forces, double half) {
  kick_axis(state.vx, forces.ax, half);
  kick_axis(state.vy, forces.ay, half);
  kick_axis(state.vz, forces.az, half);
  for (std::size_t i = 0; i < state.thermal.size(); ++i) {
    state.thermal[i] = later(state.thermal[i], forces.dthermal_dt[i], half);
  }
}

void move(const Motion& motion, const Integrated& state, double dt) {
  move_axis(motion.x, state.vx, dt);
  move_axis(motion.y, state.vy, dt);
  move_axis(motion.z, state.vz, dt);
}

/// @param since  shape (N): from the middle of each particle's step to now [time]
void predict_motion(const Motion& motion, const Integrated& state, const Forces& forces,
                    std::span<const double> since) {
  predict_axis(motion.vx_p, state.vx, forces.ax, since);
  predict_axis(motion.vy_p, state.vy, forces.ay, since);
  predict_axis(motion.vz_p, state.vz, forces.az, since);
  for (std::size_t i = 0; i < since.size(); ++i) {
    motion.thermal_p[i] = later(state.thermal[i], forces.dthermal_dt[i], since[i]);
  }
}

/// Continuity: d ln h / dt = -(1/d) d ln rho / dt = div v / d. For active particles a first guess of the density loop.
void predict_h(const Hydro& hydro, double dt, int dimension) {
  const double share = dt / dimension;
  for (std::size_t i = 0; i < hydro.h.size(); ++i) {
    hydro.h[i] *= growth(static_cast<double>(hydro.div_v[i]) * share);
  }
}

/// Powers of the density that f P / rho^2 and c follow where the thermal variable stays.
struct Exponents {
  double omega_P, cs;
};
Exponents exponents(const SphParameters& physics) {
  const bool follows_entropy = physics.is_ideal() && physics.scheme == Scheme::gadget2;
  if (follows_entropy) return {physics.gamma - 2.0, 0.5 * (physics.gamma - 1.0)};
  return {-1.0, 0.0};
}

/// The density and what follows from it, by continuity and from the predicted thermal variable, which was `before`.
void predict_hydro(const Hydro& hydro, const Motion& motion, std::span<const double> before, double dt,
                   const SphParameters& physics) {
  const Exponents powers = exponents(physics);
  for (std::size_t i = 0; i < hydro.rho.size(); ++i) {
    const double compression = std::clamp(-static_cast<double>(hydro.div_v[i]) * dt, -0.2, 0.2);
    // Written so that nothing is divided by zero and the compiler need not branch.
    const bool has_heat = before[i] > 0.0;
    const double quotient = motion.thermal_p[i] / (has_heat ? before[i] : 1.0);
    const double ratio = has_heat ? quotient : 1.0;
    hydro.rho[i] *= growth(compression);
    hydro.omega_P[i] *= ratio * growth(powers.omega_P * compression);
    hydro.cs[i] *= static_cast<float>(std::sqrt(ratio) * growth(powers.cs * compression));
  }
}

/// Around nothing.
kernels::Box nothing() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
}

kernels::Box around(const kernels::Box& a, const kernels::Box& b) {
  return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
          {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

}  // namespace

void drift(const Motion& motion, const Integrated& state, const Hydro& hydro, const Forces& forces,
           const SphParameters& physics, const Drift& how, DriftScratch& scratch) {
  scratch.since.resize(motion.size());
  if (how.clock.is_common) {
    const double half = 0.5 * how.dt;
    open_common_step(state, forces, half);
    std::ranges::fill(scratch.since, half);
  } else {
    for (std::size_t i = 0; i < motion.size(); ++i) scratch.since[i] = how.clock.since[state.bin[i]];
  }
  const bool has_idle = how.has_idle && !how.clock.is_common;
  if (has_idle) scratch.thermal.assign(motion.thermal_p.begin(), motion.thermal_p.end());
  move(motion, state, how.dt);
  predict_motion(motion, state, forces, scratch.since);
  predict_h(hydro, how.dt, physics.dimension);
  if (has_idle) predict_hydro(hydro, motion, scratch.thermal, how.dt, physics);
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

void bound_groups(const Motion& motion, const Hydro& hydro) {
  kernels::Box whole = nothing();
  double largest = 0.0;
  for (std::size_t g = 0; g + 1 < motion.groups.size(); ++g) {
    kernels::Box box = nothing();
    double h = 0.0;
    for (std::size_t i = motion.groups[g]; i < motion.groups[g + 1]; ++i) {
      const kernels::Point at{motion.x[i], motion.y[i], motion.z[i]};
      box = around(box, {at, at});
      h = std::max(h, hydro.h[i]);
    }
    motion.boxes[g] = box;
    hydro.group_h[g] = h;
    whole = around(whole, box);
    largest = std::max(largest, h);
  }
  motion.boxes.back() = whole;
  hydro.group_h.back() = largest;
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
  const int wanted = clock.line.bin_within(stable);
  if (clock.is_first || wanted <= int{before}) return wanted;
  return std::max(int{before}, clock.line.bin_within(margin * stable));
}

void shift(const Integrated& state, const Forces& forces, std::size_t i, double t) {
  state.vx[i] += static_cast<double>(forces.ax[i]) * t;
  state.vy[i] += static_cast<double>(forces.ay[i]) * t;
  state.vz[i] += static_cast<double>(forces.az[i]) * t;
  state.thermal[i] = later(state.thermal[i], forces.dthermal_dt[i], t);
}

/// The bounds of how far the next drifts can take particles.
struct Fastest {
  double v2 = 0.0;
  double a2 = 0.0;
  std::uint64_t not_finite = CellReport::none;

  void add(const Integrated& state, const Motion& motion, const Forces& forces, std::size_t i) {
    const base::Vec3 v{state.vx[i], state.vy[i], state.vz[i]};
    const base::Vec3 a{forces.ax[i], forces.ay[i], forces.az[i]};
    v2 = std::max(v2, dot(v, v));
    a2 = std::max(a2, dot(a, a));
    if (!std::isfinite(dot(v, v) + state.thermal[i] + motion.x[i] + motion.y[i] + motion.z[i])) {
      not_finite = state.id[i];
    }
  }
  /// What was reported before of particles that are not looked at now: looking costs more than a bound that is not the
  /// best. It becomes the best when particles are sorted.
  void include(const CellReport& before) {
    v2 = std::max(v2, before.v_max * before.v_max);
    a2 = std::max(a2, before.a_max * before.a_max);
  }
  void tell(CellReport& report) const {
    report.v_max = std::sqrt(v2);
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

void report_bins(const Integrated& state, CellReport& report) {
  report.lowest_bin = TimeLine::last_bin;
  report.highest_bin = 0;
  for (const std::uint8_t bin : state.bin) {
    report.lowest_bin = std::min(report.lowest_bin, bin);
    report.highest_bin = std::max(report.highest_bin, bin);
  }
}

void kick(const Integrated& state, const Motion& motion, const Hydro& hydro, const Gradients& gradients,
          const Forces& forces, const StepClock& clock, double dt, CellReport& report) {
  report.dt = std::numeric_limits<double>::infinity();
  report.lowest_active_bin = TimeLine::last_bin;
  report.active_at = clock.now;
  Fastest fastest;
  bool is_partial = false;
  for (std::size_t i = 0; i < state.vx.size(); ++i) {
    const std::uint8_t bin = state.bin[i];
    if (!clock.is_active(bin)) {
      is_partial = true;
      continue;
    }
    if (!clock.is_first) shift(state, forces, i, clock.is_common ? 0.5 * dt : clock.since[bin]);
    hydro.div_v_before[i] = hydro.div_v[i];
    hydro.alpha_v_before[i] = hydro.alpha_v[i];
    gradients.alpha_d_before[i] = gradients.alpha_d[i];
    const double stable = forces.dt[i];
    report.dt = std::min(report.dt, stable);
    if (!clock.is_common) {
      state.bin[i] = next_bin(bin_with_margin(stable, bin, clock), bin, clock);
      shift(state, forces, i, clock.ahead[state.bin[i]]);
      report.lowest_active_bin = std::min(report.lowest_active_bin, state.bin[i]);
    }
    fastest.add(state, motion, forces, i);
  }
  if (is_partial) fastest.include(report);
  fastest.tell(report);
  report_bins(state, report);
}

void change_bin(const Integrated& state, const Forces& forces, std::size_t i, std::uint8_t to, const StepClock& clock) {
  const double before = clock.line.since_next_middle(state.bin[i], clock.now);
  const double after = clock.line.since_next_middle(to, clock.now);
  shift(state, forces, i, before - after);
  state.bin[i] = to;
}

}  // namespace tacit::sph
