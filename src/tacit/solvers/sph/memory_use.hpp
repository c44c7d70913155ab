// Predicts how much memory a run takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/solvers/sph/gas.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph {

/// Memory of the gas, its cells and their graph at the peak of a run, as if the gas filled its box evenly [byte]. Gas
/// that crowds has more cells or fewer; of particles that are no gas the arrays alone are counted.
///
///     N (arrays + groups) + 3/2 cells (data + tasks + links)
///
/// @pre parameters have the dimension of `initial`
[[nodiscard]] double memory_use(const SphParameters& parameters, const InitialConditions& initial);

/// Smoothing length of N particles that fill the box evenly [length].
[[nodiscard]] double typical_h(const SphParameters& parameters, const InitialConditions& initial);

}  // namespace tacit::sph
