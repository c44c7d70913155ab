// The solver skeleton: a population that spreads and grows, on a periodic grid.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/engine/solver.hpp"

namespace tacit::skeleton {

/// The solver's entry for the registry.
[[nodiscard]] const engine::SolverEntry& solver_entry();

}  // namespace tacit::skeleton
