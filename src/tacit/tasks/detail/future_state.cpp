// Completing a state, and waiting for it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/detail/future_state.hpp"

#include <condition_variable>
#include <mutex>

#include "tacit/base/error.hpp"
#include "tacit/tasks/future.hpp"

namespace tacit::tasks::detail {

namespace {

/// The list in the order in which its members came.
Waiter* reversed(Waiter* newest) noexcept {
  Waiter* oldest = nullptr;
  while (newest != nullptr) {
    Waiter* const next = std::exchange(newest->next, oldest);
    oldest = std::exchange(newest, next);
  }
  return oldest;
}

/// A thread that sleeps until a state is ready.
class Sleeper : public Waiter {
 public:
  Sleeper() {
    // Notified under the mutex, so that the sleeper cannot be destroyed before its waker is done with it.
    ready = [](Waiter& waiter) noexcept {
      auto& self = static_cast<Sleeper&>(waiter);
      const std::lock_guard guard(self.mutex_);
      self.is_over_ = true;
      self.over_.notify_one();
    };
  }
  void sleep() {
    std::unique_lock lock(mutex_);
    over_.wait(lock, [this] { return is_over_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
};

}  // namespace

void FutureState::complete() noexcept {
  Waiter* waiter = reversed(waiters_.exchange(&closed, std::memory_order_acq_rel));
  // First the reference: a waiter who then holds the only one may move the value instead of copying it.
  release();
  while (waiter != nullptr) {
    Waiter& told = *waiter;
    waiter = told.next;
    told.ready(told);
  }
}

bool FutureState::cancel() {
  if (is_claimed()) return false;
  std::exception_ptr error = std::make_exception_ptr(CancelledError());
  if (!claim()) return false;
  store_error(std::move(error));
  retain();
  complete();
  return true;
}

bool FutureState::add(Waiter& waiter) noexcept {
  Waiter* newest = waiters_.load(std::memory_order_acquire);
  do {
    if (newest == &closed) return false;
    waiter.next = newest;
  } while (!waiters_.compare_exchange_weak(newest, &waiter, std::memory_order_acq_rel, std::memory_order_acquire));
  return true;
}

void FutureState::wait() {
  if (is_ready()) return;
  if (work_until(*scheduler_, [this] { return is_ready(); })) return;
  Sleeper sleeper;
  if (add(sleeper)) sleeper.sleep();
}

bool work_until(Scheduler& scheduler, const std::function<bool()>& done, Job* first) {
  if (Scheduler* const own = Scheduler::current(); own != nullptr && own != &scheduler) {
    own->work_until(done);
    return true;
  }
  try {
    scheduler.work_until(done, first);
  } catch (const base::PreconditionError&) {
    return false;  // a thread that is no worker: it is about to sleep anyway, so the price of a throw does not matter
  }
  return true;
}

}  // namespace tacit::tasks::detail
