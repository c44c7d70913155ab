// Builds octrees, and finds leaves along the curve.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/octree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tacit/base/error.hpp"

namespace tacit::mesh {
namespace {

/// Of each coordinate along the curve: three of them make 63.
constexpr std::uint32_t bits_of_coordinate = 21;

/// The bits of a coordinate, two zeros between them.
std::uint64_t spread(std::uint64_t x) noexcept {
  x = (x | x << 32U) & 0x001f00000000ffffU;
  x = (x | x << 16U) & 0x001f0000ff0000ffU;
  x = (x | x << 8U) & 0x100f00f00f00f00fU;
  x = (x | x << 4U) & 0x10c30c30c30c30c3U;
  return (x | x << 2U) & 0x1249249249249249U;
}

/// Calls visit(offset) for the 3^d - 1 places around a node.
template <class Visit>
void for_around(std::size_t dimensions, const Visit& visit) {
  const auto reach = [&](std::size_t axis) { return axis < dimensions ? 1 : 0; };
  for (std::int64_t z = -reach(2); z <= reach(2); ++z) {
    for (std::int64_t y = -reach(1); y <= reach(1); ++y) {
      for (std::int64_t x = -reach(0); x <= reach(0); ++x) {
        if (x != 0 || y != 0 || z != 0) visit(std::array<std::int64_t, 3>{x, y, z});
      }
    }
  }
}

}  // namespace

double Octree::leaves_of_level(const OctreeSpec& spec, std::uint32_t level) {
  double count = 1.0;
  for (std::size_t axis = 0; axis < spec.dimensions; ++axis) {
    count *= std::ldexp(static_cast<double>(spec.roots[axis]), static_cast<int>(level));
  }
  return count;
}

std::uint32_t Octree::deepest_level(const OctreeSpec& spec) {
  std::int64_t most = 1;
  for (std::size_t axis = 0; axis < spec.dimensions; ++axis) most = std::max(most, spec.roots[axis]);
  std::uint32_t level = 0;
  while (level < bits_of_coordinate && most << (level + 1) <= std::int64_t{1} << bits_of_coordinate) ++level;
  return level;
}

Octree::Octree(const OctreeSpec& spec, std::uint32_t level) : spec_(spec), deepest_(deepest_level(spec)) {
  const double count = leaves_of_level(spec, level);
  if (level > deepest_ || count > std::numeric_limits<std::uint32_t>::max()) {
    throw base::Error(fmt::format("{:.4g} sub-grids of level {} are more than can be numbered", count, level));
  }
  leaves_.reserve(static_cast<std::size_t>(count));
  for (std::int64_t z = 0; z < nodes(2, level); ++z) {
    for (std::int64_t y = 0; y < nodes(1, level); ++y) {
      for (std::int64_t x = 0; x < nodes(0, level); ++x) leaves_.push_back({level, {x, y, z}});
    }
  }
  number();
}

/// A divided node asks for nodes of its own level all around it, whose parents are divided therefore. So one pass from
/// the finest level to the coarsest is enough.
Octree::Octree(const OctreeSpec& spec, std::span<const Node> divided) : spec_(spec), deepest_(deepest_level(spec)) {
  std::vector<std::set<Node>> inner(deepest_ + 1);
  for (const Node& node : divided) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool is_inside = node.at[axis] >= 0 && node.at[axis] < nodes(axis, node.level);
      if (!is_inside || node.level >= deepest_) throw base::PreconditionError("a divided node is no node of the box");
    }
    inner[node.level].insert(node);
  }
  for (std::uint32_t level = deepest_; level > 0; --level) {
    for (const Node& node : inner[level]) {
      inner[level - 1].insert(parent(node));
      for_around(spec_.dimensions, [&](const auto& by) {
        if (const auto next = shifted(node, by)) inner[level - 1].insert(parent(*next));
      });
    }
  }
  const auto is_divided = [&](const Node& node) { return inner[node.level].contains(node); };
  const Octree roots(spec, 0U);
  for (const Node& root : roots.leaves()) {
    if (!is_divided(root)) leaves_.push_back(root);
  }
  for (const std::set<Node>& level : inner) {
    for (const Node& node : level) {
      for (const Node& child : children(node)) {
        if (!is_divided(child)) leaves_.push_back(child);
      }
    }
  }
  number();
}

std::uint64_t Octree::place(const Node& node) const {
  std::uint64_t place = 0;
  for (std::size_t axis = 0; axis < spec_.dimensions; ++axis) {
    place |= spread(static_cast<std::uint64_t>(node.at[axis]) << (deepest_ - node.level)) << axis;
  }
  return place;
}

