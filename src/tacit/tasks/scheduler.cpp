// Runs activated graphs on a fixed set of workers: one queue, one mutex.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/scheduler.hpp"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/tasks/detail/lock_table.hpp"
#include "tacit/tasks/detail/ready_queue.hpp"

namespace tacit::tasks {

namespace {

/// Tells the processor that this is a spinning loop.
inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

/// What the workers share. Everything but `changes` is guarded by `mutex`, which is never held while a task runs.
///
/// All scratch (counters, queue, locks) lives here and keeps its capacity, so a run no larger than an earlier one
/// allocates nothing.
struct Scheduler::Pool {
  using Lock = std::unique_lock<std::mutex>;

  Pool(std::size_t workers, trace::Recorder& to);

  void begin(const Graph& of, const Activation& what, const StepContext& at);
  void end();
  void work(std::uint32_t worker, Lock& lock, const std::stop_token& stop);
  [[nodiscard]] std::optional<std::uint32_t> take();
  [[nodiscard]] std::exception_ptr execute(std::uint32_t worker, std::uint32_t task) const;
  void finish(std::uint32_t task, std::exception_ptr failure);
  [[nodiscard]] std::uint32_t release(std::uint32_t node);
  [[nodiscard]] std::span<const DatumId> locks_of(std::uint32_t task) const;
  [[nodiscard]] bool is_over() const { return running == 0 && (remaining == 0 || error); }
  void wait(Lock& lock, const std::stop_token& stop);
  void announce(std::uint32_t new_tasks);

  trace::Recorder* recorder;
  int spins;  // before a worker without work sleeps
  std::mutex mutex;
  std::condition_variable_any wake;
  std::atomic<std::uint64_t> changes{0};  // grows when there is something to do; watched by spinning workers
  std::size_t sleepers = 0;

  // The run; empty between runs.
  const Graph* graph = nullptr;
  const Activation* activation = nullptr;
  const StepContext* step = nullptr;
  std::size_t remaining = 0;  // tasks not finished
  std::size_t running = 0;
  std::exception_ptr error;
  detail::ReadyQueue ready;
  detail::LockTable locks;
  std::vector<std::uint32_t> waits;  // per node: predecessors that are not finished
  std::vector<std::uint32_t> woken;
  std::vector<trace::KindId> kinds;

