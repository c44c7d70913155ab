// Axes through faces, edges and corners, and orders along them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/particles/axis_sort.hpp"

namespace tacit::particles::axis_sort_test {
namespace {

/// Numbers with an order of them.
struct Line {
  std::vector<float> values, keys;
  std::vector<std::uint32_t> order, scratch;

  explicit Line(std::size_t n) : values(n), keys(n), order(n) {}
  [[nodiscard]] SortedKeys sorted() { return {keys, order}; }

  void expect_sorted() const {
    EXPECT_TRUE(std::ranges::is_sorted(keys));
    std::vector<std::uint32_t> all(order);
    std::ranges::sort(all);
    for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k], k);  // each once
    for (std::size_t k = 0; k < keys.size(); ++k) EXPECT_EQ(keys[k], values[order[k]]);
  }
};

/// A place on a coarse lattice, so that there are ties.
float place(std::size_t i, std::uint64_t draw) {
  return std::floor(40.0F * static_cast<float>(base::uniform(3, i, draw))) / 8.0F - 2.0F;
}

}  // namespace

TEST(AxisSort, ThirteenAxesServeAllStepsBothWays) {
  std::set<std::size_t> seen;
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      for (int z = -1; z <= 1; ++z) {
        if (x == 0 && y == 0 && z == 0) continue;
        const Axis axis = axis_of({x, y, z});
        const Axis back = axis_of({-x, -y, -z});
        seen.insert(axis.index);
        EXPECT_EQ(axis.index, back.index);
        EXPECT_EQ(axis.sign, -back.sign);
        const base::Vec3 steps{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
        const base::Vec3 along = static_cast<double>(axis.sign) * direction_of(axis.index);
        // Parallel and of length 1, to the rounding of a root and three products.
        EXPECT_NEAR(dot(along, steps), norm(steps), 1e-15 * 4.0);
      }
    }
  }
  EXPECT_EQ(seen.size(), Axis::count);
}

TEST(AxisSort, SortsAnyNumberOfKeysAndKeepsTiesInOrder) {
  for (const std::size_t n : std::array<std::size_t, 9>{0, 1, 2, 3, 15, 16, 17, 100, 1000}) {
    Line line(n);
    for (std::size_t i = 0; i < n; ++i) line.values[i] = place(i, n);
    sort_keys(line.values, line.sorted(), line.scratch);
    line.expect_sorted();
    for (std::size_t k = 1; k < n; ++k) {
      if (line.keys[k] == line.keys[k - 1]) {
        EXPECT_LT(line.order[k - 1], line.order[k]);
      }
    }
  }
}

TEST(AxisSort, EqualAndVeryUnevenKeysAreSortedToo) {
  Line equal(50);
  sort_keys(equal.values, equal.sorted(), equal.scratch);
  equal.expect_sorted();
  Line uneven(50);
  for (std::size_t i = 0; i < 50; ++i) uneven.values[i] = std::ldexp(1.0F, static_cast<int>(i * 37 % 50));
  sort_keys(uneven.values, uneven.sorted(), uneven.scratch);
  uneven.expect_sorted();
}

TEST(AxisSort, InsertionMendsAnOrderAfterAnyMotion) {
  Line line(300);
  for (std::size_t i = 0; i < 300; ++i) line.values[i] = place(i, 0);
  sort_keys(line.values, line.sorted(), line.scratch);
  for (const float motion : {0.0F, 0.01F, 10.0F}) {
    for (std::size_t i = 0; i < 300; ++i) {
      line.values[i] += motion * (static_cast<float>(base::uniform(4, i, 1)) - 0.5F);
    }
    resort_keys(line.values, line.sorted());
    line.expect_sorted();
  }
}

TEST(AxisSort, WhatIsNotANumberHarmsNobody) {
  Line line(20);
  for (std::size_t i = 0; i < 20; ++i) line.values[i] = place(i, 1);
  line.values[7] = std::numeric_limits<float>::quiet_NaN();
  line.values[11] = std::numeric_limits<float>::infinity();
  sort_keys(line.values, line.sorted(), line.scratch);
  std::ranges::sort(line.order);
  for (std::size_t k = 0; k < 20; ++k) EXPECT_EQ(line.order[k], k);  // everybody is still there
}

}  // namespace tacit::particles::axis_sort_test
