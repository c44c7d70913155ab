// One monotonic clock for everything that is timed or traced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

namespace tacit::base {

/// Nanoseconds on the steady clock; differences are meaningful, the origin is not.
[[nodiscard]] inline std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Nanoseconds that the calling thread has run on a processor. Cost: a system call, some 0.2 us.
[[nodiscard]] inline std::int64_t thread_time_ns() noexcept {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1'000'000'000 * std::int64_t{time.tv_sec} + time.tv_nsec;
}

/// Seconds since construction.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const noexcept { return static_cast<double>(now_ns() - start_) * 1e-9; }

 private:
  std::int64_t start_ = now_ns();
};

}  // namespace tacit::base
