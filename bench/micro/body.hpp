// What every task of a workload does: nothing, a busy loop, or, once before the timing, a check that it runs in order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace tacit::bench {

/// Two data that a task locks, or two tasks of which the first must run before the second.
using Pair = std::pair<std::uint32_t, std::uint32_t>;

/// Shared by all tasks of a workload; the same for every contestant, so that all pay alike.
class Body {
 public:
  /// Costs a load and a branch that is always predicted.
  void operator()(std::uint32_t task) const noexcept {
    asm volatile("" : : "r"(task));  // the number of the task must exist: the call cannot be dropped
    if (mode_ != Mode::empty) [[unlikely]] {
      act(task);
    }
  }

  /// From now on each task is a busy loop of `turns` dependent multiplications.
  void spin(std::uint32_t turns) noexcept;
  /// From now on each task is empty again.
  void rest() noexcept;
  /// From now on calls are counted and put in order. @param tasks  numbers are below that
  void begin_check(std::uint32_t tasks);
  /// Additionally, task i must hold both data of locks[i] alone.
  void watch_locks(std::span<const Pair> locks, std::uint32_t data);
  /// Ends the check. @param order  (before, after)
  /// @return  what was wrong; empty: every task ran once, in order, alone on its data
  [[nodiscard]] std::string end_check(std::span<const Pair> order = {});
  /// Ends the check of tasks without numbers. @return  how many calls there were
  [[nodiscard]] std::uint64_t end_count() noexcept;

 private:
  enum class Mode : std::uint8_t { empty, spin, check };
  struct Record;
  struct Forget {
    void operator()(Record* record) const noexcept;
  };
  void act(std::uint32_t task) const noexcept;

  Mode mode_ = Mode::empty;
  std::uint32_t turns_ = 0;
  std::unique_ptr<Record, Forget> record_;
};

/// A busy loop that no compiler shortens: `turns` multiplications, each waiting for the one before.
void busy_loop(std::uint32_t turns) noexcept;

/// How many turns of busy_loop take `seconds` on this thread now.
[[nodiscard]] std::uint32_t turns_for(double seconds);

}  // namespace tacit::bench
