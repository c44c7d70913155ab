// How long messages are written to memory that another processor reads: through the caches, or past them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tacit/base/ticks.hpp"

namespace tacit::comm::detail {

/// The faster way for the long messages of one window, found by trying both: first, and now and then.
///
/// A store to a line that the cache of its last reader holds waits until that gives it up: next to nothing between
/// hardware threads of a core, 10 ns between some near cores, 30 between far ones. Past the caches it takes 2, but then
/// the reader gets it from memory. Placement may change while a program runs.
/// @see docs/decisions/0050-long-messages-past-the-caches.md
class CopyChoice {
 public:
  /// Shorter messages are always written through the caches [byte].
  static constexpr std::size_t long_message = 32768;

  [[nodiscard]] bool is_past_caches() const noexcept { return is_trying() ? turn() >= each : prefers_past_; }
  /// Whether the next message is a trial: it is to be copied in one go.
  [[nodiscard]] bool is_trying() const noexcept { return turn() < 2 * each; }

  /// Copies the next message and counts it. @param copy  (bool past_caches)  @param clock  another one for tests
  template <class Copy, class Clock = std::int64_t (*)() noexcept>
  void copy(std::size_t bytes, Copy&& copy, Clock clock = &base::ticks) {
    const bool past = is_past_caches();
    if (!is_trying() || turn() % each < warm_up) {
      copy(past);
    } else {
      const std::int64_t begin = clock();
      copy(past);
      note(past, static_cast<double>(clock() - begin) / static_cast<double>(bytes));
    }
    count();
  }
  /// Counts one that was written in place.
  void count() noexcept {
    ++messages_;
    if (turn() == 0) ticks_[0] = ticks_[1] = std::numeric_limits<double>::max();
  }

 private:
  static constexpr std::uint32_t each = 4;     // trials of each way, one behind the other
  static constexpr std::uint32_t warm_up = 2;  // of them: the last use of a slot was by the other way
  static constexpr std::uint32_t period = 256;
  /// What the way past the caches may save at the sender before its dearer reading counts for less.
  static constexpr double gain = 4.0;

  [[nodiscard]] std::uint32_t turn() const noexcept { return messages_ % period; }
  void note(bool past, double ticks_per_byte) noexcept {
    double& least = ticks_[past ? 1 : 0];
    least = std::min(least, ticks_per_byte);
    if (turn() + 1 == 2 * each) prefers_past_ = ticks_[0] > gain * ticks_[1];
  }

  std::uint32_t messages_ = 0;
  bool prefers_past_ = false;
  double ticks_[2] = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};  // per byte, by way
};

}  // namespace tacit::comm::detail
