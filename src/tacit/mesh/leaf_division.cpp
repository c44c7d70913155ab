// Divides leaves among ranks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/leaf_division.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/topology/partition.hpp"

namespace tacit::mesh {
namespace {

std::uint64_t room_of_rank(std::size_t leaves, std::size_t ranks) {
  return static_cast<std::uint64_t>(
      std::ceil(most_leaves_of_rank * static_cast<double>(leaves) / static_cast<double>(ranks)));
}

}  // namespace

LeafDivision::LeafDivision(std::size_t leaves, std::size_t ranks) : begins_(ranks + 1) {
  for (std::size_t rank = 0; rank <= ranks; ++rank) begins_[rank] = leaves * rank / ranks;
}

LeafDivision::LeafDivision(std::vector<std::size_t> begins) : begins_(std::move(begins)) {
  TACIT_EXPECT(begins_.size() > 1 && begins_.front() == 0 && std::ranges::is_sorted(begins_));
}

comm::RankId LeafDivision::owner(std::size_t leaf) const noexcept {
  // The last that begins there: those before it that do, too, have nothing.
  const auto next = std::ranges::upper_bound(begins_, leaf);
  return comm::RankId{static_cast<std::uint32_t>(next - begins_.begin() - 1)};
}

bool LeafDivision::has_idle_ranks() const noexcept { return std::ranges::adjacent_find(begins_) != begins_.end(); }

LeafDivision divided_by_cost(std::span<const std::uint64_t> costs, std::size_t ranks) {
  const std::vector<std::uint64_t> ones(costs.size(), 1);
  const std::vector<std::uint32_t> part_of =
      topology::cut_curve(costs, ranks, {.sizes = ones, .most = room_of_rank(costs.size(), ranks)});
  std::vector<std::size_t> begins(ranks + 1, 0);
  for (const std::uint32_t part : part_of) ++begins[part + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return LeafDivision(std::move(begins));
}

std::uint64_t largest_cost(const LeafDivision& division, std::span<const std::uint64_t> costs) {
  TACIT_EXPECT(costs.size() == division.leaves());
  std::uint64_t largest = 0;
  for (std::uint32_t rank = 0; rank < division.ranks(); ++rank) {
    const LeafRange range = division.of(comm::RankId{rank});
    const auto own = costs.subspan(range.begin, range.size());
    largest = std::max(largest, std::accumulate(own.begin(), own.end(), std::uint64_t{0}));
  }
  return largest;
}

LeafDivision carried_over(const LeafDivision& division, const Octree& from, const Octree& to) {
  std::vector<std::size_t> begins(division.ranks() + 1, to.size());
  begins[0] = 0;
  std::size_t rank = 0;
  // Owners do not fall along the curve of one tree, and so not along that of the other.
  for (std::size_t leaf = 0; leaf < to.size(); ++leaf) {
    const Node& node = to.leaf(leaf);
    const auto covering = from.covering(node);
    const std::size_t source = covering ? *covering : from.covering(from.children(node).front()).value();
    for (const std::size_t owner = number(division.owner(source)); rank < owner;) begins[++rank] = leaf;
  }
  return LeafDivision(std::move(begins));
}

std::vector<std::uint64_t> carried_over(std::span<const std::uint64_t> costs, const Octree& from, const Octree& to) {
  TACIT_EXPECT(costs.size() == from.size());
  std::vector<std::uint64_t> carried;
  carried.reserve(to.size());
  for (const Node& node : to.leaves()) {
    const auto covering = from.covering(node);
    if (covering) {
      carried.push_back(costs[*covering]);
      continue;
    }
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
    for (const Node& part : from.children(node)) {
      sum += costs[from.covering(part).value()];
      ++count;
    }
    carried.push_back(sum / count);
  }
  return carried;
}

LeafDivision better_division(const LeafDivision& present, std::span<const std::uint64_t> costs) {
  const LeafDivision best = divided_by_cost(costs, present.ranks());
  bool suits = !present.has_idle_ranks();
  for (std::uint32_t rank = 0; rank < present.ranks(); ++rank) {
    suits = suits && present.of(comm::RankId{rank}).size() <= room_of_rank(costs.size(), present.ranks());
  }
  const auto before = static_cast<double>(largest_cost(present, costs));
  const auto after = static_cast<double>(largest_cost(best, costs));
  return suits && before <= least_gain_of_division * after ? present : best;
}

}  // namespace tacit::mesh
