// Initial conditions of several ranks, of which none has all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/engine/solver.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph {

/// The share of this rank in the particles that the parameters name. All ranks call it.
/// @throws base::Error on all ranks where one of them cannot read its share, with what that one says; where two
///         particles have the same ID, whoever has them
[[nodiscard]] InitialConditions share_of_initial_conditions(const SphParameters& parameters,
                                                            const base::UnitSystem& units,
                                                            const engine::Resources& resources);

}  // namespace tacit::sph
