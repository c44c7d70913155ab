// Ticks against the steady clock.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/base/clock.hpp"
#include "tacit/base/ticks.hpp"

namespace tacit::base::ticks_test {
namespace {

void spin(std::int64_t ns) {
  const std::int64_t begin = now_ns();
  while (now_ns() - begin < ns) {
  }
}

/// A reading of the ticks between two of the steady clock: however long the thread was kept from running in between,
/// the moment of the ticks is known to lie there.
struct Reading {
  std::int64_t earliest_ns = 0;
  std::int64_t ticks = 0;
  std::int64_t latest_ns = 0;
};

Reading read() {
  Reading reading;
  reading.earliest_ns = now_ns();
  reading.ticks = ticks();
  reading.latest_ns = now_ns();
  return reading;
}

/// How long the two clocks take to be read one after the other at best [ns]: what a scale cannot know better.
double best_reading_ns() {
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 1000; ++i) {
    const Reading reading = read();
    shortest = std::min(shortest, reading.latest_ns - reading.earliest_ns);
  }
  return static_cast<double>(std::max<std::int64_t>(shortest, 50));
}

/// How far an interval in ticks is outside of what the steady clock allows for it, relative; 0: it is not.
double error_of_one_interval(const TickScale& scale) {
  const Reading begin = read();
  spin(2'000'000);
  const Reading end = read();
  const double length_ns = 1e9 * scale.seconds(end.ticks - begin.ticks);
  const auto least_ns = static_cast<double>(end.earliest_ns - begin.latest_ns);
  const auto most_ns = static_cast<double>(end.latest_ns - begin.earliest_ns);
  return std::max({least_ns / length_ns - 1.0, length_ns / most_ns - 1.0, 0.0});
}

/// The best of many: a scale of which all four readings were disturbed is wrong, and the next one is not.
constexpr int most_repeats = 200;

}  // namespace

TEST(Ticks, NeverGoBackInAThread) {
  std::int64_t last = ticks();
  for (int i = 0; i < 100'000; ++i) {
    const std::int64_t now = ticks();
    ASSERT_GE(now, last);
    last = now;
  }
}

/// To what its own readings can know of 2 ms, and what the steady clock may be slewed by, 5e-4.
TEST(TickScale, AgreesWithTheSteadyClock) {
  const double allowed = 5e-4 + 4.0 * best_reading_ns() / 2e6;
  double smallest = std::numeric_limits<double>::max();
  for (int i = 0; i < most_repeats && smallest > allowed; ++i) {
    const TickScale scale;
    spin(2'000'000);
    smallest = std::min(smallest, error_of_one_interval(scale));
  }
  EXPECT_LE(smallest, allowed);
}

/// To what two readings, at either end, can know of 1 ms.
TEST(TickScale, IsGoodAsSoonAsItAnswers) {
  const double allowed = 5e-5 + 4.0 * best_reading_ns() / 1e6;
  double smallest = std::numeric_limits<double>::max();
  for (int i = 0; i < most_repeats && smallest > allowed; ++i) {
    const TickScale young;
    const double early = young.ns_per_tick();  // waits for 1 ms
    spin(20'000'000);
    smallest = std::min(smallest, std::abs(early / young.ns_per_tick() - 1.0));
  }
  EXPECT_LE(smallest, allowed);
}

TEST(TickScale, StartsWhenItIsMade) {
  const std::int64_t before = ticks();
  const TickScale scale;
  const std::int64_t after = ticks();
  EXPECT_GE(scale.start(), before);
  EXPECT_LE(scale.start(), after);
}

TEST(TickScale, TakesAnImposedLength) {
  const TickScale scale(-7, 0.5);
  EXPECT_EQ(scale.start(), -7);
  EXPECT_EQ(scale.ns_per_tick(), 0.5);
  EXPECT_DOUBLE_EQ(scale.seconds(4'000'000'000), 2.0);
  EXPECT_DOUBLE_EQ(scale.seconds(-2), -1e-9);
}

}  // namespace tacit::base::ticks_test
