// The keys of scalars, rotation, stratification, forcing and shifted grids, and what they become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/dns/flow.hpp"
#include "tacit/solvers/dns/setups/scalar_fields.hpp"

namespace tacit::dns {

[[nodiscard]] std::span<const config::Key> physics_keys();
[[nodiscard]] std::span<const config::Key> forcing_keys();
[[nodiscard]] std::span<const config::Key> scalar_keys();

/// @param flow  with points, box, viscosity and truncation
/// @throws config::Error where keys contradict each other or the flow
[[nodiscard]] PhysicsParameters read_physics(const config::Parameters& parameters, const FlowParameters& flow);

/// The initial fields of the scalars of [scalars], as many as there are.
[[nodiscard]] ScalarFields read_scalar_fields(const config::Parameters& parameters);

}  // namespace tacit::dns
