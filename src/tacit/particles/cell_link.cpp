// Which cells lie within reach of which.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <limits>
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

bool CellTree::link(std::span<const double> reach, double slack, tasks::Scheduler* workers) {
  return link(reach, std::vector<double>(leaves(), slack), workers);
}

bool CellTree::link(std::span<const double> reach, std::span<const double> slack, tasks::Scheduler* workers) {
  TACIT_EXPECT(reach.size() == leaves() && slack.size() == leaves());
  neighbours_.clear();
  first_neighbour_.assign(cells() + 1, 0);
  take_foreign({});
  if (!is_searchable(forest_, largest(reach) + 2.0 * largest(slack))) return false;
  constexpr std::size_t least_leaves = 16;
  const Chunks chunks(workers, leaves(), least_leaves);
  std::vector<std::vector<Link>> links(chunks.count());
  if (!find_links(reach, slack, chunks, links)) return false;
  make_lists(chunks, links, workers);
  return true;
}

/// What each cell itself reaches, and its entries in the lists of those that do not reach back.
/// @param chunks  of all leaves
/// @param links   shape (chunks)
/// @return        false where there are too many; some are missing then
bool CellTree::find_links(std::span<const double> reach, std::span<const double> slack, const Chunks& chunks,
                          std::span<std::vector<Link>> links) const {
  const double most_slack = largest(slack);
  const std::vector<double> slack_below = forest_.largest_below(slack);
  // Leaves of others look only for what this rank owns: for their own lists others care.
  std::vector<double> is_own(leaves(), 0.0);
  for (std::size_t c = 0; c < cells(); ++c) is_own[leaves_[c]] = 1.0;
  const std::vector<double> has_own = forest_.largest_below(is_own);
  const std::size_t most = most_neighbours(cells());
  std::atomic<std::size_t> total{0};

  const auto find_of_leaf = [&](std::size_t a, std::vector<Link>& found) {
    const std::uint32_t own_a = cell_of_leaf_[a];
    const std::size_t begin = found.size();
    const std::size_t before = total.load(std::memory_order_relaxed);
    const auto may_reach = [&](std::size_t node, double gap2) {
      return (own_a != no_cell || has_own[node] > 0.0) && gap2 <= square(reach[a] + (slack[a] + slack_below[node])) &&
             before + (found.size() - begin) <= most;
    };
    const auto add = [&](std::size_t b, const Image& image, double gap2) {
      const auto from = static_cast<std::uint32_t>(a);
      const auto to = static_cast<std::uint32_t>(b);
      const std::uint32_t own_b = cell_of_leaf_[b];
      if (own_a != no_cell) found.push_back({own_a, {to, image, true}});
      const bool reaches_back = gap2 <= square(reach[b] + (slack[b] + slack[a]));
      if (own_b != no_cell && !reaches_back) found.push_back({own_b, {from, opposite(image), false}});
    };
    forest_.search(bounds(forest_.cube(a)), reach[a] + (slack[a] + most_slack), may_reach, add);
    total.fetch_add(found.size() - begin, std::memory_order_relaxed);
  };
  chunks.for_each([&](std::size_t chunk, std::size_t first, std::size_t end) {
    for (std::size_t a = first; a < end && total.load(std::memory_order_relaxed) <= most; ++a) {
      find_of_leaf(a, links[chunk]);
    }
  });
  return total.load() <= most;  // who stopped has seen more
}

/// Sorts entries into the lists of their owners. They name leaves, which then become cells.
/// @param links  shape (chunks)
void CellTree::make_lists(const Chunks& chunks, std::span<const std::vector<Link>> links, tasks::Scheduler* workers) {
  ChunkCounts<std::size_t> next;
  next.restart(chunks.count(), cells());
  chunks.for_each([&](std::size_t chunk, std::size_t, std::size_t) {
    const std::span<std::size_t> counts = next.of(chunk);
    for (const Link& link : links[chunk]) ++counts[link.owner];
  });
  const std::size_t total =
      next.to_places([this](std::size_t c, std::size_t /*begin*/, std::size_t end) { first_neighbour_[c + 1] = end; });
  neighbours_.resize(total);
  chunks.for_each([&](std::size_t chunk, std::size_t, std::size_t) {
    const std::span<std::size_t> places = next.of(chunk);
    for (const Link& link : links[chunk]) neighbours_[places[link.owner]++] = link.neighbour;
  });
  for_parts(workers, cells(), [this](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const auto list =
          std::span(neighbours_).subspan(first_neighbour_[c], first_neighbour_[c + 1] - first_neighbour_[c]);
      std::ranges::sort(list, {}, [](const Neighbour& n) { return std::tuple(n.cell, n.image); });
    }
  });
  if (own_ < leaves()) number_foreign(workers);  // else every leaf is the cell of its number
}

