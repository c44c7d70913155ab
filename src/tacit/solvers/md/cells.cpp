// Divides a box into cells, numbers them, and finds what lies within reach of what.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/cells.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "tacit/base/error.hpp"

namespace tacit::md {
namespace {

/// Layers of cells of the width w / n that a reach spans; rounding of widths must not lose one.
int layers_within(double reach, double width, int n) {
  return static_cast<int>(std::ceil(reach * n / width * (1.0 - 1e-12)));
}

}  // namespace

bool CellGrid::fits(const Box& box, double reach) noexcept {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (box.periodic[axis] && !(reach / box.width(axis) <= most_layers)) return false;
  }
  return true;
}

CellGrid::CellGrid(const Box& box, double reach, std::uint64_t atoms, double atoms_of_brick) {
  TACIT_EXPECT(reach > 0.0 && fits(box, reach));
  choose_shape(box, reach, atoms);
  const double cells = 1.0 * shape_[0] * shape_[1] * shape_[2];
  number_cells(atoms_of_brick * cells / static_cast<double>(std::max<std::uint64_t>(atoms, 1)));
  add_ghosts(box);
  make_stencil(box, reach);
  find_bricks_near();
}

/// Cells as wide as the reach: half as wide ones would show an atom 0.6 of the volume, but what is copied for the atoms
/// of one cell would be for fewer of them.
void CellGrid::choose_shape(const Box& box, double reach, std::uint64_t atoms) {
  std::array<double, 3> wanted{};
  double cells = 1.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    wanted[axis] = std::max(1.0, std::floor(box.width(axis) / reach * (1.0 + 1e-12)));
    cells *= wanted[axis];
  }
  // Empty cells of a thin gas would cost more than the atoms.
  const double scale = std::min(1.0, std::cbrt(std::max(1.0, static_cast<double>(atoms)) / cells));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    shape_[axis] = static_cast<int>(std::clamp(std::floor(wanted[axis] * scale), 1.0, 1e6));
    layers_[axis] = layers_within(reach, box.width(axis), shape_[axis]);
  }
}

std::int64_t CellGrid::place(const std::array<int, 3>& index) const noexcept {
  std::int64_t result = 0;
  for (std::size_t axis = 3; axis-- > 0;) {
    result = result * (shape_[axis] + 2 * layers_[axis]) + index[axis] + layers_[axis];
  }
  return result;
}

void CellGrid::number_cells(double cells_of_brick) {
  const double side = std::max(1.0, std::cbrt(cells_of_brick));
  std::array<int, 3> bricks{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    bricks[axis] = std::clamp(static_cast<int>(std::lround(shape_[axis] / side)), 1, shape_[axis]);
  }
  const auto begin_of = [&](std::size_t axis, int brick) {
    return static_cast<int>(static_cast<std::int64_t>(shape_[axis]) * brick / bricks[axis]);
  };
  std::int64_t places = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) places *= shape_[axis] + 2 * layers_[axis];
  cell_of_.assign(static_cast<std::size_t>(places), none);
  std::array<int, 3> at{};
  for (at[2] = 0; at[2] < bricks[2]; ++at[2]) {
    for (at[1] = 0; at[1] < bricks[1]; ++at[1]) {
      for (at[0] = 0; at[0] < bricks[0]; ++at[0]) {
        const auto first = static_cast<std::uint32_t>(cells());
        std::array<int, 3> i{};
        for (i[2] = begin_of(2, at[2]); i[2] < begin_of(2, at[2] + 1); ++i[2]) {
          for (i[1] = begin_of(1, at[1]); i[1] < begin_of(1, at[1] + 1); ++i[1]) {
            for (i[0] = begin_of(0, at[0]); i[0] < begin_of(0, at[0] + 1); ++i[0]) {
              cell_of_[static_cast<std::size_t>(place(i))] = static_cast<std::uint32_t>(cells());
              brick_of_.push_back(static_cast<std::uint32_t>(cells_of_brick_.size()));
              place_of_.push_back(place(i));
            }
          }
        }
        cells_of_brick_.push_back({first, static_cast<std::uint32_t>(cells())});
      }
    }
  }
}

