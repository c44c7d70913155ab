// Sorting into cells and into groups: by counting, with short sorts by ID at the end.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/particles/cell_tree.hpp"

namespace tacit::particles {
namespace {

/// Turns counts, shape (n + 1) with the last one 0, into where each begins; the last entry is their sum.
void counts_to_begins(std::vector<std::uint32_t>& counts) {
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), 0U);
}

/// Steps of a place within a cell along each axis.
constexpr double place_steps = 1024.0;

std::uint32_t pack(const std::array<double, 3>& fraction) {
  const auto step = [&](std::size_t axis) { return static_cast<std::uint32_t>(fraction[axis] * place_steps); };
  return step(0) << 20U | step(1) << 10U | step(2);
}

/// The number of a place's sub-cell along a path that steps from each sub-cell to one beside it.
std::uint32_t winding_number(std::uint32_t place, const std::array<std::uint32_t, 3>& shape) {
  const auto index = [&](unsigned shift, std::uint32_t n) { return (place >> shift & 1023U) * n >> 10U; };
  const auto turned = [](std::uint32_t i, std::uint32_t n, std::uint32_t turns) {
    return (turns & 1U) != 0 ? n - 1 - i : i;
  };
  const std::uint32_t i = index(20, shape[0]);
  const std::uint32_t row = i * shape[1] + turned(index(10, shape[1]), shape[1], i);
  return row * shape[2] + turned(index(0, shape[2]), shape[2], row);
}

/// The first `n` axes, ordered by (size, axis).
std::array<std::size_t, 3> shortest_first(const base::Vec3& size, std::size_t n) {
  std::array<std::size_t, 3> axes{0, 1, 2};
  for (std::size_t k = 1; k < n; ++k) {
    for (std::size_t j = k; j > 0 && size[axes[j]] < size[axes[j - 1]]; --j) std::swap(axes[j], axes[j - 1]);
  }
  return axes;
}

}  // namespace

void CellTree::take_memory(CellTree&& former) noexcept {
  groups_ = std::move(former.groups_);
  groups_.empty_cells(cells());
  cell_of_ = std::move(former.cell_of_);
  place_in_ = std::move(former.place_in_);
  order_ = std::move(former.order_);
  next_ = std::move(former.next_);
  sub_next_ = std::move(former.sub_next_);
  records_ = std::move(former.records_);
  sorted_ = std::move(former.sorted_);
}

/// Notes the cell of each particle and its place in it, and counts the particles of each cell in next_.
void CellTree::find_cells(const Positions& positions) {
  const Forest::Finder find(forest_);
  next_.assign(cells() + 1, 0);
  for (std::size_t i = 0; i < positions[0].size(); ++i) {
    const auto [cell, fraction] = find(positions[0][i], positions[1][i], positions[2][i]);
    cell_of_[i] = static_cast<std::uint32_t>(cell);
    place_in_[i] = pack(fraction);
    ++next_[cell];
  }
}

/// Fills ranges_, and order_ with the particles of each cell in the order they came.
void CellTree::order_by_cell() {
  counts_to_begins(next_);
  for (std::size_t c = 0; c < cells(); ++c) ranges_[c] = {next_[c], next_[c + 1] - next_[c]};
  for (std::size_t i = 0; i < order_.size(); ++i) order_[next_[cell_of_[i]]++] = static_cast<std::uint32_t>(i);
}

/// Sub-cells along each axis: about as many as the cell shall have groups, and nearly cubic.
std::array<std::uint32_t, 3> CellTree::sub_cells(std::size_t cell) const {
  constexpr std::array<double, 3> most_per_side{1024.0, 128.0, 32.0};  // in 1, 2, 3 dimensions
  double wanted = static_cast<double>(ranges_[cell].count) / static_cast<double>(per_group_);
  const base::Vec3 size = forest_.cube(cell).width * cell_size();
  const auto used = shortest_first(size, forest_.axes());
  std::array<std::uint32_t, 3> shape{1, 1, 1};
  // The shortest side first: what its whole number of sub-cells is too few or too many, the others make up for.
  for (std::size_t k = 0; k < forest_.axes(); ++k) {
    double volume = 1.0;
    for (std::size_t other = k; other < forest_.axes(); ++other) volume *= size[used[other]];
    const double width = std::pow(volume / wanted, 1.0 / static_cast<double>(forest_.axes() - k));
    const double n = std::clamp(std::round(size[used[k]] / width), 1.0, most_per_side[forest_.axes() - 1]);
    shape[used[k]] = static_cast<std::uint32_t>(n);
    wanted /= n;
  }
  return shape;
}

/// Orders the particles of one cell by (sub-cell, ID) and cuts them into groups.
void CellTree::order_within(std::size_t cell, std::span<const std::uint64_t> id) {
  groups_.open_cell();
  const auto [first, count] = ranges_[cell];
  if (count == 0) return;
  const auto order = std::span(order_).subspan(first, count);
  const auto shape = sub_cells(cell);
  const std::size_t n = std::size_t{shape[0]} * shape[1] * shape[2];
  sub_next_.assign(n + 1, 0U);
  records_.clear();
  for (const std::uint32_t i : order) {
    records_.push_back({id[i], i, winding_number(place_in_[i], shape)});
    ++sub_next_[records_.back().sub_cell];
  }
  counts_to_begins(sub_next_);
  sorted_.resize(count);
  for (const Record& record : records_) sorted_[sub_next_[record.sub_cell]++] = record;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : std::span(sub_next_).first(n)) {
    if (end == begin) continue;
    std::sort(sorted_.begin() + begin, sorted_.begin() + end,
              [](const Record& a, const Record& b) { return a.id < b.id; });
    groups_.add_run(end - begin);
    begin = end;
  }
  std::ranges::transform(sorted_, order.begin(), &Record::particle);
}

std::span<const std::uint32_t> CellTree::sort(std::span<const double> x, std::span<const double> y,
                                              std::span<const double> z, std::span<const std::uint64_t> id) {
  const std::size_t n = x.size();
  TACIT_EXPECT(y.size() == n && z.size() == n && id.size() == n && n <= std::numeric_limits<std::uint32_t>::max());
  cell_of_.resize(n);
  place_in_.resize(n);
  order_.resize(n);
  find_cells({x, y, z});
  order_by_cell();
  groups_.restart(cells(), n);
  for (std::size_t c = 0; c < cells(); ++c) order_within(c, id);
  return order_;
}

}  // namespace tacit::particles
