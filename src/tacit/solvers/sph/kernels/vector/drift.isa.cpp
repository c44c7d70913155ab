// The loops over the particles of a cell without neighbours; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/vector/drift.hpp"

#include "tacit/base/pack.hpp"
#include "tacit/solvers/sph/kernels/prediction.hpp"
#include "tacit/solvers/sph/kernels/upper_half.hpp"

namespace tacit::sph::kernels::vector {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;

// Plain loops, which compilers make vectors of; each number is computed alone, so that all sets give bitwise identical
// results. With few arrays in each loop; a cell's arrays stay in the nearest cache from one to the next.

/// v += a t.
void kick_axis(double* __restrict v, const float* __restrict a, double t, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) v[i] += static_cast<double>(a[i]) * t;
}

/// x += v dt,  v_p = v + a t.
void move_axis(double* __restrict x, const double* __restrict v, const float* __restrict a, float* __restrict v_p,
               double dt, double t, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    x[i] += v[i] * dt;
    v_p[i] = static_cast<float>(v[i] + static_cast<double>(a[i]) * t);
  }
}

void age(double* __restrict thermal, const double* __restrict rate, double t, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) thermal[i] = later(thermal[i], rate[i], t);
}

/// All take the same step.
void step(const DriftArrays& cell, const DriftRule& rule) noexcept {
  const std::size_t n = cell.count;
  const double half = 0.5 * rule.dt;
  kick_axis(cell.vx, cell.ax, half, n);
  kick_axis(cell.vy, cell.ay, half, n);
  kick_axis(cell.vz, cell.az, half, n);
  age(cell.thermal, cell.dthermal_dt, half, n);
  move_axis(cell.x, cell.vx, cell.ax, cell.vx_p, rule.dt, half, n);
  move_axis(cell.y, cell.vy, cell.ay, cell.vy_p, rule.dt, half, n);
  move_axis(cell.z, cell.vz, cell.az, cell.vz_p, rule.dt, half, n);
  const double share = rule.dt / rule.dimension;
  double* __restrict h = cell.h;
  double* __restrict thermal_p = cell.thermal_p;
  const double* __restrict thermal = cell.thermal;
  const double* __restrict rate = cell.dthermal_dt;
  const float* __restrict div_v = cell.div_v;
  for (std::size_t i = 0; i < n; ++i) h[i] *= growth(static_cast<double>(div_v[i]) * share);
  for (std::size_t i = 0; i < n; ++i) thermal_p[i] = rounded_to_upper_half(later(thermal[i], rate[i], half));
}

/// x = x_before + v t,  v_p = v + a s, where the step began t ago and its middle was s ago.
void place_axis(double* __restrict x, const double* __restrict x_before, const double* __restrict v,
                const float* __restrict a, float* __restrict v_p, const double* __restrict t,
                const double* __restrict s, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = x_before[i] + v[i] * t[i];
    v_p[i] = static_cast<float>(v[i] + static_cast<double>(a[i]) * s[i]);
  }
}

void predict_h_and_thermal(const DriftArrays& cell, const DriftRule& rule, const double* __restrict t,
                           const double* __restrict s) noexcept {
  double* __restrict h = cell.h;
  double* __restrict thermal_p = cell.thermal_p;
  const double* __restrict h_before = cell.h_before;
  const double* __restrict thermal = cell.thermal;
  const double* __restrict rate = cell.dthermal_dt;
  const float* __restrict div_v = cell.div_v;
  const double dimension = rule.dimension;
  for (std::size_t i = 0; i < cell.count; ++i) {
    h[i] = cut_to_upper_half(h_before[i] * growth(static_cast<double>(div_v[i]) * (t[i] / dimension)));
    thermal_p[i] = rounded_to_upper_half(later(thermal[i], rate[i], s[i]));
  }
}

/// What follows from the thermal variable, of particles whose densities are not computed now.
void predict_idle(const DriftArrays& cell, const DriftRule& rule, const double* __restrict t,
                  const double* __restrict s) noexcept {
  double* __restrict rho = cell.rho;
  double* __restrict omega_P = cell.omega_P;
  float* __restrict cs = cell.cs;
  const double* __restrict rho_before = cell.rho_before;
  const double* __restrict omega_P_before = cell.omega_P_before;
  const float* __restrict cs_before = cell.cs_before;
  const double* __restrict thermal = cell.thermal;
  const double* __restrict rate = cell.dthermal_dt;
  const float* __restrict div_v = cell.div_v;
  const double omega_P_power = rule.omega_P_power;
  const double cs_power = rule.cs_power;
  for (std::size_t i = 0; i < cell.count; ++i) {
    const double ratio = heating(later(thermal[i], rate[i], s[i] - t[i]), later(thermal[i], rate[i], s[i]));
    const double compression = clamped(-static_cast<double>(div_v[i]) * t[i], 0.2);
    rho[i] = rounded_to_upper_half(__builtin_fabs(rho_before[i]) * growth(compression));
    omega_P[i] = rounded_to_upper_half(omega_P_before[i] * (ratio * growth(omega_P_power * compression)));
    cs[i] = cs_before[i] * static_cast<float>(__builtin_sqrt(ratio) * growth(cs_power * compression));
  }
}

/// Each takes its own step.
void place(const DriftArrays& cell, const DriftRule& rule, double* room) noexcept {
  const std::size_t n = cell.count;
  double* const t = room;
  double* const s = room + n;
  for (std::size_t i = 0; i < n; ++i) {
    t[i] = rule.begun[cell.bin[i]];
    s[i] = rule.since[cell.bin[i]];
  }
  place_axis(cell.x, cell.x_before, cell.vx, cell.ax, cell.vx_p, t, s, n);
  place_axis(cell.y, cell.y_before, cell.vy, cell.ay, cell.vy_p, t, s, n);
  place_axis(cell.z, cell.z_before, cell.vz, cell.az, cell.vz_p, t, s, n);
  predict_h_and_thermal(cell, rule, t, s);
  if (rule.has_idle) predict_idle(cell, rule, t, s);
}

void drift(const DriftArrays& cell, const DriftRule& rule, double* room) {
  if (rule.is_common) {
    step(cell, rule);
  } else {
    place(cell, rule, room);
  }
}

/// Smallest and largest number so far.
struct Ends {
  double low = __builtin_inf();
  double high = -__builtin_inf();
  [[gnu::always_inline]] void add(double x) noexcept {
    low = x < low ? x : low;
    high = x > high ? x : high;
  }
};

void bound(const DriftArrays& cell, const Groups& groups, const BoxSides& to, double* largest_h) {
  for (std::size_t g = 0; g < groups.count; ++g) {
    Ends x;
    Ends y;
    Ends z;
    double h = 0.0;
    // The chains of comparisons run beside each other.
    for (std::size_t i = groups.begins[g]; i < groups.begins[g + 1]; ++i) {
      x.add(cell.x[i]);
      y.add(cell.y[i]);
      z.add(cell.z[i]);
      h = cell.h[i] > h ? cell.h[i] : h;
    }
    const double sides[6] = {x.low, y.low, z.low, x.high, y.high, z.high};
    for (std::size_t side = 0; side < 6; ++side) to.sides[side * to.stride + g] = sides[side];
    largest_h[g] = h;
  }
}

}  // namespace

template <class>
DriftFunctions drift_of() noexcept {
  return {&drift, &bound};
}
template DriftFunctions drift_of<Isa>() noexcept;

}  // namespace tacit::sph::kernels::vector
