// When a run shall end before its time: a file that asks for it, and the end of its wall-clock time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace tacit::engine {

/// The file by which anybody who may write into the directory of a run ends it.
inline constexpr const char* stop_file = "STOP";

/// Of one rank, in one run.
class StopWatcher {
 public:
  /// @param directory     where the file STOP may appear; empty: nowhere
  /// @param wall_limit_s  for the whole run, from now on [s]; nothing: what is left to the job of Slurm, if there is
  /// one
  StopWatcher(std::filesystem::path directory, std::optional<double> wall_limit_s);

  /// Keeps the longest so far [s]: of steps, and of checkpoints until they are on disk.
  void note_step(double seconds) noexcept;
  void note_checkpoint(double seconds) noexcept;
  /// Before the first checkpoint: what it will take [byte], and what a snapshot took until it was on disk, by which its
  /// time is estimated. The slowest snapshot counts, by its rate; without one a slow disk, 100 MB/s.
  void expect_checkpoint(std::uint64_t bytes) noexcept;
  void note_snapshot(std::uint64_t bytes, double seconds) noexcept;

  /// Why the run has to end after the present step; nothing if it may go on. Looks at the disk ten times a second.
  /// @param now_s  since the run began
  [[nodiscard]] std::optional<std::string> reason(double now_s);
  /// Whether the limit that was given, not that of a job, is reached.
  [[nodiscard]] bool is_given_limit_over(double now_s) const noexcept { return is_given_ && is_over(now_s); }
  /// Takes the file away, so that a restart goes on.
  void remove_file() const noexcept;

 private:
  /// Of the next checkpoint [s].
  [[nodiscard]] double checkpoint_s() const noexcept;
  [[nodiscard]] bool is_over(double now_s) const noexcept {
    return now_s + longest_step_s_ + checkpoint_s() >= limit_s_;
  }

  std::filesystem::path directory_;
  double limit_s_ = std::numeric_limits<double>::infinity();  // since the run began
  bool is_given_ = false;
  double longest_step_s_ = 0.0;
  double longest_checkpoint_s_ = 0.0;  // 0: there was none
  double checkpoint_bytes_ = 0.0;      // expected
  std::optional<double> s_per_byte_;   // of the slowest snapshot
  double looked_s_ = -1.0;
};

/// Seconds until the end of the job of Slurm in which this process runs; nothing if there is none, or it does not say.
/// @param environment  value of a variable, or null
/// @param now_s        since 1970
[[nodiscard]] std::optional<double> seconds_left_of_job(const std::function<const char*(const char*)>& environment,
                                                        double now_s);

}  // namespace tacit::engine
