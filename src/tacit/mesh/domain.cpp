// Reads the domain of a grid of cells, and divides it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacit/base/error.hpp"
#include "tacit/mesh/sides.hpp"

namespace tacit::mesh {
namespace {

[[noreturn]] void refuse(const config::Parameters& parameters, std::string_view key, const std::string& what,
                         const std::string& hint) {
  throw config::Error(parameters.where(key), std::string(key), what, hint);
}

}  // namespace

GridSpec Domain::grid(Index ghosts) const {
  const auto n = static_cast<std::ptrdiff_t>(dimensions);
  return {.points = {cells.begin(), cells.begin() + n},
          .boundaries = {boundaries.begin(), boundaries.begin() + n},
          .ghosts = ghosts};
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

BlockGrid divide(const Domain& domain, Index ghosts, std::size_t ranks, comm::RankId own,
                 const config::Parameters& parameters, std::string_view key) try {
  return grid_with_sides(domain.grid(ghosts), ranks, own);
} catch (const base::Error& error) {
  refuse(parameters, key, error.what(), "fewer ranks or more cells");
}

}  // namespace tacit::mesh
