// The workers of a scheduler and what they share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tacit/tasks/detail/lock_table.hpp"
#include "tacit/tasks/detail/stamps.hpp"
#include "tacit/tasks/detail/theft_pace.hpp"
#include "tacit/tasks/detail/token_table.hpp"
#include "tacit/tasks/detail/worker_queue.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::tasks {

namespace detail {

/// One worker, or the polling thread: shared members first, then private ones.
struct alignas(128) Worker {
  WorkerQueue queue;
  std::atomic<std::uint64_t> finished{0};  // tasks of this run, up to when it last ran out of work
  std::atomic<std::uint64_t> changes{0};  // how often it found work or completions; distinguishes progress from a stall
  Hands hands;
  std::atomic<std::uint32_t> settled{0};  // the last call of settle that it has heard of

  alignas(128) std::uint32_t number = 0;
  trace::Track* track = nullptr;
  std::uint64_t finished_here = 0;
  std::uint32_t next = no_node;          // a task that has just become ready and goes before the queue
  std::span<const std::uint32_t> batch;  // tasks that it has taken with the last one: short, as far as it knows
  std::int64_t mark = 0;                 // end of what it did last, in ticks
  std::int64_t next_poll = 0;
  std::uint32_t key = 0;             // of what it does just now
  std::uint32_t depth = 0;           // of nested waits
  std::vector<std::uint32_t> ready;  // scratch
  std::vector<std::uint32_t> woken;  // scratch
  TheftPace pace;
  VictimWatch watch;               // in runs that another does alone
  std::uint32_t watched_run = 0;   // in which it was used last
  std::int64_t look_interval = 0;  // then [ticks]
  Stamps stamps;                   // since `mark`; its kind is that of what the worker does just now
};

/// A source and the lock held while it is polled.
struct Source {
  SpinLock polled;
  base::CompletionSource* source = nullptr;  // under the lock
  std::size_t uses = 0;                      // how often it was attached
  trace::KindId kind{};
};

}  // namespace detail

struct Scheduler::Pool {
  using Worker = detail::Worker;
  static constexpr std::size_t most_sources = 64;
  enum class Wanted : std::uint8_t { jobs, tasks_and_jobs };
  /// Since when nothing has changed.
  struct Watch {
    std::int64_t since_ns = 0;
    std::uint64_t changes = 0;
    std::uint32_t stalls = 0;  // so many there were when it began to wait
  };
  /// How long a worker has found nothing.
  struct Rest {
    std::uint32_t tries = 0;
    std::int64_t since_ns = 0;
    bool may_sleep = false;
    std::uint64_t sleeps = 0;  // not recorded yet
  };

  Pool(Scheduler& owner, const SchedulerOptions& options, trace::Recorder& recorder);
  ~Pool();

  // ---- runs (scheduler.cpp)
  void start_threads();
  void stop_threads();
  void run(Graph& of, Activation& what, const StepContext& at);
  void begin(Graph& of, Activation& what, const StepContext& at);
  void name_kinds(const Graph& of);
  void scale_ticks();
  void end();
  void wind_up();
  void fail(std::exception_ptr failure) noexcept;
  void analyse(const Graph& of, const Activation& what, std::int64_t wall);
  std::uint32_t measure_chains(const Activation& what, trace::CriticalPath& path);
  [[nodiscard]] std::uint32_t longest_behind(const Activation& what, std::uint32_t node) const;
  void name_chain(const Graph& of, const Activation& what, std::uint32_t begin, trace::CriticalPath& path);
  [[nodiscard]] std::uint64_t finished() const;
  [[nodiscard]] bool is_over() const;

