// How long messages reach memory that another processor reads: through the caches, past them, or fetched by the reader.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tacit/base/ticks.hpp"

namespace tacit::comm::detail {

/// How a long message goes.
enum class Way : std::uint8_t {
  through,  ///< the sender writes it where its receiver reads it
  past,     ///< the same, by stores that pass the caches
  left,     ///< it stays in the sender's memory, from where the receiver copies it
};

/// The fastest way for the long messages of one window, found by trying all: first, and now and then.
///
/// A store to a line that the cache of its last reader holds waits until that gives it up: next to nothing between
/// hardware threads of a core, 10 ns between some near cores, 30 between far ones. Past the caches it takes 2, but then
/// the reader gets it from memory. A reader's loads wait for as long, but many of them wait at once, and lines that the
/// sender has not written since are still in the reader's cache. Placement may change while a program runs.
/// @see docs/decisions/0050-long-messages-past-the-caches.md, 0073-long-messages-are-fetched.md
class CopyChoice {
 public:
  /// Shorter messages are always written through the caches [byte].
  static constexpr std::size_t long_message = 8192;

  CopyChoice() = default;
  /// @param can_leave  whether the receiver can read the sender's memory
  explicit CopyChoice(bool can_leave) noexcept : ways_(can_leave ? 3 : 2) {}

  /// How the next message goes.
  [[nodiscard]] Way way() const noexcept { return is_trying() ? static_cast<Way>(turn() / each) : preferred(); }
  /// Whether the next message is a trial: it is to be copied in one go.
  [[nodiscard]] bool is_trying() const noexcept { return turn() < ways_ * each; }

  /// Copies the next message by a way of the sender and counts it; through the caches where it cannot be left.
  /// @param copy  (bool past_caches)  @param clock  another one for tests
  template <class Copy, class Clock = std::int64_t (*)() noexcept>
  void copy(std::size_t bytes, Copy&& copy, Clock clock = &base::ticks) {
    const Way by = way();
    if (by == Way::left || !counts()) {
      copy(by == Way::past);
    } else {
      const std::int64_t begin = clock();
      copy(by == Way::past);
      note(by, static_cast<double>(clock() - begin) / static_cast<double>(bytes));
    }
    count();
  }
  /// The next message has been fetched by its receiver. @param ticks  () -> what it took there, if that matters
  template <class Ticks>
  void note_fetched(std::size_t bytes, Ticks&& ticks) noexcept {
    if (counts()) note(Way::left, static_cast<double>(ticks()) / static_cast<double>(bytes));
    count();
  }
  /// The next message was left, and its receiver did not come for it: the sender had to copy it after all.
  void note_late() noexcept {
    ++late_;
    count();
  }
  /// Counts one that was written in place.
  void count() noexcept {
    ++messages_;
    if (turn() != 0) return;
    ticks_.fill(unknown);
    late_ = 0;
  }
  /// How long a sender waits for the receiver before it copies a message itself: as long as that takes [ticks].
  [[nodiscard]] std::int64_t patience(std::size_t bytes) const noexcept {
    constexpr double longest = 1.0;  // ticks per byte, where nothing has been measured
    return static_cast<std::int64_t>(std::min(ticks_of(Way::through), longest) * static_cast<double>(bytes));
  }

 private:
  static constexpr std::uint32_t each = 4;     // trials of each way, one behind the other
  static constexpr std::uint32_t warm_up = 2;  // of them: the last use of a slot was by the other way
  static constexpr std::uint32_t period = 1024;
  /// What the way past the caches may save at the sender before its dearer reading counts for less.
  static constexpr double gain = 4.0;

  [[nodiscard]] std::uint32_t turn() const noexcept { return messages_ % period; }
  [[nodiscard]] bool counts() const noexcept { return is_trying() && turn() % each >= warm_up; }
  [[nodiscard]] double ticks_of(Way way) const noexcept { return ticks_[static_cast<std::size_t>(way)]; }
  void note(Way way, double ticks_per_byte) noexcept {
    double& least = ticks_[static_cast<std::size_t>(way)];
    least = std::min(least, ticks_per_byte);
  }
  /// What is left has been read when it has been fetched; the others' reading is still to come.
  [[nodiscard]] Way preferred() const noexcept {
    const double through = ticks_of(Way::through);
    const double past = gain * ticks_of(Way::past);
    if (late_ < each && ticks_of(Way::left) < std::min(through, past)) return Way::left;
    return through > past ? Way::past : Way::through;
  }

  static constexpr double unknown = std::numeric_limits<double>::max();
  std::uint32_t messages_ = 0;
  std::uint32_t ways_ = 2;
  std::uint32_t late_ = 0;                                     // messages of this period that were left in vain
  std::array<double, 3> ticks_ = {unknown, unknown, unknown};  // per byte, by way
};

}  // namespace tacit::comm::detail
