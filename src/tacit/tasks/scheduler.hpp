// Runs activated graphs, jobs and what waits for completions on a fixed set of workers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "tacit/base/completion.hpp"
#include "tacit/base/error.hpp"
#include "tacit/tasks/graph.hpp"
#include "tacit/tasks/job.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::tasks {

/// Which threads poll completion sources.
enum class Polling : std::uint8_t {
  idle_workers,  ///< every worker that finds nothing to run; busy ones now and then between tasks
  one_worker,    ///< worker 0 only, likewise
  thread,        ///< a separate thread, which sleeps on the sources' descriptors where they have them
};

struct SchedulerOptions {
  std::size_t workers = 1;  ///< threads, the caller included; >= 1
  Polling polling = Polling::idle_workers;
  /// A busy worker polls between tasks at this interval [s].
  double poll_interval_s = 50e-6;
  /// Binds each worker to a processor where that cannot hurt: if there are as many workers as processors in the
  /// affinity mask and the control group does not grant fewer.
  bool pin = true;
  /// Ends a run in which nothing has happened for that long [s], with a StalledError; 0: never.
  double stall_timeout_s = 0.0;
};

/// Nothing has made progress for SchedulerOptions::stall_timeout_s. what() lists what waits for what.
class StalledError : public base::Error {
 public:
  using base::Error::Error;
};

/// Receives the completion of an operation that a coroutine waits for.
///
/// `token` stands for one operation of `source`. When it has completed, `finished` is called once by a worker (or the
/// polling thread), and may submit jobs, but must not block.
class Awaiter {
 public:
  virtual void finished(const base::Completion& completion) noexcept = 0;
  /// For "who waits for what".
  [[nodiscard]] virtual std::string describe() const { return "a coroutine"; }

 protected:
  ~Awaiter() = default;
};

/// Work that can wait, in small pieces, which workers do when they find nothing else.
class IdleWork {
 public:
  IdleWork() = default;
  IdleWork(const IdleWork&) = delete;
  IdleWork& operator=(const IdleWork&) = delete;
  virtual ~IdleWork() = default;

  /// Whether there is some. Called often, from any worker.
  [[nodiscard]] virtual bool has_some() const noexcept = 0;
  /// Does a piece. @return whether there was one
  virtual bool do_some() noexcept = 0;
};

/// Workers that run tasks; the calling thread is worker 0. Runs one activation at a time.
///
/// Inside a run, workers never sleep (unless there are more of them than processors); between runs they spin for a
/// short while and then sleep.
class Scheduler {
 public:
  /// @param recorder  gets one event per task; must have at least `workers` tracks; must outlive the scheduler
  /// @throws base::PreconditionError, base::SystemError if threads cannot be started
  Scheduler(const SchedulerOptions& options, trace::Recorder& recorder);
  Scheduler(std::size_t workers, trace::Recorder& recorder)
      : Scheduler(SchedulerOptions{.workers = workers}, recorder) {}
  /// Runs the jobs that are left.
  /// @pre called by the thread that made the scheduler, which is worker 0, outside of its runs
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  [[nodiscard]] std::size_t workers() const noexcept;
  [[nodiscard]] trace::Recorder& recorder() const noexcept;

  /// Runs every task of `activation` and returns when the last is done, operations that tasks await included.
  ///
  /// @param step  copied for each worker
  /// @throws what a task threw, with "in task density[12]" added where it derives from base::Error; the tasks that
  ///         had not started are dropped, those that run finish first, awaited operations are cancelled. The scheduler
  ///         can be used again. StalledError, see SchedulerOptions.
  void run(Graph& graph, Activation& activation, const StepContext& step);
  void run(Graph& graph, Activation&& activation, const StepContext& step) { run(graph, activation, step); }

  /// Takes a job; it runs on this worker or on one that steals it. From any thread. Outside of `run` and `work_until`
  /// the other workers run it, and with one worker it waits for the next of these calls.
  void submit(Job& job) noexcept;
  /// The same, but behind the jobs that this worker has already: they, and others', come first.
  void submit_last(Job& job) noexcept;

  /// Runs jobs until `done` is true; callable from worker 0 between runs, and from inside jobs and tasks (nested).
  /// @param done   cheap; called often
  /// @param first  a job to begin with, which nobody else has
  /// @throws StalledError, see SchedulerOptions
  void work_until(const std::function<bool()>& done, Job* first = nullptr);

  /// Waits until every worker has written its events to the recorder. Then that can be read, until the next run or job.
  /// @pre called by the thread that made the scheduler, outside of its runs, when no job or operation is left
  void settle();

  /// While it lives, workers do not sleep between runs: for graphs that run again after a short time, many times.
  ///
  ///     const tasks::Scheduler::StayAwake awake(scheduler);
  ///     for (int stage = 0; stage < stages; ++stage) scheduler.run(graph, activation, step);
  class StayAwake {
   public:
    explicit StayAwake(Scheduler& scheduler);
    StayAwake(const StayAwake&) = delete;
    StayAwake& operator=(const StayAwake&) = delete;
    ~StayAwake();

   private:
    Scheduler& scheduler_;
  };

  /// Starts to poll `source`. Attachments are counted: each needs its own detach.
  /// @param source  must outlive the scheduler or be detached; its name names its transfers in the trace
  void attach(base::CompletionSource& source);
  /// @pre nothing awaits an operation of `source`
  void detach(base::CompletionSource& source);
  /// A token for an operation of `source` that is about to be posted; `awaiter` is notified once of its end.
  /// @param key  names the transfer in the trace
  [[nodiscard]] base::Token expect(base::CompletionSource& source, Awaiter& awaiter, std::uint32_t key = 0);

  /// What workers do when they find nothing else; null: nothing. One replaces another by way of nothing.
  /// @param work  outlives the scheduler: a worker may ask it whether there is some long after it was replaced
  /// @param kind  its name in the trace
  /// @pre outside of runs; the one before it has none left
  void set_idle_work(IdleWork* work, trace::KindId kind = {});
  /// Wakes workers that sleep: there is idle work. From any thread.
  void wake_for_idle_work() noexcept;

  /// The scheduler whose worker the calling thread is at present; null on other threads.
  [[nodiscard]] static Scheduler* current() noexcept;
  /// Number of the calling worker. @pre current() != nullptr
  [[nodiscard]] static std::uint32_t current_worker() noexcept;

 private:
  friend class StepContext;
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace tacit::tasks
