// Cuts steps to output times.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tacit/engine/solver.hpp"

namespace tacit::engine {

namespace {

/// Nobody waits for more: at a million steps a second they take twelve days.
constexpr double most_steps = 1e12;

/// By how much of a step n equal ones may miss where they should end: each sum is rounded by up to 1.1e-16 of itself,
/// so all by n^2 1.1e-16 of a step, which is this after 30,000.
constexpr double rounding = 1e-7;

}  // namespace

Schedule::Schedule(const TimeParameters& time, double series_every)
    : times_(time), series_every_(series_every > 0.0 ? series_every : time.end - time.begin) {}

double Schedule::next_stop() const {
  // Multiplied, not accumulated: the k-th time is the same however often the run was restarted.
  return std::min(times_.begin + static_cast<double>(snapshots_) * times_.snapshot_every, times_.end);
}

double Schedule::step(double time, double stable, Stretch stretch) const {
  const double longest = std::min(stable, times_.dt_max);
  const bool is_resolved = time + longest > time;  // NaN is not
  const bool is_hopeless = stretch == Stretch::whole && times_.end - time > most_steps * longest;
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
  const double slack = stretch == Stretch::whole ? rounding : 0.0;
  if (longest * (1.0 + slack) >= left) return left;
  return longest > 0.5 * left ? 0.5 * left : longest;
}

double Schedule::end_of_step(double time, double dt) const {
  const double stop = next_stop();
  return dt == stop - time ? stop : time + dt;
}

bool Schedule::take_snapshot(double time) {
  const bool due = time >= next_stop() && time > last_snapshot_;
  if (due) last_snapshot_ = time;
  snapshots_ = std::max(snapshots_, first_after(time, times_.snapshot_every));
  return due;
}

bool Schedule::take_statistics(double time) {
  return take(time, times_.statistics_every, statistics_, last_statistics_);
}

bool Schedule::take_series(double time) { return take(time, series_every_, series_, last_series_); }

bool Schedule::take(double time, double every, std::uint64_t& passed, double& last) const {
  // A sum of steps that misses a multiple by rounding stands for it.
  const std::uint64_t next = first_after(time + rounding * every, every);
  const bool due = (is_over(time) || next > passed) && time > last;
  if (due) last = time;
  passed = std::max(passed, next);
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
  static_cast<void>(take_series(time));
}

}  // namespace tacit::engine
