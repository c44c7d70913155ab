// Rehearses a run at coarser resolutions and in its first steps, and goes on from these.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/run_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

#include "tacit/base/clock.hpp"
#include "tacit/base/memory.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/engine/coarser.hpp"
#include "tacit/engine/peak_share.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::engine {
namespace {

/// What a step costs beside its updates, on one thread [s]: so that many tiny steps are not taken for nothing.
constexpr double step_s = 50e-6;
constexpr std::uint64_t whole = 4;  // quarters
constexpr std::uint64_t most_coarse = 1024 * whole;
/// By how much two runs differ that shall tell how things go on.
constexpr double telling = 1.9;
/// Making the state and its first step, in updates of each element.
constexpr double updates_to_begin = 4.0;
constexpr double most_bytes = 400e6;
constexpr double steepest = 6.0;  // of powers of the resolution

/// p of quantity ~ factor^-p.
double power(double finer, double coarser, double ratio) {
  if (!(finer > 0.0 && coarser > 0.0 && ratio > 1.0)) return 0.0;
  return std::clamp(std::log(finer / coarser) / std::log(ratio), -steepest, steepest);
}

/// From one run alone: that of its first step, but where others become longer or shorter no more than that of the
/// distances.
double power_of_steps(const Rehearsal& run, double first_dt, double factor) {
  if (!(first_dt > 0.0)) return 1.0;
  const double p = power(run.first_dt, first_dt, factor);
  const double mean = (run.steps.back().end - run.begin) / static_cast<double>(run.steps.size());
  return std::abs(mean / run.first_dt - 1.0) < 0.3 ? p : std::min(p, 1.0);
}

/// The run from which the finest one differs by as much as that one does from the run to come, or twice.
const RehearsedRun& compared_with(const std::vector<RehearsedRun>& runs) {
  const double enough = std::min(telling, runs.back().factor);
  const auto found = std::find_if(runs.rbegin() + 1, runs.rend(), [&](const RehearsedRun& run) {
    return run.factor >= 0.99 * enough * runs.back().factor;
  });
  return found != runs.rend() ? *found : runs.front();
}

std::string text_of(double factor) {
  return std::abs(factor - std::round(factor)) < 0.01 ? fmt::format("1/{:.0f}", factor)
                                                      : fmt::format("{:.2g}", 1.0 / factor);
}

/// The rehearsals of a run.
class Rehearsals {
 public:
  Rehearsals(const RunAhead& run, const EstimateLimits& limits)
      : run_(run),
        limits_(limits),
        rate_(std::max(run.prediction.updates_per_core_s, 1.0)),
        elements_(static_cast<double>(run.prediction.elements)) {}

  /// Whole runs, from the coarsest there is up to what is affordable.
  [[nodiscard]] std::vector<RehearsedRun> whole_runs() const;

  /// The first steps at the finest resolution that is affordable, by the threads of the run.
  /// @param runs  those that are known
  [[nodiscard]] std::optional<RehearsedRun> first_steps(const std::vector<RehearsedRun>& runs) const;

 private:
  [[nodiscard]] std::optional<Coarser> coarser(std::uint64_t quarters) const {
    if (quarters == whole) return Coarser{};
    return run_.solver.coarser == nullptr ? std::nullopt : run_.solver.coarser(run_.parameters, quarters);
  }
  /// Where the run itself fails, that is the verdict of it; a coarser one that fails may be no good, and tells nothing.
  /// @throws what the rehearsal of the run itself throws, but for memory that is too small for two of them
  [[nodiscard]] std::optional<Rehearsal> try_out(const Coarser& problem, std::size_t workers,
                                                 const RehearsalLimits& limits) const;
  /// In updates, as all work here.
  [[nodiscard]] double work_of(const Rehearsal& one) const {
    return static_cast<double>(one.updates()) + step_s * rate_ * static_cast<double>(one.steps.size());
  }
  [[nodiscard]] double likely_work(const std::vector<RehearsedRun>& before, double factor) const;
  /// Of which power of the resolution there are elements.
  [[nodiscard]] double dimension(const RehearsedRun& of) const {
    return std::max(0.0, power(elements_, static_cast<double>(of.rehearsal.elements), of.factor));
  }