  std::vector<std::jthread> threads;  // last: they stop before the rest goes
};

Scheduler::Pool::Pool(std::size_t workers, trace::Recorder& to)
    // A futex wake takes about 30 us; spinning for about as long is worth it only if every worker has a processor.
    : recorder(&to), spins(workers <= available_threads() ? 2000 : 0) {
  threads.reserve(workers - 1);
  try {
    for (std::uint32_t i = 1; i < workers; ++i) {
      threads.emplace_back([this, i](const std::stop_token& stop) {
        Lock lock(mutex);
        work(i, lock, stop);
      });
    }
  } catch (const std::system_error& failure) {
    throw base::SystemError("threads",
                            fmt::format("cannot start worker {} of {}; use fewer threads", threads.size() + 2, workers),
                            failure.code().value());
  }
}

/// Makes the run visible to the workers. Called with the mutex held.
void Scheduler::Pool::begin(const Graph& of, const Activation& what, const StepContext& at) {
  kinds.clear();
  for (const std::string& name : of.kinds_) kinds.push_back(recorder->kind(name));
  waits.assign(what.waits_.begin(), what.waits_.end());
  locks.reset(of.parents_, what.size());
  woken.clear();
  woken.reserve(what.size());
  ready.reset(what.roots_, what.size());
  error = nullptr;
  remaining = what.size();
  graph = &of;
  activation = &what;
  step = &at;
  announce(static_cast<std::uint32_t>(what.roots_.size()));
}

void Scheduler::Pool::end() {
  ready.clear();
  graph = nullptr;
  activation = nullptr;
  step = nullptr;
}

/// The loop of each worker: worker 0 leaves it at the end of a run, the others when the pool ends.
/// Called and left with the mutex held.
void Scheduler::Pool::work(std::uint32_t worker, Lock& lock, const std::stop_token& stop) {
  trace::Lane& lane = recorder->lane(worker);
  std::int64_t mark = base::now_ns();
  while (!stop.stop_requested() && !(worker == 0 && is_over())) {
    const std::optional<std::uint32_t> task = take();
    if (!task) {
      wait(lock, stop);
      mark = base::now_ns();
      continue;
    }
    const Graph::Task& what = graph->tasks_[static_cast<std::size_t>(activation->tasks_[*task])];
    const trace::KindId kind = kinds[static_cast<std::size_t>(what.kind)];
    ++running;
    lock.unlock();
    std::exception_ptr failure = execute(worker, *task);
    const std::int64_t now = base::now_ns();
    lane.record({.begin_ns = mark, .end_ns = now, .kind = kind, .key = what.options.key});
    mark = now;  // one time stamp per task: the queue's own time counts to the next task
    lock.lock();
    --running;
    finish(*task, std::move(failure));
  }
}

/// The most urgent task whose locks are free, with its locks taken; others on the way are parked.
std::optional<std::uint32_t> Scheduler::Pool::take() {
  if (activation == nullptr || error) return std::nullopt;
  while (!ready.is_empty()) {
    const std::uint32_t task = activation->by_rank_[ready.pop()];
    const DatumId busy = locks.try_lock(locks_of(task));
    if (busy == DatumId::none) return task;
    locks.park(task, busy);
  }
  return std::nullopt;
}

std::span<const DatumId> Scheduler::Pool::locks_of(std::uint32_t task) const {
  const std::vector<std::uint32_t>& first = activation->first_lock_;
  if (first.empty()) return {};
  return std::span(activation->locks_).subspan(first[task], first[task + 1] - first[task]);
}

/// Runs a task's function. Called without the mutex.
/// @return  what it threw, or null
std::exception_ptr Scheduler::Pool::execute(std::uint32_t worker, std::uint32_t task) const {
  StepContext context = *step;
  context.worker_ = worker;
  context.task_ = activation->tasks_[task];
  context.graph_ = graph;
  try {
    graph->tasks_[static_cast<std::size_t>(context.task_)].function(context);
    return nullptr;
  } catch (base::Error& failure) {
    try {
      failure.add_context("in task " + graph->name_of(context.task_));
    } catch (const std::bad_alloc&) {  // the error itself matters more than where it happened
    }
    return std::current_exception();
  } catch (...) {
    return std::current_exception();
  }
}

/// Books a task that has ended. Called with the mutex held.
void Scheduler::Pool::finish(std::uint32_t task, std::exception_ptr failure) {
  --remaining;
  if (failure && !error) error = std::move(failure);
  if (!error) {
    std::uint32_t new_tasks = release(task);
    woken.clear();
    locks.unlock(locks_of(task), woken);
    for (const std::uint32_t other : woken) ready.push(activation->rank_[other]);
    new_tasks += static_cast<std::uint32_t>(woken.size());
    if (new_tasks > 1) announce(new_tasks - 1);  // the caller takes one itself
  }
  if (is_over()) announce(static_cast<std::uint32_t>(sleepers));
}

/// Counts a finished node down at its successors. Joins finish at once; they follow each other at most twice.
/// @return  number of tasks that became ready
std::uint32_t Scheduler::Pool::release(std::uint32_t node) {
  std::uint32_t new_tasks = 0;
  for (std::uint32_t e = activation->first_[node]; e < activation->first_[node + 1]; ++e) {
    const std::uint32_t next = activation->successors_[e];
    if (--waits[next] > 0) continue;
    if (next < activation->size()) {
      ready.push(activation->rank_[next]);
      ++new_tasks;
    } else {
      new_tasks += release(next);
    }
  }
  return new_tasks;
}

/// Tells waiting workers that there are `new_tasks` more to take, or that the run is over. Called with the mutex held.
void Scheduler::Pool::announce(std::uint32_t new_tasks) {
  changes.fetch_add(1, std::memory_order_release);
  if (new_tasks >= sleepers) {
    wake.notify_all();
    return;
  }
  for (std::uint32_t i = 0; i < new_tasks; ++i) wake.notify_one();
}

/// Waits until something was announced or the pool ends: spins a little without the mutex, then sleeps.
void Scheduler::Pool::wait(Lock& lock, const std::stop_token& stop) {
  const std::uint64_t seen = changes.load(std::memory_order_relaxed);
  const auto changed = [&] { return changes.load(std::memory_order_acquire) != seen; };
  lock.unlock();
  for (int i = 0; i < spins && !changed(); ++i) relax();
  lock.lock();
  if (changed()) return;
  ++sleepers;
  wake.wait(lock, stop, changed);
  --sleepers;
}

namespace {

std::size_t checked_workers(std::size_t workers, const trace::Recorder& recorder) {
  if (workers < 1) throw base::PreconditionError("a scheduler needs at least 1 worker");
  if (recorder.lanes() < workers) {
    throw base::PreconditionError(
        fmt::format("a scheduler of {} workers needs as many lanes, the recorder has {}", workers, recorder.lanes()));
  }
  return workers;
}

}  // namespace

Scheduler::Scheduler(std::size_t workers, trace::Recorder& recorder)
    : pool_(std::make_unique<Pool>(checked_workers(workers, recorder), recorder)) {}

Scheduler::~Scheduler() = default;

std::size_t Scheduler::workers() const noexcept { return pool_->threads.size() + 1; }

void Scheduler::run(Graph& graph, const Activation& activation, const StepContext& step) {
  TACIT_EXPECT(activation.tasks_.empty() || static_cast<std::size_t>(activation.tasks_.back()) < graph.size());
  Pool::Lock lock(pool_->mutex);
  if (pool_->graph != nullptr) throw base::PreconditionError("a scheduler runs one activation at a time");
  pool_->begin(graph, activation, step);
  pool_->work(0, lock, std::stop_token{});
  pool_->end();
  if (const std::exception_ptr failure = std::exchange(pool_->error, nullptr)) {
    lock.unlock();
    std::rethrow_exception(failure);
  }
}

}  // namespace tacit::tasks
