// Idle workers: short pauses, sleep between runs, and the call that makes them record what they did.
// SPDX-License-Identifier: Apache-2.0
#include <sched.h>

#include <algorithm>

#include "tacit/base/clock.hpp"
#include "tacit/tasks/detail/pool.hpp"

namespace tacit::tasks {

namespace {

/// A futex wake takes about 30 us; a worker spins between runs for a little longer before it sleeps.
constexpr std::int64_t spin_ns = 50'000;

}  // namespace

/// One iteration of a worker that has found no work.
void Scheduler::Pool::rest(Worker& worker, Rest& rest) {
  ++rest.tries;
  if (oversubscribed) {
    ++rest.sleeps;
    ::sched_yield();
  } else {
    // Looking at other workers' queues too often takes their cache lines away.
    for (std::uint32_t i = std::min(rest.tries, 8U); i > 0; --i) detail::relax();
  }
  if (!rest.may_sleep || rest.tries % 16 != 0 || active.load(std::memory_order_relaxed) > 0) return;
  const std::int64_t now = base::now_ns();
  if (rest.since_ns == 0) rest.since_ns = now;
  if (!oversubscribed && now - rest.since_ns < spin_ns) return;
  if (tokens.outstanding() > 0 && may_poll(worker)) {
    // Nothing is urgent between runs, but operations must progress, and their waiters must be notified.
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  } else {
    ++rest.sleeps;
    sleep(worker);
  }
  rest.since_ns = 0;
}

/// Sleeps until wake is called. Of this thread, which counts itself and then looks, and one that brings work and then
/// looks for sleepers, at least one sees the other.
void Scheduler::Pool::sleep(const Worker& worker) {
  const std::uint32_t seen = signal.load(std::memory_order_seq_cst);
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  const bool awake = active.load(std::memory_order_seq_cst) > 0 || stopping.load(std::memory_order_seq_cst) ||
                     any_work() || (tokens.outstanding() > 0 && may_poll(worker)) || must_settle(worker);
  if (!awake) signal.wait(seen, std::memory_order_seq_cst);
  sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

void Scheduler::Pool::wake() {
  if (sleepers.load(std::memory_order_seq_cst) == 0) return;
  signal.fetch_add(1, std::memory_order_seq_cst);
  signal.notify_all();
}

/// Waits until all threads have recorded what they did.
void Scheduler::Pool::settle() {
  const std::uint32_t number = settles.fetch_add(1, std::memory_order_seq_cst) + 1;
  wake();
  wake_poller();
  for (std::size_t i = 1; i <= count; ++i) {
    if (i == count && options.polling != Polling::thread) break;
    while (workers[i].settled.load(std::memory_order_acquire) != number) std::this_thread::yield();
  }
}

bool Scheduler::Pool::must_settle(const Worker& worker) const {
  return worker.number != 0 && worker.depth == 0 &&
         settles.load(std::memory_order_seq_cst) != worker.settled.load(std::memory_order_relaxed);
}

void Scheduler::Pool::answer_settle(Worker& worker) {
  worker.settled.store(settles.load(std::memory_order_seq_cst), std::memory_order_release);
}

bool Scheduler::Pool::any_work() const {
  const IdleWork* const work = idle_work.load(std::memory_order_relaxed);
  if (work != nullptr && work->has_some()) return true;
  return std::any_of(workers.begin(), workers.end(), [](const Worker& worker) { return worker.queue.has_work(); });
}

}  // namespace tacit::tasks
