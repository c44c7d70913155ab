// Operations that finish later: tokens, polling, and their waiters.
// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <utility>

#include "tacit/base/clock.hpp"
#include "tacit/base/computing_source.hpp"
#include "tacit/tasks/detail/pool.hpp"
#include "tacit/tasks/listener.hpp"

namespace tacit::tasks {

using detail::Source;
using detail::Waiting;

base::Token StepContext::await(base::CompletionSource& source, const Posting& about) {
  if (scheduler_ == nullptr) throw base::PreconditionError("only a running task can await an operation");
  // The function counts as one of the things that the task waits for, so that it cannot end before its function.
  std::atomic<std::uint32_t>& left = scheduler_->pool_->activation->counts_[node_];
  if (awaits_++ == 0) {
    left.store(2, std::memory_order_relaxed);
  } else {
    left.fetch_add(1, std::memory_order_relaxed);
  }
  return scheduler_->pool_->expect(
      {.source = &source, .node = node_, .key = about.key, .alone_s = about.alone_s, .bytes = about.bytes});
}

void StepContext::note_completed(const Posting& about) {
  if (scheduler_ == nullptr) throw base::PreconditionError("only a running task can note a transfer");
  Scheduler::Pool& pool = *scheduler_->pool_;
  const std::int64_t now = base::ticks();
  pool.workers[worker_].track->record(
      trace::Transfer{.posted = now,
                      .completed = now,
                      .kind = pool.kinds[static_cast<std::size_t>(pool.graph->kind_of(task_))],
                      .key = about.key,
                      .alone_s = about.alone_s,
                      .bytes = about.bytes});
}

void StepContext::note_sent(TaskKind phase, std::uint64_t messages, std::uint64_t bytes) {
  if (scheduler_ == nullptr) throw base::PreconditionError("only a running task can count messages");
  Scheduler::Pool& pool = *scheduler_->pool_;
  pool.workers[worker_].track->count_sent(pool.kinds[static_cast<std::size_t>(phase)], messages, bytes);
}

base::Token Scheduler::expect(base::CompletionSource& source, Awaiter& awaiter, std::uint32_t key) {
  const bool listens = dynamic_cast<Listener*>(&awaiter) != nullptr;
  return pool_->expect({.source = &source, .awaiter = &awaiter, .key = key, .listens = listens});
}

void Scheduler::attach(base::CompletionSource& source) { pool_->attach(source); }

void Scheduler::detach(base::CompletionSource& source) { pool_->detach(source); }

base::Token Scheduler::Pool::expect(const Waiting& waiting) {
  Waiting entry = waiting;
  entry.computes = computes(*waiting.source);
  entry.posted = base::ticks();
  const base::Token token = tokens.add(entry);
  if (poller_sleeps.load(std::memory_order_seq_cst)) wake_poller();
  return token;
}

void Scheduler::Pool::attach(base::CompletionSource& source) {
  std::size_t place = source_count.load();
  for (std::size_t i = 0; i < source_count.load(); ++i) {
    const std::lock_guard guard(sources[i].polled);
    if (sources[i].source == nullptr) place = i;
    if (sources[i].source != &source) continue;
    ++sources[i].uses;
    return;
  }
  if (place == most_sources) throw base::PreconditionError("a scheduler polls at most 64 sources");
  {
    const std::lock_guard guard(sources[place].polled);
    sources[place].source = &source;
    sources[place].uses = 1;
    const bool is_computing = dynamic_cast<const base::ComputingSource*>(&source) != nullptr;
    sources[place].kind =
        recorder->kind(source.name(), is_computing ? trace::Category::task : trace::Category::communication);
    if (is_computing) {
      computing_kind.store(sources[place].kind, std::memory_order_relaxed);
      computing_sources.fetch_add(1, std::memory_order_relaxed);
    }
  }
  if (place == source_count.load()) source_count.store(place + 1, std::memory_order_release);
}

void Scheduler::Pool::detach(base::CompletionSource& source) {
  bool awaited = false;
  tokens.for_each([&](base::Token, const Waiting& waiting) { awaited = awaited || waiting.source == &source; });
  if (awaited) throw base::PreconditionError("a source cannot be detached while one of its operations is awaited");
  for (std::size_t i = 0; i < source_count.load(); ++i) {
    const std::lock_guard guard(sources[i].polled);
    if (sources[i].source != &source || --sources[i].uses > 0) continue;
    sources[i].source = nullptr;
    if (dynamic_cast<const base::ComputingSource*>(&source) != nullptr) {
      computing_sources.fetch_sub(1, std::memory_order_relaxed);
    }
  }
}

bool Scheduler::Pool::may_poll(const Worker& worker) const {
  return options.polling == Polling::idle_workers || (options.polling == Polling::one_worker && worker.number == 0);
}

/// Asked where something is posted: without such sources for next to nothing.
bool Scheduler::Pool::computes(const base::CompletionSource& source) const {
  return computing_sources.load(std::memory_order_relaxed) > 0 &&
         dynamic_cast<const base::ComputingSource*>(&source) != nullptr;
}

/// What the time of the next poll belongs to.
trace::KindId Scheduler::Pool::kind_of_poll() const {
  if (computing_sources.load(std::memory_order_relaxed) == 0 || tokens.has_messages()) return poll_kind;
  return computing_kind.load(std::memory_order_relaxed);
}

/// Polls each source once, except those that another thread is polling.
/// @return  number of completions
std::size_t Scheduler::Pool::poll(Worker& worker) {
  std::size_t completions = 0;
  const std::size_t used = source_count.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    if (!sources[i].polled.try_lock()) continue;
    const std::lock_guard guard(sources[i].polled, std::adopt_lock);
    if (sources[i].source != nullptr) completions += drain(worker, sources[i]);
  }
  worker.next_poll = base::ticks() + poll_interval;
  return completions;
}

