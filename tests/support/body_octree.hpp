// An octree over bodies, for the tests of the walk and its benchmark: the solvers have trees of their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "support/body_clouds.hpp"
#include "tacit/fmm/operators.hpp"

namespace tacit::fmm::test {

/// Cells of at most `most` bodies, whose order it changes. Parents stand before their children.
template <int p>
class Octree {
 public:
  struct Cell {
    std::size_t begin = 0;  // bodies
    std::size_t count = 0;
    std::vector<std::size_t> children;
  };

  Octree(Cloud& cloud, std::size_t most) : most_(most) {
    order_.resize(cloud.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    double half = 0.0;
    for (const auto* of : {&cloud.x, &cloud.y, &cloud.z}) {
      for (const double value : *of) half = std::max(half, std::abs(value));
    }
    grow(cloud, 0, cloud.size(), {}, half);
    for (auto* of : {&cloud.x, &cloud.y, &cloud.z, &cloud.m}) {
      std::vector<double> sorted;
      for (const std::size_t b : order_) sorted.push_back((*of)[b]);
      *of = sorted;
    }
    multipoles.resize(cells.size());
    for (std::size_t c = cells.size(); c-- > 0;) {
      std::vector<Multipole<p>> parts;
      for (const std::size_t child : cells[c].children) parts.push_back(multipoles[child]);
      multipoles[c] = is_leaf(c) ? Operators<p>::multipole_of(cloud.some(cells[c].begin, cells[c].count))
                                 : Operators<p>::multipole_of(std::span<const Multipole<p>>(parts));
    }
  }

  [[nodiscard]] bool is_leaf(std::size_t cell) const { return cells[cell].children.empty(); }
  [[nodiscard]] double radius(std::size_t cell) const { return multipoles[cell].radius; }
  [[nodiscard]] const std::vector<std::size_t>& children(std::size_t cell) const { return cells[cell].children; }

  std::vector<Cell> cells;
  std::vector<Multipole<p>> multipoles;

 private:
  std::size_t grow(const Cloud& cloud, std::size_t begin, std::size_t count, const base::Vec3& centre, double half) {
    const std::size_t cell = cells.size();
    cells.push_back({begin, count, {}});
    if (count <= most_) return cell;
    const auto octant = [&](std::size_t b) {
      return (cloud.x[b] >= centre.x ? 4U : 0U) + (cloud.y[b] >= centre.y ? 2U : 0U) +
             (cloud.z[b] >= centre.z ? 1U : 0U);
    };
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = first + static_cast<std::ptrdiff_t>(count);
    std::stable_sort(first, last, [&](std::size_t a, std::size_t b) { return octant(a) < octant(b); });
    std::array<std::size_t, 8> counts{};
    for (auto b = first; b != last; ++b) ++counts[octant(*b)];
    for (std::size_t o = 0; o < 8; ++o) {
      const base::Vec3 side{(o & 4U) != 0 ? 1.0 : -1.0, (o & 2U) != 0 ? 1.0 : -1.0, (o & 1U) != 0 ? 1.0 : -1.0};
      if (counts[o] > 0) {
        const std::size_t child = grow(cloud, begin, counts[o], centre + 0.5 * half * side, 0.5 * half);
        cells[cell].children.push_back(child);
      }
      begin += counts[o];
    }
    return cell;
  }

  std::size_t most_;
  std::vector<std::size_t> order_;
};

}  // namespace tacit::fmm::test
