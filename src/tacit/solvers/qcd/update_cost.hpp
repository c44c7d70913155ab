// What a site takes of the machine in an iteration.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/engine/update_cost.hpp"
#include "tacit/solvers/qcd/parameters.hpp"

namespace tacit::qcd {

/// Of applications of the operator, and of the vectors of the method; without what is computed now and then, as the
/// residual in double precision.
[[nodiscard]] engine::UpdateCost update_cost(const QcdParameters& parameters);

}  // namespace tacit::qcd
