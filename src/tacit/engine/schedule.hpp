// When the next step must end and what is due then.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "tacit/engine/keys.hpp"

namespace tacit::engine {

/// What a stable step is: one that the whole state takes, or the rest of steps of elements that output came into.
enum class Stretch { whole, rest };

/// Output times begin + k * every, and steps cut to meet them exactly.
class Schedule {
 public:
  /// @param series_every  between files of a solver's series [code time]; 0: at the begin and the end only
  explicit Schedule(const TimeParameters& time, double series_every = 0.0);

  /// The step from `time`: at most `stable`, at most dt_max, ending exactly on the next snapshot or the end; the last
  /// two steps before such a time share what is left, so that none is tiny.
  /// @param stretch  whether `stable` is a step of its own or what is left of one that output came into
  /// @throws NumericsError if it is too small to change `time`, or a step so small that the end is out of reach
  [[nodiscard]] double step(double time, double stable, Stretch stretch = Stretch::whole) const;

  /// Whether `time` has reached the end.
  [[nodiscard]] bool is_over(double time) const { return time >= times_.end; }
  /// Whether a snapshot or a line of statistics is due at `time`; a time that is due is passed by asking.
  [[nodiscard]] bool take_snapshot(double time);
  [[nodiscard]] bool take_statistics(double time);
  [[nodiscard]] bool take_series(double time);

  /// Moves past everything that was due up to and including `time`, as after a restart.
  void skip_to(double time);
  /// The time to take for a step that was cut to end on an output time: exactly that time.
  [[nodiscard]] double end_of_step(double time, double dt) const;

 private:
  [[nodiscard]] double next_stop() const;
  /// Whether one of the times begin + k * every, or the end, is reached that `passed` and `last` do not know of yet.
  [[nodiscard]] bool take(double time, double every, std::uint64_t& passed, double& last) const;
  /// The smallest k with begin + k * every > time.
  [[nodiscard]] std::uint64_t first_after(double time, double every) const;

  TimeParameters times_;
  std::uint64_t snapshots_ = 0;  // how many snapshot times are past
  std::uint64_t statistics_ = 0;
  double series_every_;
  std::uint64_t series_ = 0;
  // The end is due once, also where a finished run is continued.
  double last_snapshot_ = -std::numeric_limits<double>::infinity();
  double last_statistics_ = -std::numeric_limits<double>::infinity();
  double last_series_ = -std::numeric_limits<double>::infinity();
};

}  // namespace tacit::engine
