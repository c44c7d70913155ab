// The loops over the particles of a cell without neighbours; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/vector/drift.hpp"

#include "tacit/base/pack.hpp"
#include "tacit/solvers/sph/kernels/prediction.hpp"

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
               double dt, const double* __restrict t, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    x[i] += v[i] * dt;
    v_p[i] = static_cast<float>(v[i] + static_cast<double>(a[i]) * t[i]);
  }
}

void age(double* __restrict thermal, const double* __restrict rate, double t, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) thermal[i] = later(thermal[i], rate[i], t);
}

void predict_thermal(double* __restrict thermal_p, const double* __restrict thermal, const double* __restrict rate,
                     const double* __restrict t, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) thermal_p[i] = later(thermal[i], rate[i], t[i]);
}

void predict_h(double* __restrict h, const float* __restrict div_v, double share, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) h[i] *= growth(static_cast<double>(div_v[i]) * share);
}

/// The same as predict_thermal, and what follows from it.
void predict_idle(const DriftArrays& cell, const DriftRule& rule, const double* __restrict t) noexcept {
  double* __restrict thermal_p = cell.thermal_p;
  const double* __restrict thermal = cell.thermal;
  const double* __restrict rate = cell.dthermal_dt;
  const float* __restrict div_v = cell.div_v;
  double* __restrict rho = cell.rho;
  double* __restrict omega_P = cell.omega_P;
  float* __restrict cs = cell.cs;
  const double omega_P_power = rule.omega_P_power;
  const double cs_power = rule.cs_power;
  const double dt = rule.dt;
  for (std::size_t i = 0; i < cell.count; ++i) {
    const double before = thermal_p[i];
    const double now = later(thermal[i], rate[i], t[i]);
    const double compression = clamped(-static_cast<double>(div_v[i]) * dt, 0.2);
    // Written so that nothing is divided by zero and the compiler need not branch.
    const bool has_heat = before > 0.0;
    const double quotient = now / (has_heat ? before : 1.0);
    const double ratio = has_heat ? quotient : 1.0;
    thermal_p[i] = now;
    rho[i] *= growth(compression);
    omega_P[i] *= ratio * growth(omega_P_power * compression);
    cs[i] *= static_cast<float>(__builtin_sqrt(ratio) * growth(cs_power * compression));
  }
}

void drift(const DriftArrays& cell, const DriftRule& rule, double* room) {
  const std::size_t n = cell.count;
  if (rule.is_common) {
    const double half = 0.5 * rule.dt;
    kick_axis(cell.vx, cell.ax, half, n);
    kick_axis(cell.vy, cell.ay, half, n);
    kick_axis(cell.vz, cell.az, half, n);
    age(cell.thermal, cell.dthermal_dt, half, n);
    for (std::size_t i = 0; i < n; ++i) room[i] = half;
  } else {
    for (std::size_t i = 0; i < n; ++i) room[i] = rule.since[cell.bin[i]];
  }
  move_axis(cell.x, cell.vx, cell.ax, cell.vx_p, rule.dt, room, n);
  move_axis(cell.y, cell.vy, cell.ay, cell.vy_p, rule.dt, room, n);
  move_axis(cell.z, cell.vz, cell.az, cell.vz_p, rule.dt, room, n);
  predict_h(cell.h, cell.div_v, rule.dt / rule.dimension, n);
  if (rule.has_idle) {
    predict_idle(cell, rule, room);
  } else {
    predict_thermal(cell.thermal_p, cell.thermal, cell.dthermal_dt, room, n);
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