  // ---- the loops of the workers (workers.cpp)
  void serve(std::uint32_t number);
  void work_on_run();
  template <class Done>
  void work_tasks(Worker& worker, Done done);
  void work_until(const std::function<bool()>& done, Job* first);
  void work_jobs(Worker& worker, const std::function<bool()>& done);
  template <class Done>
  [[nodiscard]] detail::Item look_for_work(Worker& worker, Wanted wanted, Done done);
  [[nodiscard]] detail::Item take(Worker& worker, Wanted wanted);
  [[nodiscard]] detail::Item steal(Worker& worker, Wanted wanted);
  [[nodiscard]] bool may_steal_tasks(Worker& worker, const detail::WorkerQueue& victim, std::int64_t now);
  [[nodiscard]] std::optional<detail::Loot> loot_of(Worker& worker, const detail::WorkerQueue& victim, Wanted wanted,
                                                    std::int64_t now);
  [[nodiscard]] static std::uint32_t next_of_batch(Worker& worker);
  static void give_back_batch(Worker& worker);
  void execute(Worker& worker, const detail::Item& item);
  void run_task(Worker& worker, std::uint32_t node);
  [[nodiscard]] bool lock(Worker& worker, std::uint32_t node);
  void call(Worker& worker, const Graph::Task& task, StepContext& context) noexcept;
  void run_job(Worker& worker, Job& job);
  void finish(Worker& worker, std::uint32_t node);
  void release(Worker& worker, std::uint32_t node);
  void count_down(Worker& worker, std::uint32_t node);
  void pass_on(Worker& worker);
  void send_home(Worker& worker);
  [[nodiscard]] std::span<const DatumId> locks_of(std::uint32_t node) const;
  [[nodiscard]] bool any_work() const;
  bool do_idle_work(Worker& worker, bool waiting);
  void rest(Worker& worker, Rest& rest);
  void book_rest(Worker& worker, Rest& rest, bool waiting);
  void sleep(const Worker& worker);
  void wake();
  void settle();
  [[nodiscard]] Worker* own_worker() const noexcept;
  [[nodiscard]] Worker& receiver() noexcept;
  [[nodiscard]] bool must_settle(const Worker& worker) const;
  void answer_settle(Worker& worker);
  void publish(Worker& worker);
  std::int64_t record(Worker& worker, trace::KindId kind, std::uint32_t key);
  [[nodiscard]] float seconds_of(std::int64_t ticks) const noexcept {
    return 1e-9F * ns_per_tick * static_cast<float>(ticks);
  }
  void begin_event(Worker& worker, trace::KindId kind);
  void change_kind(Worker& worker, trace::KindId kind);
  std::int64_t close_block(Worker& worker);
  void close_single(Worker& worker, std::uint32_t node);
  void interrupt_block(Worker& worker);

  // ---- completions (completions.cpp)
  void attach(base::CompletionSource& source);
  void detach(base::CompletionSource& source);
  [[nodiscard]] base::Token expect(const detail::Waiting& waiting);
  [[nodiscard]] bool may_poll(const Worker& worker) const;
  [[nodiscard]] bool computes(const base::CompletionSource& source) const;
  [[nodiscard]] trace::KindId kind_of_poll() const;
  std::size_t poll(Worker& worker);
  std::size_t drain(Worker& worker, detail::Source& slot);
  void complete(Worker& worker, const detail::Source& slot, const base::Completion& completion);
  [[nodiscard]] trace::KindId kind_of(const detail::Waiting& waiting, const detail::Source& slot) const;
  void complete_task(Worker& worker, const detail::Waiting& waiting, const base::Completion& completion);
  void start_polling_thread();
  void serve_polls();
  void sleep_on_descriptors();
  void wake_poller();
  void close_wake_descriptor();

  // ---- stalls (stall.cpp)
  [[nodiscard]] bool is_stalled(Watch& watch) const;
  [[nodiscard]] std::string report_stall(const Watch& watch);
  [[nodiscard]] std::string who_waits() const;
  [[nodiscard]] std::string name_of_node(std::uint32_t node) const;
  [[nodiscard]] std::string followers_of(std::uint32_t node) const;
  void add_parked(std::vector<std::string>& lines) const;
  [[nodiscard]] bool has_locked(std::uint32_t node, DatumId datum) const;

