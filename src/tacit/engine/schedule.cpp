// Cuts steps to output times.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tacit::engine {

namespace {

/// More is of no use: at a million steps a second they take twelve days.
constexpr double most_steps = 1e12;

/// By how much of a step n equal ones may miss where they should end: each sum is rounded by up to 1.1e-16 of itself,
/// so all by n^2 1.1e-16 of a step, which is this after 30,000.
constexpr double rounding = 1e-7;

}  // namespace

Schedule::Schedule(const TimeParameters& time, const std::vector<Series>& series, Axis::Kind axis)
    : times_(time), axis_(axis), snapshots_{.every = time.snapshot_every}, statistics_{.every = time.statistics_every} {
  for (const Series& one : series) series_.push_back({.every = one.every.value_or(time.end - time.begin)});
}

double Schedule::next_stop() const {
  // Multiplied, not accumulated: the k-th time is the same however often the run was restarted.
  const double regular = times_.begin + static_cast<double>(snapshots_.passed) * times_.snapshot_every;
  const bool is_listed = listed_ < times_.snapshot_times.size();
  return std::min({regular, is_listed ? times_.snapshot_times[listed_] : times_.end, times_.end});
}

double Schedule::step(double time, double stable, StepKind kind) const {
  if (axis_ == Axis::Kind::counted) return 1.0;
  const double longest = std::min(stable, times_.dt_max);
  const bool is_resolved = time + longest > time;  // NaN is not
  const bool is_hopeless = kind == StepKind::whole && times_.end - time > most_steps * longest;
  if (!is_resolved || is_hopeless) {
    std::string limit = "what a double can resolve";
    if (is_resolved) limit = fmt::format("what reaches the end of the run in {:.0e} steps", most_steps);
    throw NumericsError(
        fmt::format("the solver needs a time step of {:.3g}, below {}\n"
                    "  The state may have become unphysical: look at the last snapshot, or lower the Courant number.",
                    stable, limit));
  }
  const double left = next_stop() - time;
  // Equal steps that miss the stop by their rounding are no reason for two more, of half the length.
  const double slack = kind == StepKind::whole ? rounding : 0.0;
  if (longest * (1.0 + slack) >= left) return left;
  return longest > 0.5 * left ? 0.5 * left : longest;
}

double Schedule::end_of_step(double time, double dt) const {
  const double stop = next_stop();
  return dt == stop - time ? stop : time + dt;
}

bool Schedule::take_snapshot(double time) {
  const bool due = time >= next_stop() && time > snapshots_.last;
  if (due) snapshots_.last = time;
  snapshots_.passed = std::max(snapshots_.passed, first_after(time, snapshots_.every));
  while (listed_ < times_.snapshot_times.size() && times_.snapshot_times[listed_] <= time) ++listed_;
  return due;
}

bool Schedule::take_statistics(double time) { return take(time, statistics_); }

bool Schedule::take_series(std::size_t index, double time) { return take(time, series_.at(index)); }

bool Schedule::take(double time, Clock& clock) const {
  if (clock.every == with_snapshots) {
    const bool is_due = time == snapshots_.last && time > clock.last;
    if (is_due) clock.last = time;
    return is_due;
  }
  // A sum of steps that misses a multiple by rounding stands for it.
  const std::uint64_t next = first_after(time + rounding * clock.every, clock.every);
  const bool due = (is_over(time) || next > clock.passed) && time > clock.last;
  if (due) clock.last = time;
  clock.passed = std::max(clock.passed, next);
  return due;
}

std::uint64_t Schedule::first_after(double time, double every) const {
  auto k = static_cast<std::uint64_t>(std::max((time - times_.begin) / every, 0.0));
  while (times_.begin + static_cast<double>(k) * every <= time) ++k;  // rounding of the quotient: at most two rounds
  return k;
}

void Schedule::skip_to(double time) {
  static_cast<void>(take_snapshot(time));
  static_cast<void>(take_statistics(time));
  for (Clock& clock : series_) static_cast<void>(take(time, clock));
}

}  // namespace tacit::engine
