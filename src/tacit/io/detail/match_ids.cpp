// Finds equal IDs by sorting.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/match_ids.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>

namespace tacit::io::detail {
namespace {

/// Places in order of the IDs, equal ones in their own order.
std::vector<std::uint64_t> sorted_places(std::span<const std::uint64_t> ids) {
  std::vector<std::uint64_t> places(ids.size());
  std::iota(places.begin(), places.end(), std::uint64_t{0});
  std::ranges::stable_sort(places, {}, [&](std::uint64_t place) { return ids[place]; });
  return places;
}

}  // namespace

bool IdMatch::is_identity() const noexcept {
  if (only_first + only_second > 0) return false;
  for (std::size_t i = 0; i < partner.size(); ++i) {
    if (partner[i] != i) return false;
  }
  return true;
}

IdMatch match_ids(std::span<const std::uint64_t> first, std::span<const std::uint64_t> second) {
  IdMatch match;
  match.partner.assign(first.size(), IdMatch::none);
  if (std::ranges::equal(first, second)) {
    std::iota(match.partner.begin(), match.partner.end(), std::uint64_t{0});
    return match;
  }
  const std::vector<std::uint64_t> a = sorted_places(first);
  const std::vector<std::uint64_t> b = sorted_places(second);
  std::size_t j = 0;
  for (const std::uint64_t place : a) {
    while (j < b.size() && second[b[j]] < first[place]) {
      ++j;
      ++match.only_second;
    }
    if (j < b.size() && second[b[j]] == first[place]) {
      match.partner[place] = b[j++];
    } else {
      ++match.only_first;
    }
  }
  match.only_second += b.size() - j;
  return match;
}

}  // namespace tacit::io::detail
