// The cells that a rank sees: its own, copies of those of other ranks, their images beyond periodic faces; and bricks
// of cells for tasks. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tacit/solvers/md/box.hpp"
#include "tacit/solvers/md/division.hpp"

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

/// Another rank: the cells that it sees of this one, and those that this one sees of it, in the order in which both
/// name them.
struct CellPeer {
  std::uint32_t rank = 0;
  std::vector<std::uint32_t> shown = {};  ///< own cells
  std::vector<std::uint32_t> seen = {};   ///< its cells, as this rank numbers them
};

/// What a rank is to have lists of neighbours for.
enum class Seen : std::uint8_t {
  around_own,    ///< its own cells, and so it sees those around them
  around_those,  ///< those around its own, too, and so it sees another layer
};

/// Cells of equal size that fill the box, and layers of ghost cells around it where it is periodic, as many as `reach`
/// spans: so a neighbour is any cell or ghost cell beside an atom's own, and a box may be smaller than the reach.
///
/// Of these a rank has its own, and what is within reach: cells of others where they are, and the ghost cells of both.
/// Its own are numbered brick by brick, so that the atoms of a brick lie together; behind them come the cells of other
/// ranks, in bricks, too, those with lists first; then the ghost cells, by the brick that they are copies of. What a
/// cell sees, and in which order, follows from the box and the reach alone.
class CellGrid {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr int most_layers = 16;  ///< of ghost cells: a box is no narrower than a 16th of the reach

  /// @param reach           distance within which neighbours are found [length]
  /// @param cells_of_brick  wanted
  /// @pre fits(box, reach)
  CellGrid(const Box& box, double reach, const Division& division, std::uint32_t rank, Seen seen,
           double cells_of_brick);
  /// Whether a grid that is made for another box of these cells would see and number the same ones.
  [[nodiscard]] bool is_like_that_of(const Box& box, double reach) const;
  /// Whether the layers of ghost cells are not too many.
  [[nodiscard]] static bool fits(const Box& box, double reach) noexcept;

  /// Own cells; with those of other ranks; with ghost cells.
  [[nodiscard]] std::size_t own_cells() const noexcept { return own_cells_; }
  [[nodiscard]] std::size_t cells() const noexcept { return place_of_.size(); }
  [[nodiscard]] std::size_t all_cells() const noexcept { return cells() + ghosts_.size(); }
  [[nodiscard]] const GhostCell& ghost(std::size_t cell) const { return ghosts_[cell - cells()]; }
  /// Bricks of own cells; with those of others that have lists; all.
  [[nodiscard]] std::size_t own_bricks() const noexcept { return own_bricks_; }
  [[nodiscard]] std::size_t listed_bricks() const noexcept { return listed_bricks_; }
  [[nodiscard]] std::size_t bricks() const noexcept { return cells_of_brick_.size(); }
  [[nodiscard]] Range cells_of(std::size_t brick) const { return cells_of_brick_[brick]; }
  /// The ghost cells that are copies of cells of the brick.
  [[nodiscard]] Range ghosts_of(std::size_t brick) const { return ghosts_of_brick_[brick]; }
  [[nodiscard]] std::uint32_t brick_of(std::size_t cell) const { return brick_of_[cell]; }
  /// Of a brick with lists: bricks some cells of which are neighbours of its own, itself among them; and bricks whose
  /// copies are.
  [[nodiscard]] std::span<const std::uint32_t> bricks_near(std::size_t brick) const { return bricks_near_[brick]; }
  [[nodiscard]] std::span<const std::uint32_t> images_near(std::size_t brick) const { return images_near_[brick]; }
  [[nodiscard]] const Division& division() const noexcept { return division_; }
  [[nodiscard]] const std::array<int, 3>& shape() const noexcept { return division_.shape(); }
  /// The other ranks that see cells of this one: this one sees some of each of theirs.
  [[nodiscard]] std::span<const CellPeer> peers() const noexcept { return peers_; }

  /// The number of a position's cell in the whole box. @param fraction  in units of all cells
  [[nodiscard]] std::size_t number_at(const base::Vec3& fraction) const noexcept {
    return division_.number_of(Division::index_at(shape(), fraction));
  }
  [[nodiscard]] std::uint32_t owner_at(const base::Vec3& fraction) const {
    return division_.owner_of(number_at(fraction));
  }
  /// The own cell of a position that is this rank's.
  [[nodiscard]] std::uint32_t cell_at(const base::Vec3& fraction) const noexcept {
    return cell_of_[static_cast<std::size_t>(place(Division::index_at(shape(), fraction)))];
  }

  /// Calls visit(cell) for the cells and ghost cells within reach of a cell that has lists, itself among them, always
  /// in this order.
  template <class Visit>
  void for_neighbours(std::size_t cell, const Visit& visit) const {
    for (const std::int64_t offset : stencil_) {
      const std::uint32_t other = cell_of_[static_cast<std::size_t>(place_of_[cell] + offset)];
      if (other != none) visit(other);
    }
  }

 private:
  void find_sources(const Box& box);
  [[nodiscard]] std::vector<std::int64_t> stencil_for(const Box& box, double reach) const;
  void number_own(double cells_of_brick);
  void find_seen(Seen seen, std::vector<std::vector<std::uint32_t>>& of_rank);
  void find_shown(Seen seen, std::vector<std::vector<std::uint32_t>>& to_rank) const;
  void number_seen(Seen seen, double cells_of_brick, const std::vector<std::vector<std::uint32_t>>& of_rank);
  void add_ghosts();
  void find_bricks_near();
  void add_cell(const std::array<int, 3>& index);
  [[nodiscard]] bool is_inside(std::size_t cell, int layers) const;
  [[nodiscard]] std::int64_t place(const std::array<int, 3>& index) const noexcept;
  [[nodiscard]] std::int64_t place_of_number(std::size_t number) const { return place(division_.index_of(number)); }
  template <class Visit>
  void for_each_place(const Visit& visit) const;
  template <class Visit>
  void for_sources_around(std::size_t number, const Visit& visit) const;

  Division division_;
  std::uint32_t rank_ = 0;
  std::array<int, 3> layers_{1, 1, 1};  // of ghost cells at each side, or of nothing
  std::vector<std::uint32_t> source_;   // by place: number in the whole box of the cell that is there, or its image
  std::vector<std::uint8_t> depth_;  // by number in the whole box: 0 unseen or own, 1 around own cells, 2 around those
  std::size_t own_cells_ = 0;
  std::size_t own_bricks_ = 0;
  std::size_t listed_bricks_ = 0;
  std::vector<std::int64_t> place_of_;  // by cell: its place in the grid with layers
  std::vector<std::uint32_t> cell_of_;  // by place
  std::vector<GhostCell> ghosts_;
  std::vector<std::int64_t> stencil_;  // differences of places
  std::vector<std::uint32_t> brick_of_;
  std::vector<Range> cells_of_brick_;
  std::vector<Range> ghosts_of_brick_;
  std::vector<std::vector<std::uint32_t>> bricks_near_;
  std::vector<std::vector<std::uint32_t>> images_near_;
  std::vector<CellPeer> peers_;
};

}  // namespace tacit::md
