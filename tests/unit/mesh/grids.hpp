// Grids of all kinds for tests: dimensions, uneven sizes, walls, ghost widths, numbers of ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tacit/mesh/block_grid.hpp"
#include "tacit/mesh/choose_ranks.hpp"

namespace tacit::mesh::testing {

inline comm::RankId rank_id(std::size_t rank) { return comm::RankId{static_cast<std::uint32_t>(rank)}; }

/// Walls where a bit of `periodic` is 0.
inline std::vector<Boundary> boundaries(std::size_t dimensions, unsigned periodic) {
  std::vector<Boundary> all;
  for (std::size_t a = 0; a < dimensions; ++a) {
    all.push_back((periodic >> a & 1U) != 0 ? Boundary::periodic : Boundary::wall);
  }
  return all;
}

/// A grid as each of its ranks sees it.
inline std::vector<BlockGrid> on_all_ranks(const GridSpec& spec, std::size_t ranks) {
  std::vector<BlockGrid> grids;
  for (std::size_t r = 0; r < ranks; ++r) grids.emplace_back(spec, ranks, rank_id(r));
  return grids;
}

inline std::string describe(const GridSpec& spec, std::size_t ranks) {
  std::string text = std::to_string(ranks) + " ranks, " + std::to_string(spec.ghosts) + " ghosts:";
  for (std::size_t a = 0; a < spec.points.size(); ++a) {
    text += ' ' + std::to_string(spec.points[a]) + (spec.boundaries[a] == Boundary::periodic ? "p" : "w");
  }
  return text;
}

/// Calls check(spec, ranks) for grids of 1 to 4 dimensions, all combinations of walls, 0 to 2 ghost points, 1 to 16
/// ranks, as far as they fit.
inline void for_grids(const std::function<void(const GridSpec&, std::size_t)>& check) {
  const std::vector<std::vector<Index>> sizes{{37}, {2}, {7, 9}, {20, 3}, {5, 4, 7}, {3, 2, 11}, {3, 4, 3, 5}};
  for (const auto& points : sizes) {
    for (unsigned periodic = 0; periodic < 1U << points.size(); ++periodic) {
      for (const Index ghosts : {Index{0}, Index{1}, Index{2}}) {
        const GridSpec spec{.points = points, .boundaries = boundaries(points.size(), periodic), .ghosts = ghosts};
        for (std::size_t ranks = 1; ranks <= 16; ++ranks) {
          if (find_ranks(spec, ranks)) check(spec, ranks);
        }
      }
    }
  }
}

/// Calls f(point) for each point of a box, in the order of memory.
inline void for_points(const Box& box, const std::function<void(const Point&)>& f) {
  Point p{};
  for (p[3] = box.begin[3]; p[3] < box.end[3]; ++p[3]) {
    for (p[2] = box.begin[2]; p[2] < box.end[2]; ++p[2]) {
      for (p[1] = box.begin[1]; p[1] < box.end[1]; ++p[1]) {
        for (p[0] = box.begin[0]; p[0] < box.end[0]; ++p[0]) f(p);
      }
    }
  }
}

/// The number of a point of the whole grid, 0 for the first; ghost points have that of the point they stand for, -1
/// beyond a wall.
inline std::int64_t global_number(const BlockGrid& grid, const Point& local) {
  std::int64_t found = 0;
  for (std::size_t a = max_dimensions; a-- > 0;) {
    const Index n = grid.points(a);
    const Index x = local[a] + grid.range(a).begin;
    if ((x < 0 || x >= n) && grid.boundary(a) == Boundary::wall) return -1;
    found = found * n + (x % n + n) % n;
  }
  return found;
}

/// Along how many axes a point is beyond the block.
inline std::size_t axes_outside(const BlockGrid& grid, const Point& local) {
  std::size_t axes = 0;
  for (std::size_t a = 0; a < max_dimensions; ++a) {
    axes += local[a] < 0 || local[a] >= grid.block().end[a] ? 1 : 0;
  }
  return axes;
}

}  // namespace tacit::mesh::testing
