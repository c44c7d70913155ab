// What all set-ups use.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/setups/setups.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::heat {

void Domain::set_walls(std::span<const Wall> of_axes) {
  for (std::size_t axis = 0; axis < of_axes.size(); ++axis) {
    walls[axis] = of_axes[axis];
    boundaries[axis] = walls[axis] == Wall::periodic ? mesh::Boundary::periodic : mesh::Boundary::wall;
  }
}

bool Domain::has(Wall wall) const {
  return std::find(walls.begin(), walls.begin() + dimensions, wall) != walls.begin() + dimensions;
}

bool Domain::is_between_two_walls() const {
  std::vector<double> temperatures;
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    if (walls[axis] == Wall::fixed) temperatures.insert(temperatures.end(), {low[axis], high[axis]});
  }
  const auto unlike = std::ranges::adjacent_find(temperatures, std::not_equal_to{});
  return temperatures.size() == 2 || unlike == temperatures.end();
}

ExactAt::ExactAt(const Exact& exact, const Domain& domain, double time) : axis_(exact.axis) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::int64_t i = 0; i < domain.cells[axis]; ++i) {
      const double x = domain.position(axis, i);
      if (axis == axis_) about_.push_back(exact.about(x));
      factors_[axis].push_back(exact.factor ? exact.factor(axis, x, time) : 0.0);
    }
  }
}

void Initial::release() {
  for (ByCell* field : {&temperature, &diffusivity.by_cell, &source}) {
    if (*field) *field = [](const Cell&) -> double { throw base::Error("initial conditions were released"); };
  }
}

Exact between_walls(const Domain& domain, double mean) {
  if (!domain.has(Wall::fixed)) return {.about = [mean](double) { return mean; }};
  const auto axis = static_cast<std::size_t>(std::ranges::find(domain.walls, Wall::fixed) - domain.walls.begin());
  const double low = domain.low[axis];
  const double slope = (domain.high[axis] - low) / domain.box[axis];
  return {.axis = axis, .about = [=](double x) { return low + slope * x; }};
}

Coefficient constant_diffusivity(const config::Parameters& parameters) {
  if (parameters.has("heat.diffusivity")) return {.constant = parameters.real("heat.diffusivity")};
  throw config::Error(parameters.where("heat.diffusivity"), "heat.diffusivity", "is missing: the set-up has none",
                      "write 'diffusivity = 1' in [heat]");
}

Coefficient diffusivity_of_cells(const config::Parameters& parameters, ByCell by_cell) {
  if (!parameters.has("heat.diffusivity")) return {.by_cell = std::move(by_cell)};
  throw config::Error(parameters.where("heat.diffusivity"), "heat.diffusivity",
                      "the set-up has a diffusivity of its own", "leave one of the two out");
}

}  // namespace tacit::heat
