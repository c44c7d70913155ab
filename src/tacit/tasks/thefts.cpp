// Taking work from others.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tacit/base/ticks.hpp"
#include "tacit/tasks/detail/pool.hpp"

namespace tacit::tasks {

using detail::Item;
using detail::Loot;

/// Always, but in a run that one worker does alone only if that has long ones.
bool Scheduler::Pool::may_steal_tasks(Worker& worker, const detail::WorkerQueue& victim, std::int64_t now) {
  if (!victim.has_tasks()) return false;
  const std::uint32_t run = alone_run.load(std::memory_order_relaxed);
  if (run == 0) return true;
  // Between two runs no queue changes, which says nothing of their tasks.
  if (std::exchange(worker.watched_run, run) != run) worker.watch.forget(now);
  return worker.watch.finds_long_ones(now, &victim, worker.look_interval, [&victim] { return victim.changes(); });
}

/// What the worker may take from a queue now: jobs unless thefts of them do not pay at present.
std::optional<Loot> Scheduler::Pool::loot_of(Worker& worker, const detail::WorkerQueue& victim, Wanted wanted,
                                             std::int64_t now) {
  const bool tasks = wanted == Wanted::tasks_and_jobs && may_steal_tasks(worker, victim, now);
  const bool jobs = victim.has_jobs() && worker.pace.may_steal(now, &victim, [&victim] { return victim.changes(); });
  if (jobs) return tasks ? Loot::any : Loot::jobs;
  return tasks ? std::optional(Loot::tasks) : std::nullopt;
}

/// From another worker's queue, when the own one is empty.
Item Scheduler::Pool::steal(Worker& worker, Wanted wanted) {
  for (std::size_t i = 1; i < count; ++i) {
    detail::WorkerQueue& victim = workers[(worker.number + i) % count].queue;
    if (!victim.has_work()) continue;
    interrupt_block(worker);
    if (worker.pace.must_judge()) worker.pace.judge(worker.mark);
    const std::int64_t begin = base::ticks();
    const std::optional<Loot> loot = loot_of(worker, victim, wanted, begin);
    if (!loot) continue;
    const Item item = victim.steal(worker.queue, worker.hands, worker.track->counters.stolen, *loot);
    if (!item) continue;
    ++worker.track->counters.steals;
    if (item.job != nullptr) worker.pace.note(begin, base::ticks());
    return item;
  }
  return {};
}

}  // namespace tacit::tasks
