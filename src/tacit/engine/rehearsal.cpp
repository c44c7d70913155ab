// Steps a solver as the main loop does, and writes nothing.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/rehearsal.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>

#include "tacit/base/clock.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/engine/axis.hpp"
#include "tacit/engine/keys.hpp"
#include "tacit/engine/schedule.hpp"
#include "tacit/engine/take_step.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::engine {
namespace {

constexpr std::size_t events_kept = 1U << 10U;  // nobody reads them

/// What a solver needs beside itself.
struct Stage {
  trace::Recorder recorder;
  comm::Communicator ranks;
  tasks::Scheduler scheduler;

  Stage(const RunParameters& run, std::size_t workers)
      : recorder(workers, events_kept),
        ranks(comm::bootstrap_alone()),
        // Bound threads would leave the caller bound.
        scheduler({.workers = workers, .polling = run.polling, .poll_interval_s = run.poll_interval_s, .pin = false},
                  recorder) {
    scheduler.attach(ranks.completions());
  }
};

/// Seconds that this thread has worked since construction: what it waits for a processor that others use is not
/// counted.
class WorkWatch {
 public:
  [[nodiscard]] double seconds() const noexcept { return 1e-9 * static_cast<double>(base::thread_time_ns() - start_); }

 private:
  std::int64_t start_ = base::thread_time_ns();
};

/// What lines of statistics take.
class LineCost {
 public:
  void make(Solver& solver) {
    const WorkWatch watch;
    static_cast<void>(solver.new_warnings());
    static_cast<void>(solver.conserved());
    static_cast<void>(solver.statistics());
    seconds_ += watch.seconds();
    count_ += 1.0;
  }
  [[nodiscard]] double mean() const noexcept { return count_ > 0.0 ? seconds_ / count_ : 0.0; }

 private:
  double seconds_ = 0.0;
  double count_ = 0.0;
};

double events_of(const trace::Recorder& recorder) {
  double events = 0.0;
  for (std::size_t i = 0; i < recorder.tracks(); ++i) events += static_cast<double>(recorder.track(i).recorded());
  return events;
}

}  // namespace

std::uint64_t Rehearsal::updates() const {
  return std::accumulate(steps.begin(), steps.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const RehearsedStep& step) { return sum + step.updates; });
}

Rehearsal::Counts Rehearsal::after(double time) const {
  Counts counts;
  double before = begin;
  for (const RehearsedStep& step : steps) {
    const double part = step.end > before ? std::clamp((step.end - time) / (step.end - before), 0.0, 1.0) : 0.0;
    counts.steps += part;
    counts.updates += part * static_cast<double>(step.updates);
    before = step.end;
  }
  return counts;
}

Rehearsal::Counts Rehearsal::before(double time) const {
  const Counts rest = after(time);
  return {static_cast<double>(steps.size()) - rest.steps, static_cast<double>(updates()) - rest.updates};
}

Rehearsal rehearse(const SolverEntry& entry, const config::Parameters& parameters, std::size_t workers,
                   const RehearsalLimits& limits) {
  const WorkWatch watch;
  const RunParameters run = read_run_parameters(parameters);
  Stage stage(run, workers);
  const std::unique_ptr<Solver> solver =
      entry.make(parameters, {stage.scheduler, run.deterministic, stage.ranks, nullptr}, nullptr);
  const TimeParameters times = read_time_parameters(parameters, entry.axis, solver->start_time());
  Schedule schedule(times, {}, entry.axis.kind);
  Rehearsal result{.elements = solver->elements(),
                   .begin = times.begin,
                   .first_dt = solver->time_step(),
                   .setup_s = watch.seconds()};
  double time = times.begin;
  double updates = 0.0;
  LineCost lines;
  while (true) {
    // As a run, which would write: steps are cut to the time of the next snapshot.
    static_cast<void>(schedule.take_snapshot(time));
    if (limits.lines == Lines::as_in_a_run && schedule.take_statistics(time)) lines.make(*solver);
    result.is_whole = schedule.is_over(time) || result.steps.size() >= times.max_steps;
    if (result.is_whole || (!result.steps.empty() && (watch.seconds() > limits.seconds || updates > limits.updates))) {
      break;
    }
    const WorkWatch of_step;
    const StepKind kind = solver->is_within_steps() ? StepKind::rest : StepKind::whole;
    const double dt = schedule.step(time, solver->time_step(), kind);
    time = take_step(*solver, schedule, result.steps.size(), time, dt);
    result.steps.push_back({.end = time, .updates = solver->updated(), .seconds = of_step.seconds()});
    updates += static_cast<double>(result.steps.back().updates) + limits.updates_of_step;
  }
  stage.scheduler.settle();
  result.events = events_of(stage.recorder);
  result.has_converged = solver->has_converged();
  result.keeps_elements = solver->elements() == result.elements;
  result.statistics_s = lines.mean();
  return result;
}

}  // namespace tacit::engine
