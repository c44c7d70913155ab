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
  group_counts_ = std::move(former.group_counts_);
  scratch_ = std::move(former.scratch_);
}

/// Notes the cell of each particle and its place in it, and counts the particles of each cell in next_.
void CellTree::find_cells(const Positions& positions, const Chunks& chunks) {
  const Forest::Finder find(forest_);
  next_.restart(chunks.count(), cells());
  chunks.for_each([&](std::size_t chunk, std::size_t first, std::size_t end) {
    const std::span<std::uint32_t> counts = next_.of(chunk);
    for (std::size_t i = first; i < end; ++i) {
      const auto [leaf, fraction] = find(positions[0][i], positions[1][i], positions[2][i]);
      const std::uint32_t cell = cell_of_leaf_[leaf];
      TACIT_EXPECT(cell != no_cell);
      cell_of_[i] = cell;
      place_in_[i] = pack(fraction);
      ++counts[cell];
    }
  });
}

/// Fills ranges_, and order_ with the particles of each cell in the order they came.
void CellTree::order_by_cell(const Chunks& chunks) {
  ranges_.assign(all_cells(), {});
  static_cast<void>(next_.to_places([this](std::size_t c, std::uint32_t begin, std::uint32_t end) {
    ranges_[c] = {begin, end - begin};
  }));
  chunks.for_each([&](std::size_t chunk, std::size_t first, std::size_t end) {
    const std::span<std::uint32_t> next = next_.of(chunk);
    for (std::size_t i = first; i < end; ++i) order_[next[cell_of_[i]]++] = static_cast<std::uint32_t>(i);
  });
}

/// Sub-cells along each axis: about as many as the cell shall have groups, and nearly cubic.
std::array<std::uint32_t, 3> CellTree::sub_cells(std::size_t cell) const {
  constexpr std::array<double, 3> most_per_side{1024.0, 128.0, 32.0};  // in 1, 2, 3 dimensions
  double wanted = static_cast<double>(ranges_[cell].count) / static_cast<double>(per_group_);
  const base::Vec3 size = cube(cell).width * cell_size();
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

/// Makes room for any cell, so that no worker needs more when it comes to another one next time: memory that is not
/// touched before.
void CellTree::give_room(std::size_t workers) {
  std::size_t fullest = 0;
  for (std::size_t c = 0; c < cells(); ++c) fullest = std::max(fullest, ranges_[c].count);
  // Each side of sub_cells() is rounded up by at most a third, which the others make up for, but for the last.
  constexpr std::size_t kinds = 2;
  const std::size_t most_sub_cells = kinds * (4 * fullest / (3 * per_group_) + 2);
  if (scratch_.size() < workers) scratch_.resize(workers);
  for (SortScratch& scratch : scratch_) {
    scratch.next.reserve(most_sub_cells + 1);
    scratch.records.reserve(fullest);
    scratch.sorted.reserve(fullest);
  }
}

/// Orders the particles of one cell by (type, sub-cell, ID) and cuts them into groups, whose ends it leaves in the part
/// of cell_of_ that belongs to the cell's particles: these have been found. @return the number of groups
std::uint32_t CellTree::order_within(std::size_t cell, const SortKeys& keys, SortScratch& scratch) {
  const std::size_t first = ranges_[cell].begin;
  const std::size_t count = ranges_[cell].count;
  if (count == 0) return 0;
  const auto order = std::span(order_).subspan(first, count);
  const auto shape = sub_cells(cell);
  const std::uint32_t of_type = shape[0] * shape[1] * shape[2];
  const std::size_t n = keys.type.empty() ? of_type : std::size_t{2} * of_type;
  auto& [next, records, sorted] = scratch;
  next.assign(n + 1, 0U);
  records.clear();
  for (const std::uint32_t i : order) {
    const std::uint32_t first_of_type = keys.type.empty() || keys.type[i] == 0 ? 0 : of_type;
    records.push_back({keys.id[i], i, first_of_type + winding_number(place_in_[i], shape)});
    ++next[records.back().sub_cell];
  }
  std::exclusive_scan(next.begin(), next.end(), next.begin(), 0U);
  sorted.resize(count);
  for (const Record& record : records) sorted[next[record.sub_cell]++] = record;
  std::uint32_t begin = 0;
  std::uint32_t groups = 0;
  for (const std::uint32_t end : std::span(next).first(n)) {
    if (end == begin) continue;
    std::ranges::sort(std::span(sorted).subspan(begin, end - begin), {}, &Record::id);
    Groups::cut_run(begin, end - begin, [&](std::uint32_t group_end) { cell_of_[first + groups++] = group_end; });
    begin = end;
  }
  std::ranges::transform(sorted, order.begin(), &Record::particle);
  return groups;
}

/// Orders the particles of all cells, and cuts them into groups.
void CellTree::order_within_cells(const SortKeys& keys, tasks::Scheduler* workers) {
  give_room(worker_numbers(workers));
  group_counts_.resize(cells());
  for_parts(workers, cells(), [&](std::size_t begin, std::size_t end) {
    SortScratch& scratch = scratch_[worker_number(workers)];
    for (std::size_t c = begin; c < end; ++c) group_counts_[c] = order_within(c, keys, scratch);
  });
  groups_.restart(group_counts_, order_.size());
  for_parts(workers, cells(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      groups_.set_cell(c, std::span(cell_of_).subspan(ranges_[c].begin, group_counts_[c]));
    }
  });
}

std::span<const std::uint32_t> CellTree::sort(std::span<const double> x, std::span<const double> y,
                                              std::span<const double> z, std::span<const std::uint64_t> id,
                                              tasks::Scheduler* workers, std::span<const std::uint8_t> type) {
  const std::size_t n = x.size();
  TACIT_EXPECT(type.empty() || type.size() == n);
  TACIT_EXPECT(y.size() == n && z.size() == n && id.size() == n && n <= std::numeric_limits<std::uint32_t>::max());
  cell_of_.resize(n);
  place_in_.resize(n);
  order_.resize(n);
  const Chunks chunks(workers, n, cells());  // not more counts than particles
  find_cells({x, y, z}, chunks);
  order_by_cell(chunks);
  order_within_cells({id, type}, workers);
  return order_;
}

}  // namespace tacit::particles
