// Reads the domain of a grid of cells and its walls, and divides it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacit/base/error.hpp"

namespace tacit::mesh {
namespace {

[[noreturn]] void refuse(const config::Parameters& parameters, std::string_view key, const std::string& what,
                         const std::string& hint) {
  throw config::Error(parameters.where(key), std::string(key), what, hint);
}

}  // namespace

bool Domain::has(Wall wall) const { return std::ranges::count(std::span(walls).first(dimensions), wall) > 0; }

std::uint64_t Domain::number_at(const std::array<double, 3>& x) const {
  std::uint64_t number = 0;
  for (std::size_t axis = 3; axis-- > 0;) {
    const auto cell = static_cast<std::uint64_t>(std::floor(x[axis] / spacing(axis)));
    number = number * static_cast<std::uint64_t>(cells[axis]) + cell;
  }
  return number;
}

Cell Domain::inside(Cell cell) const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cell[axis] = walls[axis] == Wall::periodic ? (cell[axis] + cells[axis]) % cells[axis]
                                               : std::clamp<Index>(cell[axis], 0, cells[axis] - 1);
  }
  return cell;
}

GridSpec Domain::grid(Index ghosts) const {
  GridSpec spec{.points = {}, .boundaries = {}, .ghosts = ghosts};
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    spec.points.push_back(cells[axis]);
    spec.boundaries.push_back(walls[axis] == Wall::periodic ? Boundary::periodic : Boundary::wall);
  }
  return spec;
}

std::vector<Index> read_extents(const config::Parameters& parameters, std::string_view key, std::string_view examples,
                                std::string_view example) {
  const std::vector<double> numbers = parameters.vector(key);
  if (numbers.empty() || numbers.size() > 3)
    refuse(parameters, key, fmt::format("has {} numbers", numbers.size()), fmt::format("one to three: {}", examples));
  for (const double number : numbers) {
    if (number != std::floor(number))
      refuse(parameters, key, "expected whole numbers", fmt::format("for example {}", example));
  }
  return {numbers.begin(), numbers.end()};
}

Domain read_domain(const config::Parameters& parameters, std::string_view table) {
  const std::vector<Index> cells =
      read_extents(parameters, fmt::format("{}.cells", table), "[64], [64, 64], [64, 64, 64]", "[64, 64]");
  const std::vector<double> box = parameters.vector(fmt::format("{}.box", table));
  Domain domain{.dimensions = cells.size()};
  for (std::size_t axis = 0; axis < cells.size(); ++axis) {
    domain.cells[axis] = cells[axis];
    domain.box[axis] = box[axis];
  }
  return domain;
}

void require_one_per_axis(const config::Parameters& parameters, std::string_view key, std::size_t given,
                          std::size_t axes, std::string_view what, std::string_view cells) {
  if (given == axes) return;
  refuse(parameters, key, fmt::format("has {} {} for {} axes", given, what, axes),
         fmt::format("one for each axis of {}, or one for all", cells));
}

void read_walls(const config::Parameters& parameters, std::string_view table,
                std::span<const config::Choice<Wall>> choices, Domain& domain) {
  const std::vector<Wall> walls = read_per_axis(parameters, fmt::format("{}.walls", table), choices, Wall::periodic,
                                                domain.dimensions, "walls", fmt::format("{}.cells", table));
  std::ranges::copy(walls, domain.walls.begin());
  const bool is_needed = domain.has(Wall::fixed);
  const auto read_side = [&](std::string_view name, std::array<double, 3>& values) {
    const std::string key = fmt::format("{}.{}", table, name);
    if (is_needed != parameters.has(key)) {
      refuse(parameters, key, is_needed ? "is missing: a wall is fixed" : "has no effect: no wall is fixed",
             is_needed ? fmt::format("write '{} = [0, 0, 0]' in [{}]", name, table) : "remove this line");
    }
    if (is_needed) std::ranges::copy(parameters.vector(key), values.begin());
  };
  read_side("low", domain.low);
  read_side("high", domain.high);
}

SideRules sides_of(const Domain& domain, const BlockGrid& grid) {
  SideRules sides = images_of(domain.grid(), grid);
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    if (domain.walls[axis] == Wall::periodic) continue;
    sides[axis].fill({.kind = SideRule::Kind::mirror});
    if (domain.walls[axis] == Wall::insulating) continue;
    sides[axis][0] = {SideRule::Kind::mirror, -1.0, 2.0 * domain.low[axis]};
    sides[axis][1] = {SideRule::Kind::mirror, -1.0, 2.0 * domain.high[axis]};
  }
  return sides;
}

BlockGrid divide(const Domain& domain, Index ghosts, std::size_t ranks, comm::RankId own,
                 const config::Parameters& parameters, std::string_view key) try {
  return grid_with_sides(domain.grid(ghosts), ranks, own);
} catch (const base::Error& error) {
  refuse(parameters, key, error.what(), "fewer ranks or more cells");
}

}  // namespace tacit::mesh