  Scheduler* scheduler;
  SchedulerOptions options;
  trace::Recorder* recorder;
  bool oversubscribed;             // more workers than processors
  std::int64_t poll_interval = 0;  // [ticks]
  trace::KindId idle_kind;
  trace::KindId wait_kind;
  trace::KindId poll_kind;
  std::deque<Worker> workers;  // the last is the polling thread's
  std::size_t count;           // of workers

  // What can wait.
  std::atomic<IdleWork*> idle_work{nullptr};
  std::atomic<std::uint32_t> at_idle_work{0};  // workers that are about to do some, or do
  trace::KindId idle_work_kind{};

  // Sleeping between runs. Workers without work look at all of this all the time, but seldom at `active`, which changes
  // with every wait of the thread that made the scheduler.
  alignas(128) std::atomic<bool> stopping{false};
  std::atomic<std::uint32_t> alone_run{0};  // number of the run that worker 0 does, unless its tasks turn out long
  std::atomic<std::uint32_t> sleepers{0};
  std::atomic<std::uint32_t> signal{0};
  std::atomic<std::uint32_t> settles{0};              // calls of settle
  std::atomic<std::size_t> begun{0};                  // threads that are in their loops
  alignas(128) std::atomic<std::uint32_t> active{0};  // runs and waits that keep all workers awake

  // The run; empty between runs.
  alignas(128) Graph* graph = nullptr;
  Activation* activation = nullptr;
  const StepContext* step = nullptr;
  std::uint64_t named_graph = 0;  // whose kinds these are; 0: none
  std::vector<trace::KindId> kinds;
  std::vector<std::uint32_t> next;    // links of the lists of nodes
  std::uint64_t finished_before = 0;  // of all workers, when the run began
  std::uint32_t alone_runs = 0;       // so far
  detail::LockTable locks;
  std::atomic<bool> failed{false};
  std::mutex error_mutex;
  std::exception_ptr error;
  std::atomic<std::uint32_t> stalls{0};  // stalls so far
  std::string stall_report;              // of the last
  float ns_per_tick = 1.0F;
  std::int64_t next_scale = 0;   // when to measure that again [ticks]
  std::int64_t unanalysed = 0;   // ticks of runs since the last analysis
  double analysis_ticks = 20.0;  // per node and edge, as last measured
  std::vector<float> longest;    // per node; scratch of analyse, as the next two
  std::vector<double> path_by_kind;
  std::vector<std::pair<trace::KindId, double>> path_entries;

  // Completions.
  detail::TokenTable tokens;
  std::array<detail::Source, most_sources> sources;  // the first source_count are in use; those detached have none
  std::atomic<std::size_t> source_count{0};
  std::atomic<std::uint32_t> computing_sources{0};  // of them; see base::ComputingSource
  std::atomic<trace::KindId> computing_kind{};      // of the last
  int wake_descriptor = -1;                         // an eventfd that ends the sleep of the polling thread
  std::atomic<bool> poller_sleeps{false};

  std::optional<topology::Binding> binding;  // of worker 0
  std::thread::id owner_thread;
  std::vector<std::jthread> threads;
};

namespace detail {

/// Which worker the calling thread is.
struct Here {
  Scheduler* scheduler = nullptr;
  Worker* worker = nullptr;
};
extern constinit thread_local Here this_thread;
/// Not for coroutines, in which a compiler could keep the address across a suspension.
[[nodiscard]] inline Here& here() noexcept { return this_thread; }

/// Makes the calling thread a worker for as long as it lives.
class AsWorker {
 public:
  AsWorker(Scheduler& scheduler, Worker& worker) : before_(here()) { here() = {&scheduler, &worker}; }
  ~AsWorker() { here() = before_; }
  AsWorker(const AsWorker&) = delete;
  AsWorker& operator=(const AsWorker&) = delete;

 private:
  Here before_;
};

}  // namespace detail

}  // namespace tacit::tasks