  const RunAhead& run_;
  const EstimateLimits& limits_;
  double rate_;
  double elements_;
};

std::optional<Rehearsal> Rehearsals::try_out(const Coarser& problem, std::size_t workers,
                                             const RehearsalLimits& limits) const {
  const bool is_itself = problem.settings.empty();
  try {
    return rehearse(run_.solver, is_itself ? run_.parameters : run_.with(problem.settings), workers, limits);
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  } catch (const std::exception&) {
    if (is_itself) throw;
    return std::nullopt;
  }
}

/// Elements grow with the resolution, and so do steps: by the power that is known of the first one; of runs that there
/// are, but for the coarsest ones at least the first power.
double Rehearsals::likely_work(const std::vector<RehearsedRun>& before, double factor) const {
  if (before.empty()) return factor == 1.0 ? updates_to_begin * elements_ : 0.0;
  const RehearsedRun& last = before.back();
  double of_steps = 1.0;
  if (before.size() > 1) {
    const RehearsedRun& coarser = before[before.size() - 2];
    of_steps =
        std::max(of_steps, power(static_cast<double>(last.rehearsal.steps.size()),
                                 static_cast<double>(coarser.rehearsal.steps.size()), coarser.factor / last.factor));
  } else if (run_.prediction.first_time_step > 0.0) {
    of_steps = power(last.rehearsal.first_dt, run_.prediction.first_time_step, last.factor);
  }
  return work_of(last.rehearsal) * std::pow(last.factor / factor, of_steps + dimension(last));
}

std::vector<RehearsedRun> Rehearsals::whole_runs() const {
  const std::int64_t begin = base::thread_time_ns();
  std::vector<RehearsedRun> runs;
  double left = limits_.whole_s * rate_;
  // By halves, and in the end by less: the next half is too much.
  std::uint64_t step = 2;
  for (std::uint64_t f = most_coarse; f >= whole;) {
    const auto problem = coarser(f);
    const bool is_finer = problem && (runs.empty() || problem->factor < runs.back().factor);
    if (is_finer && likely_work(runs, problem->factor) > left) {
      if (step == 1 || runs.empty()) break;
      step = 1;
      f = 3 * f / 2;
      continue;
    }
    if (is_finer) {
      auto rehearsed =
          try_out(*problem, 1,
                  {.seconds = limits_.most_whole_s - 1e-9 * static_cast<double>(base::thread_time_ns() - begin),
                   .updates = left,
                   .updates_of_step = step_s * rate_,
                   .lines = problem->settings.empty() ? Lines::as_in_a_run : Lines::none});
      if (rehearsed && !rehearsed->is_whole) break;
      if (rehearsed) {
        left -= work_of(*rehearsed);
        runs.push_back({problem->factor, std::move(*rehearsed)});
      }
    }
    if (step == 1) break;
    f /= 2;
  }
  return runs;
}

std::optional<RehearsedRun> Rehearsals::first_steps(const std::vector<RehearsedRun>& runs) const {
  const auto usable = base::usable_memory();
  const double room = std::min(most_bytes, usable ? 0.25 * static_cast<double>(*usable) : most_bytes);
  const double d = runs.empty() ? 0.0 : dimension(runs.front());
  const std::size_t workers = std::clamp<std::size_t>(run_.threads, 1, topology::available_threads());
  for (std::uint64_t f = whole; f <= most_coarse; f *= 2) {
    const auto problem = coarser(f);
    if (!problem || (f > whole && runs.empty())) break;
    const double fewer = std::pow(problem->factor, d);
    if (run_.prediction.memory_bytes / fewer > room) continue;
    if (updates_to_begin * elements_ / fewer > limits_.first_s * rate_) continue;
    auto steps = try_out(*problem, workers,
                         {.seconds = limits_.most_first_s,
                          .updates = limits_.first_s * rate_,
                          .updates_of_step = step_s * rate_,
                          .lines = Lines::as_in_a_run});
    if (!steps) break;
    return RehearsedRun{problem->factor, std::move(*steps)};
  }
  return std::nullopt;
}

/// Of steps after the first, which does more than others.
/// @return seconds of a step and of an update
std::pair<double, double> cost_of(const Rehearsal& rehearsal) {
  double n = 0.0, u = 0.0, uu = 0.0, t = 0.0, tu = 0.0;
  const std::size_t first = rehearsal.steps.size() > 1 ? 1 : 0;
  for (std::size_t i = first; i < rehearsal.steps.size(); ++i) {
    const auto updates = static_cast<double>(rehearsal.steps[i].updates);
    const double seconds = rehearsal.steps[i].seconds;
    n += 1.0;
    u += updates;
    uu += updates * updates;
    t += seconds;
    tu += seconds * updates;
  }
  const double variance = n * uu - u * u;
  if (n >= 8.0 && variance > 0.01 * u * u) {
    const double b = (n * tu - u * t) / variance;
    const double a = (t - b * u) / n;
    if (a >= 0.0 && b > 0.0) return {a, b};
  }
  return {0.0, t / u};
}

}  // namespace

