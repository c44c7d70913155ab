// Wrapping into a periodic box and folding between mirrors, at the values where rounding bites.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "tacit/base/random.hpp"
#include "tacit/particles/domain.hpp"

namespace tacit::particles::domain_test {

TEST(Wrap, KeepsWhatIsInside) {
  EXPECT_EQ(wrap(0.0, 0.0, 1.0), 0.0);
  EXPECT_EQ(wrap(0.25, 0.0, 1.0), 0.25);
  const double last = std::nextafter(1.0, 0.0);
  EXPECT_EQ(wrap(last, 0.0, 1.0), last);
  EXPECT_EQ(wrap(-3.0, -3.0, 2.0), -3.0);
}

TEST(Wrap, MovesByWholeLengths) {
  EXPECT_EQ(wrap(1.25, 0.0, 1.0), 0.25);
  EXPECT_EQ(wrap(-0.25, 0.0, 1.0), 0.75);
  EXPECT_EQ(wrap(7.5, -1.0, 2.0), -0.5);
}

TEST(Wrap, TheUpperEdgeIsTheLowerOne) {
  EXPECT_EQ(wrap(1.0, 0.0, 1.0), 0.0);
  // 1 - 1e-300 is 1 in double precision: the image of the tiny offset would lie on the excluded edge.
  EXPECT_EQ(wrap(-1e-300, 0.0, 1.0), 0.0);
  EXPECT_EQ(wrap(-std::numeric_limits<double>::denorm_min(), 0.0, 0.7), 0.0);
}

TEST(Wrap, AnyFiniteValueEndsInTheHalfOpenInterval) {
  for (const double length : {1e-12, 0.1, 1.0, 3.7, 1e9}) {
    for (const double origin : {0.0, -0.3, 5.0}) {
      for (const double value : {1e308, -1e308, 1e20, -1e20, 1e-320, -1e-320, 0.1, -0.1}) {
        const double wrapped = wrap(value, origin, length);
        EXPECT_GE(wrapped, origin) << value << " in " << origin << " + " << length;
        EXPECT_LT(wrapped, origin + length) << value << " in " << origin << " + " << length;
      }
    }
  }
}

TEST(Wrap, IsTheSameForEveryImage) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double value = base::uniform(1, i, 0);
    const double image = value + std::floor(2000.0 * (base::uniform(1, i, 1) - 0.5));
    // The image is rounded to 2^-43 (it is below 2^10), and so is its difference from a whole number.
    const double difference = std::abs(wrap(image, 0.0, 1.0) - value);
    EXPECT_LE(std::min(difference, 1.0 - difference), 0x1p-43);
  }
}

TEST(Reflect, FoldsBetweenTheMirrorsAndTurnsWithEachReflection) {
  const auto expect = [](double value, double folded, double sign) {
    const Reflection there = reflect(value, -1.0, 2.0);
    EXPECT_EQ(there.value, folded) << value;  // all numbers are exact in binary
    EXPECT_EQ(there.sign, sign) << value;
  };
  for (const double inside : {-1.0, -0.25, 0.0, 1.0}) expect(inside, inside, 1.0);
  expect(-1.25, -0.75, -1.0);
  expect(1.5, 0.5, -1.0);
  expect(3.25, -0.75, 1.0);  // off the upper mirror, then off the lower one
  expect(-3.5, 0.5, 1.0);
  expect(5.5, 0.5, -1.0);
}

TEST(Reflect, AnyFiniteValueEndsBetweenTheMirrors) {
  for (const double length : {1e-12, 0.1, 3.7, 1e9}) {
    for (const double value : {1e308, -1e308, 1e20, -1e20, 1e-320, -1e-320, 0.1, -0.1}) {
      const Reflection there = reflect(value, -0.3, length);
      EXPECT_GE(there.value, -0.3);
      EXPECT_LE(there.value, -0.3 + length);
      EXPECT_EQ(std::abs(there.sign), 1.0);
    }
  }
}

}  // namespace tacit::particles::domain_test
