// The arithmetic of exchanges: blocks cover everything once, and nothing overflows at 12288^3 on many ranks.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tacit/fft/exchange_plan.hpp"

namespace tacit::fft::exchange_plan_test {

__extension__ typedef unsigned __int128 Wide;  // beyond ISO C++, and wide enough for anything here

TEST(ExchangePlan, LinesOfABlockFollowEachOther) {
  const Modes modes({14, 11, 13}, Truncation::two_thirds);
  const ProcessGrid grid{.row_size = 2, .column_size = 3};
  for (std::size_t rank = 0; rank < grid.ranks(); ++rank) {
    const ExchangePlan plan(Pencils(modes, grid, rank), {.chunks = 2, .groups = 2});
    for (std::size_t group = 0; group < 2; ++group) {
      for (std::size_t chunk = 0; chunk < 2; ++chunk) {
        for (std::size_t from = 0; from < 3; ++from) {
          for (std::size_t to = 0; to < 3; ++to) {
            std::size_t expected = 0;
            for (std::size_t field = 0; field < 2; ++field) {
              for (std::size_t kx = plan.kx(group).begin; kx < plan.kx(group).end; ++kx) {
                EXPECT_EQ(plan.group_of(kx), group);
                for (std::size_t z = plan.z_of(to, chunk).begin; z < plan.z_of(to, chunk).end; ++z) {
                  EXPECT_EQ(plan.column_line(field, kx, z, from, to, group, chunk), expected);
                  expected += plan.ky_of(from).size();
                }
              }
            }
            EXPECT_EQ(plan.column_block(2, from, to, group, chunk), expected);
          }
        }
      }
    }
  }
}

TEST(ExchangePlan, RowsOfABlockFollowEachOther) {
  const Modes modes({14, 11, 13}, Truncation::two_thirds);
  const ExchangePlan plan(Pencils(modes, {.row_size = 3, .column_size = 2}, 4), {.chunks = 3, .groups = 1});
  for (std::size_t chunk = 0; chunk < 3; ++chunk) {
    for (std::size_t from = 0; from < 3; ++from) {
      for (std::size_t to = 0; to < 3; ++to) {
        std::size_t expected = 0;
        for (std::size_t field = 0; field < 2; ++field) {
          for (std::size_t z = plan.z(chunk).begin; z < plan.z(chunk).end; ++z) {
            for (std::size_t y = plan.y_of(to).begin; y < plan.y_of(to).end; ++y) {
              EXPECT_EQ(plan.row_line(field, z, y, from, to, chunk), expected);
              expected += plan.kx_of(from).size();
            }
          }
        }
        EXPECT_EQ(plan.row_block(2, from, to, chunk), expected);
      }
    }
  }
}

/// The blocks of a rank, summed with numbers that cannot overflow, are its part of the grid; so are the ends of the
/// last lines.
void expect_whole(const ProcessGrid& grid, std::size_t rank, const Division& division) {
  constexpr std::size_t n = 12288;
  constexpr std::size_t fields = 6;
  const Pencils pencils(Modes({n, n, n}, Truncation::two_thirds), grid, rank);
  const ExchangePlan plan(pencils, division);
  const std::size_t column = pencils.place_in_column();
  const std::size_t row = pencils.place_in_row();
  Wide sent = 0;
  for (std::size_t to = 0; to < grid.column_size; ++to) {
    for (std::size_t group = 0; group < division.groups; ++group) {
      for (std::size_t chunk = 0; chunk < division.chunks; ++chunk) {
        const std::size_t block = plan.column_block(fields, column, to, group, chunk);
        sent += block;
        const Range& z = plan.z_of(to, chunk);
        const Range& kx = plan.kx(group);
        if (block == 0) continue;
        const std::size_t last = plan.column_line(fields - 1, kx.end - 1, z.end - 1, column, to, group, chunk);
        ASSERT_EQ(Wide{last} + plan.ky_of(column).size(), Wide{block});
      }
    }
  }
  ASSERT_EQ(sent, Wide{fields} * pencils.kx().size() * n * pencils.ky().size());
  Wide rows = 0;
  for (std::size_t to = 0; to < grid.row_size; ++to) {
    for (std::size_t chunk = 0; chunk < division.chunks; ++chunk) {
      const std::size_t block = plan.row_block(fields, row, to, chunk);
      rows += block;
      if (block == 0) continue;
      const std::size_t last = plan.row_line(fields - 1, plan.z(chunk).end - 1, plan.y_of(to).end - 1, row, to, chunk);
      ASSERT_EQ(Wide{last} + plan.kx_of(row).size(), Wide{block});
    }
  }
  ASSERT_EQ(rows, Wide{fields} * pencils.z().size() * n * pencils.kx().size());
}

TEST(ExchangePlan, NothingOverflowsAt12288) {
  for (const ProcessGrid& grid : {ProcessGrid{1, 1}, ProcessGrid{1, 2}, ProcessGrid{16, 8192}, ProcessGrid{32, 12288},
                                  ProcessGrid{8192, 1}, ProcessGrid{48, 96}}) {
    for (const std::size_t rank : {std::size_t{0}, grid.ranks() / 3, grid.ranks() - 1}) {
      for (const Division& division : {Division{1, 1}, Division{7, 3}}) expect_whole(grid, rank, division);
    }
  }
}

TEST(ExchangePlan, RanksCoverTheGridOnce) {
  const Modes modes({12288, 12288, 12288}, Truncation::two_thirds);
  // 393216 ranks: every mode and every point belongs to one of them.
  const ProcessGrid grid{.row_size = 32, .column_size = 12288};
  Wide points = 0;
  Wide kept = 0;
  for (std::size_t place = 0; place < grid.row_size; ++place) {
    const Pencils pencils(modes, grid, place);
    points += pencils.y().size();
    kept += pencils.kx().size();
  }
  Wide planes = 0;
  Wide lines = 0;
  for (std::size_t place = 0; place < grid.column_size; ++place) {
    const Pencils pencils(modes, grid, place * grid.row_size);
    planes += pencils.z().size();
    lines += pencils.ky().size();
  }
  EXPECT_EQ(static_cast<std::uint64_t>(points), 12288U);
  EXPECT_EQ(static_cast<std::uint64_t>(planes), 12288U);
  EXPECT_EQ(static_cast<std::uint64_t>(kept), modes.count(0));
  EXPECT_EQ(static_cast<std::uint64_t>(lines), modes.count(1));
}

}  // namespace tacit::fft::exchange_plan_test
