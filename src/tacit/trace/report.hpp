// Statistics of a trace: what the workers did, what bounds the speed, what communication cost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/trace/trace.hpp"

namespace tacit::trace {

/// What a Recorder has summed up; kept in trace.json beside the events, and printed by `tacit trace`.
struct Report {
  /// One worker; all in seconds. What is missing to the wall time was not recorded (reading input, the main loop).
  struct Worker {
    double busy_s = 0.0;  ///< everything but idling and waiting; the next three are parts of it
    double poll_s = 0.0;
    double communication_s = 0.0;
    double output_s = 0.0;
    double wait_s = 0.0;
    double idle_s = 0.0;
    double disk_wait_s = 0.0;  ///< beside all others
    double task_s = 0.0;       ///< tasks of the simulation; part of busy_s, but for those that output runs
  };
  /// One rank: what it sent to others, and what that cost.
  struct Rank {
    std::size_t workers = 0;  ///< that follow those of the ranks before it in Report::workers
    std::uint64_t polls = 0;
    std::uint64_t completions = 0;
    double poll_s = 0.0;  ///< of its workers and the threads beside them
    double exposed_s = 0.0;
    std::vector<Recorder::PhaseSum> sent;  ///< by phase; reductions and other collectives are not among these
    [[nodiscard]] std::uint64_t messages() const noexcept;
    [[nodiscard]] std::uint64_t bytes() const noexcept;
  };
  /// CriticalPath with names.
  struct Path {
    std::uint64_t runs = 0;
    double work_s = 0.0;
    double length_s = 0.0;
    std::vector<std::pair<std::string, double>> by_kind;  ///< [s], longest first
    /// @pre runs > 0
    [[nodiscard]] double parallelism() const noexcept { return length_s > 0.0 ? work_s / length_s : 0.0; }
  };

  /// What the file does not have event by event, though the rings do; see trace::Selection.
  struct Left {
    double whole_from_s = 0.0;  ///< the file has all that ended later; 0: it has everything
    std::uint64_t events = 0;   ///< that were merged
    std::uint64_t spans = 0;    ///< into so many
    std::uint64_t transfers = 0;
  };

  double wall_s = 0.0;  ///< from the making of the recorder to the report
  std::vector<Worker> workers;
  Worker outside;                        ///< the threads beside the workers, if there are any
  std::vector<Rank> ranks;               ///< empty in a file of an earlier version
  std::vector<Recorder::KindSum> kinds;  ///< the most expensive first
  Counters counters;
  Path critical_path;
  Exposure exposure;
  std::uint64_t dropped = 0;  ///< events and transfers that the rings no longer hold; the sums hold all
  Left left = {};
};

/// @param wall_s  since the making of the recorder
/// @pre           no track records
[[nodiscard]] Report make_report(const Recorder& recorder, double wall_s);

/// The report of a run across ranks: workers one rank after the other, sums of the rest, and
///
///     wall_s, critical path length   of the rank with the longest
///     exposed_s                      mean over all workers
///     serial_s                       mean over ranks
///
/// @param ranks  by rank, at least one
[[nodiscard]] Report joined(std::span<const Report> ranks);

/// Time in tasks of each rank, per worker: shape (ranks) [s].
[[nodiscard]] std::vector<double> task_seconds_of_ranks(const Report& report);
/// The largest over the mean: 1 where work is even. Absent where nothing was done.
[[nodiscard]] std::optional<double> imbalance(std::span<const double> seconds);
/// That of workers, by their time in tasks.
[[nodiscard]] std::optional<double> imbalance_of_workers(const Report& report);

/// One JSON object on one line, for tools; the values that `read_report` gives back are exactly the same.
[[nodiscard]] std::string to_json(const Report& report);

/// What to_json has made. @throws base::FormatError, which names `source`
[[nodiscard]] Report report_from_json(std::string_view text, const std::string& source);

/// The name of the file that a trace is written to before it is complete. A run that is killed meanwhile leaves it
/// there.
[[nodiscard]] std::filesystem::path unfinished_trace(const std::filesystem::path& path);

/// Writes a file as Recorder::write does, with the events of several recorders.
/// @param events  hands on those of each (Recorder::write_events), the first one's first
/// @throws base::SystemError if the file cannot be written
void write_trace(const std::filesystem::path& path, std::span<const std::pair<std::string, std::string>> about,
                 const Report& report, const std::function<void(const TakeText&)>& events);

/// Reads the report in a file that Recorder::write has made.
///
/// @throws base::SystemError if the file cannot be read; base::FormatError if it is not such a file or is cut off
/// Cost: does not read the events, which follow the report.
[[nodiscard]] Report read_report(const std::filesystem::path& path);

/// Tables for people: workers, kinds, critical path, communication, counters.
[[nodiscard]] std::string to_text(const Report& report);

}  // namespace tacit::trace
