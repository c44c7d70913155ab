// Predicts how much memory a run takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/solvers/sph/gas.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph {

/// How much there is, and in which space.
struct Extent {
  double particles = 0.0;  ///< of gas
  int dimension = 3;
  base::Vec3 box;              ///< [length]
  double carried_bytes = 0.0;  ///< of particles that are no gas
};

[[nodiscard]] Extent extent_of(const InitialConditions& initial);

/// Memory of the gas, its cells and their graph at the peak of a run, as if the gas filled its box evenly [byte]. Gas
/// that crowds has more cells or fewer; of particles that are no gas the arrays alone are counted.
///
///     N (arrays + groups) + 3/2 cells (data + tasks + links)
///
/// @pre parameters have the dimension of `extent`
[[nodiscard]] double memory_use(const SphParameters& parameters, const Extent& extent);

/// Smoothing length of N particles that fill the box evenly [length].
[[nodiscard]] double typical_h(const SphParameters& parameters, const Extent& extent);

}  // namespace tacit::sph
