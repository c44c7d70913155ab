// Reads all logs of a run together: those of its ranks, and those of its parts with other ranks, one after the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacit/io/log/reader.hpp"

namespace tacit::io {

/// The name of a rank's log: "output.log", of several ranks "output.2of4.log", from 0 on. A run that continues on other
/// ranks, or with a log that it had not, begins logs at that step: "output_000120.2of4.log".
struct LogName {
  std::uint64_t step = 0;  ///< at which the log begins
  std::size_t rank = 0;
  std::size_t ranks = 1;

  [[nodiscard]] std::string text() const;
  /// Nothing if this is no name of a log.
  [[nodiscard]] static std::optional<LogName> of(const std::filesystem::path& path);
};

/// The logs of a run.
class LogSet {
 public:
  /// @param directory  of the run; or one log, which is then taken alone
  /// @throws base::FormatError if there is no log, one is missing, damaged, or of other fields than the others
  explicit LogSet(const std::filesystem::path& directory, Damage damage = Damage::refuse);

  [[nodiscard]] const LogSchema& schema() const noexcept { return parts_.front().logs.front()->schema(); }
  /// Up to when all ranks' logs have everything; nothing before their first marks.
  [[nodiscard]] std::optional<double> complete() const;
  /// All logs, in the order of their steps and ranks.
  [[nodiscard]] std::vector<const LogReader*> logs() const;

  /// The elements of all ranks that exist at `time`, by rising id. Of one that was on several ranks, the records around
  /// the time count, whichever rank wrote them.
  /// @throws as LogReader::state
  [[nodiscard]] LogTable state(double time) const;
  /// All records of one element, on whichever rank, in the order of time.
  [[nodiscard]] LogTable trajectory(std::uint64_t id) const;

 private:
  /// Of the same step: one of each rank.
  struct Part {
    LogName name;  // of the first rank's
    double begin = 0.0;
    std::vector<std::unique_ptr<LogReader>> logs;
  };
  void open(const std::filesystem::path& directory, Damage damage);
  void require_next_rank(const std::filesystem::path& directory, const LogName& found) const;
  void require_all_ranks(const std::filesystem::path& directory) const;
  void require_same_fields(const std::filesystem::path& path) const;
  [[nodiscard]] const Part& part_at(double time) const;

  std::vector<Part> parts_;
};

}  // namespace tacit::io
