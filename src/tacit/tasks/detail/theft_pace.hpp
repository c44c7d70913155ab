// When a worker steals jobs again: at once, or not for a while, because its last theft cost more than it brought.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace tacit::tasks::detail {

/// Looks now and then how often the queue of another worker has changed, and finds out whether that has long tasks or
/// jobs. A look costs the other a cache line. Times are base::ticks().
class VictimWatch {
 public:
  /// @param is_long  the queue of a victim that has long ones changes less than once in so many ticks
  /// @param looks    so many looks that follow each other must find that: an interrupt alone looks like a long task
  explicit VictimWatch(std::int64_t is_long = 500, std::uint32_t looks = 1) noexcept
      : is_long_(std::max<std::int64_t>(is_long, 1)), needed_(looks) {}

  /// Whether that is so since the last look, or the last few.
  /// @param pause       not to look again for so long
  /// @param changes_of  a function that asks how often the queue of `victim` has changed
  template <class Changes>
  [[nodiscard]] bool finds_long_ones(std::int64_t now, const void* victim, std::int64_t pause,
                                     Changes changes_of) noexcept {
    if (now < next_look_) return false;
    const std::uint32_t changes = changes_of();
    const bool has_long_ones = victim == seen_ && now - looked_ > is_long_ * std::int64_t{changes - changes_};
    found_ = has_long_ones ? found_ + 1 : 0;
    seen_ = victim;
    changes_ = changes;
    looked_ = now;
    next_look_ = now + pause;
    return found_ >= needed_;
  }
  /// What was seen before says nothing any more.
  void forget(std::int64_t now) noexcept {
    next_look_ = now;
    seen_ = nullptr;
    found_ = 0;
  }

 private:
  std::int64_t is_long_;
  std::uint32_t needed_;
  std::uint32_t found_ = 0;  // looks that found long ones, one after the other
  std::int64_t looked_ = 0;
  std::int64_t next_look_ = 0;
  const void* seen_ = nullptr;
  std::uint32_t changes_ = 0;
};

/// What a worker knows of its thefts of jobs. Times are base::ticks().
///
/// A theft fetches cache lines from the victim, which needs them back: what it costs is measured, and is larger the
/// farther the two are apart. It pays if the jobs that it brought took many times as long. After one that did not, the
/// worker leaves the others alone for a while, twice as long as the last time; after one that did, a quarter as long.
/// Meanwhile it looks now and then how often the victim's queue has changed. Where that is less than once in half a
/// microsecond, the victim has longer jobs now, or is in one that blocks, and is robbed at once: only jobs that are as
/// short as those before wait for more than some 20 us while a worker has nothing to do.
class TheftPace {
 public:
  /// A theft pays if its jobs took so many times as long as it took itself.
  static constexpr std::int64_t least_gain = 8;

  explicit TheftPace(std::int64_t ticks_per_us = 1000) noexcept
      : us_(std::max<std::int64_t>(ticks_per_us, 1)), watch_(us_ / 2) {}

  /// Jobs were stolen from `begin` to `end`.
  void note(std::int64_t begin, std::int64_t end) noexcept {
    began_ = begin;
    ended_ = end;
  }
  /// Whether it has stolen, and what that brought is not known yet.
  [[nodiscard]] bool must_judge() const noexcept { return ended_ != 0; }
  /// The jobs of the last theft, and what they have made, are over.
  void judge(std::int64_t now) noexcept {
    if (now - ended_ >= least_gain * (ended_ - began_)) {
      pause_ = pause_ >= us_ ? pause_ / 4 : 0;
    } else {
      pause_ = std::clamp(2 * pause_, us_ / 2, 512 * us_);
    }
    ended_ = 0;
    until_ = now + pause_;
    watch_.forget(now);
  }
  /// Whether to steal jobs now.
  /// @param victim      whose they are
  /// @param changes_of  a function that asks how often the victim's queue has changed: a cache line for the victim
  template <class Changes>
  [[nodiscard]] bool may_steal(std::int64_t now, const void* victim, Changes changes_of) noexcept {
    if (now >= until_) return true;
    return watch_.finds_long_ones(now, victim, std::clamp(pause_ / 8, us_ / 2, 8 * us_), changes_of);
  }

 private:
  std::int64_t us_;  // [ticks]
  std::int64_t began_ = 0;
  std::int64_t ended_ = 0;  // 0: nothing to judge
  std::int64_t pause_ = 0;
  std::int64_t until_ = 0;
  VictimWatch watch_;
};

}  // namespace tacit::tasks::detail
