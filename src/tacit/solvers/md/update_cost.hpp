// What an atom takes of the machine in a step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/engine/update_cost.hpp"
#include "tacit/solvers/md/parameters.hpp"

namespace tacit::md {

/// In the list of an atom, were they spread evenly in the box.
[[nodiscard]] double neighbours_of_atom(const MdParameters& parameters, double cutoff);

/// Without the making of lists, of which a step has but a part.
/// @param neighbours  in the list of an atom
[[nodiscard]] engine::UpdateCost update_cost(const MdParameters& parameters, double neighbours);

}  // namespace tacit::md