void Octree::number() {
  std::ranges::sort(leaves_, {}, [&](const Node& node) { return place(node); });
  places_.reserve(leaves_.size());
  for (const Node& node : leaves_) places_.push_back(place(node));
  const auto [least, most] = std::ranges::minmax_element(leaves_, {}, &Node::level);
  coarsest_ = least->level;
  finest_ = most->level;
}

Node Octree::parent(const Node& node) const {
  Node above{node.level - 1, node.at};
  for (std::size_t axis = 0; axis < spec_.dimensions; ++axis) above.at[axis] /= 2;
  return above;
}

std::vector<Node> Octree::children(const Node& node) const {
  std::vector<Node> result;
  for (std::size_t child = 0; child < std::size_t{1} << spec_.dimensions; ++child) {
    Node below{node.level + 1, node.at};
    for (std::size_t axis = 0; axis < spec_.dimensions; ++axis) {
      below.at[axis] = 2 * node.at[axis] + static_cast<std::int64_t>(child >> axis & 1U);
    }
    result.push_back(below);
  }
  return result;
}

std::optional<std::size_t> Octree::covering(const Node& node) const {
  const auto next = std::ranges::upper_bound(places_, place(node));
  const auto number = static_cast<std::size_t>(next - places_.begin()) - 1;  // the first leaf lies at 0
  const Node& found = leaves_[number];
  if (found.level > node.level) return std::nullopt;
  for (std::size_t axis = 0; axis < spec_.dimensions; ++axis) {
    if (node.at[axis] >> (node.level - found.level) != found.at[axis]) return std::nullopt;
  }
  return number;
}

std::optional<Node> Octree::shifted(const Node& node, const std::array<std::int64_t, 3>& by) const {
  Node moved = node;
  for (std::size_t axis = 0; axis < spec_.dimensions; ++axis) {
    const std::int64_t count = nodes(axis, node.level);
    moved.at[axis] += by[axis];
    if (moved.at[axis] >= 0 && moved.at[axis] < count) continue;
    if (spec_.boundaries[axis] != Boundary::periodic) return std::nullopt;
    moved.at[axis] = (moved.at[axis] % count + count) % count;
  }
  return moved;
}

Beside Octree::beside(std::size_t leaf, std::size_t axis, Side side) const {
  std::array<std::int64_t, 3> by{};
  by[axis] = side == Side::low ? -1 : 1;
  const Node& own = leaves_[leaf];
  const auto next = shifted(own, by);
  if (!next) return {};
  if (const auto found = covering(*next)) {
    const bool is_alike = leaves_[*found].level == own.level;
    return {is_alike ? Beside::Relation::alike : Beside::Relation::coarser, 1, {*found}};
  }
  Beside result{.relation = Beside::Relation::finer};
  for (const Node& child : children(*next)) {
    if (child.at[axis] % 2 != (side == Side::low ? 1 : 0)) continue;
    result.leaves[result.count++] = covering(child).value();
  }
  return result;
}

std::vector<Touching> Octree::around(std::size_t leaf) const {
  std::vector<Touching> result;
  const Node& own = leaves_[leaf];
  for_around(spec_.dimensions, [&](const std::array<std::int64_t, 3>& by) {
    const auto next = shifted(own, by);
    if (!next) return;
    Touching one{.offset = by};
    for (std::size_t axis = 0; axis < spec_.dimensions; ++axis) {
      one.turns[axis] = (own.at[axis] + by[axis] - next->at[axis]) / nodes(axis, own.level);
    }
    if (const auto found = covering(*next)) {
      one.leaf = *found;
      result.push_back(one);
      return;
    }
    for (const Node& child : children(*next)) {
      bool is_near = true;
      for (std::size_t axis = 0; axis < spec_.dimensions; ++axis) {
        if (by[axis] != 0) is_near &= child.at[axis] % 2 == (by[axis] < 0 ? 1 : 0);
      }
      if (!is_near) continue;
      one.leaf = covering(child).value();
      result.push_back(one);
    }
  });
  return result;
}

std::vector<std::size_t> Octree::touching(std::size_t leaf) const {
  std::vector<std::size_t> result;
  for (const Touching& one : around(leaf)) result.push_back(one.leaf);
  std::ranges::sort(result);
  const auto twice = std::ranges::unique(result);
  result.erase(twice.begin(), twice.end());
  std::erase(result, leaf);
  return result;
}

}  // namespace tacit::mesh
