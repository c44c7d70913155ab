// When a worker steals jobs again, on a clock that the test moves.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tacit/tasks/detail/theft_pace.hpp"

namespace tacit::tasks {
namespace theft_pace_test {

using detail::TheftPace;

constexpr std::int64_t us = 1000;  // [ticks]
constexpr std::int64_t theft = 300;

/// A thief beside one victim, whose queue changes every `period` ticks (0: never) as far as `changes` says.
class Thief {
 public:
  /// Steals as soon as it may. @return how long it did not [ticks]
  std::int64_t waits(std::int64_t period) {
    const std::int64_t begin = now_;
    while (!pace_.may_steal(now_, this, [&] {
      ++looks;
      return period > 0 ? static_cast<std::uint32_t>(now_ / period) : 0U;
    })) {
      now_ += 100;
    }
    return now_ - begin;
  }
  /// A theft, and jobs that take so long.
  void steals(std::int64_t brought) {
    pace_.note(now_, now_ + theft);
    now_ += theft + brought;
    EXPECT_TRUE(pace_.must_judge());
    pace_.judge(now_);
    EXPECT_FALSE(pace_.must_judge());
  }

  std::int64_t looks = 0;

 private:
  TheftPace pace_{us};
  std::int64_t now_ = 1'000'000;
};

constexpr std::int64_t enough = TheftPace::least_gain * theft;

TEST(TasksTheftPace, BeginsAtOnceAndGoesOnWhileTheftsPay) {
  Thief thief;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(thief.waits(50), 0);
    thief.steals(enough);
  }
}

TEST(TasksTheftPace, PausesTwiceAsLongAfterEachTheftThatDoesNotPay) {
  Thief thief;
  std::vector<std::int64_t> pauses;
  for (int i = 0; i < 15; ++i) {
    thief.steals(enough - 1);
    pauses.push_back(thief.waits(50));
  }
  EXPECT_EQ(pauses.front(), us / 2);
  for (std::size_t i = 1; i < pauses.size(); ++i) EXPECT_EQ(pauses[i], std::min(2 * pauses[i - 1], 512 * us));
  // A look costs the victim a cache line: few beside what it does meanwhile.
  std::int64_t all = 0;
  for (const std::int64_t pause : pauses) all += pause;
  EXPECT_LE(thief.looks, all / (8 * us) + 9 * static_cast<std::int64_t>(pauses.size()));
  for (int i = 0; i < 6; ++i) {
    thief.steals(enough);
    static_cast<void>(thief.waits(50));
  }
  EXPECT_EQ(thief.waits(50), 0) << "some that pay, and it is as at the begin";
}

/// Whoever makes no progress is robbed long before the pause is over.
TEST(TasksTheftPace, AVictimInALongJobIsRobbedSoon) {
  Thief thief;
  for (int i = 0; i < 15; ++i) {
    thief.steals(0);
    EXPECT_LE(thief.waits(0), 9 * us);
  }
  for (const std::int64_t job : {us, 10 * us, 1000 * us}) {
    thief.steals(0);
    EXPECT_LE(thief.waits(job), 18 * us) << "and so is one whose jobs are longer now";
  }
  thief.steals(0);
  EXPECT_GE(thief.waits(us / 3), 500 * us) << "but not one whose jobs are short";
}

/// One interrupt of a worker looks like a long task; only who stays in it is robbed.
TEST(TasksVictimWatch, OneLookMayBeMistaken) {
  detail::VictimWatch watch(us, 2);
  const auto look = [&watch](std::int64_t now, std::uint32_t changes) {
    return watch.finds_long_ones(now, &watch, us, [changes] { return changes; });
  };
  EXPECT_FALSE(look(10 * us, 5)) << "the first says nothing";
  EXPECT_FALSE(look(20 * us, 5)) << "one alone may be an interrupt";
  EXPECT_FALSE(look(30 * us, 50));
  EXPECT_FALSE(look(40 * us, 51));
  EXPECT_TRUE(look(50 * us, 52));
  watch.forget(60 * us);
  EXPECT_FALSE(look(70 * us, 52)) << "what was before says nothing";
  EXPECT_FALSE(look(80 * us, 52));
  EXPECT_TRUE(look(90 * us, 52));
}

}  // namespace theft_pace_test
}  // namespace tacit::tasks
