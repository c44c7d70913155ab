// Random numbers: fixed values, range, uniformity, independence of keys.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "tacit/base/random.hpp"

namespace random_test {
namespace {

using namespace tacit::base;

TEST(Random, Mix64IsTheFinaliserOfSplitMix64) {
  // The first outputs of SplitMix64 seeded with 1234567, as published with its reference code.
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
  EXPECT_EQ(mix64(1234567ULL + golden), 6457827717110365317ULL);
  EXPECT_EQ(mix64(1234567ULL + 2 * golden), 3203168211198807973ULL);
}

TEST(Random, SameKeysGiveTheSameNumber) {
  constexpr double value = uniform(1, 2, 3);
  EXPECT_EQ(uniform(1, 2, 3), value);
  EXPECT_NE(uniform(2, 2, 3), value);
  EXPECT_NE(uniform(1, 3, 3), value);
  EXPECT_NE(uniform(1, 2, 4), value);
  EXPECT_NE(uniform(1, 3, 2), value);
}

TEST(Random, MomentsAndHistogramAreThoseOfTheUniformDistribution) {
  constexpr int draws = 200000;
  double sum = 0.0;
  double squares = 0.0;
  double neighbours = 0.0;
  std::array<int, 20> histogram{};
  for (int i = 0; i < draws; ++i) {
    const double u = uniform(7, static_cast<std::uint64_t>(i), 0);
    const double v = uniform(7, static_cast<std::uint64_t>(i), 1);
    ASSERT_TRUE(u >= 0.0 && u < 1.0);
    sum += u;
    squares += u * u;
    neighbours += (u - 0.5) * (v - 0.5);
    ++histogram[static_cast<std::size_t>(u * 20.0)];
  }
  // Five standard deviations of the means: sigma(u) = 1/sqrt(12), sigma(u^2) = sqrt(4/45), sigma(uv) = 1/12.
  const double root = 5.0 / std::sqrt(static_cast<double>(draws));
  EXPECT_NEAR(sum / draws, 0.5, root * std::sqrt(1.0 / 12.0));
  EXPECT_NEAR(squares / draws, 1.0 / 3.0, root * std::sqrt(4.0 / 45.0));
  EXPECT_NEAR(neighbours / draws, 0.0, root / 12.0);
  double chi_squared = 0.0;
  for (const int count : histogram) chi_squared += std::pow(count - draws / 20.0, 2) / (draws / 20.0);
  EXPECT_LT(chi_squared, 19.0 + 5.0 * std::sqrt(38.0));  // mean 19, variance 38
}

TEST(Random, EveryInputBitChangesAboutHalfOfTheOutput) {
  for (int bit = 0; bit < 64; ++bit) {
    int changed = 0;
    for (std::uint64_t i = 0; i < 256; ++i) {
      const std::uint64_t z = mix64(i);
      changed += std::popcount(mix64(z) ^ mix64(z ^ (1ULL << bit)));
    }
    // Mean 32 of 64; the standard deviation of a mean of 256 is 4/16, and 64 bits are looked at: six of them.
    EXPECT_NEAR(changed / 256.0, 32.0, 1.5) << "bit " << bit;
  }
}

}  // namespace
}  // namespace random_test