/// Calls visit(index) for all cells and layers.
template <class Visit>
void CellGrid::for_each_place(const Visit& visit) const {
  std::array<int, 3> i{};
  for (i[2] = -layers_[2]; i[2] < shape_[2] + layers_[2]; ++i[2]) {
    for (i[1] = -layers_[1]; i[1] < shape_[1] + layers_[1]; ++i[1]) {
      for (i[0] = -layers_[0]; i[0] < shape_[0] + layers_[0]; ++i[0]) visit(i);
    }
  }
}

void CellGrid::add_ghosts(const Box& box) {
  struct Found {
    GhostCell ghost;
    std::int64_t place;
  };
  std::vector<std::vector<Found>> of_brick(bricks());
  for_each_place([&](const std::array<int, 3>& index) {
    std::array<int, 3> inside = index;
    GhostCell ghost;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int n = shape_[axis];
      const int image = index[axis] >= 0 ? index[axis] / n : -((n - 1 - index[axis]) / n);
      if (image != 0 && !box.periodic[axis]) return;
      ghost.image[axis] = image;
      inside[axis] = index[axis] - image * n;
    }
    if (ghost.image == ImageCount{}) return;
    ghost.source = cell_of_[static_cast<std::size_t>(place(inside))];
    of_brick[brick_of_[ghost.source]].push_back({ghost, place(index)});
  });
  for (const auto& found : of_brick) {
    const auto first = static_cast<std::uint32_t>(all_cells());
    for (const Found& one : found) {
      cell_of_[static_cast<std::size_t>(one.place)] = static_cast<std::uint32_t>(all_cells());
      ghosts_.push_back(one.ghost);
    }
    ghosts_of_brick_.push_back({first, static_cast<std::uint32_t>(all_cells())});
  }
}

void CellGrid::make_stencil(const Box& box, double reach) {
  const std::int64_t own = place({0, 0, 0});
  std::array<int, 3> d{};
  for (d[2] = -layers_[2]; d[2] <= layers_[2]; ++d[2]) {
    for (d[1] = -layers_[1]; d[1] <= layers_[1]; ++d[1]) {
      for (d[0] = -layers_[0]; d[0] <= layers_[0]; ++d[0]) {
        double gap2 = 0.0;  // between cells that far apart, along perpendicular edges
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const double gap = std::max(std::abs(d[axis]) - 1, 0) * box.width(axis) / shape_[axis];
          gap2 += gap * gap;
        }
        if (!box.is_tilted() && gap2 > reach * reach * (1.0 + 1e-12)) continue;
        stencil_.push_back(place(d) - own);
      }
    }
  }
}

void CellGrid::find_bricks_near() {
  bricks_near_.resize(bricks());
  images_near_.resize(bricks());
  for (std::size_t b = 0; b < bricks(); ++b) {
    std::set<std::uint32_t> near;
    std::set<std::uint32_t> images;
    for (std::uint32_t cell = cells_of_brick_[b].begin; cell < cells_of_brick_[b].end; ++cell) {
      for_neighbours(cell, [&](std::uint32_t other) {
        if (other < cells()) {
          near.insert(brick_of_[other]);
        } else {
          images.insert(brick_of_[ghost(other).source]);
        }
      });
    }
    bricks_near_[b].assign(near.begin(), near.end());
    images_near_[b].assign(images.begin(), images.end());
  }
}

std::uint32_t CellGrid::cell_at(const base::Vec3& fraction) const noexcept {
  std::array<int, 3> index{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double in_cells = fraction[axis] * shape_[axis];
    index[axis] = in_cells > 0.0 ? static_cast<int>(std::min(in_cells, shape_[axis] - 1.0)) : 0;
  }
  return cell_of_[static_cast<std::size_t>(place(index))];
}

}  // namespace tacit::md
