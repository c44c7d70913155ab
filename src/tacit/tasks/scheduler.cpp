// Runs of activated graphs: begin, end, failure; and the scheduler's public face.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "tacit/tasks/detail/pool.hpp"

namespace tacit::tasks {

Scheduler::Pool::Pool(Scheduler& owner, const SchedulerOptions& from, trace::Recorder& to)
    : scheduler(&owner),
      options(from),
      recorder(&to),
      oversubscribed(from.workers > topology::available_threads()),
      poll_interval(static_cast<std::int64_t>(1e9 * from.poll_interval_s / to.scale().ns_per_tick())),
      idle_kind(to.kind("idle", trace::Category::idle)),
      wait_kind(to.kind("wait", trace::Category::wait)),
      poll_kind(to.kind("poll", trace::Category::poll)),
      workers(from.workers + 1),
      count(from.workers),
      owner_thread(std::this_thread::get_id()) {
  for (std::uint32_t i = 0; i <= count; ++i) {
    workers[i].number = i;
    workers[i].track = i < count ? &to.track(i) : &to.outside();
    const auto us = static_cast<std::int64_t>(1000.0 / to.scale().ns_per_tick());
    workers[i].pace = detail::TheftPace(us);
    workers[i].watch = detail::VictimWatch(2 * us, 4);
    workers[i].look_interval = 8 * us;
  }
  start_threads();
}

void Scheduler::Pool::start_threads() {
  std::vector<topology::CpuId> cpus;
  if (options.pin && topology::should_bind(count)) cpus = topology::allowed_cpus();
  threads.reserve(count);
  try {
    for (std::uint32_t i = 1; i < count; ++i) {
      threads.emplace_back([this, i, cpu = cpus.empty() ? std::nullopt : std::optional(cpus[i])] {
        std::optional<topology::Binding> bound;
        if (cpu) bound.emplace(*cpu);
        serve(i);
      });
    }
    if (options.polling == Polling::thread) start_polling_thread();
  } catch (const std::system_error& failure) {
    stop_threads();
    throw base::SystemError("threads",
                            fmt::format("cannot start worker {} of {}; use fewer threads", threads.size() + 2, count),
                            failure.code().value());
  }
  // What a thread needs at its start is not to be allocated in the middle of a run.
  while (begun.load(std::memory_order_acquire) < threads.size()) std::this_thread::yield();
  if (!cpus.empty()) binding.emplace(cpus[0]);
}

void Scheduler::Pool::stop_threads() {
  stopping.store(true, std::memory_order_seq_cst);
  wake();
  wake_poller();
  threads.clear();
}

Scheduler::Pool::~Pool() {
  stop_threads();
  {
    const detail::AsWorker as(*scheduler, workers[0]);
    workers[0].mark = base::ticks();
    while (const detail::Item left = take(workers[0], Wanted::jobs)) execute(workers[0], left);
    interrupt_block(workers[0]);
  }
  close_wake_descriptor();
}

void Scheduler::Pool::run(Graph& of, Activation& what, const StepContext& at) {
  if (graph != nullptr) throw base::PreconditionError("a scheduler runs one activation at a time");
  if (std::this_thread::get_id() != owner_thread) {
    throw base::PreconditionError("a scheduler runs graphs only for the thread that made it");
  }
  const std::int64_t start = base::ticks();
  begin(of, what, at);
  {
    const detail::AsWorker as(*scheduler, workers[0]);
    try {
      work_on_run();
    } catch (...) {  // a stall
      fail(std::current_exception());
    }
  }
  if (failed.load(std::memory_order_acquire)) wind_up();
  end();
  if (std::exception_ptr failure = std::exchange(error, nullptr)) {
    what.is_fresh_ = false;
    of.has_failed_ = true;
    std::rethrow_exception(std::move(failure));
  }
  what.has_run_ = true;
  const std::int64_t wall = base::ticks() - start;
  what.note_wall(1e9 * static_cast<double>(seconds_of(wall)), count);
  analyse(of, what, wall);
}

/// Makes the run visible to the workers.
void Scheduler::Pool::begin(Graph& of, Activation& what, const StepContext& at) {
  const std::size_t sharing = what.sharing_.is_alone() ? 1 : count;
  if (sharing < count && ++alone_runs == 0) alone_runs = 1;
  alone_run.store(sharing < count ? alone_runs : 0, std::memory_order_relaxed);
  what.deal(sharing);
  what.reset_counts();
  what.seconds_.resize(what.nodes_.size());
  longest.reserve(what.nodes_.size());  // whether a run is analysed is known only afterwards
  path_by_kind.reserve(of.kinds_.size());
  path_entries.reserve(of.kinds_.size());
  if (next.size() < what.nodes_.size()) next.resize(what.nodes_.size());
  for (Worker& worker : workers) {  // at most all tasks at once; memory that is not used is never touched
    worker.ready.reserve(what.size());
    worker.woken.reserve(what.size());
  }
  if (!what.first_lock_.empty()) locks.reset(of.parents_, next.data(), what.nodes_.size());
  name_kinds(of);
  graph = &of;
  activation = &what;
  step = &at;
  scale_ticks();
  failed.store(false, std::memory_order_relaxed);
  finished_before = finished();
  active.fetch_add(1, std::memory_order_seq_cst);
  const detail::NodeLists lists{next.data(), what.level_.data()};
  const std::span<const std::uint32_t> dealt = what.dealt_;
  for (std::size_t i = 0; i < count; ++i) workers[i].queue.hold();
  for (std::size_t i = count; i-- > 0;) {  // from the last on: a worker that looks too early finds its own first
    const std::uint32_t first = what.first_dealt_[std::min(i, sharing)];
    workers[i].queue.open(lists, dealt.subspan(first, what.first_dealt_[std::min(i + 1, sharing)] - first));
  }
  for (std::size_t i = count; i-- > 0;) workers[i].queue.let_go();
  wake();
}

/// Finds the kinds of a graph in the recorder: by name, so not for every run.
void Scheduler::Pool::name_kinds(const Graph& of) {
  if (named_graph == of.number_.value() && kinds.size() == of.kinds_.size()) return;
  kinds.clear();
  for (std::size_t k = 0; k < of.kinds_.size(); ++k) kinds.push_back(recorder->kind(of.kinds_[k], of.categories_[k]));
  named_graph = of.number_.value();
}

/// Reading the clocks takes as long as three tasks, so only when the scale has become twice as old, and better by that.
void Scheduler::Pool::scale_ticks() {
  const std::int64_t now = base::ticks();
  if (now < next_scale) return;
  ns_per_tick = static_cast<float>(recorder->scale().ns_per_tick());
  next_scale = now + (now - recorder->scale().start());
}

void Scheduler::Pool::end() {
  for (std::size_t i = 0; i < count; ++i) workers[i].queue.close();
  active.fetch_sub(1, std::memory_order_seq_cst);
  graph = nullptr;
  activation = nullptr;
  step = nullptr;
}

/// Tasks that have ended so far, as far as the workers have published.
std::uint64_t Scheduler::Pool::finished() const {
  std::uint64_t sum = 0;
  for (const Worker& worker : workers) sum += worker.finished.load(std::memory_order_acquire);
  return sum;
}

/// Whether worker 0, which has nothing to do, may leave the run.
bool Scheduler::Pool::is_over() const {
  if (failed.load(std::memory_order_acquire)) return true;
  return finished() - finished_before == activation->size();
}

/// Remembers the first failure and drops all tasks that have not begun. From any thread.
void Scheduler::Pool::fail(std::exception_ptr failure) noexcept {
  {
    const std::lock_guard guard(error_mutex);
    if (!error) error = std::move(failure);
  }
  failed.store(true, std::memory_order_release);
  for (std::size_t i = 0; i < count; ++i) workers[i].queue.close();
}

/// Waits until no thread touches the run any more.
///
/// Queues are closed, so no worker can take a task; those that have one in hand are busy, and became so under the lock
/// of a queue, before it was closed. Operations that tasks await are cancelled; a thread that is just handling a
/// completion of one holds the lock of its source.
void Scheduler::Pool::wind_up() {
  workers[0].hands.idle.store(true, std::memory_order_release);  // so that a stall is still detected
  for (std::size_t i = 1; i < count; ++i) {
    while (workers[i].hands.busy.load(std::memory_order_acquire)) {
      // A task that is in hand may wait for an operation, and this worker may be the one that polls.
      if (tokens.outstanding() == 0 || !may_poll(workers[0]) || poll(workers[0]) == 0) std::this_thread::yield();
    }
  }
  workers[0].next = detail::no_node;
  workers[0].batch = {};
  const auto cancelled = tokens.take_all_of_tasks();
  for (detail::Source& slot : sources) {
    const std::lock_guard guard(slot.polled);
    for (const auto& [token, waiting] : cancelled) {
      if (waiting.source == slot.source) slot.source->cancel(token);
    }
  }
}

namespace {

/// A run is analysed when that takes at most 1 % of the time since the last analysis.
constexpr double most_effort = 100.0;

}  // namespace

/// Finds the critical path of some runs by measured times.
void Scheduler::Pool::analyse(const Graph& of, const Activation& what, std::int64_t wall) {
  unanalysed += wall;
  const double size = static_cast<double>(what.nodes_.size() + what.edges());
  if (what.size() == 0 || static_cast<double>(unanalysed) < most_effort * analysis_ticks * size) return;
  unanalysed = 0;
  const std::int64_t start = base::ticks();
  trace::CriticalPath path;
  path.runs = 1;
  const std::uint32_t begin = measure_chains(what, path);
  name_chain(of, what, begin, path);
  recorder->add_critical_path(path);
  path_entries = std::move(path.by_kind);
  analysis_ticks = static_cast<double>(base::ticks() - start) / size;
}

/// Fills `longest`, the time of the longest chain that begins with each node.
/// @return  where the longest of all begins
std::uint32_t Scheduler::Pool::measure_chains(const Activation& what, trace::CriticalPath& path) {
  longest.assign(what.nodes_.size(), 0.0F);
  std::uint32_t begin = 0;
  for (auto n = static_cast<std::uint32_t>(longest.size()); n-- > 0;) {
    const std::uint32_t next_node = longest_behind(what, n);
    const float seconds = what.nodes_[n].task == TaskId::none ? 0.0F : what.seconds_[n];
    longest[n] = seconds + (next_node == detail::no_node ? 0.0F : longest[next_node]);
    path.work_s += static_cast<double>(seconds);
    if (longest[n] > longest[begin]) begin = n;
  }
  path.length_s = static_cast<double>(longest[begin]);
  return begin;
}

/// Where the longest chain goes on, or no_node.
std::uint32_t Scheduler::Pool::longest_behind(const Activation& what, std::uint32_t node) const {
  const Activation::Node& at = what.nodes_[node];
  std::uint32_t found = detail::no_node;
  for (std::uint32_t e = at.first; e < at.first + at.followers; ++e) {
    const std::uint32_t follower = what.successors_[e];
    if (found == detail::no_node || longest[follower] > longest[found]) found = follower;
  }
  return found;
}

/// Walks the longest chain and sums its time by kind.
void Scheduler::Pool::name_chain(const Graph& of, const Activation& what, std::uint32_t begin,
                                 trace::CriticalPath& path) {
  path_by_kind.assign(of.kinds_.size(), 0.0);
  for (std::uint32_t n = begin; n != detail::no_node; n = longest_behind(what, n)) {
    const TaskId task = what.nodes_[n].task;
    if (task == TaskId::none) continue;
    const auto kind = static_cast<std::size_t>(of.tasks_.tasks[static_cast<std::size_t>(task)].kind);
    path_by_kind[kind] += static_cast<double>(what.seconds_[n]);
  }
  path.by_kind = std::move(path_entries);
  path.by_kind.clear();
  for (std::size_t k = 0; k < path_by_kind.size(); ++k) {
    if (path_by_kind[k] > 0.0) path.by_kind.emplace_back(kinds[k], path_by_kind[k]);
  }
}

namespace {

const SchedulerOptions& checked(const SchedulerOptions& options, const trace::Recorder& recorder) {
  if (options.workers < 1) throw base::PreconditionError("a scheduler needs at least 1 worker");
  if (recorder.tracks() < options.workers) {
    throw base::PreconditionError(fmt::format("a scheduler of {} workers needs as many tracks, the recorder has {}",
                                              options.workers, recorder.tracks()));
  }
  return options;
}

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options, trace::Recorder& recorder)
    : pool_(std::make_unique<Pool>(*this, checked(options, recorder), recorder)) {}

Scheduler::~Scheduler() = default;

std::size_t Scheduler::workers() const noexcept { return pool_->count; }

trace::Recorder& Scheduler::recorder() const noexcept { return *pool_->recorder; }

void Scheduler::run(Graph& graph, Activation& activation, const StepContext& step) {
  TACIT_EXPECT(activation.size() <= graph.size());
  pool_->run(graph, activation, step);
}

/// The calling thread's worker; null for others, the polling thread among them.
detail::Worker* Scheduler::Pool::own_worker() const noexcept {
  const detail::Here& here = detail::here();
  const bool is_mine = here.worker != nullptr && here.scheduler == scheduler && here.worker->number < count;
  return is_mine ? here.worker : nullptr;
}

/// The calling worker, or worker 0 for others.
detail::Worker& Scheduler::Pool::receiver() noexcept {
  Worker* const own = own_worker();
  return own != nullptr ? *own : workers[0];
}

void Scheduler::submit(Job& job) noexcept {
  pool_->receiver().queue.push(job);
  if (pool_->sleepers.load(std::memory_order_seq_cst) > 0) pool_->wake();
}

void Scheduler::submit_last(Job& job) noexcept {
  pool_->receiver().queue.push_last(job);
  if (pool_->sleepers.load(std::memory_order_seq_cst) > 0) pool_->wake();
}

void Scheduler::set_idle_work(IdleWork* work, trace::KindId kind) {
  if (work != nullptr) pool_->idle_work_kind = kind;  // else a worker may be reading it
  pool_->idle_work.store(work, std::memory_order_seq_cst);
  // A worker that has seen the one before it may still be in it.
  while (work == nullptr && pool_->at_idle_work.load(std::memory_order_seq_cst) > 0) std::this_thread::yield();
}

void Scheduler::wake_for_idle_work() noexcept {
  if (pool_->sleepers.load(std::memory_order_seq_cst) > 0) pool_->wake();
}

Scheduler::StayAwake::StayAwake(Scheduler& scheduler) : scheduler_(scheduler) {
  scheduler.pool_->active.fetch_add(1, std::memory_order_seq_cst);
  scheduler.pool_->wake();
}

Scheduler::StayAwake::~StayAwake() { scheduler_.pool_->active.fetch_sub(1, std::memory_order_seq_cst); }

void Scheduler::settle() {
  if (pool_->graph != nullptr || std::this_thread::get_id() != pool_->owner_thread) {
    throw base::PreconditionError("only the thread that made a scheduler can settle it, outside of its runs");
  }
  pool_->settle();
}

void Scheduler::work_until(const std::function<bool()>& done, Job* first) { pool_->work_until(done, first); }

Scheduler* Scheduler::current() noexcept { return detail::here().scheduler; }

std::uint32_t Scheduler::current_worker() noexcept { return detail::here().worker->number; }

}  // namespace tacit::tasks
