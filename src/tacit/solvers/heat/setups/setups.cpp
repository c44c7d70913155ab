// Exact solutions in cells.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/setups/setups.hpp"

#include <algorithm>

namespace tacit::heat {

ExactAt::ExactAt(const Exact& exact, const Domain& domain, double time) : axis_(exact.axis) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::int64_t i = 0; i < domain.cells[axis]; ++i) {
      const double x = domain.position(axis, i);
      if (axis == axis_) about_.push_back(exact.about(x));
      factors_[axis].push_back(exact.factor ? exact.factor(axis, x, time) : 0.0);
    }
  }
}

Exact between_walls(const Domain& domain, double mean) {
  if (!domain.has(Wall::fixed)) return {.about = [mean](double) { return mean; }};
  const auto axis = static_cast<std::size_t>(std::ranges::find(domain.walls, Wall::fixed) - domain.walls.begin());
  const double low = domain.low[axis];
  const double slope = (domain.high[axis] - low) / domain.box[axis];
  return {.axis = axis, .about = [=](double x) { return low + slope * x; }};
}

}  // namespace tacit::heat
