// Sorting into the cells of a grid and into groups: by counting, with short sorts by ID at the end.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <numeric>

#include "tacit/base/error.hpp"
#include "tacit/particles/cell_grid.hpp"

namespace tacit::particles {
namespace {

/// Where a coordinate lies along one axis.
struct Place {
  int cell;
  int sub_cell;
};

/// Finds places along one axis; rounding at the faces, and positions outside, end in the cells at the rim.
class Ruler {
 public:
  Ruler(double origin, double cell_size, int cells, int sub_cells)
      : origin_(origin),
        cell_size_(cell_size),
        last_cell_(cells - 1),
        sub_cells_(sub_cells),
        last_sub_cell_(sub_cells - 1) {}

  [[nodiscard]] Place operator()(double value) const noexcept {
    const double in_cells = std::min(std::max(0.0, (value - origin_) / cell_size_), last_cell_ + 1.0);
    const double cell = std::min<double>(static_cast<int>(in_cells), last_cell_);
    const double in_sub_cells = (in_cells - cell) * sub_cells_;
    const double sub_cell = std::min<double>(static_cast<int>(in_sub_cells), last_sub_cell_);
    return {static_cast<int>(cell), static_cast<int>(sub_cell)};
  }

 private:
  double origin_, cell_size_, last_cell_, sub_cells_, last_sub_cell_;
};

/// Turns counts, shape (n + 1) with the last one 0, into where each begins; the last entry is their sum.
void counts_to_begins(std::vector<std::uint32_t>& counts) {
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), 0U);
}

}  // namespace

/// Notes the cell and the sub-cell of each particle, and counts the particles of each cell in next_.
void CellGrid::find_cells(const Positions& positions) {
  const auto ruler = [this](std::size_t axis) {
    return Ruler(domain_.origin[axis], cell_size_[axis], shape_[axis], sub_cells_[axis]);
  };
  const Ruler along_x = ruler(0);
  const Ruler along_y = ruler(1);
  const Ruler along_z = ruler(2);
  const auto n1 = static_cast<std::size_t>(shape_[1]);
  const auto n2 = static_cast<std::size_t>(shape_[2]);
  next_.assign(cells() + 1, 0);
  for (std::size_t i = 0; i < positions[0].size(); ++i) {
    const Place x = along_x(positions[0][i]);
    const Place y = along_y(positions[1][i]);
    const Place z = along_z(positions[2][i]);
    const std::size_t cell = (static_cast<std::size_t>(x.cell) * n1 + static_cast<std::size_t>(y.cell)) * n2 +
                             static_cast<std::size_t>(z.cell);
    const int sub_cell = (x.sub_cell * sub_cells_[1] + y.sub_cell) * sub_cells_[2] + z.sub_cell;
    cell_of_[i] = static_cast<std::uint32_t>(cell);
    sub_cell_of_[i] = sub_order_[static_cast<std::size_t>(sub_cell)];
    ++next_[cell];
  }
}

/// Fills ranges_, and order_ with the particles of each cell in the order they came.
void CellGrid::order_by_cell() {
  counts_to_begins(next_);
  for (std::size_t c = 0; c < cells(); ++c) ranges_[c] = {next_[c], next_[c + 1] - next_[c]};
  for (std::size_t i = 0; i < order_.size(); ++i) order_[next_[cell_of_[i]]++] = static_cast<std::uint32_t>(i);
}

/// Orders the particles of one cell by (sub-cell, ID) and cuts them into groups.
void CellGrid::order_within(const Range& range, std::span<const std::uint64_t> id) {
  groups_.open_cell();
  if (range.count == 0) return;
  const auto order = std::span(order_).subspan(range.begin, range.count);
  std::ranges::fill(sub_next_, 0U);
  records_.clear();
  for (const std::uint32_t i : order) {
    records_.push_back({id[i], i, sub_cell_of_[i]});
    ++sub_next_[sub_cell_of_[i]];
  }
  counts_to_begins(sub_next_);
  sorted_.resize(range.count);
  for (const Record& record : records_) sorted_[sub_next_[record.sub_cell]++] = record;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : std::span(sub_next_).first(sub_order_.size())) {
    if (end == begin) continue;
    std::sort(sorted_.begin() + begin, sorted_.begin() + end,
              [](const Record& a, const Record& b) { return a.id < b.id; });
    groups_.add_run(end - begin);
    begin = end;
  }
  std::ranges::transform(sorted_, order.begin(), &Record::particle);
}

std::span<const std::uint32_t> CellGrid::sort(std::span<const double> x, std::span<const double> y,
                                              std::span<const double> z, std::span<const std::uint64_t> id) {
  const std::size_t n = x.size();
  TACIT_EXPECT(y.size() == n && z.size() == n && id.size() == n && n <= std::numeric_limits<std::uint32_t>::max());
  cell_of_.resize(n);
  sub_cell_of_.resize(n);
  order_.resize(n);
  sub_next_.resize(sub_order_.size() + 1);
  find_cells({x, y, z});
  order_by_cell();
  groups_.restart(cells(), n);
  for (const Range& range : ranges_) order_within(range, id);
  return order_;
}

}  // namespace tacit::particles
