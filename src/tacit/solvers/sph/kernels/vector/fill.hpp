// Turns particles in doubles into candidates in floats, many at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/solvers/sph/kernels/vector/candidates.hpp"
#include "tacit/solvers/sph/kernels/vector/drift.hpp"

namespace tacit::sph::kernels::vector {

/// Arrays of one length; those of the gas are null where forces are not wanted, u and
/// what follows where SPHENIX is not, and alpha_d where conduction is not.
struct FillSource {
  std::size_t count = 0;
  const double *x = nullptr, *y = nullptr, *z = nullptr, *m = nullptr;
  const float *vx = nullptr, *vy = nullptr, *vz = nullptr;
  const double *h = nullptr, *rho = nullptr, *omega_P = nullptr;
  const float *cs = nullptr, *balsara = nullptr;
  double support = 0.0;  ///< H / h
  const double* u = nullptr;
  const float *f = nullptr, *alpha_v = nullptr, *alpha_d = nullptr;
};

/// What Frame and Image say about one axis.
struct FillAxis {
  double scale;    ///< position to quanta, negative through a mirror
  double offset;   ///< in quanta
  float turn;      ///< 1, or -1 through a mirror
  float velocity;  ///< of the frame
};

/// What Frame says, and which particles are wanted: those within `radius`, or their own support, of a box.
struct FillRule {
  FillAxis x, y, z;
  double quantum, per_length, per_mass, per_density, per_omega_P, per_energy;
  float per_velocity;
  Region region;
};

/// Groups of the source's particles, so that those far from the region are passed over together.
struct FillGroups {
  Groups groups;              ///< none: all particles are looked at
  BoxSides boxes;             ///< around the groups
  const double* h = nullptr;  ///< largest smoothing length in each; null where the source has no gas
  double low[3], high[3];     ///< the region's box as the particles' own coordinates see it
  double radius;              ///< of the region [length]
};

/// The arrays of a cache, as in Candidates; `size` candidates are there already. There must be room for all particles
/// of the source and one pack more.
struct FillTarget {
  std::size_t size = 0;
  float *x = nullptr, *y = nullptr, *z = nullptr, *m = nullptr, *H2 = nullptr;
  float *place = nullptr, *flow = nullptr, *state = nullptr, *thermal = nullptr;
};

/// Appends the particles that are wanted, in their order; returns how many candidates there are then.
///
/// Cost: 44 bytes read per particle and 52 written per candidate; with the gas 76 and 72, for SPHENIX 96 and 88.
using FillFunction = std::size_t (*)(const FillSource&, const FillRule&, const FillGroups&, FillTarget);

template <class Isa>
[[nodiscard]] FillFunction fill_of() noexcept;

}  // namespace tacit::sph::kernels::vector
