// Growing trees of boxes, and distances between the boxes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/particles/forest.hpp"

#include "tacit/base/error.hpp"
#include "tacit/particles/hilbert.hpp"

namespace tacit::particles {

Forest::Forest(const Domain& domain, const std::array<int, 3>& shape) : domain_(domain), shape_(shape) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    root_size_[axis] = domain.size[axis] / shape[axis];
    roots_ *= static_cast<std::size_t>(shape[axis]);
  }
  box_of_root_ = hilbert_order(shape, axes());
  root_of_box_.resize(roots_);
  for (std::uint32_t root = 0; root < roots_; ++root) root_of_box_[box_of_root_[root]] = root;
  const std::vector<std::uint64_t> levels(roots_, 0);
  const bool is_planted = plant(levels);
  TACIT_EXPECT(is_planted);
  static_cast<void>(is_planted);
}

bool Forest::plant(std::span<const std::uint64_t> levels) {
  nodes_.assign(roots_, Node{});
  cubes_.clear();
  cubes_.reserve(levels.size());
  const auto n1 = static_cast<std::uint32_t>(shape_[1]);
  const auto n2 = static_cast<std::uint32_t>(shape_[2]);
  for (std::size_t root = 0; root < roots_; ++root) {
    const std::uint32_t box = box_of_root_[root];
    const Cube cube{{1.0 * (box / (n1 * n2)), 1.0 * (box / n2 % n1), 1.0 * (box % n2)}, 1.0};
    if (!grow(root, cube, 0, levels)) return false;
  }
  return levels.empty();
}

/// Makes the node a leaf or splits it, as the next leaf's level asks; takes the levels that it uses off the list.
bool Forest::grow(std::size_t node, const Cube& cube, std::size_t level, std::span<const std::uint64_t>& levels) {
  if (levels.empty() || levels.front() < level || levels.front() > deepest) return false;
  if (levels.front() == level) {
    nodes_[node].leaf = static_cast<std::uint32_t>(cubes_.size());
    cubes_.push_back(cube);
    levels = levels.subspan(1);
    return true;
  }
  const std::size_t first = nodes_.size();
  nodes_[node].first_child = static_cast<std::uint32_t>(first);
  nodes_.resize(first + children());
  for (std::size_t c = 0; c < children(); ++c) {
    if (!grow(first + c, child(cube, c), level + 1, levels)) return false;
  }
  return true;
}

double Forest::narrowest_root() const noexcept {
  double narrowest = root_size_.x;
  for (std::size_t axis = 1; axis < axes(); ++axis) narrowest = std::min(narrowest, root_size_[axis]);
  return narrowest;
}

std::size_t Forest::root_at(const std::array<int, 3>& index) const noexcept {
  return root_of_box_[(static_cast<std::size_t>(index[0]) * static_cast<std::size_t>(shape_[1]) +
                       static_cast<std::size_t>(index[1])) *
                          static_cast<std::size_t>(shape_[2]) +
                      static_cast<std::size_t>(index[2])];
}

std::vector<double> Forest::largest_below(std::span<const double> of_leaves) const {
  TACIT_EXPECT(of_leaves.size() == leaves());
  std::vector<double> largest(nodes_.size());
  for (std::size_t node = nodes_.size(); node-- > 0;) {  // children before their parent
    const Node& here = nodes_[node];
    if (here.first_child == 0) {
      largest[node] = of_leaves[here.leaf];
    } else {
      const auto below = std::span(largest).subspan(here.first_child, children());
      largest[node] = *std::ranges::max_element(below);
    }
  }
  return largest;
}

/// All roots, also outside the domain if there are images, that touch `from` or come nearer than `distance`.
Forest::Row Forest::roots_near(const Bounds& from, double distance, std::size_t axis) const noexcept {
  // A little further than asked: the search decides by distances, which must not depend on how this is rounded.
  const double widths = distance / root_size_[axis];
  const double margin = widths + 1e-12 * (1.0 + widths);
  double first = std::ceil(from.lower[axis] - margin) - 1.0;
  double last = std::floor(from.upper[axis] + margin);
  if (!is_endless()) {
    first = std::max(first, 0.0);
    last = std::min(last, shape_[axis] - 1.0);
  }
  return {static_cast<int>(first), static_cast<int>(last)};
}

/// For two nodes all is exact but the last two
/// lines: whole multiples of 2^-20, far below 2^33.
double Forest::gap2(const Bounds& a, const Cube& b, const Image& image) const noexcept {
  double sum = 0.0;
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    const double n = shape_[axis];
    const bool is_turned = domain_.mirrored && detail::is_odd(image[axis]);
    const double lower = (is_turned ? n - b.lower[axis] - b.width : b.lower[axis]) + n * image[axis];
    const double gap = std::max({lower - a.upper[axis], a.lower[axis] - (lower + b.width), 0.0});
    const double length = root_size_[axis] * gap;
    sum += length * length;
  }
  return sum;
}

}  // namespace tacit::particles
