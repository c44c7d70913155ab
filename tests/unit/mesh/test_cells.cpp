// Loops over cells, fields that are made of functions of them, and planes of these in the order of files.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "tacit/mesh/cells.hpp"

namespace tacit::mesh {
namespace {

/// The upper one of two ranks, which has z = 2 and 3.
BlockGrid upper_half() {
  return {{.points = {3, 2, 4}, .boundaries = std::vector<Boundary>(3, Boundary::periodic), .ranks = {1, 1, 2}},
          2,
          comm::RankId{1}};
}

double number_of(const Cell& cell) { return static_cast<double>(cell[0] + 10 * cell[1] + 100 * cell[2]); }

TEST(MeshCells, AreVisitedWithTheirPlaceOnTheWholeGrid) {
  const BlockGrid grid = upper_half();
  std::vector<double> seen;
  for_cells(grid, grid.block().with(2, 1, 2), [&](std::size_t place, const Cell& cell) {
    EXPECT_EQ(place, grid.layout().index({cell[0], cell[1], cell[2] - 2, 0}));
    seen.push_back(number_of(cell));
  });
  EXPECT_EQ(seen, (std::vector<double>{300, 301, 302, 310, 311, 312}));
}

TEST(MeshCells, AFieldHasTheNumbersOfItsCellsAndZeroElsewhere) {
  const BlockGrid grid = upper_half();
  const Field own = field_of(grid, grid.block(), number_of);
  ASSERT_EQ(own.size(), grid.layout().size());
  EXPECT_EQ(own[grid.layout().index({2, 1, 0, 0})], 212.0);
  EXPECT_EQ(own[grid.layout().index({0, 0, -1, 0})], 0.0);
  const Field all = field_of(grid, grid.block_with_ghosts(), number_of);
  EXPECT_EQ(all[grid.layout().index({0, 0, -1, 0})], 100.0);
  EXPECT_EQ(all[grid.layout().index({0, 0, 2, 0})], 400.0);  // beyond the whole grid
}

TEST(MeshCells, PlanesComeInTheOrderOfFiles) {
  const BlockGrid grid = upper_half();
  const auto planes = planes_of(grid, [](std::size_t, const Cell& cell) { return number_of(cell); });
  std::vector<double> out(6);
  planes(1, out);
  EXPECT_EQ(out, (std::vector<double>{300, 301, 302, 310, 311, 312}));
  out.resize(12);
  planes(0, out);
  EXPECT_EQ(out[0], 200.0);
  EXPECT_EQ(out[11], 312.0);
}

}  // namespace
}  // namespace tacit::mesh
