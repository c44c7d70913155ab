// Which rank has which cells of a box.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/solvers/md/box.hpp"

namespace tacit::md {

/// The cells [begin, end) along each edge.
struct CellBox {
  std::array<int, 3> begin{};
  std::array<int, 3> end{};

  [[nodiscard]] int extent(std::size_t axis) const noexcept { return end[axis] - begin[axis]; }
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(extent(0)) * static_cast<std::size_t>(extent(1)) *
           static_cast<std::size_t>(extent(2));
  }
};

/// Cells of equal size that fill a box, the first index fastest, and the rank that owns each: every rank has a box of
/// them. It decides where atoms are computed, and nothing that is computed.
class Division {
 public:
  /// How many cells there are along each edge: as wide as the reach, or wider where atoms are few.
  [[nodiscard]] static std::array<int, 3> shape_for(const Box& box, double reach, std::uint64_t atoms);

  /// What atoms and cells cost: an empty one, too, a little.
  [[nodiscard]] static constexpr std::uint64_t weight_of(std::uint64_t atoms, std::uint64_t cells) noexcept {
    return 8 * atoms + cells;
  }

  /// Cuts the box in two until each part is for one rank, across its longest side, so that parts have their share of
  /// the weight.
  /// @param weight  of each cell: what it costs   @pre ranks <= cells
  Division(const std::array<int, 3>& shape, std::size_t ranks, std::span<const std::uint64_t> weight);

  [[nodiscard]] const std::array<int, 3>& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t cells() const noexcept { return owner_.size(); }
  [[nodiscard]] std::size_t ranks() const noexcept { return box_of_.size(); }
  [[nodiscard]] const CellBox& cells_of(std::size_t rank) const { return box_of_[rank]; }
  [[nodiscard]] std::uint32_t owner_of(std::size_t cell) const { return owner_[cell]; }
  /// What each rank has of a weight of the cells.
  [[nodiscard]] std::vector<std::uint64_t> shares(std::span<const std::uint64_t> weight) const;
  friend bool operator==(const Division& a, const Division& b) { return a.owner_ == b.owner_; }
  [[nodiscard]] std::size_t number_of(const std::array<int, 3>& index) const noexcept {
    return number_of(shape_, index);
  }
  [[nodiscard]] std::array<int, 3> index_of(std::size_t cell) const noexcept;
  /// The cell of a position in units of all cells; what is outside belongs to a cell at the rim.
  [[nodiscard]] static std::array<int, 3> index_at(const std::array<int, 3>& shape,
                                                   const base::Vec3& fraction) noexcept;
  [[nodiscard]] static std::size_t number_of(const std::array<int, 3>& shape,
                                             const std::array<int, 3>& index) noexcept {
    return static_cast<std::size_t>(index[0]) +
           static_cast<std::size_t>(shape[0]) *
               (static_cast<std::size_t>(index[1]) +
                static_cast<std::size_t>(shape[1]) * static_cast<std::size_t>(index[2]));
  }

 private:
  void cut(const CellBox& part, std::size_t first, std::size_t ranks, std::span<const std::uint64_t> weight);

  std::array<int, 3> shape_;
  std::vector<CellBox> box_of_;
  std::vector<std::uint32_t> owner_;
};

}  // namespace tacit::md
