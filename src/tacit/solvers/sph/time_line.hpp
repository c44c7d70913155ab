// The time line of individual steps: whole ticks, steps of powers of two, and which particles are active when.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "tacit/solvers/sph/cosmology/cosmology.hpp"

namespace tacit::sph {

/// A bin b holds the particles whose steps are 2^b ticks long, and begin and end at multiples of that. Ticks are whole
/// numbers, so times of different bins meet exactly.
class TimeLine {
 public:
  static constexpr std::size_t bins = 48;
  static constexpr std::uint8_t last_bin = bins - 1;
  /// The bin of the shortest first step: steps may become 2^24 times shorter than that.
  static constexpr std::uint8_t first_bin = 24;

  TimeLine() = default;
  /// @param begin     time of tick 0 [time]
  /// @param shortest  the shortest first step [time], > 0 and finite
  TimeLine(double begin, double shortest) : begin_(begin), tick_(std::ldexp(shortest, -int{first_bin})) {}
  static TimeLine restored(double begin, double tick) {
    TimeLine line;
    line.begin_ = begin;
    line.tick_ = tick;
    return line;
  }

  [[nodiscard]] double begin() const noexcept { return begin_; }
  [[nodiscard]] double tick() const noexcept { return tick_; }
  [[nodiscard]] double time(std::int64_t ticks) const noexcept { return begin_ + tick_ * static_cast<double>(ticks); }
  [[nodiscard]] double span(std::int64_t ticks) const noexcept { return tick_ * static_cast<double>(ticks); }

  /// The highest bin whose steps end at `now`; particles of this and all lower bins are active then.
  [[nodiscard]] static std::uint8_t highest_active(std::int64_t now) noexcept {
    if (now == 0) return last_bin;
    return std::min(last_bin, static_cast<std::uint8_t>(std::countr_zero(static_cast<std::uint64_t>(now))));
  }
  /// The next time after `now` at which steps of bin `lowest` and above end.
  [[nodiscard]] static std::int64_t next_end(std::int64_t now, std::uint8_t lowest) noexcept {
    return ((now >> lowest) + 1) << lowest;
  }
  /// The longest bin whose steps are at most dt [time]; nothing fits: -1.
  [[nodiscard]] int bin_within(double dt) const noexcept {
    const double ticks = dt / tick_;
    if (!(ticks >= 1.0)) return -1;
    return std::min(static_cast<int>(last_bin), std::ilogb(ticks));
  }
  /// From the middle of the step of bin b that holds the tick before `now`, to `now` [time]: how far a velocity that
  /// was kicked to that middle lies behind; negative where the middle is still to come.
  [[nodiscard]] double since_middle(std::uint8_t b, std::int64_t now) const noexcept {
    const std::int64_t first = ((now - 1) >> b) << b;
    const double middle = static_cast<double>(first) + 0.5 * static_cast<double>(std::int64_t{1} << b);
    return tick_ * (static_cast<double>(now) - middle);
  }
  /// The same from the middle of the step that begins at `now` or holds it.
  [[nodiscard]] double since_next_middle(std::uint8_t b, std::int64_t now) const noexcept {
    return since_middle(b, now + 1) - tick_;
  }
  /// From the begin of the step of bin b that holds the tick before `now`, to `now` [time].
  [[nodiscard]] double since_begin(std::uint8_t b, std::int64_t now) const noexcept {
    return span(now - (((now - 1) >> b) << b));
  }
  /// The same from the begin of the step that begins at `now` or holds it.
  [[nodiscard]] double since_next_begin(std::uint8_t b, std::int64_t now) const noexcept {
    return span(now - ((now >> b) << b));
  }