namespace {

/// With which powers of the resolution steps and updates grow.
struct Powers {
  double steps = 1.0;
  double updates = 1.0;  ///< of those for each element, or of all where elements come and go

  [[nodiscard]] Powers towards(const Powers& other, double share) const {
    return {std::lerp(steps, other.steps, share), std::lerp(updates, other.updates, share)};
  }
};

using Counts = Rehearsal::Counts;

Powers powers_of(const Counts& finer, const Counts& coarser, double ratio) {
  return {power(finer.steps, coarser.steps, ratio), power(finer.updates, coarser.updates, ratio)};
}

/// What counts updates: for each element, as small problems round their number, but all where that changes.
class Unit {
 public:
  Unit(const std::vector<RehearsedRun>& runs, const Rehearsal* first)
      : is_element_(runs.size() == 1 ||
                    ((first == nullptr || first->keeps_elements) &&
                     std::ranges::all_of(runs, [](const RehearsedRun& run) { return run.rehearsal.keeps_elements; }))) {
  }
  [[nodiscard]] double of(double elements) const noexcept { return is_element_ ? elements : 1.0; }
  [[nodiscard]] Counts counts(const Counts& of_run, double elements) const noexcept {
    return {of_run.steps, of_run.updates / of(elements)};
  }

 private:
  bool is_element_;
};

}  // namespace

StepEstimate extrapolate(const std::vector<RehearsedRun>& runs, const Rehearsal* first, double elements,
                         double first_dt) {
  const RehearsedRun& finest = runs.back();
  const Rehearsal& fine = finest.rehearsal;
  if (finest.factor == 1.0) {
    return {static_cast<double>(fine.steps.size()), static_cast<double>(fine.updates()), "by a rehearsal of all of it"};
  }
  const Unit unit(runs, first);
  const auto counts = [&](const Counts& of_run, const Rehearsal& run) {
    return unit.counts(of_run, static_cast<double>(run.elements));
  };
  const double known_until = first != nullptr && !first->steps.empty() ? first->steps.back().end : fine.begin;
  const Counts rest = counts(fine.after(known_until), fine);
  StepEstimate estimate;
  Powers p;
  if (runs.size() > 1) {
    const RehearsedRun& before = compared_with(runs);
    p = powers_of(rest, counts(before.rehearsal.after(known_until), before.rehearsal), before.factor / finest.factor);
    estimate.basis =
        fmt::format("by runs at {} and {} of the resolution", text_of(before.factor), text_of(finest.factor));
  } else {
    p.steps = p.updates = power_of_steps(fine, first_dt, finest.factor);
    estimate.basis = fmt::format("by a run at {} of the resolution", text_of(finest.factor));
  }
  Counts known;
  if (first != nullptr) {
    known = {static_cast<double>(first->steps.size()), static_cast<double>(first->updates())};
    const Counts part = counts(fine.before(known_until), fine);
    // Of a solve, first steps do not tell when it will have converged.
    const double share = fine.has_converged ? 0.0 : std::sqrt(part.steps / static_cast<double>(fine.steps.size()));
    p = p.towards(powers_of(unit.counts(known, elements), part, finest.factor), share);
  }
  estimate.steps = known.steps + rest.steps * std::pow(finest.factor, p.steps);
  estimate.updates = known.updates + unit.of(elements) * rest.updates * std::pow(finest.factor, p.updates);
  return estimate;
}

