// When the next step must end and what is due then.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tacit/engine/keys.hpp"
#include "tacit/engine/solver.hpp"

namespace tacit::engine {

/// What a stable step is: one that the whole state takes, or the rest of steps of elements that output came into.
enum class StepKind { whole, rest };

/// As the interval of a series: its files come with every snapshot, listed ones among them.
inline constexpr double with_snapshots = 0.0;

/// Output times begin + k * every, those that are listed, and steps cut to meet them exactly.
class Schedule {
 public:
  explicit Schedule(const TimeParameters& time, const std::vector<Series>& series = {},
                    Axis::Kind axis = Axis::Kind::continuous);

  /// The step from `time`: at most `stable`, at most dt_max, ending exactly on the next snapshot or the end; the last
  /// two steps before such a time share what is left, so that none is tiny. On a counted axis all steps are 1.
  /// @param kind  whether `stable` is a step of its own or what is left of one that output came into
  /// @throws NumericsError if it is too small to change `time`, or a step so small that the end is out of reach
  [[nodiscard]] double step(double time, double stable, StepKind kind = StepKind::whole) const;

  /// Whether `time` has reached the end.
  [[nodiscard]] bool is_over(double time) const { return time >= times_.end; }
  /// Ends the run there.
  void end_at(double time) { times_.end = time; }
  /// Whether a snapshot or a line of statistics is due at `time`; a time that is due is passed by asking.
  [[nodiscard]] bool take_snapshot(double time);
  [[nodiscard]] bool take_statistics(double time);
  /// @param index  of the series; of one with snapshots, take_snapshot() was asked first
  [[nodiscard]] bool take_series(std::size_t index, double time);

  /// Moves past everything that was due up to and including `time`, as after a restart.
  void skip_to(double time);
  /// The time to take for a step that was cut to end on an output time: exactly that time.
  [[nodiscard]] double end_of_step(double time, double dt) const;

 private:
  /// Times of output: begin + k * every, and the end.
  struct Clock {
    double every = 0.0;
    std::uint64_t passed = 0;                                ///< how many are past
    double last = -std::numeric_limits<double>::infinity();  ///< the end is due once, also in a run that is continued
  };
  [[nodiscard]] double next_stop() const;
  /// Whether one of the times is reached that the clock does not know of yet.
  [[nodiscard]] bool take(double time, Clock& clock) const;
  /// The smallest k with begin + k * every > time.
  [[nodiscard]] std::uint64_t first_after(double time, double every) const;

  TimeParameters times_;
  Axis::Kind axis_;
  Clock snapshots_;
  std::size_t listed_ = 0;  // how many of times_.snapshot_times are past
  Clock statistics_;
  std::vector<Clock> series_;
};

}  // namespace tacit::engine
