// The loops of the workers: taking, running and releasing tasks, jobs, waiting for more.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "tacit/base/clock.hpp"
#include "tacit/tasks/detail/pool.hpp"

namespace tacit::tasks {

using detail::Item;
using detail::no_node;

constinit thread_local detail::Here detail::this_thread;

namespace {

constexpr std::uint32_t tries_between_checks = 256;
/// How often a worker finds nothing before it turns to what can wait: not in the gaps between two tasks.
constexpr std::uint32_t tries_before_idle_work = 16;

}  // namespace

// ---- loops ---------------------------------------------------------------------------------------------------------

/// The life of a worker other than 0.
void Scheduler::Pool::serve(std::uint32_t number) {
  Worker& worker = workers[number];
  const detail::AsWorker as(*scheduler, worker);
  worker.mark = base::ticks();
  begun.fetch_add(1, std::memory_order_acq_rel);
  work_tasks(worker, [this] { return stopping.load(std::memory_order_acquire); });
}

void Scheduler::Pool::work_on_run() {
  workers[0].mark = base::ticks();
  work_tasks(workers[0], [this] { return is_over(); });
}

/// @throws StalledError
template <class Done>
void Scheduler::Pool::work_tasks(Worker& worker, Done done) {
  for (;;) {
    Item item{std::exchange(worker.next, no_node), nullptr};
    if (!item) item.node = next_of_batch(worker);
    if (!item) item = take(worker, Wanted::tasks_and_jobs);
    if (!item) item = look_for_work(worker, Wanted::tasks_and_jobs, done);
    if (!item) return;
    execute(worker, item);
  }
}

void Scheduler::Pool::work_until(const std::function<bool()>& done, Job* first) {
  if (Worker* const own = own_worker()) {
    Worker& worker = *own;
    const trace::KindId kind = worker.stamps.kind();
    const std::uint32_t key = worker.key;
    if (worker.stamps.end(key)) close_block(worker);  // what the waiting task has done so far
    give_back_batch(worker);
    ++worker.depth;
    try {
      if (first != nullptr) run_job(worker, *first);
      work_jobs(worker, done);
    } catch (...) {
      --worker.depth;
      throw;
    }
    --worker.depth;
    begin_event(worker, kind);
    worker.key = key;
    return;
  }
  if (std::this_thread::get_id() != owner_thread) {
    throw base::PreconditionError("only workers of a scheduler, and the thread that made it, can work for it");
  }
  active.fetch_add(1, std::memory_order_seq_cst);
  wake();
  const detail::AsWorker as(*scheduler, workers[0]);
  workers[0].mark = base::ticks();
  try {
    if (first != nullptr) run_job(workers[0], *first);
    work_jobs(workers[0], done);
  } catch (...) {
    active.fetch_sub(1, std::memory_order_seq_cst);
    throw;
  }
  if (workers[0].stamps.is_open()) close_block(workers[0]);
  active.fetch_sub(1, std::memory_order_seq_cst);
}

void Scheduler::Pool::work_jobs(Worker& worker, const std::function<bool()>& done) {
  while (!done()) {
    Item item = take(worker, Wanted::jobs);
    if (!item) item = look_for_work(worker, Wanted::jobs, done);
    if (!item) return;
    execute(worker, item);
  }
}

std::uint32_t Scheduler::Pool::next_of_batch(Worker& worker) {
  if (worker.batch.empty()) return no_node;
  const std::uint32_t node = worker.batch.front();
  worker.batch = worker.batch.subspan(1);
  return node;
}

/// Others may have what the worker will not come to soon.
void Scheduler::Pool::give_back_batch(Worker& worker) {
  if (!worker.batch.empty()) worker.queue.push(std::exchange(worker.batch, {}));
}

/// From the own queue or from another's.
Item Scheduler::Pool::take(Worker& worker, Wanted wanted) {
  Item item;
  if (worker.queue.has_work()) {
    item = wanted == Wanted::jobs ? Item{no_node, worker.queue.pop_job(worker.hands)}
                                  : worker.queue.pop(worker.hands, worker.stamps.expected(), worker.batch);
    if (item) return item;
  }
  return count > 1 ? steal(worker, wanted) : item;
}

/// Waits for work, polling in the meantime, and records the time as idle or, while communication is outstanding, as
/// waiting.
/// @return  nothing once `done` is true
/// @throws  StalledError
template <class Done>
Item Scheduler::Pool::look_for_work(Worker& worker, Wanted wanted, Done done) {
  interrupt_block(worker);
  publish(worker);
  if (worker.depth == 0) worker.hands.busy.store(false, std::memory_order_release);
  worker.hands.idle.store(true, std::memory_order_release);
  bool waiting = tokens.is_any_awaited();
  Rest pause{.may_sleep = worker.number != 0 && worker.depth == 0};
  Watch watch{.stalls = stalls.load(std::memory_order_acquire)};
  Item item;
  while (!done()) {
    item = take(worker, wanted);
    if (item) break;
    const bool awaited = tokens.is_any_awaited();
    if (awaited != waiting) record(worker, std::exchange(waiting, awaited) ? wait_kind : idle_kind, 0);
    if (tokens.outstanding() > 0 && may_poll(worker) && poll(worker) > 0) continue;
    if (must_settle(worker)) {
      book_rest(worker, pause, waiting);
      waiting = tokens.is_any_awaited();  // else an operation that has ended since would be recorded after the answer
      answer_settle(worker);
    }
    if (worker.depth == 0 && pause.tries >= tries_before_idle_work && do_idle_work(worker, waiting)) continue;
    rest(worker, pause);
    const bool checks = options.stall_timeout_s > 0.0 && (worker.number == 0 || worker.depth > 0);
    if (checks && pause.tries % tries_between_checks == 0 && is_stalled(watch)) {
      const std::string report = report_stall(watch);
      worker.hands.idle.store(false, std::memory_order_release);
      throw StalledError(report);
    }
  }
  worker.changes.store(worker.changes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  worker.hands.idle.store(false, std::memory_order_release);
  book_rest(worker, pause, waiting);
  return item;
}

/// Does a piece of what can wait. @return whether there was one
bool Scheduler::Pool::do_idle_work(Worker& worker, bool waiting) {
  const IdleWork* const seen = idle_work.load(std::memory_order_relaxed);
  if (seen == nullptr || !seen->has_some()) return false;
  at_idle_work.fetch_add(1, std::memory_order_seq_cst);
  IdleWork* const work = idle_work.load(std::memory_order_seq_cst);
  if (work != nullptr) record(worker, waiting ? wait_kind : idle_kind, 0);
  const trace::KindId kind = work != nullptr ? idle_work_kind : trace::KindId{};
  const bool did = work != nullptr && work->do_some();
  at_idle_work.fetch_sub(1, std::memory_order_seq_cst);
  if (!did) return false;
  record(worker, kind, 0);
  worker.changes.store(worker.changes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return true;
}

/// Between a call of settle and the next work, nothing is recorded.
void Scheduler::Pool::book_rest(Worker& worker, Rest& rest, bool waiting) {
  worker.track->counters.sleeps += std::exchange(rest.sleeps, 0);
  record(worker, waiting ? wait_kind : idle_kind, 0);
}

// ---- running -------------------------------------------------------------------------------------------------------

/// From here on the worker's time is that of `kind`.
inline void Scheduler::Pool::begin_event(Worker& worker, trace::KindId kind) {
  if (kind != worker.stamps.kind()) change_kind(worker, kind);
}

/// The same for a task with a stamp of its own.
inline void Scheduler::Pool::close_single(Worker& worker, std::uint32_t node) {
  const std::int64_t now = base::ticks();
  worker.track->record(worker.stamps.close_single(worker.mark, now, worker.key));
  activation->seconds_[node] = seconds_of(now - worker.mark);
  worker.mark = now;
  if (worker.stamps.expected() == 0) give_back_batch(worker);
}

void Scheduler::Pool::execute(Worker& worker, const Item& item) {
  if (item.job != nullptr) {
    run_job(worker, *item.job);
  } else if (!failed.load(std::memory_order_relaxed)) {
    run_task(worker, item.node);
  }
}

void Scheduler::Pool::run_job(Worker& worker, Job& job) {
  begin_event(worker, job.kind);
  const std::uint32_t key = worker.key = job.key;
  job.run(job);
  ++worker.track->counters.jobs;
  const bool outstanding = tokens.outstanding() > 0;
  if (!worker.stamps.end(key) && !outstanding) return;
  const std::int64_t now = close_block(worker);
  if (!outstanding) return;
  worker.stamps.interrupt();
  if (now <= worker.next_poll || !may_poll(worker)) return;
  const trace::KindId kind = kind_of_poll();
  if (poll(worker) > 0) record(worker, kind, 0);
}

void Scheduler::Pool::run_task(Worker& worker, std::uint32_t node) {
  const bool may_lock = !activation->first_lock_.empty();
  if (may_lock && !lock(worker, node)) return;
  const TaskId id = activation->nodes_[node].task;
  const Graph::Task& task = graph->tasks_.tasks[static_cast<std::size_t>(id)];
  begin_event(worker, kinds[static_cast<std::size_t>(task.kind)]);
  worker.key = task.key;
  const std::int64_t begin = worker.mark;
  StepContext context = *step;
  context.worker_ = worker.number;
  context.node_ = node;
  context.awaits_ = 0;
  context.task_ = id;
  context.graph_ = graph;
  context.scheduler_ = scheduler;
  call(worker, task, context);
  const bool outstanding = tokens.outstanding() > 0;
  const bool has_waited = worker.mark != begin;  // what it did before is recorded already
  if (worker.stamps.is_single() && !has_waited) {
    close_single(worker, node);
  } else if (worker.stamps.end(task.key, node) || outstanding || has_waited) {
    const std::int64_t now = close_block(worker);
    if (has_waited) activation->seconds_[node] = seconds_of(now - begin);
  }
  ++worker.track->counters.tasks;
  if (context.awaits_ == 0) {
    finish(worker, node);
  } else {
    count_down(worker, node);
  }
  if (!outstanding) return;
  worker.stamps.interrupt();
  if (worker.mark > worker.next_poll && may_poll(worker)) {
    const trace::KindId kind = kind_of_poll();
    poll(worker);
    record(worker, kind, 0);
  }
}

/// Calls the task's function; what it throws ends the run.
void Scheduler::Pool::call(Worker& worker, const Graph::Task& task, StepContext& context) noexcept {
  try {
    task.call.function(task.call.object, context);
    return;
  } catch (base::Error& failure) {
    try {
      failure.add_context("in task " + graph->name_of(context.task_));
    } catch (const std::bad_alloc&) {  // the error itself matters more than where it happened
    }
    fail(std::current_exception());
  } catch (...) {
    fail(std::current_exception());
  }
  worker.next = no_node;
}

std::span<const DatumId> Scheduler::Pool::locks_of(std::uint32_t node) const {
  const std::vector<std::uint32_t>& first = activation->first_lock_;
  if (first.empty()) return {};
  return std::span(activation->locks_).subspan(first[node], first[node + 1] - first[node]);
}

/// @return  false if the task has been parked: another worker may have it already
bool Scheduler::Pool::lock(Worker& worker, std::uint32_t node) {
  const std::span<const DatumId> data = locks_of(node);
  if (data.empty()) return true;
  const bool locked = locks.lock_or_park(node, data, worker.woken);
  if (!locked) ++worker.track->counters.conflicts;
  if (!worker.woken.empty()) pass_on(worker);
  return locked;
}

/// Records a task that has ended and releases its successors.
void Scheduler::Pool::finish(Worker& worker, std::uint32_t node) {
  if (!activation->first_lock_.empty()) {
    const std::span<const DatumId> data = locks_of(node);
    if (!data.empty()) locks.unlock(data, worker.woken);
  }
  if (activation->nodes_[node].followers > 0) release(worker, node);
  if (!worker.ready.empty() || !worker.woken.empty()) pass_on(worker);
  ++worker.finished_here;
}

/// Counts a finished node down at its successors. Joins finish at once; they follow each other at most twice.
void Scheduler::Pool::release(Worker& worker, std::uint32_t node) {
  const Activation::Node& done = activation->nodes_[node];
  for (std::uint32_t e = done.first; e < done.first + done.followers; ++e) {
    const std::uint32_t follower = activation->successors_[e];
    const Activation::Node& waits = activation->nodes_[follower];
    if (waits.waits > 1) {
      std::atomic<std::uint32_t>& left = activation->counts_[follower];
      // The last of those that it waits for finds 1, which nobody else changes: a load in place of an exchange.
      if (left.load(std::memory_order_acquire) > 1 && left.fetch_sub(1, std::memory_order_acq_rel) > 1) continue;
      left.store(waits.waits, std::memory_order_relaxed);  // for the next run
    }
    if (waits.task == TaskId::none) {
      release(worker, follower);
    } else {
      worker.ready.push_back(follower);
    }
  }
}

/// Ends one of the things that a task waits for: its function, or an operation that it awaits.
void Scheduler::Pool::count_down(Worker& worker, std::uint32_t node) {
  std::atomic<std::uint32_t>& left = activation->counts_[node];
  if (left.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  left.store(activation->nodes_[node].waits, std::memory_order_relaxed);
  finish(worker, node);
}

/// Puts what has become ready into queues. Where a task has just ended, the most urgent goes without a queue, unless
/// something there is more so.
void Scheduler::Pool::pass_on(Worker& worker) {
  if (!activation->place_.empty() && count > 1) send_home(worker);
  std::vector<std::uint32_t>& ready = worker.ready;
  const std::vector<std::uint8_t>& level = activation->level_;
  const bool at_work = worker.hands.busy.load(std::memory_order_relaxed) && worker.depth == 0;
  if (at_work && !ready.empty() && worker.next == no_node) {
    auto first = ready.end() - 1;
    for (auto other = ready.begin(); other != ready.end(); ++other) {
      if (level[*other] > level[*first]) first = other;
    }
    if (level[*first] >= worker.queue.top_level()) {
      worker.next = *first;
      *first = ready.back();
      ready.pop_back();
    }
  }
  ready.insert(ready.end(), worker.woken.begin(), worker.woken.end());
  worker.woken.clear();
  if (!ready.empty()) {
    // The polling thread runs nothing itself; others steal from the worker that gets it.
    workers[worker.number < count ? worker.number : 0].queue.push(ready);
    ready.clear();
  }
}

/// Gives tasks whose data live with another worker to that one.
void Scheduler::Pool::send_home(Worker& worker) {
  std::erase_if(worker.ready, [&](std::uint32_t node) {
    const float place = activation->place_[node];
    if (place < 0.0F) return false;
    const std::size_t home = Activation::home_of(place, count);
    if (home == worker.number) return false;
    workers[home].queue.push(std::span(&node, 1));
    return true;
  });
}

}  // namespace tacit::tasks
