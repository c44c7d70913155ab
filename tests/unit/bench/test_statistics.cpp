// Medians and ratios of repeated measurements.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "framework/statistics.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench::test_statistics {

TEST(BenchStatistics, MedianOfOddAndEvenNumbers) {
  EXPECT_EQ(summarise({7.0}).median, 7.0);
  EXPECT_EQ(summarise({9.0, 1.0, 2.0}).median, 2.0);
  EXPECT_EQ(summarise({9.0, 1.0, 2.0, 4.0}).median, 3.0);
}

TEST(BenchStatistics, OneDisturbanceMovesTheMaximumOnly) {
  const Summary summary = summarise({5.0, 5.0, 1000.0, 5.0, 4.0});
  EXPECT_EQ(summary.median, 5.0);
  EXPECT_EQ(summary.min, 4.0);
  EXPECT_EQ(summary.max, 1000.0);
  EXPECT_EQ(summary.samples, 5U);
}

TEST(BenchStatistics, NothingIsRefused) { EXPECT_THROW(static_cast<void>(summarise({})), base::PreconditionError); }

TEST(BenchStatistics, RatiosAndScaling) {
  const std::array a{6.0, 10.0};
  const std::array b{3.0, 4.0};
  EXPECT_EQ(ratios(a, b), (std::vector<double>{2.0, 2.5}));
  EXPECT_EQ(scaled(a, 0.5), (std::vector<double>{3.0, 5.0}));
}

}  // namespace tacit::bench::test_statistics
