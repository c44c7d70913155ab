// Groups in cells: where they begin, and back from their sizes.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tacit/particles/groups.hpp"

namespace tacit::particles::groups_test {

using Numbers = std::vector<std::uint64_t>;

TEST(Groups, AreNumberedThroughAllCells) {
  Groups groups(0);
  groups.restart(3, 47);
  groups.open_cell();
  groups.add_run(3);
  groups.add_run(40);
  groups.open_cell();
  groups.open_cell();
  groups.add_run(4);
  EXPECT_EQ(groups.size(), 4U);
  EXPECT_TRUE(std::ranges::equal(groups.of(0), std::array{0U, 3U, 23U, 43U}));
  EXPECT_TRUE(std::ranges::equal(groups.of(1), std::array{0U}));
  EXPECT_TRUE(std::ranges::equal(groups.of(2), std::array{0U, 4U}));
  EXPECT_EQ(groups.first(0), 0U);
  EXPECT_EQ(groups.first(1), 3U);
  EXPECT_EQ(groups.first(2), 3U);
  EXPECT_EQ(groups.sizes(), (Numbers{3, 20, 20, 4}));
}

TEST(Groups, ComeBackFromTheirSizes) {
  const Numbers counts{0, 43, 0, 4, 0};
  const Numbers sizes{3, 20, 20, 4};
  const auto groups = Groups::restore(sizes, counts);
  ASSERT_TRUE(groups.has_value());
  EXPECT_EQ(groups->sizes(), sizes);
  EXPECT_EQ(groups->first(4), 4U);
  EXPECT_TRUE(std::ranges::equal(groups->of(1), std::array{0U, 3U, 23U, 43U}));
  EXPECT_FALSE(Groups::restore(sizes, Numbers{0, 43, 0, 5, 0}).has_value());
  EXPECT_FALSE(Groups::restore(sizes, Numbers{0, 42, 0, 5, 0}).has_value());
  EXPECT_FALSE(Groups::restore(sizes, Numbers{0, 43, 0, 3, 0}).has_value());
  EXPECT_FALSE(Groups::restore(sizes, Numbers{0, 43}).has_value());
}

}  // namespace tacit::particles::groups_test
