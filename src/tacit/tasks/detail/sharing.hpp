// Whether all workers take part in the runs of a graph, or one alone because that is faster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace tacit::tasks::detail {

/// What is known of how long the runs of an activation take, with all workers and with one.
///
/// Workers that share small tasks exchange cache lines: of the data, their locks, the counts of predecessors. Where
/// that takes longer than the tasks, one worker alone is faster, and only a try tells. One is made after the fourth
/// run, and then after 256 runs, 512, and so on up to 4096, while its outcome stays the same. Of the first of its runs
/// the data are still with other workers; of the others the fastest counts, as of those before it, because any one may
/// have been interrupted. A try that is much slower ends early.
class Sharing {
 public:
  /// Fewer tasks than this are never tried, nor those that take longer, nor those that are faster already than one
  /// worker can take tasks.
  static constexpr std::size_t least_tasks = 256;
  static constexpr double longest_ns = 500.0;
  static constexpr double shortest_ns = 25.0;

  /// Whether one worker is to do the next run alone.
  [[nodiscard]] bool is_alone() const noexcept { return is_alone_; }
  /// Forgets everything.
  void reset() noexcept { *this = Sharing(); }

  /// Says how long the run took.
  /// @param ns_per_task  wall time over the number of tasks
  void note(double ns_per_task, std::size_t tasks, std::size_t workers) noexcept {
    if (workers < 2 || tasks < least_tasks || (is_alone_ && ns_per_task > longest_ns)) return reset();
    if (runs_++ == 0) return;
    last_[runs_ % compared] = ns_per_task;
    if (runs_ <= compared && !(is_trying_ && ns_per_task > much_slower * before_)) return;
    if (is_trying_) return decide(fastest());
    const double ns = fastest();
    const bool is_small = is_alone_ || (ns >= shortest_ns && ns * static_cast<double>(workers) <= longest_ns);
    if (runs_ < next_try_ || !is_small) return;
    is_trying_ = true;
    turn(ns);
  }

 private:
  [[nodiscard]] double fastest() const noexcept { return *std::min_element(last_.begin(), last_.end()); }
  /// @param ns  per task, as it was
  void turn(double ns) noexcept {
    is_alone_ = !is_alone_;
    before_ = ns;
    runs_ = 0;
    last_.fill(std::numeric_limits<double>::max());
  }
  /// After a try: goes back unless it was faster by more than what runs differ anyway.
  void decide(double ns) noexcept {
    constexpr double gain = 0.95;
    is_trying_ = false;
    const bool is_faster = ns < gain * before_;
    next_try_ = is_faster ? first_try : std::min(2 * std::max(next_try_, first_try / 2), last_try);
    if (!is_faster) turn(ns);
  }

  static constexpr std::uint32_t compared = 3;
  static constexpr double much_slower = 1.5;
  static constexpr std::uint32_t first_try = 256;
  static constexpr std::uint32_t last_try = 4096;
  bool is_alone_ = false;
  bool is_trying_ = false;
  std::uint32_t runs_ = 0;               // since it last turned
  std::uint32_t next_try_ = 0;           // after so many
  double before_ = 0.0;                  // per task, of the fastest before it turned [ns]
  std::array<double, compared> last_{};  // per task [ns]
};

}  // namespace tacit::tasks::detail
