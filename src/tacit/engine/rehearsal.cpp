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
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::engine {
namespace {

constexpr std::size_t events = 1U << 10U;  // nobody reads them

/// What a solver needs beside itself.
struct Stage {
  trace::Recorder recorder;
  comm::Communicator ranks;
  tasks::Scheduler scheduler;

  Stage(const RunParameters& run, std::size_t workers)
      : recorder(workers, events),
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

double seconds_of_statistics(const Solver& solver) {
  const WorkWatch watch;
  static_cast<void>(solver.conserved());
  static_cast<void>(solver.statistics());
  return watch.seconds();
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
  while (true) {
    // As a run, which would write: steps are cut to the time of the next snapshot.
    static_cast<void>(schedule.take_snapshot(time));
    result.is_whole = schedule.is_over(time) || result.steps.size() >= times.max_steps;
    if (result.is_whole || (!result.steps.empty() && (watch.seconds() > limits.seconds || updates > limits.updates))) {
      break;
    }
    const WorkWatch of_step;
    const StepKind kind = solver->is_within_steps() ? StepKind::rest : StepKind::whole;
    tasks::StepContext step;
    step.time = time;
    step.step = result.steps.size();
    step.dt = schedule.step(time, solver->time_step(), kind);
    solver->step(step);
    time = schedule.end_of_step(time, step.dt);
    result.steps.push_back({.end = time, .updates = solver->updated(), .seconds = of_step.seconds()});
    if (solver->has_converged()) schedule.end_at(time);
    updates += static_cast<double>(result.steps.back().updates) + limits.updates_of_step;
  }
  result.statistics_s = seconds_of_statistics(*solver);
  return result;
}

}  // namespace tacit::engine
