// Many small jobs that are waited for together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacit/tasks/detail/frame_pool.hpp"
#include "tacit/tasks/detail/spin_lock.hpp"
#include "tacit/tasks/future.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {

/// Jobs without results: cheaper than futures, because nothing is shared per job.
///
///     TaskGroup group(scheduler);
///     for (Cell& cell : cells) group.run([&cell] { sort(cell); });
///     group.wait();
///
/// The first exception cancels the jobs that have not started and is thrown by `wait`; later ones are dropped.
/// Threads: `run`, `cancel` and `wait` may be called by any, jobs of the group included (but a job that waits for its
/// own group waits for itself).
class TaskGroup {
 public:
  /// @param scheduler  must outlive the group
  /// @param options    how the jobs appear in the trace
  explicit TaskGroup(Scheduler& scheduler, const JobOptions& options = {});
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  /// Cancels and waits; drops an exception that was not thrown by a `wait`.
  ~TaskGroup();

  /// Runs `function()` as a job. A caller that is far ahead of the workers runs jobs itself for a while. Without effect
  /// once cancelled.
  /// @throws StalledError out of such a while; the job has been taken then
  /// Cost: one block from the pool, no atomic operation that other workers see.
  template <class Function>
    requires std::invocable<std::decay_t<Function>&>
  void run(Function&& function) {
    using Made = Node<std::decay_t<Function>>;
    static_assert(alignof(Made) <= detail::frame_alignment, "callables of jobs need no more than a cache line");
    submit(*new Made(*this, std::forward<Function>(function)));
  }

  /// Returns when every job is over, also those added meanwhile; other jobs run meanwhile, see Future::wait.
  /// @throws the first exception of a job; the group can be used again then
  void wait();

  /// Drops the jobs that have not started. Until the next `wait` the group takes no more.
  void cancel() noexcept { is_cancelled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_cancelled() const noexcept { return is_cancelled_.load(std::memory_order_relaxed); }

 private:
  template <class Function>
  struct Node final : Job, detail::Pooled {
    template <class F>
    Node(TaskGroup& owner, F&& f)
        : Job{.run = &execute, .kind = owner.options_.kind, .key = owner.options_.key},
          group(&owner),
          function(std::forward<F>(f)) {}
    static void execute(Job& job) noexcept {
      auto* const self = static_cast<Node*>(&job);
      TaskGroup& group = *self->group;
      if (!group.is_cancelled()) {
        try {
          self->function();
        } catch (...) {
          group.keep(std::current_exception());
        }
      }
      delete self;
      group.finish();
    }
    TaskGroup* group;
    Function function;
  };

  /// Jobs that one worker has submitted and finished; only that worker writes, so counting costs no shared traffic.
  struct alignas(128) Count {
    std::atomic<std::uint64_t> submitted{0};
    std::atomic<std::uint64_t> finished{0};
  };

  void submit(Job& job);
  void finish() noexcept;
  void keep(std::exception_ptr error) noexcept;
  static std::uint64_t add_one(std::atomic<std::uint64_t>& count) noexcept;
  [[nodiscard]] std::uint64_t outstanding() const noexcept;
  void work_off();
  void wait_for_all();

  Scheduler* scheduler_;
  JobOptions options_;
  std::vector<Count> counts_;              // shape (workers + 1): the last is the polling thread's
  std::atomic<std::uint64_t> outside_{0};  // jobs that other threads have submitted
  std::atomic<bool> is_cancelled_{false};
  detail::SpinLock error_lock_;
  std::exception_ptr error_;
};

}  // namespace tacit::tasks
