// The shape of the cells: made for a domain, refined, saved and restored.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/particles/cell_tree.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/particles/split.hpp"

namespace tacit::particles {
namespace {

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

/// Whether a grid of this shape makes sense and needs no more cells than there are.
bool is_sound(const Domain& domain, const StoredCells& stored) {
  double roots = 1.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool is_used = axis < static_cast<std::size_t>(domain.dimension);
    if (stored.shape[axis] < 1 || (!is_used && stored.shape[axis] != 1)) return false;
    if (!(domain.size[axis] > 0.0) || !std::isfinite(domain.size[axis])) return false;
    roots *= stored.shape[axis];
  }
  return roots <= static_cast<double>(stored.counts.size()) && stored.levels.size() == stored.counts.size() &&
         stored.per_group > 0;
}

}  // namespace

CellTree::CellTree(Forest forest, std::size_t per_group)
    : forest_(std::move(forest)), per_group_(per_group), groups_(0) {
  TACIT_EXPECT(per_group > 0);
  clear();
}

CellTree::CellTree(const Domain& domain, double width, std::size_t most_cells, std::size_t per_group)
    : CellTree(Forest(domain, shape_for(domain, width, most_cells)), per_group) {}

/// Empty cells without lists.
void CellTree::clear() {
  ranges_.assign(cells(), {});
  groups_.empty_cells(cells());
  neighbours_.clear();
  first_neighbour_.assign(cells() + 1, 0);
}

void CellTree::refine(std::span<const double> x, std::span<const double> y, std::span<const double> z,
                      std::span<const double> support, std::size_t most_per_cell) {
  forest_ = Forest(domain(), shape());
  const auto levels = split_levels(forest_, {x, y, z}, support, most_per_cell);
  const bool is_planted = forest_.plant(levels);
  TACIT_EXPECT(is_planted);
  static_cast<void>(is_planted);
  clear();
}

std::optional<CellTree> CellTree::restore(const Domain& domain, const StoredCells& stored, std::size_t particles) {
  if (!is_sound(domain, stored)) return std::nullopt;
  Forest forest(domain, stored.shape);
  if (!forest.plant(stored.levels)) return std::nullopt;
  CellTree tree(std::move(forest), stored.per_group);
  std::size_t first = 0;
  for (std::size_t c = 0; c < tree.cells(); ++c) {
    if (stored.counts[c] > particles - first) return std::nullopt;
    tree.ranges_[c] = {first, stored.counts[c]};
    first += stored.counts[c];
  }
  auto groups = Groups::restore(stored.group_sizes, stored.counts);
  if (first != particles || !groups) return std::nullopt;
  tree.groups_ = std::move(*groups);
  return tree;
}

StoredCells CellTree::stored() const {
  StoredCells stored{shape(), per_group_, {}, {}, groups_.sizes()};
  for (std::size_t c = 0; c < cells(); ++c) {
    stored.levels.push_back(static_cast<std::uint64_t>(-std::ilogb(forest_.cube(c).width)));
    stored.counts.push_back(ranges_[c].count);
  }
  return stored;
}

CellBox CellTree::box(std::size_t cell) const {
  CellBox box{domain().origin, domain().origin + domain().size};
  const auto& [lower, width] = forest_.cube(cell);
  for (std::size_t axis = 0; axis < forest_.axes(); ++axis) {
    box.lower[axis] = domain().origin[axis] + lower[axis] * cell_size()[axis];
    box.upper[axis] = domain().origin[axis] + (lower[axis] + width) * cell_size()[axis];
  }
  return box;
}

bool CellTree::holds(std::span<const double> x, std::span<const double> y, std::span<const double> z) const {
  const Positions positions{x, y, z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double lower = domain().origin[axis];
    const double upper = lower + domain().size[axis];
    if (!std::ranges::all_of(positions[axis], [=](double v) { return v >= lower && v < upper; })) return false;
  }
  return true;
}

View CellTree::view(const Neighbour& neighbour) const noexcept {
  View view;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int8_t image = neighbour.image[axis];
    if (domain().mirrored && detail::is_odd(image)) {
      // The mirror at origin + (image + 1) size / 2, twice its place away.
      view.sign[axis] = -1.0;
      view.shift[axis] = 2.0 * domain().origin[axis] + domain().size[axis] * (image + 1);
    } else {
      view.shift[axis] = domain().size[axis] * image;
    }
  }
  return view;
}

double CellTree::narrowest(std::size_t cell) const { return forest_.cube(cell).width * forest_.narrowest_root(); }

bool CellTree::is_divisible(std::size_t cell) const { return std::ilogb(forest_.cube(cell).width) > -Forest::deepest; }

}  // namespace tacit::particles
