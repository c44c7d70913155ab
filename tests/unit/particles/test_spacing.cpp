// Mean distances around particles, whatever the box and whatever lies far away.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "clouds.hpp"
#include "tacit/particles/spacing.hpp"

namespace tacit::particles::spacing_test {
namespace {

using testing::Cloud;

/// The estimate is good to this factor: boxes are cut where they like, and edges of the cloud count as empty or full.
constexpr double most_off = 3.0;

TEST(LocalSpacing, FindsThatOfAnEvenCloudInAnySpace) {
  for (const int dimension : {1, 2, 3}) {
    for (const double side : {1e-20, 1.0, 1e20}) {
      const Domain domain{{}, {side, side, side}, false, dimension};
      const Cloud cloud = testing::random_cloud(domain, 3000, 5);
      const auto spacing = local_spacing({cloud.x, cloud.y, cloud.z}, dimension);
      const double mean = side * std::pow(3000.0, -1.0 / dimension);
      for (const double s : spacing) {
        EXPECT_LT(s, most_off * mean);
        // In a small box on a line, chance makes the largest differences.
        EXPECT_GT(s, mean / (dimension == 1 ? 2.0 * most_off : most_off));
      }
    }
  }
}

TEST(LocalSpacing, IsNotMisledByWhatLiesFarAway) {
  const Domain domain{{}, {1.0, 1.0, 1.0}, false};
  Cloud cloud = testing::random_cloud(domain, 1000, 6);
  cloud.x[17] = 1e9;
  cloud.y[23] = -1e30;
  const auto spacing = local_spacing({cloud.x, cloud.y, cloud.z}, 3);
  for (std::size_t i = 0; i < spacing.size(); ++i) {
    if (i == 17 || i == 23) continue;
    EXPECT_LT(spacing[i], 0.1 * most_off);
    EXPECT_GT(spacing[i], 0.1 / most_off);
  }
}

TEST(LocalSpacing, OfALayerIsThatWithinIt) {
  const Domain domain{{}, {1.0, 1.0, 1.0}, false, 2};
  Cloud cloud = testing::random_cloud(domain, 1000, 7);
  const double mean = std::pow(1000.0, -0.5);
  for (const double s : local_spacing({cloud.x, cloud.y, cloud.z}, 3)) {
    EXPECT_LT(s, most_off * mean);
    EXPECT_GT(s, mean / most_off);
  }
}

TEST(LocalSpacing, IsZeroWhereAllLieAtOnePlace) {
  const std::vector<double> at(100, 0.25);
  EXPECT_EQ(local_spacing({at, at, at}, 3), std::vector<double>(100, 0.0));
  EXPECT_TRUE(local_spacing({}, 3).empty());
}

}  // namespace
}  // namespace tacit::particles::spacing_test
