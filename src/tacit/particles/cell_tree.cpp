// The shape of the cells: made for a domain, refined, saved and restored.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/particles/cell_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
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

/// All leaves as empty cells without lists.
void CellTree::clear() {
  own_ = leaves();
  leaves_.resize(own_);
  std::iota(leaves_.begin(), leaves_.end(), 0U);
  cell_of_leaf_ = leaves_;
  ranges_.assign(cells(), {});
  groups_.empty_cells(cells());
  neighbours_.clear();
  first_neighbour_.assign(cells() + 1, 0);
}

void CellTree::refine(std::span<const double> x, std::span<const double> y, std::span<const double> z,
                      std::span<const double> support, std::size_t most_per_cell, comm::Communicator* ranks,
                      tasks::Scheduler* workers) {
  if (forest_.leaves() != forest_.roots()) forest_ = Forest(domain(), shape());
  const auto levels = split_levels(forest_, {x, y, z}, support, most_per_cell, ranks, workers);
  const bool is_planted = forest_.plant(levels);
  TACIT_EXPECT(is_planted);
  static_cast<void>(is_planted);
  clear();
}

void CellTree::own(std::span<const std::uint32_t> leaves) {
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> group_sizes;
  for (const std::uint32_t leaf : leaves) {
    const std::uint32_t cell = cell_of_leaf_[leaf];
    counts.push_back(cell == no_cell ? 0 : ranges_[cell].count);
    if (counts.back() == 0) continue;
    const auto begins = groups(cell);
    for (std::size_t g = 1; g < begins.size(); ++g) group_sizes.push_back(begins[g] - begins[g - 1]);
  }
  leaves_.assign(leaves.begin(), leaves.end());
  own_ = leaves_.size();
  cell_of_leaf_.assign(forest_.leaves(), no_cell);
  ranges_.clear();
  std::size_t first = 0;
  for (std::size_t c = 0; c < own_; ++c) {
    TACIT_EXPECT(c == 0 || leaves_[c] > leaves_[c - 1]);
    cell_of_leaf_[leaves_[c]] = static_cast<std::uint32_t>(c);
    ranges_.push_back({first, counts[c]});
    first += counts[c];
  }
  auto groups = Groups::restore(group_sizes, counts);
  TACIT_EXPECT(groups.has_value());
  groups_ = std::move(*groups);
  neighbours_.clear();
  first_neighbour_.assign(own_ + 1, 0);
}

/// Puts leaves of other ranks behind the cells of this one; without particles.
void CellTree::take_foreign(std::vector<std::uint32_t> leaves) {
  leaves_.resize(own_);
  leaves_.insert(leaves_.end(), leaves.begin(), leaves.end());
  ranges_.resize(own_);
  ranges_.resize(all_cells());
}

bool CellTree::set_copies(std::span<const std::uint64_t> counts, std::span<const std::uint64_t> group_sizes) {
  TACIT_EXPECT(counts.size() == all_cells() - own_);
  groups_.keep(own_);
  ranges_.resize(own_);
  std::size_t first = 0;
  for (const std::uint64_t count : counts) {
    ranges_.push_back({first, count});
    first += count;
  }
  if (groups_.append(group_sizes, counts)) return true;
  groups_.keep(own_);
  std::fill(ranges_.begin() + static_cast<std::ptrdiff_t>(own_), ranges_.end(), Range{});
  return false;
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
  if (all_cells() > own_) stored.group_sizes.resize(first_group(own_));  // copies are others' cells
  for (std::size_t leaf = 0; leaf < leaves(); ++leaf) {
    stored.levels.push_back(static_cast<std::uint64_t>(-std::ilogb(forest_.cube(leaf).width)));
  }
  for (std::size_t c = 0; c < own_; ++c) stored.counts.push_back(ranges_[c].count);
  return stored;
}

CellBox CellTree::box(std::size_t cell) const {
  CellBox box{domain().origin, domain().origin + domain().size};
  const auto& [lower, width] = cube(cell);
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

double CellTree::narrowest_of_leaf(std::size_t leaf) const {
  return forest_.cube(leaf).width * forest_.narrowest_root();
}

bool CellTree::is_divisible(std::size_t cell) const { return std::ilogb(cube(cell).width) > -Forest::deepest; }

}  // namespace tacit::particles
