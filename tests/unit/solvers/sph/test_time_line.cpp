// The time line: whole ticks, bins, who is active when, and kicks that add up.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/solvers/sph/time_line.hpp"

namespace tacit::sph::time_line_test {

TEST(TimeLine, TicksAreAFractionOfTheShortestStep) {
  const TimeLine line(2.0, 0.5);
  EXPECT_EQ(line.begin(), 2.0);
  EXPECT_EQ(line.time(0), 2.0);
  EXPECT_EQ(line.span(std::int64_t{1} << 24), 0.5);
  EXPECT_EQ(line.time(std::int64_t{1} << 25), 3.0);
  EXPECT_EQ(line.bin_within(0.5), 24);
  const TimeLine again = TimeLine::restored(line.begin(), line.tick());
  EXPECT_EQ(again.time(12345), line.time(12345));
}

TEST(TimeLine, TheLongestBinThatFits) {
  const TimeLine line = TimeLine::restored(0.0, 0.25);
  EXPECT_EQ(line.bin_within(0.25), 0);
  EXPECT_EQ(line.bin_within(0.499), 0);
  EXPECT_EQ(line.bin_within(0.5), 1);
  EXPECT_EQ(line.bin_within(15.9), 5);
  EXPECT_EQ(line.bin_within(16.0), 6);
  EXPECT_EQ(line.bin_within(0.24), -1);
  EXPECT_EQ(line.bin_within(0.0), -1);
  EXPECT_EQ(line.bin_within(-1.0), -1);
  EXPECT_EQ(line.bin_within(std::numeric_limits<double>::quiet_NaN()), -1);
  EXPECT_EQ(line.bin_within(1e300), TimeLine::last_bin);
  EXPECT_EQ(line.bin_within(std::numeric_limits<double>::infinity()), TimeLine::last_bin);
}

TEST(TimeLine, ABinIsActiveWhereItsStepsEnd) {
  EXPECT_EQ(TimeLine::highest_active(0), TimeLine::last_bin);
  EXPECT_EQ(TimeLine::highest_active(std::int64_t{1} << 60), TimeLine::last_bin);
  for (std::int64_t now = 1; now < 200; ++now) {
    for (std::uint8_t b = 0; b < 10; ++b) {
      const bool ends = now % (std::int64_t{1} << b) == 0;
      EXPECT_EQ(b <= TimeLine::highest_active(now), ends) << now << ' ' << int{b};
    }
  }
}

TEST(TimeLine, TheNextEndIsTheFirstMultipleAfterNow) {
  for (std::int64_t now = 0; now < 200; ++now) {
    for (std::uint8_t b = 0; b < 10; ++b) {
      std::int64_t next = now + 1;
      while (next % (std::int64_t{1} << b) != 0) ++next;
      EXPECT_EQ(TimeLine::next_end(now, b), next);
    }
  }
  constexpr std::int64_t far = std::int64_t{1} << 61;
  EXPECT_EQ(TimeLine::next_end(far, 40), far + (std::int64_t{1} << 40));
}

TEST(TimeLine, DistancesFromTheMiddlesOfSteps) {
  const TimeLine line = TimeLine::restored(7.0, 0.5);
  // The step [8, 16) has its middle at 12.
  EXPECT_EQ(line.since_middle(3, 16), 2.0);
  EXPECT_EQ(line.since_middle(3, 9), -1.5);
  EXPECT_EQ(line.since_middle(3, 17), -1.5);       // of the next step, [16, 24)
  EXPECT_EQ(line.since_next_middle(3, 16), -2.0);  // the one that begins
  EXPECT_EQ(line.since_next_middle(3, 17), -1.5);  // the one that goes on
  EXPECT_EQ(line.since_middle(0, 5), 0.25);
  EXPECT_EQ(line.since_next_middle(0, 5), -0.25);
}

// A particle's velocity is kicked from the middle of one step to the middle of the next, whatever bins it takes and
// wherever it is woken: what it has been kicked in all is the time from the first to the last middle. All these numbers
// are whole multiples of half a tick, so they are exact.
TEST(TimeLine, KicksTelescope) {
  constexpr std::uint64_t cases = 300;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const TimeLine line = TimeLine::restored(0.0, 0.5);
    const auto draw = [seed](std::int64_t now, std::uint64_t what) {
      return base::uniform(seed, static_cast<std::uint64_t>(now), what);
    };
    std::uint8_t bin = static_cast<std::uint8_t>(8.0 * draw(0, 0));
    double kicked = 0.5 * line.span(std::int64_t{1} << bin);  // the opening kick, from time 0
    std::int64_t now = 0;
    for (int i = 0; i < 50; ++i) {
      const std::int64_t end = TimeLine::next_end(now, bin);
      const std::int64_t woken = now + 1 + static_cast<std::int64_t>(draw(now, 1) * static_cast<double>(end - now));
      if (woken < end) {  // into any lower bin
        const auto to = static_cast<std::uint8_t>(draw(now, 2) * bin);
        kicked += line.since_next_middle(bin, woken) - line.since_next_middle(to, woken);
        bin = to;
        now = woken;
        EXPECT_LE(TimeLine::next_end(now, bin), end);
        continue;
      }
      now = end;
      ASSERT_LE(bin, TimeLine::highest_active(now));
      kicked += line.since_middle(bin, now);  // closes
      EXPECT_EQ(kicked, line.time(now));
      bin = std::min({TimeLine::highest_active(now), static_cast<std::uint8_t>(bin + 1), std::uint8_t{9}});
      kicked += 0.5 * line.span(std::int64_t{1} << bin);  // opens
      EXPECT_EQ(kicked + line.since_next_middle(bin, now), line.time(now));
    }
  }
}

TEST(TimeLine, TheClockSaysWhoIsActive) {
  StepClock clock;
  EXPECT_TRUE(clock.is_active(TimeLine::last_bin));  // with a common step everybody
  clock.is_common = false;
  clock.active = 3;
  EXPECT_TRUE(clock.is_active(3));
  EXPECT_FALSE(clock.is_active(4));
}

TEST(TimeLine, EveryActiveParticleIsFoundOnceAndInOrder) {
  for (std::size_t n = 0; n < 40; ++n) {
    std::vector<std::uint8_t> bins(n);
    for (std::size_t i = 0; i < n; ++i) bins[i] = static_cast<std::uint8_t>(48.0 * base::uniform(11, i, n));
    for (const std::uint8_t active : std::initializer_list<std::uint8_t>{0, 1, 5, 24, 46, 47}) {
      for (const bool is_common : {false, true}) {
        StepClock clock;
        clock.is_common = is_common;
        clock.active = active;
        std::vector<std::size_t> expected;
        for (std::size_t i = 0; i < n; ++i) {
          if (is_common || bins[i] <= active) expected.push_back(i);
        }
        std::vector<std::size_t> found;
        for_each_active(clock, bins, [&found](std::size_t i) { found.push_back(i); });
        EXPECT_EQ(found, expected) << n << " particles, bins up to " << int{active};
      }
    }
  }
}

}  // namespace tacit::sph::time_line_test
