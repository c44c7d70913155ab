// Sorting into cells by counting, and linking of cells within reach.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/particles/cell_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
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

}  // namespace

CellGrid::CellGrid(const Domain& domain, const Index3& shape) : domain_(domain), shape_(shape) {
  std::size_t cells = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cell_size_[axis] = domain.size[axis] / shape[axis];
    cells *= static_cast<std::size_t>(shape[axis]);
  }
  ranges_.resize(cells);
  neighbours_.resize(cells);
}

CellGrid::CellGrid(const Domain& domain, double width, std::size_t most_cells)
    : CellGrid(domain, shape_for(domain, width, most_cells)) {}

std::optional<CellGrid> CellGrid::restore(const Domain& domain, const Index3& shape,
                                          std::span<const std::uint64_t> counts, std::size_t particles) {
  double cells = 1.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (shape[axis] < 1 || !(domain.size[axis] > 0.0)) return std::nullopt;
    cells *= shape[axis];
  }
  if (cells != static_cast<double>(counts.size())) return std::nullopt;
  CellGrid grid(domain, shape);
  std::size_t first = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] > particles - first) return std::nullopt;
    grid.ranges_[c] = {first, counts[c]};
    first += counts[c];
  }
  return first == particles ? std::optional(std::move(grid)) : std::nullopt;
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

std::size_t CellGrid::cell_of(double x, double y, double z) const noexcept {
  const auto along = [this](double value, std::size_t axis) {
    const int index = static_cast<int>(std::floor((value - domain_.origin[axis]) / cell_size_[axis]));
    return std::clamp(index, 0, shape_[axis] - 1);  // rounding at the upper face
  };
  return flat({along(x, 0), along(y, 1), along(z, 2)});
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

std::vector<std::uint32_t> CellGrid::sort(std::span<const double> x, std::span<const double> y,
                                          std::span<const double> z, std::span<const std::uint64_t> id) {
  TACIT_EXPECT(y.size() == x.size() && z.size() == x.size() && id.size() == x.size());
  std::vector<std::uint32_t> cell(x.size());
  std::vector<std::size_t> next(cells() + 1, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    cell[i] = static_cast<std::uint32_t>(cell_of(x[i], y[i], z[i]));
    ++next[cell[i] + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::size_t c = 0; c < cells(); ++c) ranges_[c] = {next[c], next[c + 1] - next[c]};
  std::vector<std::uint32_t> order(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) order[next[cell[i]]++] = static_cast<std::uint32_t>(i);
  for (const Range& range : ranges_) {
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(range.begin);
    std::sort(first, first + static_cast<std::ptrdiff_t>(range.count),
              [id](std::uint32_t a, std::uint32_t b) { return id[a] < id[b]; });
  }
  return order;
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
