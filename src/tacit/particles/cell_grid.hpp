// Particles sorted into the cells of a uniform grid, and for each cell the cells that its particles may see.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/particles/domain.hpp"
#include "tacit/particles/groups.hpp"

namespace tacit::particles {

/// Consecutive particles in cell order.
struct Range {
  std::size_t begin = 0;
  std::size_t count = 0;
};

/// A cell that lies within reach of another, seen through one image: a periodic one, or one in the mirrors.
struct Neighbour {
  std::uint32_t cell = 0;
  std::array<std::int8_t, 3> image{};  ///< how many domains away along each axis; see CellGrid::view
  bool within_own_reach = false;       ///< false: only the other cell's reach bridges the gap
};

/// How a neighbour's particles are seen: x' = sign x + shift along each axis; velocities turn with the sign.
struct View {
  base::Vec3 sign{1.0, 1.0, 1.0};
  base::Vec3 shift;
};

/// What has to be saved of a grid besides its domain, to come back to the same order of particles.
struct StoredCells {
  std::array<int, 3> shape{};              ///< cells along each axis
  double group_width = 0.0;                ///< as given to the constructor
  std::vector<std::uint64_t> counts;       ///< shape (cells): particles in each
  std::vector<std::uint64_t> group_sizes;  ///< shape (groups): particles in each
};

/// A uniform grid over a domain, one cell thick along axes that the domain does not use. Its cells, their order and
/// their lists depend on the data alone, never on threads or ranks.
///
/// Cells may be small compared with the longest reach: a cell lists every cell (and image) that is nearer than the
/// larger of the two reaches, so a few particles with a long reach do not make the others search far. Within a cell,
/// particles that lie close together form groups: each cell is divided into sub-cells, and the particles of one
/// sub-cell are one group, or several if they are more than Groups::most_per_group.
class CellGrid {
 public:
  /// @param domain       periodic: the box; open: a box that holds all particles
  /// @param width        wanted cell width [length], > 0; cells are at least this wide
  /// @param most_cells   upper bound of the number of cells; the width grows to keep it
  /// @param group_width  wanted width of the sub-cells [length], > 0; they number at most 512 per cell
  CellGrid(const Domain& domain, double width, std::size_t most_cells,
           double group_width = std::numeric_limits<double>::infinity());

  /// A grid as `stored` gave it, and its particles in the order of then, wherever they have drifted since.
  /// @return nothing if the numbers do not fit each other or do not add up to `particles`
  [[nodiscard]] static std::optional<CellGrid> restore(const Domain& domain, const StoredCells& stored,
                                                       std::size_t particles);
  [[nodiscard]] StoredCells stored() const;

  [[nodiscard]] const Domain& domain() const noexcept { return domain_; }
  [[nodiscard]] std::size_t cells() const noexcept { return ranges_.size(); }
  [[nodiscard]] const std::array<int, 3>& shape() const noexcept { return shape_; }
  [[nodiscard]] const base::Vec3& cell_size() const noexcept { return cell_size_; }
  /// The particles of a cell, as of the last `sort`.
  [[nodiscard]] Range range(std::size_t cell) const { return ranges_[cell]; }

  /// Where the groups of a cell begin, relative to its first particle, as of the last `sort`; the last entry is the
  /// number of its particles, so a cell of n groups has n + 1 entries.
  [[nodiscard]] std::span<const std::uint32_t> groups(std::size_t cell) const { return groups_.of(cell); }
  /// Groups of all cells; they are numbered through in the order of cells.
  [[nodiscard]] std::size_t total_groups() const noexcept { return groups_.size(); }
  [[nodiscard]] std::size_t first_group(std::size_t cell) const { return groups_.first(cell); }

  /// Whether every position lies in the grid; a periodic grid holds all of [origin, origin + size).
  [[nodiscard]] bool holds(std::span<const double> x, std::span<const double> y, std::span<const double> z) const;

  /// Assigns particles to cells and groups and orders them by (cell, sub-cell, ID).
  ///
  /// @param x, y, z  shape (N): positions [length] inside the grid
  /// @param id       shape (N): unique IDs
  /// @return         shape (N): the particle that comes first, second, ... in the new order; valid until the next call
  /// Cost: O(N); 10 to 15 ns per particle. Allocates nothing when called again for no more particles.
  [[nodiscard]] std::span<const std::uint32_t> sort(std::span<const double> x, std::span<const double> y,
                                                    std::span<const double> z, std::span<const std::uint64_t> id);

  /// Lists for each cell the cells that come nearer than the larger of both reaches plus twice `slack`, itself
  /// included, ordered by (cell, image).
  ///
  /// @param reach  shape (cells): how far particles of a cell may see [length]
  /// @param slack  how far a particle may move before the lists no longer hold [length]
  /// Cost: O(cells * (reach / width)^3).
  void link(std::span<const double> reach, double slack);

  [[nodiscard]] std::span<const Neighbour> neighbours(std::size_t cell) const { return neighbours_[cell]; }
  /// Where a neighbour's particles are seen: a periodic image is moved by whole domains; an image that took an odd
  /// number of reflections is turned round besides.
  [[nodiscard]] View view(const Neighbour& neighbour) const noexcept;
  /// The narrowest side of a cell along the axes in use [length].
  [[nodiscard]] double narrowest() const noexcept;

  /// For each cell the largest of `values` over itself and the up to 26 cells around it.
  [[nodiscard]] std::vector<double> spread_maximum(std::span<const double> values) const;

 private:
  using Index3 = std::array<int, 3>;
  using Positions = std::array<std::span<const double>, 3>;
  /// A particle while its cell is sorted.
  struct Record {
    std::uint64_t id;
    std::uint32_t particle;
    std::uint16_t sub_cell;
  };
  CellGrid(const Domain& domain, const Index3& shape, double group_width);
  [[nodiscard]] std::size_t flat(const Index3& index) const noexcept;
  [[nodiscard]] Index3 index3(std::size_t cell) const noexcept;
  [[nodiscard]] std::optional<Neighbour> at_offset(std::size_t cell, const Index3& offset) const;
  [[nodiscard]] bool is_endless() const noexcept { return domain_.periodic || domain_.mirrored; }
  [[nodiscard]] std::array<std::int8_t, 3> opposite(const std::array<std::int8_t, 3>& image) const noexcept;
  void link_cell(std::size_t cell, std::span<const double> reach, double slack);
  void find_cells(const Positions& positions);
  void order_by_cell();
  void order_within(const Range& range, std::span<const std::uint64_t> id);

  Domain domain_;
  Index3 shape_{};
  base::Vec3 cell_size_;
  double group_width_;
  Index3 sub_cells_{};                    // along each axis of a cell
  std::vector<std::uint16_t> sub_order_;  // row-major number of a sub-cell -> its place in the order
  std::vector<Range> ranges_;
  Groups groups_;
  std::vector<std::vector<Neighbour>> neighbours_;

  // Kept from one `sort` to the next.
  std::vector<std::uint32_t> cell_of_;      // shape (N)
  std::vector<std::uint16_t> sub_cell_of_;  // shape (N)
  std::vector<std::uint32_t> order_;        // shape (N)
  std::vector<std::uint32_t> next_;         // shape (cells + 1)
  std::vector<std::uint32_t> sub_next_;     // shape (sub-cells + 1)
  std::vector<Record> records_, sorted_;    // shape (particles in the fullest cell)
};

}  // namespace tacit::particles
