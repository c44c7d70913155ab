// What diffusion takes of the machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/engine/update_cost.hpp"
#include "tacit/solvers/heat/parameters.hpp"

namespace tacit::heat {

/// The rate of a cell's temperature, beside what stages do with it.
[[nodiscard]] engine::UpdateCost cost_of_rates(const HeatParameters& parameters);

}  // namespace tacit::heat
