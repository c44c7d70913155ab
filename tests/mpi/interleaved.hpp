// A scheduler that tries every order in which two sides may take their steps; an atomic and copies that stop at it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace tacit::interleaved {

/// Runs two sides in one thread, and at each step lets one of them go on. What is to be decided is decided in every
/// way, run by run, depth first. So what is found depends on no clock, no processor and no luck.
///
/// A side that waits gives way by itself; beyond that it is stopped at most `preemptions` times in a run. The order of
/// memory is that of the steps: what a processor may reorder beyond that is for litmus.cpp and the thread sanitizer.
class Scheduler {
 public:
  explicit Scheduler(std::uint32_t preemptions) : preemptions_(preemptions), stacks_{Stack(bytes), Stack(bytes)} {}

  /// Runs the two sides once, until both have returned or one has called `fail`.
  void run(const std::array<std::function<void()>, 2>& sides);
  /// Whether there is another way; the next `run` takes it.
  [[nodiscard]] bool advance();

  /// Of the side that runs: before what the other side may see.
  void step();
  /// Of the side that runs: it can go on only once the other has. False if that does not help.
  [[nodiscard]] bool give_way();
  /// Of the side that runs: it goes on.
  void note_progress() noexcept { idle_ = 0; }
  /// Decides for 0 or 1. @return  the decision
  [[nodiscard]] bool decide();
  /// Whether patience is over: in every way, and certainly where no side would go on otherwise.
  [[nodiscard]] bool is_impatient() { return idle_ >= patient_idle || decide(); }
  /// Ends the run. Never returns.
  [[noreturn]] void fail();

 private:
  using Stack = std::vector<std::byte>;
  static constexpr std::size_t bytes = 262144;
  static constexpr std::uint32_t patient_idle = 4;
  static constexpr std::uint32_t hopeless_idle = 12;

  static void enter();
  void switch_sides();

  std::uint32_t preemptions_;
  std::array<Stack, 2> stacks_;
  std::array<ucontext_t, 2> contexts_{};
  ucontext_t home_{};
  const std::array<std::function<void()>, 2>* sides_ = nullptr;
  std::array<bool, 2> is_over_{};
  std::size_t now_ = 0;
  std::uint32_t left_ = 0;   // preemptions
  std::uint32_t idle_ = 0;   // times that sides gave way without progress
  std::vector<bool> taken_;  // the decisions of this run, those of the run before first
  std::size_t decided_ = 0;
};

/// Messages of so many bytes count as long in code that is built for the scheduler: longer ones would only take longer.
inline constexpr std::size_t long_message = 200;

/// That of this process, while it runs.
inline Scheduler* scheduler = nullptr;

/// Stands for std::atomic in code that is built for the scheduler.
template <class T>
class Atomic {
 public:
  static constexpr bool is_always_lock_free = std::atomic<T>::is_always_lock_free;
  // NOLINTNEXTLINE(google-explicit-constructor): as that of std::atomic
  constexpr Atomic(T value) noexcept : value_(value) {}
  T load(std::memory_order /*order*/ = std::memory_order_seq_cst) const noexcept {
    scheduler->step();
    return value_;
  }
  void store(T value, std::memory_order /*order*/ = std::memory_order_seq_cst) noexcept {
    scheduler->step();
    value_ = value;
  }
  bool compare_exchange_strong(T& expected, T value, std::memory_order /*order*/) noexcept {
    scheduler->step();
    if (value_ != expected) {
      expected = value_;
      return false;
    }
    value_ = value;
    return true;
  }

 private:
  T value_;
};

}  // namespace tacit::interleaved
