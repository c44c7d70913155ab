// The shape of a grid, and linking of its cells within reach.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/particles/cell_grid.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::particles {
namespace {

/// Squared gap between two equal intervals of length `width` whose origins are `offset` cells apart.
double gap2(int offset, double width) {
  const double gap = width * std::max(std::abs(offset) - 1, 0);
  return gap * gap;
}

bool is_odd(int image) { return image % 2 != 0; }

/// Splits an index that may lie outside [0, n) into the cell and the number of the image.
std::pair<int, int> split_image(int index, int n) {
  const int image = index >= 0 ? index / n : -((n - 1 - index) / n);
  return {index - image * n, image};
}

/// Cells per side: at least `width` wide each, at most `most_cells` in all.
std::array<int, 3> shape_for(const Domain& domain, double width, std::size_t most_cells) {
  TACIT_EXPECT(width > 0.0 && most_cells > 0);
  const double share = domain.volume() / static_cast<double>(most_cells);
  double wanted = std::max(width, std::pow(share, 1.0 / domain.dimension));
  while (true) {
    std::array<int, 3> shape{1, 1, 1};
    double cells = 1.0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(domain.dimension); ++axis) {
      const double most_per_side = domain.dimension == 1 ? 1e6 : domain.dimension == 2 ? 1e4 : 1e3;
      TACIT_EXPECT(domain.size[axis] > 0.0);
      shape[axis] = static_cast<int>(std::clamp(std::floor(domain.size[axis] / wanted), 1.0, most_per_side));
      cells *= shape[axis];
    }
    if (cells <= static_cast<double>(most_cells)) return shape;
    wanted *= 1.1;  // a domain thinner than a cell has more cells than its volume says
  }
}

/// Sub-cells along each axis, about `group_width` wide.
std::array<int, 3> sub_cells_for(const base::Vec3& cell_size, int dimension, double group_width) {
  constexpr std::array<double, 3> most_per_side{512.0, 22.0, 8.0};  // in 1, 2, 3 dimensions: some 500 in all
  TACIT_EXPECT(group_width > 0.0);
  std::array<int, 3> sub_cells{1, 1, 1};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
    const double wanted = std::round(cell_size[axis] / group_width);
    sub_cells[axis] = static_cast<int>(std::clamp(wanted, 1.0, most_per_side[static_cast<std::size_t>(dimension - 1)]));
  }
  return sub_cells;
}

/// Places of the elements of a row-major array along a path that steps from each element to one beside it.
std::vector<std::uint16_t> winding_order(const std::array<int, 3>& shape) {
  std::vector<std::uint16_t> place;
  const auto turned = [](int index, int n, int turns) { return is_odd(turns) ? n - 1 - index : index; };
  for (int i = 0; i < shape[0]; ++i) {
    for (int j = 0; j < shape[1]; ++j) {
      const int row = i * shape[1] + turned(j, shape[1], i);
      for (int k = 0; k < shape[2]; ++k) {
        place.push_back(static_cast<std::uint16_t>(row * shape[2] + turned(k, shape[2], row)));
      }
    }
  }
  return place;
}

}  // namespace

CellGrid::CellGrid(const Domain& domain, const Index3& shape, double group_width)
    : domain_(domain), shape_(shape), group_width_(group_width), groups_(0) {
  std::size_t cells = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cell_size_[axis] = domain.size[axis] / shape[axis];
    cells *= static_cast<std::size_t>(shape[axis]);
  }
  sub_cells_ = sub_cells_for(cell_size_, domain.dimension, group_width);
  sub_order_ = winding_order(sub_cells_);
  ranges_.resize(cells);
  neighbours_.resize(cells);
  groups_ = Groups(cells);
}

CellGrid::CellGrid(const Domain& domain, double width, std::size_t most_cells, double group_width)
    : CellGrid(domain, shape_for(domain, width, most_cells), group_width) {}

std::optional<CellGrid> CellGrid::restore(const Domain& domain, const StoredCells& stored, std::size_t particles) {
  const auto& counts = stored.counts;
  double cells = 1.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (stored.shape[axis] < 1 || !(domain.size[axis] > 0.0)) return std::nullopt;
    cells *= stored.shape[axis];
  }
  if (cells != static_cast<double>(counts.size()) || !(stored.group_width > 0.0)) return std::nullopt;
  CellGrid grid(domain, stored.shape, stored.group_width);
  std::size_t first = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] > particles - first) return std::nullopt;
    grid.ranges_[c] = {first, counts[c]};
    first += counts[c];
  }
  auto groups = Groups::restore(stored.group_sizes, counts);
  if (first != particles || !groups) return std::nullopt;
  grid.groups_ = std::move(*groups);
  return grid;
}

StoredCells CellGrid::stored() const {
  StoredCells stored{shape_, group_width_, std::vector<std::uint64_t>(cells()), groups_.sizes()};
  for (std::size_t c = 0; c < cells(); ++c) stored.counts[c] = ranges_[c].count;
  return stored;
}

std::size_t CellGrid::flat(const Index3& index) const noexcept {
  return (static_cast<std::size_t>(index[0]) * static_cast<std::size_t>(shape_[1]) +
          static_cast<std::size_t>(index[1])) *
             static_cast<std::size_t>(shape_[2]) +
         static_cast<std::size_t>(index[2]);
}

