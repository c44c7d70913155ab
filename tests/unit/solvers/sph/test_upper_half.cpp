// What is rounded to the upper half of a double, and what travels of it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacit/base/random.hpp"
#include "tacit/solvers/sph/kernels/upper_half.hpp"

namespace tacit::sph::kernels {
namespace {

TEST(UpperHalf, RoundsToNearestAndBelow) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double x = std::ldexp(1.0 + base::uniform(3, i, 0), static_cast<int>(600.0 * base::uniform(3, i, 1)) - 300);
    for (const double value : {x, -x}) {
      const double rounded = rounded_to_upper_half(value);
      EXPECT_LE(std::abs(rounded - value), 0x1p-21 * std::abs(value));
      const double below = cut_to_upper_half(value);
      EXPECT_LE(std::abs(below), std::abs(value));
      EXPECT_LE(std::abs(below - value), 0x1p-20 * std::abs(value));
      for (const double kept : {rounded, below}) {
        EXPECT_EQ(from_upper_half(upper_half(kept)), kept);
        EXPECT_EQ(rounded_to_upper_half(kept), kept);
        EXPECT_EQ(cut_to_upper_half(kept), kept);
      }
      EXPECT_NE(from_upper_half(upper_half(value)), value) << "its lower half is not empty";
    }
  }
}

TEST(UpperHalf, LeavesWhatIsNoNumber) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, endless, -endless}) {
    EXPECT_EQ(rounded_to_upper_half(value), value);
    EXPECT_EQ(from_upper_half(upper_half(cut_to_upper_half(value))), value);
  }
  for (const double none : {std::numeric_limits<double>::quiet_NaN(), std::sqrt(-1.0), endless - endless}) {
    EXPECT_TRUE(std::isnan(rounded_to_upper_half(none)));
    EXPECT_TRUE(std::isnan(from_upper_half(upper_half(cut_to_upper_half(none)))));
  }
  EXPECT_EQ(rounded_to_upper_half(std::numeric_limits<double>::max()), endless);
}

}  // namespace
}  // namespace tacit::sph::kernels
