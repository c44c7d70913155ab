// A run from its parameters to its results: the main loop and all that it leaves in the output directory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/engine/averages/column_averages.hpp"
#include "tacit/engine/checkpoint_ring.hpp"
#include "tacit/engine/conservation.hpp"
#include "tacit/engine/conservation_watch.hpp"
#include "tacit/engine/fingerprint.hpp"
#include "tacit/engine/keys.hpp"
#include "tacit/engine/output_room.hpp"
#include "tacit/engine/peak_share.hpp"
#include "tacit/engine/run_log.hpp"
#include "tacit/engine/schedule.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/engine/stop_watcher.hpp"
#include "tacit/io/output_directory.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::engine {

/// What a person watching the run wants to know.
struct Progress {
  std::uint64_t step = 0;
  Axis axis = {};
  double coordinate = 0.0;  ///< on the axis, as `begin` and `end`
  double begin = 0.0;
  double end = 0.0;
  double dt = 0.0;
  double wall_s = 0.0;
  double updates_per_s = 0.0;
  std::optional<double> energy_drift = {};  ///< relative; absent where energy comes and goes
};

/// The library never prints; the caller decides where messages go.
class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void note(const std::string& line) = 0;
  virtual void progress(const Progress& progress) = 0;
};

/// What a run is asked for from outside, by signals.
struct Requests {
  std::atomic<bool> stop{false};        ///< to end after the step in hand, with a checkpoint
  std::atomic<bool> checkpoint{false};  ///< to write a checkpoint and go on; taken back when that is done
};

/// Whether a run continues from a checkpoint.
enum class Restart : std::uint8_t {
  never,
  always,  ///< it is an error if there is none
  if_any,  ///< a new run where there is none
};

struct RunOptions {
  Restart restart = Restart::never;
  Requests* requests = nullptr;
};

/// What became of launches, on all ranks.
struct LaunchSummary {
  std::uint64_t all = 0;        ///< that asked for a slot
  std::uint64_t on_device = 0;  ///< computed there
  std::uint64_t on_cpu = 0;     ///< computed by workers, as no slot was to be had
  std::uint64_t failed = 0;     ///< on a device
  std::uint64_t rescued = 0;    ///< of those: computed by workers
  std::uint64_t waited = 0;     ///< for a slot, of those on devices

  [[nodiscard]] double share(std::uint64_t of) const noexcept {
    return all == 0 ? 0.0 : static_cast<double>(of) / static_cast<double>(all);
  }
};

/// What the run cost, on all ranks; goes to summary.json and to the lines at the end.
struct Summary {
  std::string solver;
  std::string version;
  Provenance provenance;  ///< commit, compiler, host, input and its checksum, ...
  std::size_t ranks = 1;
  std::size_t threads = 1;  ///< of the rank with the most
  std::uint64_t steps = 0;
  double wall_s = 0.0;
  std::uint64_t updates = 0;
  double updates_per_core_s = 0.0;
  std::optional<PeakShare> peak;                 ///< absent where the limits of the machine are not known
  double exposed_s = 0.0;                        ///< what communication cost; see trace::Exposure
  double exposed_share = 0.0;                    ///< of wall_s
  std::optional<double> hidden_fraction;         ///< of the transfers' time; absent when nothing was transferred
  double output_s = 0.0;                         ///< what writing takes, one thing after the other
  double output_exposed_s = 0.0;                 ///< wall time for which the run waited for it, copies included
  double output_share = 0.0;                     ///< of wall_s, that is exposed
  std::optional<double> output_hidden_fraction;  ///< 1 - output_exposed_s / output_s; absent where nothing was written
  /// Wall time of the parts of steps that the solver tells apart, the mean over ranks, and at last that of all else, as
  /// output; empty where it tells none.
  std::vector<std::pair<std::string, double>> parts;
  double idle_share = 0.0;            ///< of the workers' time in steps
  std::optional<double> parallelism;  ///< work over critical path of the task graphs; absent when none ran
  std::uint64_t output_bytes = 0;
  std::map<std::string, std::string> writers;      ///< how each kind of files was written last: "restart": "shared"
  std::optional<std::uint64_t> peak_memory_bytes;  ///< of the rank with the most
  std::optional<LaunchSummary> launches;           ///< absent without launch slots
  Axis axis = {};
  double coordinate = 0.0;  ///< reached [code time]
  bool finished = false;    ///< false: stopped on request or by time.max_steps
  Conservation conservation;
  std::optional<Fingerprint> fingerprint = {};  ///< of the state at the end; absent where it was not asked for
  std::vector<std::string> warnings;            ///< of the solver, as they were said while it ran
  std::optional<ColumnAverages> averages = {};  ///< of statistics.csv, if they were asked for
  std::uint64_t elements = 0;                   ///< of all ranks
  std::vector<StepTraffic> traffic;             ///< that other numbers of ranks would have; of one rank
};