CellGrid::Index3 CellGrid::index3(std::size_t cell) const noexcept {
  const auto n1 = static_cast<std::size_t>(shape_[1]);
  const auto n2 = static_cast<std::size_t>(shape_[2]);
  return {static_cast<int>(cell / (n1 * n2)), static_cast<int>(cell / n2 % n1), static_cast<int>(cell % n2)};
}

bool CellGrid::holds(std::span<const double> x, std::span<const double> y, std::span<const double> z) const {
  const std::array<std::span<const double>, 3> positions{x, y, z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double lower = domain_.origin[axis];
    const double upper = lower + domain_.size[axis];
    if (!std::ranges::all_of(positions[axis], [=](double v) { return v >= lower && v < upper; })) return false;
  }
  return true;
}

void CellGrid::link(std::span<const double> reach, double slack) {
  TACIT_EXPECT(reach.size() == cells() && slack >= 0.0);
  for (auto& list : neighbours_) list.clear();
  for (std::size_t cell = 0; cell < cells(); ++cell) link_cell(cell, reach, slack);
  for (auto& list : neighbours_) {
    std::ranges::sort(list, {}, [](const Neighbour& n) { return std::tuple(n.cell, n.image); });
  }
}

/// The image through which the cell at the other end sees this one: a reflection is its own way back.
std::array<std::int8_t, 3> CellGrid::opposite(const std::array<std::int8_t, 3>& image) const noexcept {
  std::array<std::int8_t, 3> back{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool is_reflection = domain_.mirrored && is_odd(image[axis]);
    back[axis] = is_reflection ? image[axis] : static_cast<std::int8_t>(-image[axis]);
  }
  return back;
}

View CellGrid::view(const Neighbour& neighbour) const noexcept {
  View view;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int image = neighbour.image[axis];
    if (domain_.mirrored && is_odd(image)) {
      // The mirror at origin + (image + 1) size / 2, twice its place away.
      view.sign[axis] = -1.0;
      view.shift[axis] = 2.0 * domain_.origin[axis] + domain_.size[axis] * (image + 1);
    } else {
      view.shift[axis] = domain_.size[axis] * image;
    }
  }
  return view;
}

double CellGrid::narrowest() const noexcept {
  double narrowest = cell_size_.x;
  if (domain_.dimension > 1) narrowest = std::min(narrowest, cell_size_.y);
  if (domain_.dimension > 2) narrowest = std::min(narrowest, cell_size_.z);
  return narrowest;
}

/// Adds what `cell` itself reaches, and `cell` to the lists of those that do not reach back.
void CellGrid::link_cell(std::size_t cell, std::span<const double> reach, double slack) {
  const double own = reach[cell] + 2.0 * slack;
  Index3 span{};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(domain_.dimension); ++axis) {
    span[axis] = 1 + static_cast<int>(own / cell_size_[axis]);
    if (!is_endless()) span[axis] = std::min(span[axis], shape_[axis] - 1);
  }
  for (int i = -span[0]; i <= span[0]; ++i) {
    for (int j = -span[1]; j <= span[1]; ++j) {
      for (int k = -span[2]; k <= span[2]; ++k) {
        const double distance2 = gap2(i, cell_size_.x) + gap2(j, cell_size_.y) + gap2(k, cell_size_.z);
        if (distance2 > own * own) continue;
        const auto there = at_offset(cell, {i, j, k});
        if (!there) continue;
        neighbours_[cell].push_back({there->cell, there->image, true});
        const double back = reach[there->cell] + 2.0 * slack;
        if (distance2 > back * back) {
          neighbours_[there->cell].push_back({static_cast<std::uint32_t>(cell), opposite(there->image), false});
        }
      }
    }
  }
}

/// The cell that lies `offset` cells away, through a periodic or mirroring face if need be; nothing outside an open
/// grid.
std::optional<Neighbour> CellGrid::at_offset(std::size_t cell, const Index3& offset) const {
  const Index3 here = index3(cell);
  Index3 inside{};
  Neighbour there;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [index, image] = split_image(here[axis] + offset[axis], shape_[axis]);
    if (image != 0 && !is_endless()) return std::nullopt;
    inside[axis] = domain_.mirrored && is_odd(image) ? shape_[axis] - 1 - index : index;
    there.image[axis] = static_cast<std::int8_t>(image);
  }
  there.cell = static_cast<std::uint32_t>(flat(inside));
  return there;
}

std::vector<double> CellGrid::spread_maximum(std::span<const double> values) const {
  TACIT_EXPECT(values.size() == cells());
  // The cube's maximum is the maximum along x, then y, then z.
  std::vector<double> result(values.begin(), values.end());
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(domain_.dimension); ++axis) {
    const std::vector<double> before = result;
    for (std::size_t cell = 0; cell < cells(); ++cell) {
      for (const int step : {-1, 1}) {
        Index3 offset{};
        offset[axis] = step;
        if (const auto beside = at_offset(cell, offset)) result[cell] = std::max(result[cell], before[beside->cell]);
      }
    }
  }
  return result;
}

}  // namespace tacit::particles
