// Builds the tree of blocks for gravity, and its lists.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/gravity_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/solvers/amr/kernels/gravity.hpp"

namespace tacit::amr {
namespace {

using Place = std::array<std::int64_t, 3>;

/// A number for each cube: coordinates of `depth` bits each behind a bit that says the depth.
std::uint64_t key_of(std::uint32_t depth, const Place& at) {
  const auto bits = [&](std::size_t axis) { return static_cast<std::uint64_t>(at[axis]); };
  return (((std::uint64_t{1} << depth | bits(0)) << depth | bits(1)) << depth) | bits(2);
}
constexpr std::uint32_t deepest_cube = 21;

std::uint32_t lane_of(const Place& at) {
  return static_cast<std::uint32_t>((at[0] & 1) + 2 * (at[1] & 1) + 4 * (at[2] & 1));
}

Place halved(const Place& at) { return {at[0] >> 1, at[1] >> 1, at[2] >> 1}; }

template <class Item, class SinkOf>
void make_lists(std::size_t groups, std::vector<Item> items, const SinkOf& sink_of, GravityTree::Lists<Item>& to) {
  to.begins.assign(groups + 1, 0);
  for (const Item& item : items) ++to.begins[sink_of(item) + 1];
  std::partial_sum(to.begins.begin(), to.begins.end(), to.begins.begin());
  std::stable_sort(items.begin(), items.end(), [&](const Item& a, const Item& b) { return sink_of(a) < sink_of(b); });
  to.items = std::move(items);
}

}  // namespace

bool GravityTree::is_near(double x, double y, double z, double angle) {
  // The angles 1/3 and 1/2 are meant to take whole distances.
  constexpr double rounding = 1.0 + 1e-12;
  return (x * x + y * y + z * z) * (angle * angle) * rounding < 1.0;
}

std::vector<std::array<int, 3>> GravityTree::offsets_of(double angle) {
  std::vector<std::array<int, 3>> offsets;
  constexpr int most = kernels::most_reach;
  for (int z = -most; z <= most; ++z) {
    for (int y = -most; y <= most; ++y) {
      for (int x = -most; x <= most; ++x) {
        if (is_near(x, y, z, angle)) offsets.push_back({x, y, z});
      }
    }
  }
  return offsets;
}

std::array<double, 3> GravityTree::Group::centre(std::size_t part) const noexcept {
  const double size = std::ldexp(1.0, -static_cast<int>(depth + 1));
  std::array<double, 3> x{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    x[axis] = size * (static_cast<double>(2 * at[axis] + static_cast<std::int64_t>(part >> axis & 1U)) + 0.5);
  return x;
}

GravityTree::GravityTree(const Domain& domain, const mesh::Octree& tree, const mesh::LeafRange& own, double angle)
    : angle_(angle) {
  TACIT_EXPECT(domain.dimensions == 3);
  while (std::int64_t{1} << root_depth_ < std::ranges::max(domain.roots)) ++root_depth_;
  side_ = std::ldexp(domain.box[0] / static_cast<double>(domain.roots[0]), static_cast<int>(root_depth_));
  reach_ = is_near(2.0, 0.0, 0.0, angle) ? 2 : 1;
  offsets_ = offsets_of(angle);
  add_units(domain, tree, own);
  order();
  find_near();
}

std::uint32_t GravityTree::group_at(std::uint32_t depth, const Place& at) const {
  for (const std::int64_t x : at) {
    if (x < 0 || x >= std::int64_t{1} << depth) return none;
  }
  const auto found = numbers_.find(key_of(depth, at));
  return found == numbers_.end() ? none : found->second;
}

/// A group, with those that it is in.
std::uint32_t GravityTree::add(std::uint32_t depth, const Place& at) {
  const std::uint32_t present = group_at(depth, at);
  if (present != none) return present;
  const auto number = static_cast<std::uint32_t>(groups_.size());
  groups_.push_back({.depth = depth, .at = at, .lane = lane_of(at)});
  numbers_.emplace(key_of(depth, at), number);
  if (depth == 0) return number;
  const std::uint32_t parent = add(depth - 1, halved(at));
  groups_[number].parent = parent;
  groups_[parent].children[lane_of(at)] = number;
  return number;
}

void GravityTree::add_units(const Domain& domain, const mesh::Octree& tree, const mesh::LeafRange& own) {
  const auto along = static_cast<std::int64_t>(domain.block / 8);
  units_of_leaf_ = static_cast<std::size_t>(along * along * along);
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    const mesh::Node& node = tree.leaf(leaf);
    const std::uint32_t depth = root_depth_ + node.level + (along > 1 ? 1U : 0U);
    if (depth > deepest_cube)
      throw base::Error("sub-grids are too deep for gravity, which can number 21 levels of cubes");
    for (std::int64_t part = 0; part < along * along * along; ++part) {
      const std::uint32_t group =
          add(depth, {node.at[0] * along + part % along, node.at[1] * along + part / along % along,
                      node.at[2] * along + part / (along * along)});
      groups_[group].unit = static_cast<std::uint32_t>(units_.size());
      units_.push_back(group);
      if (!own.contains(leaf)) continue;
      for (std::uint32_t up = group; up != none && !groups_[up].is_wanted; up = groups_[up].parent)
        groups_[up].is_wanted = true;
    }
  }
}

/// By depth, and as they were within one.
void GravityTree::order() {
  std::vector<std::uint32_t> order(groups_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return groups_[a].depth < groups_[b].depth; });
  std::vector<std::uint32_t> place(groups_.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<std::uint32_t>(k);
  std::vector<Group> sorted;
  for (const std::uint32_t group : order) sorted.push_back(groups_[group]);
  groups_ = std::move(sorted);
  const auto move = [&](std::uint32_t& number) {
    if (number != none) number = place[number];
  };
  for (Group& group : groups_) {
    move(group.parent);
    std::ranges::for_each(group.children, move);
  }
  std::ranges::for_each(units_, move);
  for (auto& [key, number] : numbers_) move(number);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    while (depths_.size() <= groups_[group].depth) depths_.push_back(group);
  }
  depths_.push_back(groups_.size());
}

