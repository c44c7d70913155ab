// Drifts and bounds of one cell's particles, compiled once per instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tacit::sph::kernels::vector {

/// The arrays of a cell that a drift reads and writes, shape (count) each; none overlaps another.
struct DriftArrays {
  std::size_t count = 0;
  double *x, *y, *z;               ///< [length]
  double *vx, *vy, *vz, *thermal;  ///< as integrated; written where all take the same step
  // Where the steps began; not where all take the same.
  const double *x_before, *y_before, *z_before, *h_before, *rho_before, *omega_P_before;
  const float* cs_before;
  const float *ax, *ay, *az;
  const double* dthermal_dt;
  const std::uint8_t* bin;
  float *vx_p, *vy_p, *vz_p;  ///< predicted
  double* thermal_p;          ///< predicted
  double *h, *rho, *omega_P;
  float* cs;
  const float* div_v;
};

struct DriftRule {
  bool is_common;       ///< all take the same step, which begins with half a kick
  double dt;            ///< of that step [time]
  const double* begun;  ///< shape (bins): from the begin of the steps to now [time]; not where all take the same
  const double* since;  ///< shape (bins): from the middle of the steps to now [time]; likewise
  bool has_idle;        ///< rho, omega_P and cs are predicted too
  int dimension;
  double omega_P_power, cs_power;  ///< powers of the density that these follow
};

/// Moves particles and predicts what others will see; the formulas are those of sph::drift.
/// @param room  shape (2 count): is overwritten
using DriftFunction = void (*)(const DriftArrays&, const DriftRule&, double* room);

/// Sides of boxes by axis: low x, low y, low z, high x, high y, high z, `stride` numbers each.
struct BoxSides {
  double* sides = nullptr;
  std::size_t stride = 0;  ///< a whole number of the widest packs
};
/// Groups of particles that lie side by side.
struct Groups {
  std::size_t count = 0;
  const std::uint32_t* begins = nullptr;  ///< shape (count + 1)
};

/// Finds the box around each group, and the largest h in it.
using BoundFunction = void (*)(const DriftArrays&, const Groups&, const BoxSides&, double* largest_h);

struct DriftFunctions {
  DriftFunction drift;
  BoundFunction bound;
};

template <class Isa>
[[nodiscard]] DriftFunctions drift_of() noexcept;

}  // namespace tacit::sph::kernels::vector