 private:
  double begin_ = 0.0;
  double tick_ = 0.0;
};

/// What the tasks of a step must know of time; set before each run of the graph.
///
/// In an expanding box the time line, as all that the main loop sees, counts the scale factor a. Particles drift in
/// another time, dtau = dt / a^2, in which their equations have no other traces of the expansion than the factor a of
/// gravity (docs/decisions/0080): all spans of time that tasks see are of that one. Elsewhere both are the same.
struct StepClock {
  bool is_common = true;                      ///< all particles take the same step, which StepContext::dt says
  bool is_first = false;                      ///< no step lies behind: nothing is drifted, kicked or aged
  std::int64_t now = 0;                       ///< individual steps: ticks at the end of the step
  std::uint8_t active = 0;                    ///< individual steps: particles of this bin and below are active
  std::uint8_t longest = TimeLine::last_bin;  ///< individual steps: no particle takes a bin above this
  TimeLine line;                              ///< individual steps
  const Cosmology* cosmology = nullptr;       ///< null: the box does not expand
  double a = 1.0;                             ///< scale factor at the end of the step; 1 in a box that does not expand
  double hubble = 0.0;                        ///< a^2 H then: velocity over separation of what rests in space [time^-1]
  std::array<double, TimeLine::bins> since{};  ///< individual steps: since_middle(b, now) of each bin [time]
  std::array<double, TimeLine::bins> begun{};  ///< individual steps: since_begin(b, now) of each bin [time]
  std::array<double, TimeLine::bins> ahead{};  ///< individual steps: half the step of each bin [time]
  /// Of a box that expands.
  void set_scale_factor(double now_a) noexcept {
    a = now_a;
    hubble = a * a * cosmology->hubble(a);
  }
  /// Individual steps: sets all that follows from the time.
  void go_to(std::int64_t ticks) noexcept {
    now = ticks;
    active = TimeLine::highest_active(ticks);
    if (cosmology != nullptr) {
      go_to_expanding(ticks);
      return;
    }
    for (std::uint8_t b = 0; b < TimeLine::bins; ++b) {
      since[b] = line.since_middle(b, ticks);
      begun[b] = line.since_begin(b, ticks);
      ahead[b] = 0.5 * line.span(std::int64_t{1} << b);
    }
  }
  /// From one tick to a later one [time].
  [[nodiscard]] double between(std::int64_t from, std::int64_t to) const noexcept {
    return cosmology == nullptr ? line.span(to - from) : cosmology->drift_time(line.time(from), line.span(to - from));
  }
  /// From the begin of the step of bin b that begins now or holds this time, to now.
  /// @param after  by how much the time has gone on since the last tick, on the time line
  [[nodiscard]] double since_next_begin(std::uint8_t b, double after = 0.0) const noexcept {
    const double passed = line.since_next_begin(b, now) + after;
    if (cosmology == nullptr) return passed;
    return passed > 0.0 ? cosmology->drift_time(line.time((now >> b) << b), passed) : 0.0;
  }
  /// The same from its middle.
  [[nodiscard]] double since_next_middle(std::uint8_t b, double after = 0.0) const noexcept {
    if (cosmology == nullptr) return line.since_next_middle(b, now) + after;
    const std::int64_t begin = (now >> b) << b;
    return since_next_begin(b, after) - 0.5 * between(begin, begin + (std::int64_t{1} << b));
  }
  /// What both say of each bin, once for all particles: in an expanding box they are integrals.
  struct SinceNext {
    std::array<double, TimeLine::bins> begin{};   ///< [time]
    std::array<double, TimeLine::bins> middle{};  ///< [time]
  };
  [[nodiscard]] SinceNext since_next(double after) const noexcept {
    SinceNext since_them;
    for (std::uint8_t b = 0; b < TimeLine::bins; ++b) {
      since_them.begin[b] = since_next_begin(b, after);
      since_them.middle[b] = since_next_middle(b, after);
    }
    return since_them;
  }
  /// The longest bin whose steps, from now on, are at most dt [time]; nothing fits: -1.
  [[nodiscard]] int bin_within(double dt) const noexcept {
    if (cosmology == nullptr) return line.bin_within(dt);
    int bin = -1;
    while (bin < TimeLine::last_bin && 2.0 * ahead[static_cast<std::size_t>(bin + 1)] <= dt) ++bin;
    return bin;
  }
  /// The factor of gravity at the begin of the step of bin b that begins now or holds this time.
  [[nodiscard]] double gravity_factor_at_begin(std::uint8_t b) const noexcept {
    return cosmology == nullptr ? 1.0 : line.time((now >> b) << b);
  }
  /// Length of the step that a particle of that bin ends now; 0 at the beginning.
  /// @param dt  of a common step [time]
  [[nodiscard]] double step_of(std::uint8_t bin, double dt) const noexcept {
    if (is_first) return 0.0;
    if (is_common) return dt;
    return cosmology == nullptr ? 2.0 * ahead[bin] : begun[bin];
  }
  /// Whether particles of that bin end their step now.
  [[nodiscard]] bool is_active(std::uint8_t bin) const noexcept { return is_common || bin <= active; }

 private:
  void go_to_expanding(std::int64_t ticks) noexcept {
    set_scale_factor(line.time(ticks));
    for (std::uint8_t b = 0; b < TimeLine::bins; ++b) {
      const std::int64_t length = std::int64_t{1} << b;
      const std::int64_t begin = ((ticks - 1) >> b) << b;
      const double whole = ticks > 0 ? between(begin, begin + length) : 0.0;
      begun[b] = begin + length == ticks ? whole : ticks > begin ? between(begin, ticks) : 0.0;
      since[b] = begun[b] - 0.5 * whole;
      ahead[b] = 0.5 * between(ticks, ticks + length);
    }
  }
};

/// Calls f(i) for the particles that end their step now, in their order.
///
/// @param bin  shape (N)
/// Cost: a look at eight idle particles at once.
template <class Function>
void for_each_active(const StepClock& clock, std::span<const std::uint8_t> bin, const Function& f) {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  const std::uint64_t first_idle = (clock.active + 1U) * ones;
  std::size_t i = 0;
  for (; i + 8 <= bin.size(); i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, &bin[i], sizeof eight);
    // A byte keeps its highest bit where its bin, which is below 128, is at least that of the first idle.
    const bool is_some_active = (((eight | 128U * ones) - first_idle) & (128U * ones)) != 128U * ones;
    if (!clock.is_common && !is_some_active) continue;
    for (std::size_t k = i; k < i + 8; ++k) {
      if (clock.is_active(bin[k])) f(k);
    }
  }
  for (; i < bin.size(); ++i) {
    if (clock.is_active(bin[i])) f(i);
  }
}

}  // namespace tacit::sph
