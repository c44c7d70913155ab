// Steps a solver as the main loop does, and writes nothing.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/rehearsal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "tacit/base/clock.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/engine/axis.hpp"
#include "tacit/engine/conservation_watch.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/engine/keys.hpp"
#include "tacit/engine/schedule.hpp"
#include "tacit/engine/take_step.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::engine {
namespace {

constexpr std::size_t events_kept = 1U << 10U;  // no one reads them

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

/// Lines of statistics: what they take, and what a run would say or end by.
class RehearsedLines {
 public:
  RehearsedLines(const RunParameters& run, const Axis& axis) : conserved_(run.drift, axis) {}

  void make(Solver& solver, std::uint64_t step, double at) {
    const WorkWatch watch;
    std::ranges::move(solver.new_warnings(), std::back_inserter(warnings_));
    const Conserved conserved = solver.conserved();
    static_cast<void>(solver.statistics());
    seconds_ += watch.seconds();
    count_ += 1.0;
    if (const auto flaw = find_not_finite(conserved.quantities)) throw NumericsError(*flaw);
    std::ranges::move(conserved_.add_line(conserved.quantities, step, at), std::back_inserter(warnings_));
    conserved_.require_small_drift(step, at);
  }
  [[nodiscard]] double mean() const noexcept { return count_ > 0.0 ? seconds_ / count_ : 0.0; }
  [[nodiscard]] std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }

 private:
  ConservationWatch conserved_;
  std::vector<std::string> warnings_;
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

namespace {

/// A run in memory.
class Rehearsing {
 public:
  Rehearsing(const SolverEntry& entry, const config::Parameters& parameters, std::size_t workers)
      : run_(read_run_parameters(parameters)),
        axis_(entry.axis),
        stage_(run_, workers),
        solver_(entry.make(parameters, {stage_.scheduler, run_.deterministic, stage_.ranks, nullptr}, nullptr)),
        times_(read_time_parameters(parameters, axis_, solver_->start_time())),
        schedule_(times_, {}, axis_.kind),
        lines_(run_, axis_),
        time_(times_.begin) {}

  Rehearsal go(const RehearsalLimits& limits) {
    try {
      result_.elements = solver_->elements();
      result_.begin = times_.begin;
      result_.first_dt = solver_->time_step();
      result_.setup_s = watch_.seconds();
      require_finite();
      take_steps(limits);
      require_finite();
      if (const auto lack = solver_->unfinished(); lack && schedule_.is_over(time_)) throw NumericsError(*lack);
    } catch (const NumericsError& error) {
      const std::size_t step = result_.steps.size();
      throw NumericsError(
          error, step,
          fmt::format("after {} step{}, at {}: {}", step, step == 1 ? "" : "s", axis_.at(time_), error.what()));
    }
    stage_.scheduler.settle();
    result_.events = events_of(stage_.recorder);
    result_.has_converged = solver_->has_converged();
    result_.keeps_elements = solver_->elements() == result_.elements;
    result_.statistics_s = lines_.mean();
    result_.warnings = lines_.take_warnings();
    return std::move(result_);
  }

 private:
  void require_finite() const {
    if (const auto flaw = solver_->not_finite()) throw NumericsError(*flaw);
  }
  void take_steps(const RehearsalLimits& limits);

  WorkWatch watch_;
  RunParameters run_;
  Axis axis_;
  Stage stage_;
  std::unique_ptr<Solver> solver_;
  TimeParameters times_;
  Schedule schedule_;
  RehearsedLines lines_;
  double time_;
  Rehearsal result_;
};

void Rehearsing::take_steps(const RehearsalLimits& limits) {
  double updates = 0.0;
  while (true) {
    // As a run, which would write: steps are cut to the time of the next snapshot.
    static_cast<void>(schedule_.take_snapshot(time_));
    if (limits.lines == Lines::as_in_a_run && schedule_.take_statistics(time_)) {
      lines_.make(*solver_, result_.steps.size(), time_);
    }
    result_.is_whole = schedule_.is_over(time_) || result_.steps.size() >= times_.max_steps;
    const bool is_enough = watch_.seconds() > limits.seconds || updates > limits.updates;
    if (result_.is_whole || (is_enough && !result_.steps.empty())) return;
    const WorkWatch of_step;
    const StepKind kind = solver_->is_within_steps() ? StepKind::rest : StepKind::whole;
    const double dt = schedule_.step(time_, longest_step(*solver_, times_), kind);
    time_ = take_step(*solver_, schedule_, result_.steps.size(), time_, dt);
    result_.steps.push_back({.end = time_, .updates = solver_->updated(), .seconds = of_step.seconds()});
    updates += static_cast<double>(result_.steps.back().updates) + limits.updates_of_step;
  }
}

}  // namespace

Rehearsal rehearse(const SolverEntry& entry, const config::Parameters& parameters, std::size_t workers,
                   const RehearsalLimits& limits) {
  return Rehearsing(entry, parameters, workers).go(limits);
}

}  // namespace tacit::engine
