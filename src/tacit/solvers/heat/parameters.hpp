// The keys of the heat solver and what they become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tacit/config/parameters.hpp"
#include "tacit/mesh/launch_slots.hpp"
#include "tacit/solvers/heat/setups/setups.hpp"
#include "tacit/stencil/grid_setting.hpp"

namespace tacit::heat {

/// All input of the solver, checked and in code units.
struct HeatParameters : stencil::GridSetting {
  double begin = 0.0;        ///< time of the initial conditions
  double diffusivity = 0.0;  ///< where the initial conditions have none
  double source = 0.0;       ///< a constant one [temperature / time]
  Initial initial = {};
  mesh::LaunchSetting launches = {};

  /// Whether diffusivity and source are the same in all cells.
  [[nodiscard]] bool is_uniform() const { return !initial.diffusivity && !initial.source; }
  /// Whether the total heat stays as it is.
  [[nodiscard]] bool keeps_heat() const { return !domain.has(Wall::fixed) && source == 0.0 && !initial.source; }
};

/// The tables of keys, for validation, help, schema and reference.
[[nodiscard]] std::span<const config::KeyTable> key_tables();

/// @throws config::Error where keys contradict each other; what the set-up throws
[[nodiscard]] HeatParameters read_parameters(const config::Parameters& parameters);

}  // namespace tacit::heat
