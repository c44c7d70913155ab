// What a grid point takes of the machine in a step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/engine/update_cost.hpp"
#include "tacit/solvers/dns/flow.hpp"

namespace tacit::dns {

/// Of all substages: transforms, products, and the advance of modes; without tracers and what is measured.
[[nodiscard]] engine::UpdateCost update_cost(const FlowParameters& flow);

}  // namespace tacit::dns
