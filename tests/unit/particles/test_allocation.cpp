// Sorting again allocates nothing.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/under_sanitizer.hpp"
#include "tacit/base/random.hpp"
#include "tacit/particles/cell_tree.hpp"

#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)

#include "support/count_allocations.hpp"

namespace tacit::particles::allocation_test {

TEST(CellTree, SortsAgainWithoutAllocating) {
  constexpr std::size_t n = 20'000;
  // The fullest cell of all is the same each time; the others change.
  std::vector<double> x(n, 0.05), y(n, 0.05), z(n, 0.05);
  std::vector<std::uint64_t> id(n);
  for (std::size_t i = 0; i < n; ++i) id[i] = base::mix64(i);
  CellTree grid({{}, {1, 1, 1}, true}, 0.1, 2000, 8);
  const auto sort = [&](std::uint64_t seed) {
    for (std::size_t i = n / 10; i < n; ++i) {
      x[i] = base::uniform(seed, i, 0);
      y[i] = base::uniform(seed, i, 1);
      z[i] = 0.1 + 0.9 * base::uniform(seed, i, 2);
    }
    const std::size_t before = test::allocations.load();
    static_cast<void>(grid.sort(x, y, z, id));
    return test::allocations.load() - before;
  };
  EXPECT_GT(sort(1), 0U);
  for (std::uint64_t seed = 2; seed < 6; ++seed) EXPECT_EQ(sort(seed), 0U);
}

TEST(CellTree, ANewGridSortsInTheMemoryOfTheFormer) {
  constexpr std::size_t n = 20'000;
  std::vector<double> x(n), y(n), z(n);
  std::vector<std::uint64_t> id(n);
  for (std::size_t i = 0; i < n; ++i) {
    id[i] = i;
    x[i] = base::uniform(1, i, 0);
    y[i] = base::uniform(1, i, 1);
    z[i] = base::uniform(1, i, 2);
  }
  const Domain domain{{}, {1, 1, 1}, true};
  CellTree former(domain, 0.1, 2000, 8);
  static_cast<void>(former.sort(x, y, z, id));
  // Wider cells hold more particles each: the three lists of the fullest one may grow.
  for (const double width : {0.1, 0.12}) {
    CellTree fresh(domain, width, 2000, 8);
    const auto expected = fresh.sort(x, y, z, id);
    CellTree grid(domain, width, 2000, 8);
    grid.take_memory(std::move(former));
    EXPECT_EQ(grid.total_groups(), 0U);
    const std::size_t before = test::allocations.load();
    const auto order = grid.sort(x, y, z, id);
    EXPECT_LE(test::allocations.load() - before, width == 0.1 ? 0U : 3U);
    EXPECT_TRUE(std::ranges::equal(order, expected));
    EXPECT_EQ(grid.stored().group_sizes, fresh.stored().group_sizes);
    former = std::move(grid);
  }
}

}  // namespace tacit::particles::allocation_test

#endif
