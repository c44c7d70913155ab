// Cuts a curve where the least bottleneck is, compares that with what METIS finds, and numbers parts as before.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/topology/partition.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/topology/detail/empty_parts.hpp"
#include "tacit/topology/detail/metis.hpp"

namespace tacit::topology {
namespace {

/// Parts that hold at most `most` each, and no more than there is room for, filled one after the other; at least as
/// many units as parts are left for those that follow. @return how many parts it takes
std::size_t fill(std::span<const std::uint64_t> weights, std::size_t parts, std::uint64_t most, const Room& room,
                 std::vector<std::uint32_t>* part_of) {
  std::size_t part = 0;
  std::uint64_t held = 0;
  std::uint64_t taken = 0;
  std::size_t units_in_part = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::uint64_t size = room.sizes.empty() ? 0 : room.sizes[i];
    const bool is_full = units_in_part > 0 && (held + weights[i] > most || taken + size > room.most);
    const bool are_needed = part + 1 < parts && units_in_part > 0 && weights.size() - i <= parts - 1 - part;
    if (is_full || are_needed) {
      ++part;
      held = taken = 0;
      units_in_part = 0;
    }
    held += weights[i];
    taken += size;
    ++units_in_part;
    if (part_of != nullptr) (*part_of)[i] = static_cast<std::uint32_t>(part);
  }
  return part + 1;
}

}  // namespace

std::vector<std::uint32_t> cut_curve(std::span<const std::uint64_t> weights, std::size_t parts, const Room& room) {
  TACIT_EXPECT(parts > 0 && weights.size() >= parts);
  TACIT_EXPECT(room.sizes.empty() || room.sizes.size() == weights.size());
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  for (const std::uint64_t weight : weights) {
    low = std::max(low, weight);
    high += weight;
  }
  if (!room.sizes.empty() && fill(weights, parts, high, room, nullptr) > parts) return cut_curve(weights, parts);
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (fill(weights, parts, middle, room, nullptr) <= parts) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  std::vector<std::uint32_t> part_of(weights.size());
  fill(weights, parts, low, room, &part_of);
  return part_of;
}

std::uint64_t largest_load(std::span<const std::uint64_t> weights, std::span<const Edge> edges, std::size_t parts,
                           std::span<const std::uint32_t> part_of) {
  TACIT_EXPECT(part_of.size() == weights.size());
  std::vector<std::uint64_t> loads(parts, 0);
  for (std::size_t i = 0; i < weights.size(); ++i) loads[part_of[i]] += weights[i];
  for (const auto& [a, b, cost] : edges) {
    if (part_of[a] == part_of[b]) continue;
    loads[part_of[a]] += cost;
    loads[part_of[b]] += cost;
  }
  return std::ranges::max(loads);
}

void detail::fill_empty_parts(std::span<const std::uint64_t> weights, std::size_t parts,
                              std::span<std::uint32_t> part_of) {
  TACIT_EXPECT(weights.size() >= parts && part_of.size() == weights.size());
  std::vector<std::uint64_t> sums(parts, 0);
  std::vector<std::size_t> units(parts, 0);
  for (std::size_t i = 0; i < part_of.size(); ++i) {
    sums[part_of[i]] += weights[i];
    ++units[part_of[i]];
  }
  for (std::size_t empty = 0; empty < parts; ++empty) {
    if (units[empty] > 0) continue;
    std::optional<std::size_t> donor;
    for (std::size_t part = 0; part < parts; ++part) {
      if (units[part] > 1 && (!donor || sums[part] > sums[*donor])) donor = part;
    }
    // The unit that leaves both parts lightest.
    std::optional<std::size_t> given;
    const auto heavier = [&](std::size_t i) { return std::max(weights[i], sums[*donor] - weights[i]); };
    for (std::size_t i = 0; i < part_of.size(); ++i) {
      if (part_of[i] == *donor && (!given || heavier(i) < heavier(*given))) given = i;
    }
    part_of[*given] = static_cast<std::uint32_t>(empty);
    sums[empty] = weights[*given];
    sums[*donor] -= weights[*given];
    --units[*donor];
    ++units[empty];
  }
}

namespace {

/// Consecutive units lie together in memory, which no weight knows: with parts by METIS tasks were measured to take up
/// to a tenth more or less than before. So what is nearly as good along the curve is better there.
constexpr double least_gain_by_metis = 1.05;

bool fits(const Room& room, std::size_t parts, std::span<const std::uint32_t> part_of) {
  std::vector<std::uint64_t> taken(parts, 0);
  for (std::size_t i = 0; i < room.sizes.size(); ++i) taken[part_of[i]] += room.sizes[i];
  return std::ranges::all_of(taken, [&](std::uint64_t size) { return room.sizes.empty() || size <= room.most; });
}

/// Numbers parts such that much of the weight keeps its part.
void number_as_before(std::span<const std::uint64_t> weights, std::size_t parts,
                      std::span<const std::uint32_t> previous, std::vector<std::uint32_t>& part_of) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> shared;
  for (std::size_t i = 0; i < previous.size(); ++i) {
    if (previous[i] < parts) shared[{part_of[i], previous[i]}] += weights[i];
  }
  std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> pairs;  // weight, part, number
  for (const auto& [pair, weight] : shared) pairs.emplace_back(weight, pair.first, pair.second);
  std::ranges::stable_sort(pairs, [](const auto& a, const auto& b) { return std::get<0>(a) > std::get<0>(b); });
  std::vector<std::optional<std::uint32_t>> number_of(parts);
  std::vector<bool> is_taken(parts, false);
  for (const auto& [weight, part, number] : pairs) {
    if (number_of[part] || is_taken[number]) continue;
    number_of[part] = number;
    is_taken[number] = true;
  }
  std::uint32_t next = 0;
  for (std::optional<std::uint32_t>& number : number_of) {
    if (number) continue;
    while (is_taken[next]) ++next;
    number = next++;
  }
  for (std::uint32_t& part : part_of) part = *number_of[part];
}

}  // namespace

std::vector<std::uint32_t> partition(std::span<const std::uint64_t> weights, std::span<const Edge> edges,
                                     std::size_t parts, std::span<const std::uint32_t> previous, const Room& room,
                                     Method method) {
  TACIT_EXPECT(previous.empty() || previous.size() == weights.size());
  TACIT_EXPECT(std::ranges::all_of(edges, [&](const Edge& e) { return std::max(e.a, e.b) < weights.size(); }));
  std::vector<std::uint32_t> part_of = cut_curve(weights, parts, room);
  if (method != Method::curve && !edges.empty() && parts > 1 && parts < weights.size()) {
    if (auto found = detail::partition_by_metis(weights, edges, parts, room)) {
      detail::fill_empty_parts(weights, parts, *found);
      // Too large beats too slow: without room for its particles a rank could not go on at all.
      const auto badness = [&](std::span<const std::uint32_t> parts_of, double margin) {
        const auto load = static_cast<double>(largest_load(weights, edges, parts, parts_of));
        return std::pair(!fits(room, parts, parts_of), margin * load);
      };
      const bool is_better = badness(*found, least_gain_by_metis) < badness(part_of, 1.0);
      if (method == Method::metis || is_better) part_of = std::move(*found);
    }
  }
  if (!previous.empty()) number_as_before(weights, parts, previous, part_of);
  return part_of;
}

}  // namespace tacit::topology
