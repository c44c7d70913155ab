// Which cells lie within reach of which.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/particles/cell_tree.hpp"

namespace tacit::particles {
namespace {

double square(double x) { return x * x; }

double largest(std::span<const double> values) {
  double result = 0.0;
  for (const double value : values) result = std::max(result, value);
  return result;
}

/// Whether a search ends soon, and its images fit their type.
bool is_searchable(const Forest& forest, double distance) {
  if (!forest.is_endless()) return distance >= 0.0;
  for (std::size_t axis = 0; axis < forest.axes(); ++axis) {
    if (!(distance <= Forest::most_images * forest.domain().size[axis])) return false;
  }
  return true;
}

}  // namespace

/// The image through which the cell at the other end sees this one: a reflection is its own way back.
Image CellTree::opposite(const Image& image) const noexcept {
  Image back{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool is_reflection = domain().mirrored && detail::is_odd(image[axis]);
    back[axis] = is_reflection ? image[axis] : static_cast<std::int8_t>(-image[axis]);
  }
  return back;
}

bool CellTree::link(std::span<const double> reach, double slack) {
  return link(reach, std::vector<double>(cells(), slack));
}

bool CellTree::link(std::span<const double> reach, std::span<const double> slack) {
  TACIT_EXPECT(reach.size() == cells() && slack.size() == cells());
  neighbours_.clear();
  first_neighbour_.assign(cells() + 1, 0);
  const double most_slack = largest(slack);
  if (!is_searchable(forest_, largest(reach) + 2.0 * most_slack)) return false;
  const std::vector<double> slack_below = forest_.largest_below(slack);
  const std::size_t most = most_neighbours(cells());

  // What each cell itself reaches, and its entries in the lists of those that do not reach back.
  std::vector<Link> links;
  for (std::size_t a = 0; a < cells(); ++a) {
    const auto may_reach = [&](std::size_t node, double gap2) {
      return gap2 <= square(reach[a] + (slack[a] + slack_below[node])) && links.size() <= most;
    };
    const auto add = [&](std::size_t b, const Image& image, double gap2) {
      const auto from = static_cast<std::uint32_t>(a);
      const auto to = static_cast<std::uint32_t>(b);
      links.push_back({from, {to, image, true}});
      const bool reaches_back = gap2 <= square(reach[b] + (slack[b] + slack[a]));
      if (!reaches_back) links.push_back({to, {from, opposite(image), false}});
    };
    forest_.search(bounds(forest_.cube(a)), reach[a] + (slack[a] + most_slack), may_reach, add);
    if (links.size() > most) return false;
  }
  make_lists(links);
  return true;
}

/// Sorts entries into the lists of their owners.
void CellTree::make_lists(std::span<const Link> links) {
  for (const Link& link : links) ++first_neighbour_[link.owner + 1];
  std::partial_sum(first_neighbour_.begin(), first_neighbour_.end(), first_neighbour_.begin());
  neighbours_.resize(links.size());
  std::vector<std::size_t> next = first_neighbour_;
  for (const Link& link : links) neighbours_[next[link.owner]++] = link.neighbour;
  for (std::size_t c = 0; c < cells(); ++c) {
    const auto list = std::span(neighbours_).subspan(first_neighbour_[c], next[c] - first_neighbour_[c]);
    std::ranges::sort(list, {}, [](const Neighbour& n) { return std::tuple(n.cell, n.image); });
  }
}

std::vector<double> CellTree::spread_maximum(std::span<const double> values) const {
  TACIT_EXPECT(values.size() == cells());
  std::vector<double> result(values.begin(), values.end());
  for (std::size_t a = 0; a < cells(); ++a) {
    const auto touches = [](std::size_t, double gap2) { return gap2 == 0.0; };  // distances of boxes are exact
    const auto take = [&](std::size_t b, const Image&, double) { result[a] = std::max(result[a], values[b]); };
    forest_.search(bounds(forest_.cube(a)), 0.0, touches, take);
  }
  return result;
}

std::vector<double> CellTree::largest_nearby(const Positions& positions, std::span<const double> values,
                                             double travel) const {
  std::vector<double> result(cells());
  for (std::size_t c = 0; c < cells(); ++c) result[c] = largest(values.subspan(ranges_[c].begin, ranges_[c].count));
  std::vector<std::pair<std::size_t, Image>> around;  // cells that particles of one cell may come to
  for (std::size_t c = 0; c < cells(); ++c) {
    const double distance2 = square(travel * narrowest(c));
    around.clear();
    forest_.search(
        bounds(forest_.cube(c)), travel * narrowest(c), [=](std::size_t, double gap2) { return gap2 <= distance2; },
        [&](std::size_t b, const Image& image, double) { around.emplace_back(b, image); });
    for (std::size_t i = ranges_[c].begin; i < ranges_[c].begin + ranges_[c].count; ++i) {
      const Bounds here = point(positions[0][i], positions[1][i], positions[2][i]);
      for (const auto& [b, image] : around) {
        if (values[i] <= result[b] || forest_.gap2(here, forest_.cube(b), image) > distance2) continue;
        result[b] = values[i];
      }
    }
  }
  return result;
}

/// A box without extent, inside the grid.
Bounds CellTree::point(double x, double y, double z) const {
  const base::Vec3 at = base::Vec3{x, y, z} - domain().origin;
  const std::array<double, 3> place{at.x / cell_size().x, at.y / cell_size().y, at.z / cell_size().z};
  return {place, place};
}

}  // namespace tacit::particles