/// One run. Construction reads the input, locks the output directory and prepares the state.
///
/// Across ranks it is made and run by all of them at the same point; the first one alone writes and reports. They step
/// alike because they agree before each step, in one small all-reduce, on its length, on a checkpoint that is due by
/// the first one's clock, and on the end, if any was asked to stop. A rank that fails throws; the others learn of it
/// while they wait for it, as comm::PeerError, once its Communicator has been told (give_up) or has gone.
class Simulation {
 public:
  /// @param parameters  read against the tables of `solver`
  /// @param ranks       that run it together, each with a Simulation of the same parameters; they outlive it
  /// @throws config::Error, base::SystemError, base::FormatError; nothing on disk is harmed then; comm::PeerError
  Simulation(const config::Parameters& parameters, const SolverEntry& solver, comm::Communicator& ranks,
             const RunOptions& options, Reporter& reporter);
  ~Simulation();

  /// Whether a restart found a run that is over under the present parameters: `run` would do nothing. Then nothing on
  /// disk has been changed, and `run` must not be called.
  [[nodiscard]] bool has_nothing_to_do() const noexcept { return has_nothing_to_do_; }

  /// Advances to the end and writes everything that the run leaves.
  /// @throws NumericsError if the time step vanishes (the state is good, and written before), the solver's step fails
  ///         or a state is not finite (it goes to failed.hdf5; what was written before stays): says where the state
  ///         is and which checkpoint is the last valid one; base::SystemError if output fails; comm::PeerError,
  ///         comm::DeadlineError
  Summary run();

  // The parts of run(), for a program that does something of its own between steps: begin(), then step() as often as it
  // is true, or less often, then end(). They throw what run() throws, after which there is nothing more to call.

  /// Writes what is due at the begin.
  void begin();
  /// Takes one step, and writes what is due then. @return false: it took none, for the run is over, or asked to stop
  bool step();
  /// Writes the last checkpoint, and what else a run leaves; Requests::stop and one more step() come before the end of
  /// a run that is not over.
  Summary end();

