// Counts the jobs of a group, and waits for them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/task_group.hpp"

#include <algorithm>
#include <mutex>
#include <thread>

#include "tacit/tasks/detail/future_state.hpp"
#include "tacit/tasks/detail/pool.hpp"

namespace tacit::tasks {

namespace {

// A caller that has this many jobs outstanding runs some before it adds more, so that their memory stays in the cache.
constexpr std::uint64_t many_jobs = 2048;
constexpr std::uint64_t fewer_jobs = many_jobs / 2;
// How often it looks: the sum reads what other workers write.
constexpr std::uint64_t submits_per_look = 256;

/// Set while the thread works off jobs inside `run`; a job that adds jobs then must not do the same, on top of it.
constinit thread_local bool is_working_off = false;

/// Spares a waiting worker most looks at what others write: it need not look as long as much is left to do.
class Backoff {
 public:
  /// Whether it is time to look again.
  [[nodiscard]] bool is_over() noexcept { return calls_left_ == 0 || --calls_left_ == 0; }
  /// @return  whether nothing is left
  bool look(std::uint64_t left) noexcept {
    calls_left_ = std::min<std::uint64_t>(left / 4, 32);
    return left == 0;
  }

 private:
  std::uint64_t calls_left_ = 0;
};

}  // namespace

TaskGroup::TaskGroup(Scheduler& scheduler, const JobOptions& options)
    : scheduler_(&scheduler), options_(options), counts_(scheduler.workers() + 1) {}

TaskGroup::~TaskGroup() {
  cancel();
  for (;;) {
    try {
      wait_for_all();
      return;
    } catch (...) {
      // A stall elsewhere. Jobs of this group refer to it, so it must not be destroyed before they have ended.
    }
  }
}

/// Adds one to a count that only the calling worker writes.
std::uint64_t TaskGroup::add_one(std::atomic<std::uint64_t>& count) noexcept {
  const std::uint64_t more = count.load(std::memory_order_relaxed) + 1;
  count.store(more, std::memory_order_release);
  return more;
}

void TaskGroup::submit(Job& job) {
  const detail::Here& here = detail::here();
  const bool is_worker = here.scheduler == scheduler_;
  const std::uint64_t submitted = is_worker ? add_one(counts_[here.worker->number].submitted)
                                            : outside_.fetch_add(1, std::memory_order_acq_rel) + 1;
  scheduler_->submit(job);
  if (submitted % submits_per_look == 0 && !is_working_off && outstanding() > many_jobs) work_off();
}

/// Runs jobs until few are left, if the calling thread can.
void TaskGroup::work_off() {
  is_working_off = true;
  try {
    Backoff backoff;
    const auto excess = [this] { return std::max(outstanding(), fewer_jobs) - fewer_jobs; };
    static_cast<void>(detail::work_until(*scheduler_, [&] { return backoff.is_over() && backoff.look(excess()); }));
  } catch (...) {
    is_working_off = false;
    throw;
  }
  is_working_off = false;
}

void TaskGroup::wait_for_all() {
  Backoff backoff;
  const auto done = [&] { return backoff.is_over() && backoff.look(outstanding()); };
  if (outstanding() == 0 || detail::work_until(*scheduler_, done)) return;
  while (outstanding() != 0) std::this_thread::yield();
}

/// The last that a job does: the group may be gone on return.
void TaskGroup::finish() noexcept {
  add_one(counts_[detail::here().worker->number].finished);  // jobs run on workers of this scheduler
}

void TaskGroup::keep(std::exception_ptr error) noexcept {
  cancel();
  const std::lock_guard guard(error_lock_);
  if (!error_) error_ = std::move(error);
}

/// 0 only if there was a moment in which every submitted job was over: finished ones are counted first, and a job that
/// is counted there has been counted as submitted before, as have all that it submitted.
std::uint64_t TaskGroup::outstanding() const noexcept {
  std::uint64_t finished = 0;
  for (const Count& count : counts_) finished += count.finished.load(std::memory_order_acquire);
  std::uint64_t submitted = outside_.load(std::memory_order_acquire);
  for (const Count& count : counts_) submitted += count.submitted.load(std::memory_order_acquire);
  return submitted - finished;
}

void TaskGroup::wait() {
  wait_for_all();
  std::exception_ptr error;
  {
    const std::lock_guard guard(error_lock_);  // others may wait too, or have added jobs again that fail
    error = std::exchange(error_, nullptr);
  }
  is_cancelled_.store(false, std::memory_order_relaxed);
  if (error) std::rethrow_exception(error);
}

}  // namespace tacit::tasks