void GravityTree::find_near() {
  std::vector<std::pair<std::uint32_t, Near>> near;
  for (std::uint32_t sink = 0; sink < groups_.size(); ++sink) {
    const Group& group = groups_[sink];
    for (std::uint32_t k = 0; k < offsets_.size(); ++k) {
      const auto& by = offsets_[k];
      const std::uint32_t other =
          group_at(group.depth, {group.at[0] + by[0], group.at[1] + by[1], group.at[2] + by[2]});
      if (other == none) continue;
      if (group.is_wanted) near.emplace_back(sink, Near{k, other});
      if (group.unit == none || groups_[other].unit != none) continue;
      // Blocks beside cubes that go on.
      for (std::uint32_t lane = 0; lane < 8; ++lane) {
        for (std::uint32_t part = 0; part < 8; ++part) {
          if (groups_[other].has(part) && are_near(sink, lane, other, part))
            find_pairs(sink, lane, groups_[other].children[part]);
        }
      }
    }
  }
  near_.begins.assign(groups_.size() + 1, 0);
  for (const auto& [sink, item] : near) {
    ++near_.begins[sink + 1];
    near_.items.push_back(item);
  }
  std::partial_sum(near_.begins.begin(), near_.begins.end(), near_.begins.begin());
  const auto sink_of = [](const Pair& pair) { return pair.sink; };
  make_lists(groups_.size(), std::exchange(expanded_.items, {}), sink_of, expanded_);
  make_lists(groups_.size(), std::exchange(summed_.items, {}), sink_of, summed_);
}

bool GravityTree::are_near(std::uint32_t a, std::uint32_t part_of_a, std::uint32_t b, std::uint32_t part_of_b) const {
  const auto x = groups_[a].centre(part_of_a);
  const auto y = groups_[b].centre(part_of_b);
  const double mean = 0.5 * (std::ldexp(1.0, -static_cast<int>(groups_[a].depth + 1)) +
                             std::ldexp(1.0, -static_cast<int>(groups_[b].depth + 1)));
  return is_near((x[0] - y[0]) / mean, (x[1] - y[1]) / mean, (x[2] - y[2]) / mean, angle_);
}

/// A block and the parts of a smaller cube that it is near.
void GravityTree::find_pairs(std::uint32_t block, std::uint32_t lane, std::uint32_t group) {
  const Group& parts = groups_[group];
  const auto both_ways = [&](Lists<Pair>& to, std::uint32_t part) {
    if (groups_[block].is_wanted) to.items.push_back({block, lane, group, part});
    if (parts.is_wanted) to.items.push_back({group, part, block, lane});
  };
  for (std::uint32_t part = 0; part < 8; ++part) {
    if (!parts.has(part)) continue;
    if (!are_near(block, lane, group, part)) {
      both_ways(expanded_, part);
    } else if (parts.unit != none) {
      both_ways(summed_, part);
    } else {
      find_pairs(block, lane, parts.children[part]);
    }
  }
}

}  // namespace tacit::amr
