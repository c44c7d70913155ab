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

}  // namespace tacit::amr
