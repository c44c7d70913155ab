// The cheapest steady counter of the processor, for time stamps that are taken once per task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "tacit/base/clock.hpp"

namespace tacit::base {

/// Ticks of a counter that runs at a constant rate and is the same on all cores of a node; the origin means nothing.
///
/// On x86-64 the time stamp counter (9 ns here, the steady clock takes 21), on AArch64 the virtual counter, elsewhere
/// the steady clock. Signed, so that differences across cores that are a little apart stay harmless.
[[nodiscard]] inline std::int64_t ticks() noexcept {
#if defined(__x86_64__)
  return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
  std::int64_t count = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return now_ns();
#endif
}

/// Converts ticks to time; measures their length from its own construction on.
class TickScale {
 public:
  TickScale() noexcept : begin_(read_both()) {}
  /// A scale that is known: ticks of a recording, or imposed by a test.
  /// @param ns_per_tick  > 0
  TickScale(std::int64_t start, double ns_per_tick) noexcept : begin_{0, start}, known_ns_per_tick_(ns_per_tick) {}

  /// When the scale was made.
  [[nodiscard]] std::int64_t start() const noexcept { return begin_.ticks; }
  /// Nanoseconds per tick, to about 1e-4 and better with age. Waits until the scale is 1 ms old.
  [[nodiscard]] double ns_per_tick() const noexcept {
    if (known_ns_per_tick_ > 0.0) return known_ns_per_tick_;
    Both now = read_both();
    while (now.ns - begin_.ns < 1'000'000 || now.ticks <= begin_.ticks) now = read_both();
    return static_cast<double>(now.ns - begin_.ns) / static_cast<double>(now.ticks - begin_.ticks);
  }
  /// The length of an interval [s].
  [[nodiscard]] double seconds(std::int64_t ticks) const noexcept {
    return 1e-9 * ns_per_tick() * static_cast<double>(ticks);
  }

 private:
  /// The two clocks at one moment.
  struct Both {
    std::int64_t ns = 0;
    std::int64_t ticks = 0;
  };

  /// Of several readings the one that took the shortest: a thread that loses its processor in between spoils only one.
  [[nodiscard]] static Both read_both() noexcept {
    Both best;
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < 4; ++i) {
      const std::int64_t before = ticks();
      const std::int64_t ns = now_ns();
      const std::int64_t length = ticks() - before;
      if (length < shortest) {
        shortest = length;
        best = {ns, before + length / 2};
      }
    }
    return best;
  }

  Both begin_;
  double known_ns_per_tick_ = 0.0;  // 0: measured
};

}  // namespace tacit::base
