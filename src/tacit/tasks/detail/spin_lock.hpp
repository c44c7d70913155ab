// A lock for a few instructions, and how a thread waits in a loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <atomic>

namespace tacit::tasks::detail {

/// Tells the processor that this is a spinning loop.
inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Held for some ten instructions at a time; a thread that finds it taken for long yields its processor, because then
/// the holder has been preempted.
class SpinLock {
 public:
  void lock() noexcept {
    for (int tries = 0; taken_.exchange(true, std::memory_order_acquire); ++tries) wait(tries);
  }
  [[nodiscard]] bool try_lock() noexcept {
    return !taken_.load(std::memory_order_relaxed) && !taken_.exchange(true, std::memory_order_acquire);
  }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  void wait(int tries) const noexcept {
    while (taken_.load(std::memory_order_relaxed)) {
      if (++tries > 1000) {
        ::sched_yield();
      } else {
        relax();
      }
    }
  }
  std::atomic<bool> taken_{false};
};

}  // namespace tacit::tasks::detail
