// Cuts of a curve: no part is empty, and no cut has a lighter heaviest part.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/topology/partition.hpp"

namespace tacit::topology::partition_test {
namespace {

using Weights = std::vector<std::uint64_t>;

std::uint64_t heaviest(const Weights& weights, const std::vector<std::uint32_t>& part_of, std::size_t parts) {
  Weights sums(parts, 0);
  for (std::size_t i = 0; i < weights.size(); ++i) sums[part_of[i]] += weights[i];
  return std::ranges::max(sums);
}

/// By dynamic programming: best[k] for the units so far.
std::uint64_t least_bottleneck(const Weights& weights, std::size_t parts) {
  constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  const std::size_t n = weights.size();
  std::vector<Weights> best(parts + 1, Weights(n + 1, none));
  best[0][0] = 0;
  for (std::size_t k = 1; k <= parts; ++k) {
    for (std::size_t end = k; end <= n; ++end) {
      std::uint64_t sum = 0;
      for (std::size_t begin = end; begin-- > k - 1;) {
        sum += weights[begin];
        if (best[k - 1][begin] != none) best[k][end] = std::min(best[k][end], std::max(sum, best[k - 1][begin]));
      }
    }
  }
  return best[parts][n];
}

}  // namespace

TEST(CutCurve, IsTheBestCutAndLeavesNoPartEmpty) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto n = 1 + static_cast<std::size_t>(30.0 * base::uniform(seed, 0, 0));
    Weights weights;
    for (std::size_t i = 0; i < n; ++i) {
      const double share = base::uniform(seed, i, 1);
      weights.push_back(share < 0.3 ? 0 : static_cast<std::uint64_t>(1.0 / (0.01 + base::uniform(seed, i, 2))));
    }
    for (std::size_t parts = 1; parts <= std::min<std::size_t>(n, 9); ++parts) {
      const auto part_of = cut_curve(weights, parts);
      ASSERT_EQ(part_of.size(), n);
      EXPECT_TRUE(std::ranges::is_sorted(part_of));
      std::vector<std::uint32_t> present = part_of;
      present.erase(std::unique(present.begin(), present.end()), present.end());
      std::vector<std::uint32_t> all(parts);
      std::iota(all.begin(), all.end(), 0U);
      EXPECT_EQ(present, all) << seed;
      EXPECT_EQ(heaviest(weights, part_of, parts), least_bottleneck(weights, parts)) << seed << ", " << parts;
    }
  }
}

TEST(CutCurve, UnitsWithoutWeightAreCutToo) {
  EXPECT_EQ(cut_curve(Weights{0, 0, 0}, 2), (std::vector<std::uint32_t>{0, 0, 1}));
  EXPECT_EQ(cut_curve(Weights{5, 0, 0, 5}, 4), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(CutCurve, TakesNoMoreThanThereIsRoomForIfThatCanBe) {
  const Weights weights{1, 1, 1, 1, 90, 90, 90};
  const Weights sizes{10, 10, 10, 10, 1, 1, 1};
  EXPECT_EQ(cut_curve(weights, 3), (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 1, 2}));
  EXPECT_EQ(cut_curve(weights, 3, {sizes, 30}), (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(cut_curve(weights, 3, {sizes, 9}), cut_curve(weights, 3));  // none could be
}

TEST(CutCurve, NeedsAUnitForEachPart) {
  EXPECT_THROW(static_cast<void>(cut_curve(Weights{1, 2}, 3)), base::PreconditionError);
}

}  // namespace tacit::topology::partition_test
