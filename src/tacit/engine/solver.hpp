// What the engine asks of a solver, and what it offers to one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/engine/conservation.hpp"
#include "tacit/engine/field_row.hpp"
#include "tacit/engine/update_cost.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/log/policy.hpp"
#include "tacit/io/log/reader.hpp"
#include "tacit/io/log/writer.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::engine {

class FieldTable;
struct Coarser;

/// What the main loop counts.
struct Axis {
  enum class Kind : std::uint8_t {
    continuous,  ///< steps of any length; the keys are time.begin, time.end, ...
    counted,     ///< trajectories of a Monte-Carlo run, iterations of a solve: steps of 1; the key is NAME.end
  };
  std::string_view name = "time";  ///< of its column in statistics.csv, its entry in summary.json, its table of keys
  std::string_view symbol = "t";   ///< of a continuous one, in messages
  Kind kind = Kind::continuous;

  [[nodiscard]] bool is_counted() const noexcept { return kind == Kind::counted; }
  /// "t = 0.25", "trajectory 12"
  [[nodiscard]] std::string at(double coordinate) const;
};

/// A column of statistics.csv that a solver adds to those of every run, in code units.
struct Statistic {
  std::string_view name;  ///< "dissipation"; the same ones in the same order in every line
  double value = 0.0;
};

/// Files NAME_NUMBER.SUFFIX; without a suffix, folders. Snapshots are numbered one after the other (0000), others by
/// step (000000), at the begin and the end of a run and at the first steps past multiples of `every`.
struct Series {
  std::string name;                  ///< "spectra"
  std::optional<double> every = {};  ///< along the axis [code time]; without it only at the begin and the end
  std::string suffix = ".hdf5";
};

/// What a run knows of its input and of itself, as (name, value).
using Provenance = std::vector<std::pair<std::string, std::string>>;

/// Where initial conditions came from.
struct Origin {
  std::string input = {};     ///< a path, or the set-up in words
  std::string checksum = {};  ///< of a file
  Provenance more = {};
};

/// The element that needs the shortest step.
struct StepLimit {
  std::string element = "the solver";  ///< "particle 17 at (0, 1, 0)"
  std::optional<std::uint64_t> id = {};
  std::string advice = ".";  ///< what may be wrong with it: ": two particles at one place?"
};

/// What the ranks of a run would send each other in a step of all elements, counted by a run that has them all: for a
/// model of steps on other numbers of ranks.
struct StepTraffic {
  std::size_t ranks = 1;
  std::uint64_t messages = 0;       ///< of all ranks
  std::uint64_t bytes = 0;          ///< of all ranks
  std::uint64_t most_messages = 0;  ///< of the rank that sends most of them
  std::uint64_t most_bytes = 0;     ///< of the rank that sends most of these
  double largest_share = 1.0;       ///< of the work, of the rank that has most
  /// Of transposes on a grid of ranks, the ranks of a row and the part of `bytes` between these; else 0.
  std::size_t row_ranks = 0;
  std::uint64_t row_bytes = 0;
};

/// What goes into every file beside the solver's own arrays.
struct FileContext {
  std::string run_name = {};
  Axis axis = {};
  double coordinate = 0.0;  ///< on the axis: [code time], or the number of the trajectory
  std::uint64_t step = 0;
  std::string parameters = {};  ///< the parameter file as used
  Provenance provenance = {};   ///< commit, compiler, host, input and its checksum, ...
  int compression = 1;          ///< gzip level, 0 for none
  bool double_precision = false;
  io::Output* output = nullptr;  ///< of the run; without it files are written at once

  /// A new file as the run writes it. @param ranks  that write it together
  [[nodiscard]] io::FileWriter file(const std::filesystem::path& path, comm::Communicator& ranks) const {
    return output != nullptr ? io::FileWriter(path, compression, *output) : io::FileWriter(path, compression, ranks);
  }
};

/// What the arrays of files take [byte], not compressed, as far as it is known before they are written; 0: it is not.
struct OutputBytes {
  std::uint64_t snapshot = 0;
  std::uint64_t checkpoint = 0;
};

/// The continuous log of a rank, as its solver sees it.
struct Log {
  io::LogPolicy policy;             ///< tolerances are parts of what the solver says
  io::LogWriter* writer = nullptr;  ///< from begin_log on; tasks write to it during steps
};

/// One kind of physics, as the main loop sees it. All virtual calls are per step or rarer.
///
/// In a run across ranks every rank has a solver, and all call the same functions at the same points of the run; so
/// each of them may communicate. What they return is that of the whole state, alike on all ranks.
class Solver {
 public:
  virtual ~Solver() = default;

