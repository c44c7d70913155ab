// What memory a run needs.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tacit/base/memory.hpp"
#include "tacit/solvers/amr/parameters.hpp"

namespace tacit::amr {

/// Two states of the cells, or three of three stages, and the last one; the graph of a step and what it keeps of each
/// sub-grid, measured. Adaptive runs have an eighth of room, and make trees, whose nodes are in sets. Gravity has
/// fields, mass fluxes, masses, potentials and work, and cubes with their expansions and lists.
double memory_of(const AmrParameters& parameters, double leaves) {
  double cells = 1.0;
  for (std::size_t axis = 0; axis < 3; ++axis) cells *= static_cast<double>(parameters.domain.cells_of_block(axis));
  const double states =
      static_cast<double>(stages_of(parameters.integrator).size()) + (parameters.halvings > 0 ? 1.0 : 0.0);
  const double state = states * static_cast<double>(parameters.fields.count()) * sizeof(double) * cells;
  const double gravity =
      parameters.gravity ? (gravity_variables + 3.0 * 1.125 + 3.0) * sizeof(double) * cells + 12000.0 : 0.0;
  return leaves * (gravity + (parameters.is_adaptive ? 1.125 * state + 4000.0 : state + 1200.0));
}

double memory_of_copies(const AmrParameters& parameters, double leaves, std::size_t ranks) {
  if (ranks == 1) return 0.0;
  const Domain& domain = parameters.domain;
  const double mine = leaves / static_cast<double>(ranks);
  const auto dimensions = static_cast<double>(domain.dimensions);
  const double side = std::pow(mine, 1.0 / dimensions);
  // Leaves of one level see others through faces, those at borders of levels all that touch them.
  const bool has_levels = parameters.is_adaptive || domain.finest() > domain.level;
  const double around = has_levels ? std::pow(side + 2.0, dimensions) - mine : 2.0 * dimensions * mine / side;
  double cells = 1.0;
  for (std::size_t axis = 0; axis < 3; ++axis) cells *= static_cast<double>(domain.cells_of_block(axis));
  const double copies = std::min(around, leaves - mine);
  const double masses = parameters.gravity ? leaves * (sizeof(double) * cells + 12000.0) : 0.0;  // of all, on each
  return static_cast<double>(ranks) *
         (masses + copies * static_cast<double>(parameters.fields.count()) * sizeof(double) * cells);
}

double leaves_limit(const AmrParameters& parameters, double machines) {
  constexpr double numbers = std::numeric_limits<std::uint32_t>::max();
  if (parameters.most_leaves > 0) return static_cast<double>(parameters.most_leaves);
  const auto usable = base::usable_memory();
  if (!usable) return numbers;
  return std::min(numbers, machines * static_cast<double>(*usable) / memory_of(parameters, 1.0));
}

}  // namespace tacit::amr
