// The domain of a grid of cells: its keys in parameter files, where its cells are, and what bounds it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/comm/rank.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/mesh/block_grid.hpp"
#include "tacit/mesh/cells.hpp"
#include "tacit/mesh/sides.hpp"

namespace tacit::mesh {

/// What bounds a field along an axis, at both sides.
enum class Wall : std::uint8_t {
  periodic,
  fixed,       ///< its value at the wall is given
  insulating,  ///< its gradient across the wall is 0: nothing passes
};

/// A box of cells in one to three dimensions; an axis that it does not have is one cell long and as wide as 1.
struct Domain {
  std::size_t dimensions = 3;
  std::array<Index, 3> cells{1, 1, 1};
  std::array<double, 3> box{1.0, 1.0, 1.0};  ///< [length]
  std::array<Wall, 3> walls{};
  std::array<double, 3> low{};  ///< values at fixed walls, at the low sides
  std::array<double, 3> high{};

  [[nodiscard]] double spacing(std::size_t axis) const { return box[axis] / static_cast<double>(cells[axis]); }
  /// Of the centre of a cell along an axis.
  [[nodiscard]] double position(std::size_t axis, Index cell) const {
    return (static_cast<double>(cell) + 0.5) * spacing(axis);
  }
  /// Number of the cell around a position, x fastest: a key of random numbers, the same on any ranks.
  /// @param x  [length]
  ///
  ///     0.01 * (base::uniform(seed, domain.number_at(x), field) - 0.5)     // noise in initial conditions
  [[nodiscard]] std::uint64_t number_at(const std::array<double, 3>& x) const;
  /// Cells of the whole grid.
  [[nodiscard]] std::uint64_t size() const { return static_cast<std::uint64_t>(cells[0] * cells[1] * cells[2]); }
  /// Of a cell [length^d].
  [[nodiscard]] double volume() const { return spacing(0) * spacing(1) * spacing(2); }
  /// Whether any of its axes has such walls.
  [[nodiscard]] bool has(Wall wall) const;
  /// The cell that a ghost cell stands for: the same one at the other side, or beyond a wall the last one before it.
  [[nodiscard]] Cell inside(Cell cell) const;
  /// The grid of it. @param ghosts  width of the ghost cells
  [[nodiscard]] GridSpec grid(Index ghosts = 1) const;
};

/// The key of its cells, and that of its box.
[[nodiscard]] constexpr config::Key cells_key(std::string_view name) {
  return config::Key::numbers(name, "Cells along each axis: one to three numbers.", {1.0, 1 << 20})
      .required("[64, 64]");
}
[[nodiscard]] constexpr config::Key box_key(std::string_view name, std::string_view help) {
  return config::Key::vector(name, base::dimension::length, help, "[1, 1, 1]", config::positive);
}

/// Whole numbers along one to three axes.
/// @param examples  for messages: of one, two and three axes
/// @throws config::Error if they are none
[[nodiscard]] std::vector<Index> read_extents(const config::Parameters& parameters, std::string_view key,
                                              std::string_view examples, std::string_view example);

/// A domain with periodic boundaries, of the keys TABLE.cells and TABLE.box. @throws config::Error
[[nodiscard]] Domain read_domain(const config::Parameters& parameters, std::string_view table);

/// @throws config::Error if a list is not as long as there are axes, which the key `cells` gives
/// @param what  the list is of: "walls"
void require_one_per_axis(const config::Parameters& parameters, std::string_view key, std::size_t given,
                          std::size_t axes, std::string_view what, std::string_view cells);

/// A choice for each axis, of a list of as many or of one for all, as boundaries are given.
/// @param choices  of which the key was made   @param otherwise  where it is not given
/// @param what     the list is of: "walls"     @param cells  the key that says how many axes there are
template <class Choices, class Value>
[[nodiscard]] std::vector<Value> read_per_axis(const config::Parameters& parameters, std::string_view key,
                                               const Choices& choices, Value otherwise, std::size_t axes,
                                               std::string_view what, std::string_view cells) {
  std::vector<Value> values{otherwise};
  if (parameters.has(key)) values = parameters.choices(key, choices);
  if (values.size() == 1) values.resize(axes, values[0]);
  require_one_per_axis(parameters, key, values.size(), axes, what, cells);
  return values;
}

/// Reads the walls of a domain: TABLE.walls, one for each axis or one for all, and where a wall is fixed TABLE.low and
/// TABLE.high. @param choices  of which the key was made   @throws config::Error if values are missing, or of no use
void read_walls(const config::Parameters& parameters, std::string_view table,
                std::span<const config::Choice<Wall>> choices, Domain& domain);

/// What a field has beyond the sides: images, and ghost cells so that its mean with the cell before the wall is the
/// given value, or as that cell.
[[nodiscard]] SideRules sides_of(const Domain& domain, const BlockGrid& grid);

/// The grid of the domain, divided so that the least is exchanged: see grid_with_sides.
/// @param key  that an error names: of the cells   @throws config::Error if there are too many ranks
[[nodiscard]] BlockGrid divide(const Domain& domain, Index ghosts, std::size_t ranks, comm::RankId own,
                               const config::Parameters& parameters, std::string_view key);

}  // namespace tacit::mesh