  /// Where the initial conditions stand on the axis [code time].
  [[nodiscard]] virtual double start_time() const { return 0.0; }
  /// The longest stable step from the present state [code time]; a counted axis goes by 1.
  /// @throws NumericsError if there is none
  [[nodiscard]] virtual double time_step() const { return 1.0; }
  /// Whether the last step ended for output in the midst of steps that elements take by themselves, so that
  /// time_step() is only what is left of these, and may be as short as it likes.
  [[nodiscard]] virtual bool is_within_steps() const { return false; }
  /// The shortest stable step of any element [code time], which time.dt_min bounds, and which element that is.
  [[nodiscard]] virtual double shortest_step() const { return time_step(); }
  [[nodiscard]] virtual StepLimit step_limit() const { return {}; }
  /// Whether an iterative solve needs no more steps: the run ends here. Asked for after each step, alike on all ranks.
  [[nodiscard]] virtual bool has_converged() const { return false; }
  /// What an iterative solve that was asked for lacks in the present state; nothing if it is done, or there is none.
  /// Asked for at the end of the axis: the run keeps what there is, and ends with an error. Alike on all ranks.
  [[nodiscard]] virtual std::optional<std::string> unfinished() const { return std::nullopt; }
  /// Advances the state from step.time by step.dt along the axis.
  /// @throws NumericsError if the new state is not finite: on all ranks, or with its rank
  virtual void step(const tasks::StepContext& step) = 0;
  [[nodiscard]] virtual Conserved conserved() const { return {}; }
  /// The table of fields, if the solver has one. Then what follows from it needs no functions of the solver's own:
  /// write_snapshot of a grid and looks_while_writing, output_bytes, save, not_finite, elements.
  [[nodiscard]] virtual const FieldTable* table_of_fields() const { return nullptr; }
  /// What of the present state is not finite; nothing if all of it is. Asked for before anything is written, once per
  /// state. Without an answer of the solver's own, the fields of the table are looked at, or the conserved quantities.
  [[nodiscard]] virtual std::optional<Flaw> not_finite() const;
  /// What else is of interest of the present state, at the times of statistics.csv.
  [[nodiscard]] virtual std::vector<Statistic> statistics() const { return {}; }
  /// What a person should know of the state and has not been told yet; asked for before each line of statistics.csv.
  [[nodiscard]] virtual std::vector<std::string> new_warnings() { return {}; }
  /// How many elements (particles, cells) there are.
  [[nodiscard]] virtual std::uint64_t elements() const;
  /// How many of them the last step updated.
  [[nodiscard]] virtual std::uint64_t updated() const { return elements(); }
  /// What an update takes of the machine, at the end of a run; alike on all ranks. Without an answer the run does not
  /// say how near it came to what the machine can do.
  [[nodiscard]] virtual std::optional<UpdateCost> update_cost() const { return std::nullopt; }
  /// Asked for where a run begins; a restart takes it from the checkpoint.
  [[nodiscard]] virtual Origin origin() const { return {}; }

  /// Name and suffix of snapshots; output.snapshot_every says when they are due.
  [[nodiscard]] virtual Series snapshots() const { return {.name = "snapshot"}; }
  /// Writes the state for users' tools; of several ranks the first one writes what all have. @return bytes written
  virtual std::uint64_t write_snapshot(const std::filesystem::path& path, const FileContext& context) const;
  /// Whether write_snapshot looks at the whole state as it copies it, so that not_finite need not: where a number is
  /// not finite it throws a NumericsError, on all ranks alike, before the file is complete.
  [[nodiscard]] virtual bool looks_while_writing() const { return table_of_fields() != nullptr; }
  /// Asked before such a file is written: whether the next step comes by what it needs of the present state, and so
  /// takes it along. Then write_planned_snapshot follows the step, or comes before it where something will not wait.
  virtual bool plan_snapshot(const std::filesystem::path& /*path*/, const FileContext& /*context*/) { return false; }
  /// Writes the snapshot of the state at which it was planned, with the same bits as write_snapshot there.
  /// @param path, context  as for plan_snapshot   @return bytes written
  /// @pre plan_snapshot has said so, and no more than one step has been made since, or begun
  virtual std::uint64_t write_planned_snapshot(const std::filesystem::path& /*path*/, const FileContext& /*context*/) {
    return 0;
  }
  /// What other numbers of ranks would send; of a run on one rank, asked at its end.
  [[nodiscard]] virtual std::vector<StepTraffic> traffic() const { return {}; }
  /// The further files that the solver wants to write.
  [[nodiscard]] virtual std::vector<Series> series() const { return {}; }
  /// Writes one of them. @return bytes written
  virtual std::uint64_t write_series(const Series& /*series*/, const std::filesystem::path& /*path*/,
                                     const FileContext& /*context*/) const {
    return 0;
  }
  /// What the arrays of the next files take at least, those of all ranks together.
  [[nodiscard]] virtual OutputBytes output_bytes(const FileContext& context) const;

