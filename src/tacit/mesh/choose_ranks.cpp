// Looks for the division of a grid among ranks that exchanges the least.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/choose_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::mesh {
namespace {

/// Points that each rank keeps at least along an axis that is cut: a neighbour's ghosts are the points of one rank.
Index least_points(const GridSpec& spec) {
  const Index least = std::max(Index{1}, spec.ghosts);
  return (least + spec.granularity - 1) / spec.granularity * spec.granularity;
}

bool fits(const GridSpec& spec, std::size_t axis, Index ranks) {
  const bool is_given = !spec.ranks.empty() && spec.ranks[axis] != 0;
  if (is_given && ranks != static_cast<Index>(spec.ranks[axis])) return false;
  return ranks == 1 || spec.points[axis] / spec.granularity / ranks * spec.granularity >= least_points(spec);
}

/// Points on the faces between ranks. A double is exact for all grids that memories hold, and alike on all ranks.
double exchanged(const GridSpec& spec, const Point& ranks) {
  double sum = 0.0;
  for (std::size_t a = 0; a < spec.points.size(); ++a) {
    if (ranks[a] == 1) continue;
    auto face = static_cast<double>(ranks[a] - (spec.boundaries[a] == Boundary::wall ? 1 : 0));
    for (std::size_t b = 0; b < spec.points.size(); ++b) {
      if (b != a) face *= static_cast<double>(spec.points[b]);
    }
    sum += face;
  }
  return sum;
}

struct BestRanks {
  std::optional<Point> ranks = {};
  double exchanged = std::numeric_limits<double>::infinity();
};

/// Tries what is left of the ranks along the axes below `axes`, the last one first and most ranks first.
void try_axes(const GridSpec& spec, std::size_t axes, Index left, Point& ranks, BestRanks& best) {
  if (axes == 0) {
    const double points = exchanged(spec, ranks);
    if (left == 1 && points < best.exchanged) best = {.ranks = ranks, .exchanged = points};
    return;
  }
  for (Index r = std::min(left, spec.points[axes - 1]); r >= 1; --r) {
    if (left % r != 0 || !fits(spec, axes - 1, r)) continue;
    ranks[axes - 1] = r;
    try_axes(spec, axes - 1, left / r, ranks, best);
  }
}

/// So many ranks a grid has at most, up to `limit`; 0 where those given along an axis do not fit.
std::size_t most_ranks(const GridSpec& spec, std::size_t limit) {
  std::size_t most = 1;
  for (std::size_t axis = 0; axis < spec.points.size(); ++axis) {
    Index along = std::max(Index{1}, spec.points[axis] / least_points(spec));
    if (!spec.ranks.empty() && spec.ranks[axis] != 0) along = static_cast<Index>(spec.ranks[axis]);
    if (!fits(spec, axis, along)) return 0;
    const auto ranks = static_cast<std::size_t>(along);
    most = most > limit / ranks ? limit : most * ranks;
  }
  return most;
}

template <class Numbers>
std::string joined(const Numbers& numbers) {
  return fmt::format("{}", fmt::join(numbers, " x "));
}

/// "2 x any x 1"
std::string given_ranks(const GridSpec& spec) {
  std::vector<std::string> words;
  for (const std::uint32_t ranks : spec.ranks) words.push_back(ranks == 0 ? "any" : fmt::format("{}", ranks));
  return joined(words);
}

void check_given(const GridSpec& spec, std::size_t ranks) {
  if (spec.ranks.empty()) return;
  std::size_t product = 1;
  for (const std::uint32_t r : spec.ranks) product *= std::max(r, 1U);
  const bool is_free = std::ranges::find(spec.ranks, 0U) != spec.ranks.end();
  if (is_free ? ranks % product == 0 : ranks == product) return;
  throw base::Error(fmt::format(
      "a grid of {} ranks cannot be made of the {} that there are: change the ranks per axis, or leave them "
      "out to have them chosen",
      given_ranks(spec), ranks));
}

}  // namespace

std::optional<Point> find_ranks(const GridSpec& spec, std::size_t ranks) {
  Point tried{1, 1, 1, 1};
  BestRanks best;
  try_axes(spec, spec.points.size(), static_cast<Index>(ranks), tried, best);
  return best.ranks;
}

Point choose_ranks(const GridSpec& spec, std::size_t ranks) {
  check_given(spec, ranks);
  if (const auto found = find_ranks(spec, ranks)) return *found;
  std::size_t fewer = most_ranks(spec, ranks - 1);
  while (fewer > 0 && !find_ranks(spec, fewer)) --fewer;
  const std::string hint = fewer == 0 ? std::string("leave the ranks per axis out to have them chosen")
                                      : fmt::format("use {} rank{}", fewer, fewer == 1 ? "" : "s");
  throw base::Error(
      fmt::format("{} ranks{} are too many for a grid of {} points: each needs at least {} along every "
                  "axis that is cut{}; {}",
                  ranks, spec.ranks.empty() ? "" : fmt::format(", as {},", given_ranks(spec)), joined(spec.points),
                  least_points(spec), spec.ghosts > 1 ? ", as many as ghost points" : "", hint));
}

}  // namespace tacit::mesh
