// What all set-ups use.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/setups/setups.hpp"

#include <algorithm>

namespace tacit::amr {

bool Domain::has(Wall wall) const noexcept {
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    if (sides[axis][0] == wall || sides[axis][1] == wall) return true;
  }
  return false;
}

std::uint32_t Domain::finest() const noexcept {
  std::uint32_t most = level;
  for (const Region& region : regions) most = std::max(most, region.level);
  return most;
}

GasMeans means_of(const GasState& gas, const Fractions& X, double gamma) noexcept {
  GasMeans means{gas.rho};
  double squares = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    means[1 + axis] = gas.rho * gas.v[axis];
    squares += gas.v[axis] * gas.v[axis];
  }
  const double heat = gas.P / (gamma - 1.0);
  means[4] = heat + 0.5 * gas.rho * squares;
  means[5] = heat;
  for (std::size_t k = 0; k < X.size(); ++k) means[6 + k] = gas.rho * X[k];
  return means;
}

}  // namespace tacit::amr