namespace {

/// Of a run whose steps are known.
void estimate_speed(const Rehearsal& first, double factor, const RunAhead& run, RunEstimate& result) {
  const auto [of_step, of_update] = cost_of(first);
  const std::size_t here = std::min(run.threads, topology::available_threads());
  const double more = static_cast<double>(run.threads) / static_cast<double>(here);
  const double larger =
      factor == 1.0 ? 1.0 : static_cast<double>(run.prediction.elements) / static_cast<double>(first.elements);
  result.steps_s = (of_step * result.steps.steps + of_update * result.steps.updates) / more;
  result.setup_s = first.setup_s * larger / more;
  result.statistics_s = first.statistics_s * larger / more;
  result.events = first.events / static_cast<double>(first.steps.size()) * result.steps.steps * larger;
  result.updates_per_s = result.steps.updates / result.steps_s;
  result.speed_basis = fmt::format("as in the first {} steps{}", first.steps.size(),
                                   factor == 1.0 ? "" : fmt::format(" at {} of the resolution", text_of(factor)));
}

/// Of a run of which nothing can be rehearsed: as much of what this machine can do as runs reach, where that was
/// measured.
void assume_speed(const RunAhead& run, RunEstimate& result) {
  const Prediction& prediction = run.prediction;
  const auto threads = static_cast<double>(run.threads);
  result.updates_per_s = prediction.updates_per_core_s * threads;
  result.speed_basis = "which is assumed";
  // A machine with more processors is another one, on which it may be faster or slower.
  if (prediction.peak_share > 0.0 && run.threads <= topology::available_threads()) {
    comm::Communicator alone(comm::bootstrap_alone());
    const auto limits = MachineLimits(read_run_parameters(run.parameters), alone, run.threads).find(false);
    if (limits) {
      result.updates_per_s = prediction.peak_share / least_time(prediction.cost, *limits);
      result.speed_basis = "by the limits of this machine";
    }
  }
  result.steps_s = result.steps.updates / result.updates_per_s;
}

/// Of a run that has none at a coarser resolution.
/// @param first  its first steps; null: they are not known
StepEstimate as_the_first(const Rehearsal* first, double first_dt, double elements, const TimeParameters& times) {
  const double length = times.end - times.begin;
  if (first != nullptr && first->steps.size() > 1) {
    const double share = length / (first->steps.back().end - first->begin);
    const auto count = static_cast<double>(first->steps.size());
    return {.steps = std::max(1.0, std::round(share * count)),
            .updates = share * static_cast<double>(first->updates()),
            .basis = fmt::format("if all are as the first {}", count)};
  }
  if (!(first_dt > 0.0)) return {};
  const double steps = std::ceil(length / std::min(first_dt, times.dt_max));
  return {.steps = steps,
          .updates = steps * elements,
          .basis = fmt::format("if all are as short as the first ({:.3g})", first_dt)};
}

}  // namespace

RunEstimate estimate(const RunAhead& run, const TimeParameters& times, const EstimateLimits& limits) {
  const Rehearsals rehearsals(run, limits);
  const std::vector<RehearsedRun> runs = rehearsals.whole_runs();
  const auto first = rehearsals.first_steps(runs);
  const Rehearsal* const itself = first && first->factor == 1.0 ? &first->rehearsal : nullptr;
  const double first_dt = itself != nullptr ? itself->first_dt : run.prediction.first_time_step;
  // Also those that are refined at the begin.
  const auto elements = static_cast<double>(itself != nullptr ? itself->elements : run.prediction.elements);
  RunEstimate result;
  result.steps =
      runs.empty() ? as_the_first(itself, first_dt, elements, times) : extrapolate(runs, itself, elements, first_dt);
  const auto most = static_cast<double>(times.max_steps);
  if (result.steps.steps > most) {
    result.steps.updates *= most / result.steps.steps;
    result.steps.steps = most;
  }
  if (!(result.steps.steps > 0.0)) return result;
  if (first) {
    if (first->factor == 1.0) result.warnings = first->rehearsal.warnings;
    estimate_speed(first->rehearsal, first->factor, run, result);
  } else {
    assume_speed(run, result);
  }
  return result;
}

}  // namespace tacit::engine
