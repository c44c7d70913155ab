// Crowded roots are split as often as needed and no further.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "clouds.hpp"
#include "tacit/particles/split.hpp"

namespace tacit::particles::split_test {
namespace {

using testing::Cloud;
using Levels = std::vector<std::uint64_t>;

/// Supports of the particles in a cube.
std::vector<double> supports_in(const Forest& roots, const Cube& cube, const Cloud& cloud) {
  const std::array<const std::vector<double>*, 3> positions{&cloud.x, &cloud.y, &cloud.z};
  std::vector<double> supports;
  for (std::size_t i = 0; i < cloud.x.size(); ++i) {
    bool is_inside = true;
    for (std::size_t axis = 0; axis < roots.axes(); ++axis) {
      const Ruler ruler(roots.domain().origin[axis], roots.root_size()[axis], roots.shape()[axis]);
      const auto [root, fraction] = ruler((*positions[axis])[i]);
      const double offset = static_cast<double>(root) - cube.lower[axis] + fraction;
      is_inside = is_inside && offset >= 0.0 && offset < cube.width;
    }
    if (is_inside) supports.push_back(cloud.support[i]);
  }
  std::ranges::sort(supports);
  return supports;
}

bool should_split(const Forest& roots, const Cube& cube, const Cloud& cloud, std::size_t most) {
  const auto supports = supports_in(roots, cube, cloud);
  if (supports.empty() || cube.width <= std::ldexp(1.0, -Forest::deepest)) return false;
  const double width = cube.width * roots.narrowest_root();
  const bool is_crowded = supports.size() > most && 0.5 * width >= 0.5 * supports[supports.size() / 2];
  return is_crowded || width > widest_in_supports * supports.front();
}

Cube parent_of(const Forest& forest, const Cube& cube) {
  Cube parent{{}, 2.0 * cube.width};
  for (std::size_t axis = 0; axis < forest.axes(); ++axis) {
    parent.lower[axis] = std::floor(cube.lower[axis] / parent.width) * parent.width;
  }
  return parent;
}

TEST(Split, LeavesAreNotCrowdedAndTheirParentsAre) {
  for (const int dimension : {1, 2, 3}) {
    for (const double longest : {0.05, 0.5}) {
      const Domain domain{{-1, 2, 0}, {2, 1.5, 1}, false, dimension};
      const Forest roots(domain, {3, dimension > 1 ? 2 : 1, 1});
      constexpr std::size_t most = 12;
      const Cloud cloud = testing::clustered_cloud(domain, 1000, longest, 4);
      const Levels levels = split_levels(roots, {cloud.x, cloud.y, cloud.z}, cloud.support, most);
      Forest forest = roots;
      ASSERT_TRUE(forest.plant(levels));
      EXPECT_GT(*std::ranges::max_element(levels), 2U);
      for (std::size_t leaf = 0; leaf < forest.leaves(); ++leaf) {
        const Cube& cube = forest.cube(leaf);
        EXPECT_FALSE(should_split(roots, cube, cloud, most)) << "leaf " << leaf;
        if (cube.width < 1.0) {
          EXPECT_TRUE(should_split(roots, parent_of(roots, cube), cloud, most)) << "parent of leaf " << leaf;
        }
      }
    }
  }
}

TEST(Split, DependsNotOnTheOrderOfParticles) {
  const Domain domain{{}, {1, 1, 1}, true};
  const Forest roots(domain, {2, 2, 2});
  const Cloud cloud = testing::clustered_cloud(domain, 500, 0.2, 8);
  std::vector<std::uint32_t> turned(500);
  for (std::uint32_t i = 0; i < 500; ++i) turned[i] = i * 77 % 500;  // 77 and 500 have no common divisor
  const Cloud other = testing::reordered(cloud, turned);
  EXPECT_EQ(split_levels(roots, {cloud.x, cloud.y, cloud.z}, cloud.support, 10),
            split_levels(roots, {other.x, other.y, other.z}, other.support, 10));
}

TEST(Split, StopsWhereParticlesCoincide) {
  const Forest roots({{}, {1, 1, 1}, true, 1}, {1, 1, 1});
  const std::vector<double> at(100, 0.3);
  const auto deepest_for = [&](double support) {
    const std::vector<double> supports(100, support);
    const auto levels = split_levels(roots, {at, at, at}, supports, 50);
    return *std::ranges::max_element(levels);
  };
  EXPECT_EQ(deepest_for(0.0), static_cast<std::uint64_t>(Forest::deepest));
  EXPECT_EQ(deepest_for(0.25), 3U);  // 1/8 is half of it, 1/16 less
  EXPECT_EQ(deepest_for(0.26), 2U);
  EXPECT_EQ(deepest_for(2.0), 0U);
}

TEST(Split, LeavesUncrowdedRootsAlone) {
  const Domain domain{{}, {1, 1, 1}, true};
  Cloud cloud = testing::clustered_cloud(domain, 100, 0.1, 1);
  cloud.support.assign(100, 0.1);
  const Forest roots(domain, {1, 2, 3});
  EXPECT_EQ(split_levels(roots, {cloud.x, cloud.y, cloud.z}, cloud.support, 100), Levels(6, 0));
  EXPECT_EQ(split_levels(roots, {}, {}, 100), Levels(6, 0));
}

/// Single precision would not tell the places of few particles apart in a cell as wide as this one.
TEST(Split, HalvesWhatIsFarWiderThanASupport) {
  const Forest roots({{}, {1e5, 1e5, 1e5}, true}, {2, 2, 2});
  const std::vector<double> at{10.0, 10.5, 11.0};
  const std::vector<double> support{0.8, 1.0, 1.2};
  const auto levels = split_levels(roots, {at, at, at}, support, 100);
  Forest forest = roots;
  ASSERT_TRUE(forest.plant(levels));
  const auto leaf = Forest::Finder(forest)(10.0, 10.0, 10.0).leaf;
  const double width = forest.cube(leaf).width * roots.narrowest_root();
  EXPECT_LE(width, widest_in_supports * 0.8);
  EXPECT_GT(2.0 * width, widest_in_supports * 0.8);
  EXPECT_EQ(levels.back(), 0U);  // nothing lies there
}

}  // namespace
}  // namespace tacit::particles::split_test
