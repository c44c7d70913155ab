// Whether all workers take part in the runs of a graph, or one alone because that is faster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tacit::tasks::detail {

/// What is known of how long the runs of an activation take, with all workers and with one.
///
/// Workers that share small tasks exchange cache lines: of the data, their locks, the counts of predecessors. Where
/// that takes longer than the tasks, one worker alone is faster, and only a try tells. One is made after the second
/// run, and then after 256 runs, 512, and so on up to 4096, while its outcome stays the same; each takes two runs, of
/// which the second counts.
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
    if (++runs_ < 2) return;  // the first after a turn finds the data with other workers
    ns_[is_alone_ ? 1 : 0] = ns_per_task;
    if (is_trying_) return decide();
    const bool is_small =
        is_alone_ || (ns_per_task >= shortest_ns && ns_per_task * static_cast<double>(workers) <= longest_ns);
    if (runs_ < next_try_ || !is_small) return;
    is_trying_ = true;
    turn();
  }

 private:
  void turn() noexcept {
    is_alone_ = !is_alone_;
    runs_ = 0;
  }
  /// After a try: goes back unless it was faster by more than what runs differ anyway.
  void decide() noexcept {
    constexpr double gain = 0.95;
    is_trying_ = false;
    const bool is_faster = ns_[is_alone_ ? 1 : 0] < gain * ns_[is_alone_ ? 0 : 1];
    next_try_ = is_faster ? first_try : std::min(2 * std::max(next_try_, first_try / 2), last_try);
    if (!is_faster) turn();
  }

  static constexpr std::uint32_t first_try = 256;
  static constexpr std::uint32_t last_try = 4096;
  bool is_alone_ = false;
  bool is_trying_ = false;
  std::uint32_t runs_ = 0;      // since it last turned
  std::uint32_t next_try_ = 2;  // after so many
  std::array<double, 2> ns_{};  // per task, of the last run: with all workers, alone
};

}  // namespace tacit::tasks::detail
