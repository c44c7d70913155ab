// Estimates of a run before it begins: how many particles, how much memory, how short a first step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tacit/base/units.hpp"
#include "tacit/solvers/sph/gas.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph {

/// How much there is, and in which space.
struct Extent {
  double particles = 0.0;  ///< that move
  int dimension = 3;
  base::Vec3 box;              ///< [length]
  double carried_bytes = 0.0;  ///< of particles that are carried along
};

[[nodiscard]] Extent extent_of(const InitialConditions& initial);

/// Memory of the gas, its cells and their graph at the peak of a run, as if the gas filled its box evenly [byte]. Gas
/// that crowds has more cells or fewer; of particles that are no gas the arrays alone are counted.
///
///     N (arrays + groups) + 3/2 cells (data + tasks + links)
///
/// @pre parameters have the dimension of `extent`
[[nodiscard]] double memory_use(const SphParameters& parameters, const Extent& extent);

/// What several ranks together add to that with self-gravity: nodes of all cells on each, places and masses of
/// particles near its own, and windows of the messages that bring both [byte].
[[nodiscard]] double gravity_bytes_of_ranks(const SphParameters& parameters, const Extent& extent, std::size_t ranks);

/// Bytes of a particle in a checkpoint: its ID and its fields.
[[nodiscard]] double saved_bytes_per_particle(const GasContents& contents);

/// Smoothing length of N particles that fill the box evenly [length].
[[nodiscard]] double typical_h(const SphParameters& parameters, const Extent& extent);

struct Estimate {
  Extent extent;
  double start_time = 0.0;       ///< [time]
  double first_time_step = 0.0;  ///< upper bound, for the hottest or smallest particle [time]; 0: it cannot be told
  bool is_estimate = false;      ///< not all particles were looked at
};

/// How much may be made or read to look at it.
struct EstimateLimits {
  double particles = 2.2e6;  ///< of a set-up: 200 MB
  double bytes = 0.0;        ///< of a file; 0: half of the memory that there is
};

/// Looks at all particles where that is cheap. Of a larger set-up it makes two small ones, of 32 and 64 particles along
/// a side, and goes on as they grow: particles and sides with whole powers of the resolution, the first step with
/// halves. Of a file too large to be read it takes the headers.
///
/// @throws base::FormatError, base::SystemError if a file cannot be used
[[nodiscard]] Estimate estimate(const SphParameters& parameters, const base::UnitSystem& units,
                                const EstimateLimits& limits = {});

}  // namespace tacit::sph
