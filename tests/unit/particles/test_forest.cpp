// Trees of boxes: their numbers, places in them, and searches.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/particles/forest.hpp"

namespace tacit::particles::forest_test {
namespace {

using Levels = std::vector<std::uint64_t>;

TEST(Ruler, FindsRootsAndFractions) {
  const Ruler ruler(-1.0, 0.5, 4);
  const auto expect = [&](double value, std::size_t root, double fraction) {
    EXPECT_EQ(ruler(value).root, root) << value;
    EXPECT_EQ(ruler(value).fraction, fraction) << value;  // all numbers are exact in binary
  };
  const double almost_1 = std::nextafter(1.0, 0.0);
  expect(-1.0, 0, 0.0);
  expect(-0.625, 0, 0.75);
  expect(-0.5, 1, 0.0);
  expect(0.875, 3, 0.75);
  expect(1.0, 3, almost_1);
  // Outside, and nonsense.
  expect(7.0, 3, almost_1);
  expect(-7.0, 0, 0.0);
  expect(std::numeric_limits<double>::infinity(), 3, almost_1);
  expect(-std::numeric_limits<double>::infinity(), 0, 0.0);
  expect(NAN, 0, 0.0);
}

TEST(Forest, NumbersLeavesByRootAndMorton) {
  // Two roots; the first is split, and its lower right quarter again.
  Forest forest({{}, {2, 1, 1}, true, 2}, {2, 1, 1});
  ASSERT_TRUE(forest.plant(Levels{1, 1, 2, 2, 2, 2, 1, 0}));
  ASSERT_EQ(forest.leaves(), 8U);
  const auto expect = [&](std::size_t leaf, double x, double y, double width) {
    EXPECT_EQ(forest.cube(leaf).lower[0], x);
    EXPECT_EQ(forest.cube(leaf).lower[1], y);
    EXPECT_EQ(forest.cube(leaf).width, width);
    const Forest::Place place = Forest::Finder(forest)(x + 0.25 * width, y + 0.5 * width, 0.3);
    EXPECT_EQ(place.leaf, leaf);
    EXPECT_EQ(place.fraction[0], 0.25);
    EXPECT_EQ(place.fraction[1], 0.5);
  };
  expect(0, 0.0, 0.0, 0.5);
  expect(1, 0.0, 0.5, 0.5);
  expect(2, 0.5, 0.0, 0.25);
  expect(3, 0.5, 0.25, 0.25);
  expect(4, 0.75, 0.0, 0.25);
  expect(5, 0.75, 0.25, 0.25);
  expect(6, 0.5, 0.5, 0.5);
  expect(7, 1.0, 0.0, 1.0);
}

TEST(Forest, RefusesLevelsThatMakeNoTrees) {
  Forest forest({{}, {2, 1, 1}, true}, {2, 1, 1});
  const auto accepts = [&](const Levels& levels) { return forest.plant(levels); };
  EXPECT_TRUE(accepts({0, 0}));
  EXPECT_TRUE(accepts({1, 1, 1, 1, 1, 1, 1, 1, 0}));
  EXPECT_FALSE(accepts({}));
  EXPECT_FALSE(accepts({0}));
  EXPECT_FALSE(accepts({0, 0, 0}));
  EXPECT_FALSE(accepts({1, 1, 1, 1, 1, 1, 1, 0}));
  EXPECT_FALSE(accepts({1, 1, 1, 0, 1, 1, 1, 1, 0}));
  EXPECT_FALSE(accepts({0, ~0ULL}));
  EXPECT_FALSE(accepts(Levels(200, 21)));
  EXPECT_TRUE(accepts({0, 0}));  // usable again after a refusal
}

TEST(Forest, GoesToTheDeepestLevel) {
  Forest line({{}, {1, 1, 1}, true, 1}, {1, 1, 1});
  Levels levels{Forest::deepest, Forest::deepest};
  for (std::uint64_t level = Forest::deepest - 1; level > 0; --level) levels.push_back(level);
  ASSERT_TRUE(line.plant(levels));
  EXPECT_EQ(Forest::Finder(line)(0.0, 0, 0).leaf, 0U);
  EXPECT_EQ(Forest::Finder(line)(std::ldexp(1.5, -Forest::deepest), 0, 0).leaf, 1U);
  EXPECT_EQ(Forest::Finder(line)(0.99, 0, 0).leaf, static_cast<std::size_t>(Forest::deepest));
}

TEST(Forest, FindsTheLargestBelowEachNode) {
  Forest forest({{}, {2, 1, 1}, false, 1}, {2, 1, 1});
  ASSERT_TRUE(forest.plant(Levels{1, 2, 2, 0}));
  // A search from everywhere that goes down only where the largest is 5 finds the leaf of 5 alone.
  const auto largest = forest.largest_below(std::array{3.0, 5.0, 1.0, 4.0});
  std::vector<std::size_t> found;
  forest.search(
      bounds(forest.cube(0)), 10.0, [&](std::size_t node, double) { return largest[node] == 5.0; },
      [&](std::size_t leaf, const Image&, double) { found.push_back(leaf); });
  EXPECT_EQ(found, (std::vector<std::size_t>{1}));
}

TEST(Forest, SeesBoxesThroughImagesAtTheirDistance) {
  // A line of two roots, the first split: leaves [0, 1/2), [1/2, 1), [1, 2) of a domain of length 2.
  const auto distances = [](bool is_periodic, std::size_t from, double distance) {
    Forest forest({{}, {2, 1, 1}, is_periodic, 1, !is_periodic}, {2, 1, 1});
    EXPECT_TRUE(forest.plant(Levels{1, 1, 0}));
    std::vector<std::tuple<double, std::size_t, int>> found;
    forest.search(
        bounds(forest.cube(from)), distance, [&](std::size_t, double gap2) { return gap2 <= distance * distance; },
        [&](std::size_t leaf, const Image& image, double gap2) {
          found.emplace_back(std::sqrt(gap2), leaf, int{image[0]});
        });
    std::ranges::sort(found);
    return found;
  };
  using Found = std::vector<std::tuple<double, std::size_t, int>>;
  EXPECT_EQ(distances(true, 0, 0.5), (Found{{0, 0, 0}, {0, 1, 0}, {0, 2, -1}, {0.5, 2, 0}}));
  EXPECT_EQ(distances(false, 0, 0.5), (Found{{0, 0, -1}, {0, 0, 0}, {0, 1, 0}, {0.5, 1, -1}, {0.5, 2, 0}}));
  // Images: [2, 3) is the second root turned round; [3, 3.5) holds the upper leaf of the first root.
  EXPECT_EQ(distances(false, 2, 1.0), (Found{{0, 1, 0}, {0, 2, 0}, {0, 2, 1}, {0.5, 0, 0}, {1, 0, -1}, {1, 1, 1}}));
}

}  // namespace
}  // namespace tacit::particles::forest_test