  [[nodiscard]] std::uint64_t steps() const noexcept { return step_; }  ///< of the whole run, restarts included
  [[nodiscard]] double time() const noexcept { return time_; }          ///< on the axis [code time]
  [[nodiscard]] double last_step() const noexcept { return dt_; }       ///< its length [code time]; 0 before the first
  [[nodiscard]] const TimeParameters& times() const noexcept { return times_; }
  /// Its state, to be looked at between steps.
  [[nodiscard]] const Solver& solver() const noexcept { return *solver_; }
  /// Whether the end is reached, or time.max_steps.
  [[nodiscard]] bool is_over() const { return schedule_.is_over(time_) || step_ >= times_.max_steps; }
  /// Writes the present state to a file beside those of the run, in double precision, before it returns.
  /// @throws base::SystemError; NumericsError if a number is not finite: there is no file then
  void write_snapshot_to(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& directory() const noexcept { return run_.directory; }
  [[nodiscard]] const RunParameters& parameters() const noexcept { return run_; }
  /// "t = 0.25"
  [[nodiscard]] std::string place() const { return entry_.axis.at(time_); }
  /// The key that sets the end: "time.end".
  [[nodiscard]] std::string end_key() const { return std::string(entry_.axis.name) + ".end"; }
  /// Whether it ended because it was asked to, or because its wall-clock time was over.
  [[nodiscard]] bool was_stopped() const noexcept { return was_stopped_; }
  /// Whether time.max_steps ended the run before its time was over.
  [[nodiscard]] bool is_out_of_steps() const { return step_ >= times_.max_steps && !schedule_.is_over(time_); }

 private:
  void open_statistics();
  void open_log(const config::Parameters& parameters, const std::vector<StoredLog>& stored);
  void make_room_in_log();
  void close_log();
  void resume(const io::FileReader& checkpoint);
  [[nodiscard]] bool finds_its_end();
  [[nodiscard]] bool prepare_step();
  StepConsensus exchange(StepConsensus mine, std::string problem = {});
  void require_room(const ExpectedFile& file);
  [[nodiscard]] OutputBytes bytes_of_output();
  [[nodiscard]] std::filesystem::path snapshot_path(std::uint64_t number) const;
  void require_end_of_solve() const;
  void warn_all(const std::vector<std::string>& warnings);
  [[nodiscard]] bool may_look() const;
  enum class Look : std::uint8_t { first, next };
  void look_at_conserved(Look look);
  void advance();
  [[noreturn]] void end_without_step(Flaw flaw);
  [[noreturn]] void fail(const NumericsError& error);
  [[nodiscard]] std::string write_failed(const NumericsError& error);
  void write_due_output();
  void write_snapshot();
  void write_planned_snapshot();
  struct PlannedSnapshot;
  void write_snapshot_at_once(const PlannedSnapshot& snapshot);
  void pass_on_news();
  void write_statistics();
  void write_series(const Series& series);
  void write_checkpoint();
  [[nodiscard]] std::string checkpoint_of_now() const;
  void note_saved(double begun_s);
  void note_finished_output();
  void finish_output();
  void warn(const std::string& warning);
  void report_progress();
  [[nodiscard]] std::optional<PeakShare> peak_share(std::span<const RankCost> costs);
  [[nodiscard]] Summary finish();
  [[nodiscard]] std::optional<Fingerprint> fingerprint();
  [[nodiscard]] bool is_asked_to_stop();
  [[nodiscard]] bool is_checkpoint_due();
  [[nodiscard]] double busy_s();
  [[nodiscard]] RankCost cost();
  [[nodiscard]] FileContext file_context();

  void require_finite_state();
  /// Runs a piece of output if the state is finite, adds its time to the cost of output and to the trace.
  void output(trace::KindId kind, const std::function<void()>& write);
  void count_output(trace::KindId kind, const std::function<void()>& write);

  RunParameters run_;
  RunOptions options_;
  comm::Communicator& ranks_;
  Reporter& reporter_;
  const SolverEntry& entry_;
  std::optional<io::OutputDirectory> directory_;  // of the first rank
  std::string parameters_as_used_;
  std::size_t workers_;
  MachineLimits limits_;
  trace::Recorder recorder_;
  struct OutputKinds {
    trace::KindId snapshot;
    trace::KindId statistics;
    trace::KindId series;
    trace::KindId checkpoint;
    trace::KindId agreement;
    trace::KindId packing;
    trace::KindId trace;
    trace::KindId rest;
    trace::KindId log;        // of tasks in steps
    trace::KindId disk_wait;  // within them
    trace::KindId log_care;   // beside them
  } kinds_;                   // named before there are workers that record
  io::Output output_;
  tasks::Scheduler scheduler_;
  struct Polling {
    Polling(tasks::Scheduler& scheduler, comm::Communicator& ranks);
  } polling_;  // of the ranks' completions, from before the solver is made
  io::Output::Help help_;
  Agreement agreement_;
  RunLog log_;
  FoundCheckpoint found_;                     // by a restart
  std::optional<io::FileReader> checkpoint_;  // open only while the constructor reads it
  std::unique_ptr<Solver> solver_;
  Origin origin_;  // of the initial conditions
  std::vector<Series> series_;
  TimeParameters times_;
  Schedule schedule_;
  StopWatcher stop_watcher_;
  config::Location wall_limit_where_;
  OutputRoom room_;  // of the first rank
  ConservationWatch conserved_;
  std::unique_ptr<io::LineFile> statistics_;
  bool lacks_header_ = false;  // it begins with the first line
  base::Stopwatch wall_;
  double time_;
  double dt_ = 0.0;
  double next_dt_ = 0.0;
  std::uint64_t step_ = 0;
  std::uint64_t first_step_ = 0;
  bool looks_after_step_ = false;               // at what is conserved, as the ranks have agreed
  std::optional<std::uint64_t> finite_at_;      // step whose state was found to be finite
  std::optional<std::string> checkpointed_at_;  // where the last valid checkpoint is: "step 4, t = 1"
  struct Pending {
    std::uint64_t number = 0;  // of the file: complete once so many are
    std::string at;
    double begun_s = 0.0;  // since the run began
  };
  std::deque<Pending> pending_checkpoints_;  // on their way to disk
  std::deque<Pending> pending_snapshots_;    // likewise; `at` is the file
  bool is_saved_ = false;                    // the present state is in the last one
  std::set<std::uint64_t> damaged_;          // checkpoints that count for nothing
  std::uint64_t last_checkpoint_step_ = 0;
  bool was_stopped_ = false;
  std::uint64_t updates_ = 0;        // of the whole run
  std::uint64_t first_updates_ = 0;  // before this part of it
  std::uint64_t snapshots_ = 0;
  struct PlannedSnapshot {
    std::filesystem::path path;
    FileContext context;
  };
  std::optional<PlannedSnapshot> planned_snapshot_;  // that the next step takes along
  std::vector<std::string> warnings_;
  double output_s_ = 0.0;  // for which the run waited
  double rest_s_ = 0.0;    // of it, at the end
  double steps_s_ = 0.0;
  double busy_before_s_ = 0.0;         // in preparing the state
  trace::Exposure exposure_before_{};  // likewise
  double last_checkpoint_s_ = 0.0;
  double last_report_s_ = -1.0;
  bool has_nothing_to_do_ = false;
};

}  // namespace tacit::engine
