// The continuous log of a run: opened, given room, marked and closed around the steps whose tasks write it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/engine/keys.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/log/reader.hpp"
#include "tacit/io/log/writer.hpp"

namespace tacit::engine {

/// Where a rank's log stood when a checkpoint was written.
struct StoredLog {
  io::LogPosition position;
  std::uint64_t step = 0;      ///< at which the log began, as its name says
  std::uint64_t elements = 0;  ///< that the rank had
};

/// Those of all ranks that wrote a checkpoint; none without a log.
/// @throws base::FormatError if they are damaged
[[nodiscard]] std::vector<StoredLog> stored_logs(const io::FileReader& checkpoint);

/// The log of this rank. What fails is kept, so that all ranks can agree on it: afterwards nothing is written any more.
///
///     log.clear(...)       the first rank alone; all wait for it
///     log.open(...)        all agree; then
///     log.begin(...)       the solver writes, or finds, the first records
///     log.make_room(...)   before each step, and all agree
class RunLog {
 public:
  RunLog(const RunParameters& run, const comm::Communicator& ranks);

  /// For the solver; null: there is no log.
  [[nodiscard]] const Log* access() const noexcept { return run_.log.is_on ? &access_ : nullptr; }
  [[nodiscard]] bool is_on() const noexcept { return run_.log.is_on; }
  /// What failed first; empty: nothing.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  /// Removes what runs that went on from here had logged: logs that began later than those of the checkpoint.
  void clear(const std::vector<StoredLog>& stored, std::uint64_t step) noexcept;
  /// Opens the log: a new one, or where as many ranks had one, that of the checkpoint, cut off where it stood then.
  /// Other logs of the checkpoint end here.
  /// @param step, time  where the run begins or goes on
  void open(const Solver& solver, const std::vector<StoredLog>& stored, std::uint64_t step, double time) noexcept;
  /// Has the solver write or find the first records. @pre no rank has a problem
  void begin(Solver& solver, std::uint64_t step, double time);

  /// Whether a step may need more room than there is.
  [[nodiscard]] bool lacks_room(const Solver& solver) const noexcept;
  void make_room(const Solver& solver) noexcept;
  /// Says that all up to now has been logged, for readers of a run that is killed.
  void note(const Solver& solver, double time) noexcept;
  /// The same, durable, for a checkpoint.
  void sync(const Solver& solver, double time) noexcept;
  /// Stores where all logs stand. @pre sync
  void save(io::FileWriter& checkpoint) const;
  /// Has the solver write what it has not logged yet. @pre no rank has a problem, and there is room
  void finish(Solver& solver, double time);
  /// Ends the log.
  void close(const Solver& solver, double time) noexcept;

  /// Bytes that this run has added.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  template <class Function>
  void guard(const Function& what) noexcept;
  [[nodiscard]] std::filesystem::path path_of(std::uint64_t step, std::size_t rank, std::size_t ranks) const;
  void continue_log(const Solver& solver, const StoredLog& stored);
  void end_log(const StoredLog& stored, const std::filesystem::path& path, double time) const;

  const RunParameters& run_;
  const comm::Communicator& ranks_;
  std::optional<io::LogWriter> writer_;
  std::unique_ptr<io::LogReader> before_;  // between open and begin
  Log access_;
  StoredLog stored_;  // as of the last sync
  std::uint64_t first_byte_ = 0;
  std::string problem_;
};

}  // namespace tacit::engine
