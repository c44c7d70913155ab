// The keys of the heat solver and what they become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/mesh/kernels/stages.hpp"
#include "tacit/solvers/heat/setups/setups.hpp"

namespace tacit::heat {

/// All input of the solver, checked and in code units.
struct HeatParameters {
  Domain domain;
  double begin = 0.0;  ///< time of the initial conditions
  std::vector<mesh::Stage> stages;
  double cfl = 0.0;               ///< part of the longest stable step
  std::optional<double> dt = {};  ///< a fixed step [time]
  double source = 0.0;            ///< a constant one [temperature / time], beside that of the set-up
  Initial initial;

  /// Whether diffusivity and source are the same in all cells.
  [[nodiscard]] bool is_uniform() const { return initial.diffusivity.is_constant() && !initial.source; }
  /// Whether the total heat stays as it is.
  [[nodiscard]] bool keeps_heat() const { return !domain.has(Wall::fixed) && source == 0.0 && !initial.source; }
};

/// The tables of keys, for validation, help, schema and reference.
[[nodiscard]] std::span<const config::KeyTable> key_tables();

/// @throws config::Error where keys contradict each other; what the set-up throws
[[nodiscard]] HeatParameters read_parameters(const config::Parameters& parameters);

}  // namespace tacit::heat