  // The continuous log (output.log). A solver that has one gets a Log with its Resources, and writes to it in the tasks
  // of its steps.

  /// What it writes of an element; nothing where there is nothing to log.
  [[nodiscard]] virtual std::optional<io::LogSchema> log_schema() const { return std::nullopt; }
  /// How many elements this rank has to log.
  [[nodiscard]] virtual std::uint64_t logged_elements() const { return 0; }
  /// The most records that begin_log, a step, or end_log writes on this rank.
  [[nodiscard]] virtual std::uint64_t log_records() const { return logged_elements(); }
  /// Up to when everything has been logged.
  [[nodiscard]] virtual double logged_until(double now) const { return now; }
  /// The log is there. Without `before` a record of each element is written; after a restart `before` holds those which
  /// it has written so far.
  /// @param step  so many have been taken
  virtual void begin_log(double /*time*/, std::uint64_t /*step*/, const io::LogReader* /*before*/) {}
  /// The run is over: what steps have not logged yet is written.
  virtual void end_log(double /*time*/) {}

  /// Stores all that `make` needs to continue bitwise identically, on any number of ranks, without touching the state.
  virtual void save(io::FileWriter& checkpoint) const;
  /// Stores what there is of a state that is not finite, or that a step left behind half done, for a person to look at.
  /// @throws base::Error if it cannot be written: why
  virtual void save_failed(io::FileWriter& file) const { save(file); }
};

/// What a solver may use.
struct Resources {
  tasks::Scheduler& scheduler;
  bool deterministic = false;
  comm::Communicator& ranks;  ///< of the run; the scheduler polls their completions already
  const Log* log = nullptr;   ///< null: there is none
};

/// What a continuous log takes, of all ranks, whether the run keeps one or not.
struct LogPrediction {
  double elements = 0.0;     ///< that are logged; 0: there is nothing to log
  std::string element_name;  ///< "blocks"
  io::LogSchema schema = {};
};

/// Further files that come at an interval of their own, with one at the begin and one at the end.
struct SeriesPrediction {
  std::string_view name;  ///< "plotfiles"
  double every = 0.0;     ///< [code time]
  double bytes = 0.0;     ///< of one
};

/// What `tacit check` says before anything runs.
struct Prediction {
  std::uint64_t elements = 0;
  std::string element_name;   ///< "particles"
  double memory_bytes = 0.0;  ///< at the peak, of the solver alone; ranks divide it
  double snapshot_bytes = 0.0;
  double checkpoint_bytes = 0.0;
  std::vector<SeriesPrediction> series = {};
  LogPrediction log = {};
  double staged_bytes = 0.0;        ///< of a snapshot and a checkpoint, before they are compressed
  double start_time = 0.0;          ///< of the initial conditions [code time]
  double first_time_step = 0.0;     ///< [code time]; 0: it cannot be told
  double updates_per_core_s = 0.0;  ///< assumed speed, for how much may be rehearsed; see RunEstimate
  UpdateCost cost = {};             ///< of an update
  double peak_share = 0.0;          ///< that runs reach; 0: it is not known
  StepTraffic traffic = {};         ///< where it follows from the parameters alone; else of 1 rank
  double work_of_element = 1.0;     ///< relative to that in runs of other sizes
  std::vector<std::string> warnings = {};

  /// What bytes_of says of the fields: of files, and of a snapshot and a checkpoint together.
  void set_bytes(const OutputBytes& bytes) {
    snapshot_bytes = static_cast<double>(bytes.snapshot);
    checkpoint_bytes = static_cast<double>(bytes.checkpoint);
    staged_bytes = snapshot_bytes + checkpoint_bytes;
  }
};

/// A solver's entry in the registry.
struct SolverEntry {
  std::string_view name;
  std::string_view help;
  std::span<const config::KeyTable> (*tables)();
  /// @param restart  a checkpoint written by save(), or null to start from the initial conditions
  std::unique_ptr<Solver> (*make)(const config::Parameters&, const Resources&, const io::FileReader* restart);
  /// Reads and checks the whole input, but computes nothing.
  Prediction (*predict)(const config::Parameters&, std::size_t ranks);
  Axis axis = {};
  /// Files that are read beside those which keys name, as others of a set, each with its key. Null: none.
  std::vector<std::pair<std::string, std::filesystem::path>> (*further_files)(const config::Parameters&) = nullptr;
  /// The rows of its table of fields, for documents. Null: it has none.
  std::span<const FieldRow> (*fields)() = nullptr;
  /// The same problem at about 4/quarters of the resolution, from whose run `tacit check` learns how many steps there
  /// will be. Nothing: it has none so coarse. Null: it never has.
  std::optional<Coarser> (*coarser)(const config::Parameters&, std::uint64_t quarters) = nullptr;
};

}  // namespace tacit::engine