/// Takes the leaves of others that lists name behind the cells, and names cells in all lists.
void CellTree::number_foreign(tasks::Scheduler* workers) {
  constexpr std::uint8_t yes = 1;
  std::vector<std::uint8_t> is_named(leaves(), 0);
  for_parts(workers, neighbours_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      std::atomic_ref(is_named[neighbours_[k].cell]).store(yes, std::memory_order_relaxed);
    }
  });
  std::vector<std::uint32_t> cell_at = cell_of_leaf_;
  std::vector<std::uint32_t> foreign;
  for (std::uint32_t leaf = 0; leaf < is_named.size(); ++leaf) {
    if (is_named[leaf] != yes || cell_of_leaf_[leaf] != no_cell) continue;
    cell_at[leaf] = static_cast<std::uint32_t>(own_ + foreign.size());
    foreign.push_back(leaf);
  }
  for_parts(workers, neighbours_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) neighbours_[k].cell = cell_at[neighbours_[k].cell];
  });
  take_foreign(std::move(foreign));
}

std::vector<double> CellTree::spread_maximum(std::span<const double> values, tasks::Scheduler* workers) const {
  TACIT_EXPECT(values.size() == leaves());
  std::vector<double> result(cells());
  for_parts(workers, cells(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      double most = values[leaves_[a]];
      const auto touches = [](std::size_t, double gap2) { return gap2 == 0.0; };  // distances of boxes are exact
      const auto take = [&](std::size_t b, const Image&, double) { most = std::max(most, values[b]); };
      forest_.search(bounds(cube(a)), 0.0, touches, take);
      result[a] = most;
    }
  });
  return result;
}

namespace {

/// `most` as other threads may raise it.
double load(double& most) { return std::atomic_ref(most).load(std::memory_order_relaxed); }

void raise(double& most, double value) {
  const std::atomic_ref shared(most);
  double seen = shared.load(std::memory_order_relaxed);
  while (seen < value && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

std::vector<double> CellTree::largest_nearby(const Positions& positions, std::span<const double> values, double travel,
                                             tasks::Scheduler* workers) const {
  std::vector<double> result(leaves(), 0.0);
  const auto largest_in = [&](std::size_t c) { return largest(values.subspan(ranges_[c].begin, ranges_[c].count)); };
  for_parts(workers, cells(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) result[leaves_[c]] = largest_in(c);
  });
  for_parts(workers, cells(), [&](std::size_t begin, std::size_t end) {
    std::vector<std::pair<std::size_t, Image>> around;  // leaves that particles of one cell may come to, and raise
    const auto lowest_around = [&] {
      double lowest = std::numeric_limits<double>::infinity();
      for (const auto& [b, image] : around) lowest = std::min(lowest, load(result[b]));
      return lowest;
    };
    for (std::size_t c = begin; c < end; ++c) {
      const double distance2 = square(travel * narrowest(c));
      const double most = largest_in(c);
      around.clear();
      forest_.search(
          bounds(cube(c)), travel * narrowest(c), [=](std::size_t, double gap2) { return gap2 <= distance2; },
          [&](std::size_t b, const Image& image, double) {
            if (load(result[b]) < most) around.emplace_back(b, image);
          });
      double lowest = lowest_around();  // it may have risen since: results only do
      for (std::size_t i = ranges_[c].begin; i < ranges_[c].begin + ranges_[c].count; ++i) {
        if (values[i] <= lowest) continue;
        const Bounds here = point(positions[0][i], positions[1][i], positions[2][i]);
        for (const auto& [b, image] : around) {
          if (values[i] <= load(result[b]) || forest_.gap2(here, forest_.cube(b), image) > distance2) continue;
          raise(result[b], values[i]);
        }
        lowest = lowest_around();
      }
    }
  });
  return result;
}

/// A box without extent, inside the grid.
Bounds CellTree::point(double x, double y, double z) const {
  const base::Vec3 at = base::Vec3{x, y, z} - domain().origin;
  const std::array<double, 3> place{at.x / cell_size().x, at.y / cell_size().y, at.z / cell_size().z};
  return {place, place};
}

}  // namespace tacit::particles
