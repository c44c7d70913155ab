// What an update of a particle takes of the machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/engine/update_cost.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph {

/// Particles within the support of a kernel, itself included, where they are spread evenly.
[[nodiscard]] double neighbours_of_particle(const SphParameters& parameters);

/// Of the sums over neighbours, each pair seen from both sides, and of the particle's own fields.
/// @pre parameters have the dimension of the space
[[nodiscard]] engine::UpdateCost update_cost(const SphParameters& parameters);

}  // namespace tacit::sph
