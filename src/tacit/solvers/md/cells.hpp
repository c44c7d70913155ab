// The regular grid of cells that atoms are sorted into, its images beyond periodic faces, and bricks of cells for
// tasks. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tacit/solvers/md/box.hpp"

namespace tacit::md {

/// Consecutive numbers.
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
};

/// A cell as seen through a periodic face: a copy of its atoms, moved.
struct GhostCell {
  std::uint32_t source = 0;  ///< the cell itself
  ImageCount image{};        ///< so many edges away
};

/// Cells of equal size that fill the box, and layers of ghost cells around it where it is periodic, as many as `reach`
/// spans: so a neighbour is any cell or ghost cell beside an atom's own, and a box may be smaller than the reach.
///
/// Cells are numbered brick by brick, so that the atoms of a brick lie together; behind them come the ghost cells, by
/// the brick that they are copies of. What a cell sees, and in which order, follows from the box and the reach alone.
class CellGrid {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr int most_layers = 16;  ///< of ghost cells: a box is no narrower than a 16th of the reach

  /// @param reach            distance within which neighbours are found [length]
  /// @param atoms            of the whole box: there are no more cells than that
  /// @param atoms_of_brick   wanted
  /// @pre fits(box, reach)
  CellGrid(const Box& box, double reach, std::uint64_t atoms, double atoms_of_brick);
  /// Whether the layers of ghost cells are not too many.
  [[nodiscard]] static bool fits(const Box& box, double reach) noexcept;

  [[nodiscard]] std::size_t cells() const noexcept { return place_of_.size(); }
  [[nodiscard]] std::size_t all_cells() const noexcept { return cells() + ghosts_.size(); }
  [[nodiscard]] const GhostCell& ghost(std::size_t cell) const { return ghosts_[cell - cells()]; }
  [[nodiscard]] std::size_t bricks() const noexcept { return cells_of_brick_.size(); }
  [[nodiscard]] Range cells_of(std::size_t brick) const { return cells_of_brick_[brick]; }
  /// The ghost cells that are copies of cells of the brick.
  [[nodiscard]] Range ghosts_of(std::size_t brick) const { return ghosts_of_brick_[brick]; }
  /// Bricks some cells of which are neighbours of the brick's, itself among them; and bricks whose copies are.
  [[nodiscard]] std::span<const std::uint32_t> bricks_near(std::size_t brick) const { return bricks_near_[brick]; }
  [[nodiscard]] std::span<const std::uint32_t> images_near(std::size_t brick) const { return images_near_[brick]; }
  [[nodiscard]] const std::array<int, 3>& shape() const noexcept { return shape_; }

  /// The cell of a position in units of the edges; what is outside belongs to a cell at the rim.
  [[nodiscard]] std::uint32_t cell_at(const base::Vec3& fraction) const noexcept;

  /// Calls visit(cell) for the cells and ghost cells within reach of a cell, itself among them, always in this order.
  template <class Visit>
  void for_neighbours(std::size_t cell, const Visit& visit) const {
    for (const std::int64_t offset : stencil_) {
      const std::uint32_t other = cell_of_[static_cast<std::size_t>(place_of_[cell] + offset)];
      if (other != none) visit(other);
    }
  }

 private:
  void choose_shape(const Box& box, double reach, std::uint64_t atoms);
  void number_cells(double cells_of_brick);
  void add_ghosts(const Box& box);
  void make_stencil(const Box& box, double reach);
  void find_bricks_near();
  [[nodiscard]] std::int64_t place(const std::array<int, 3>& index) const noexcept;
  template <class Visit>
  void for_each_place(const Visit& visit) const;

  std::array<int, 3> shape_{1, 1, 1};   // cells along each edge
  std::array<int, 3> layers_{1, 1, 1};  // of ghost cells at each side, or of nothing
  std::vector<std::int64_t> place_of_;  // by cell: its place in the grid with layers
  std::vector<std::uint32_t> cell_of_;  // by place
  std::vector<GhostCell> ghosts_;
  std::vector<std::int64_t> stencil_;  // differences of places
  std::vector<std::uint32_t> brick_of_;
  std::vector<Range> cells_of_brick_;
  std::vector<Range> ghosts_of_brick_;
  std::vector<std::vector<std::uint32_t>> bricks_near_;
  std::vector<std::vector<std::uint32_t>> images_near_;
};

}  // namespace tacit::md
