// What every solver can be asked without an answer of its own.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/solver.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tacit::engine {

std::optional<std::string> Solver::not_finite() const {
  const Conserved sums = conserved();
  struct Sum {
    std::string_view name;
    double value;
  };
  const std::array all{Sum{"mass", sums.mass.value_or(0.0)},
                       Sum{"momentum along x", sums.momentum.x},
                       Sum{"momentum along y", sums.momentum.y},
                       Sum{"momentum along z", sums.momentum.z},
                       Sum{"kinetic energy", sums.kinetic_energy},
                       Sum{"internal energy", sums.internal_energy.value_or(0.0)},
                       Sum{"potential energy", sums.potential_energy.value_or(0.0)}};
  for (const auto& [name, value] : all) {
    if (!std::isfinite(value)) return fmt::format("the {} is {}", name, value);
  }
  return std::nullopt;
}

}  // namespace tacit::engine
