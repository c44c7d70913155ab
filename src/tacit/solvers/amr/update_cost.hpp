// What a cell takes of the machine in a step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/engine/update_cost.hpp"
#include "tacit/solvers/amr/parameters.hpp"

namespace tacit::amr {

/// Of both stages; without what the faces between levels and the following of the gas take.
[[nodiscard]] engine::UpdateCost update_cost(const AmrParameters& parameters);

}  // namespace tacit::amr