/// Takes what has finished. Called under the source's lock.
std::size_t Scheduler::Pool::drain(Worker& worker, Source& slot) {
  std::array<base::Completion, 64> completions;
  std::size_t sum = 0;
  std::size_t got = 0;
  do {
    got = slot.source->poll(completions);
    ++worker.track->counters.polls;
    for (std::size_t i = 0; i < got; ++i) complete(worker, slot, completions[i]);
    sum += got;
  } while (got == completions.size());
  if (sum == 0) return 0;
  worker.track->counters.completions += sum;
  worker.changes.store(worker.changes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  publish(worker);
  return sum;
}

/// A transfer has the name of its task, or of its source.
trace::KindId Scheduler::Pool::kind_of(const Waiting& waiting, const Source& slot) const {
  if (waiting.awaiter != nullptr) return slot.kind;
  return kinds[static_cast<std::size_t>(graph->kind_of(activation->nodes_[waiting.node].task))];
}

/// Notifies the waiter. A completion without a waiter belongs to a cancelled operation.
void Scheduler::Pool::complete(Worker& worker, const Source& slot, const base::Completion& completion) {
  const std::optional<Waiting> waiting = tokens.take(completion.token);
  if (!waiting) return;
  const auto said_s = static_cast<double>(completion.alone_s);
  if (!waiting->listens && !waiting->computes) {
    worker.track->record(trace::Transfer{.posted = waiting->posted,
                                         .completed = base::ticks(),
                                         .kind = kind_of(*waiting, slot),
                                         .key = waiting->key,
                                         .alone_s = said_s > 0.0 ? said_s : waiting->alone_s,
                                         .bytes = waiting->bytes});
  }
  if (waiting->awaiter != nullptr) {
    waiting->awaiter->finished(completion);
  } else {
    complete_task(worker, *waiting, completion);
  }
}

void Scheduler::Pool::complete_task(Worker& worker, const Waiting& waiting, const base::Completion& completion) {
  if (completion.error == 0) {
    count_down(worker, waiting.node);
    return;
  }
  const TaskId task = activation->nodes_[waiting.node].task;
  try {
    base::SystemError failure(std::string(waiting.source->name()), waiting.source->explain(completion), 0);
    failure.add_context("in task " + graph->name_of(task));
    throw failure;
  } catch (...) {
    fail(std::current_exception());
  }
}

// ---- the polling thread --------------------------------------------------------------------------------------------

void Scheduler::Pool::start_polling_thread() {
  wake_descriptor = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (wake_descriptor < 0) throw base::SystemError("eventfd", "cannot be made for the polling thread", errno);
  threads.emplace_back([this] { serve_polls(); });
}

/// The life of the polling thread: asks without pause for a while after each completion, then sleeps until a descriptor
/// is raised, or briefly where a source has none.
void Scheduler::Pool::serve_polls() {
  Worker& worker = workers[count];
  const detail::AsWorker as(*scheduler, worker);
  begun.fetch_add(1, std::memory_order_acq_rel);
  std::uint32_t fruitless = 0;
  while (!stopping.load(std::memory_order_seq_cst)) {
    worker.mark = base::ticks();
    if (must_settle(worker)) answer_settle(worker);
    const bool outstanding = tokens.outstanding() > 0;
    const trace::KindId kind = kind_of_poll();
    if (outstanding && poll(worker) > 0) fruitless = 0;
    if (outstanding) record(worker, kind, 0);
    if (outstanding && ++fruitless < 200) continue;
    sleep_on_descriptors();
  }
}

/// Sleeps until a source or wake_poller ends it.
void Scheduler::Pool::sleep_on_descriptors() {
  constexpr int no_timeout = -1;
  constexpr int while_a_source_has_none_ms = 1;
  std::array<pollfd, most_sources + 1> descriptors{};
  std::size_t used = 0;
  int timeout = no_timeout;
  bool ready = false;
  poller_sleeps.store(true, std::memory_order_seq_cst);
  descriptors[used++] = {.fd = wake_descriptor, .events = POLLIN, .revents = 0};
  // The first await wakes this thread; until then cancelled operations may raise descriptors to no effect.
  const bool outstanding = tokens.outstanding() > 0;
  for (std::size_t i = 0; outstanding && i < source_count.load(std::memory_order_acquire); ++i) {
    const std::lock_guard guard(sources[i].polled);
    if (sources[i].source == nullptr) continue;
    const int descriptor = sources[i].source->descriptor();
    if (descriptor < 0) {
      timeout = while_a_source_has_none_ms;
      continue;
    }
    descriptors[used++] = {.fd = descriptor, .events = POLLIN, .revents = 0};
    ready = ready || !sources[i].source->arm();
  }
  if (!ready && !stopping.load(std::memory_order_seq_cst) && !must_settle(workers[count])) {
    ++workers[count].track->counters.sleeps;
    static_cast<void>(::poll(descriptors.data(), used, timeout));
  }
  poller_sleeps.store(false, std::memory_order_seq_cst);
  std::uint64_t ignored = 0;
  static_cast<void>(!::read(wake_descriptor, &ignored, sizeof(ignored)));
}

void Scheduler::Pool::wake_poller() {
  const std::uint64_t one = 1;
  if (wake_descriptor >= 0) static_cast<void>(!::write(wake_descriptor, &one, sizeof(one)));
}

void Scheduler::Pool::close_wake_descriptor() {
  if (wake_descriptor >= 0) ::close(wake_descriptor);
}

}  // namespace tacit::tasks
