// The main loop and the output that goes with it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/provenance.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/engine/axis.hpp"
#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/earlier_run.hpp"
#include "tacit/engine/input_file.hpp"
#include "tacit/engine/rank_trace.hpp"
#include "tacit/engine/summary.hpp"
#include "tacit/engine/take_step.hpp"
#include "tacit/trace/report.hpp"

namespace tacit::engine {
namespace {

constexpr const char* summary_name = "summary.json";
constexpr const char* trace_name = "trace.json";
constexpr double report_interval_s = 0.2;
// What a rank says of whether it stops.
constexpr std::uint32_t asked_to_stop = 1;
constexpr std::uint32_t limit_too_short = 2;

tasks::SchedulerOptions scheduler_options(const RunParameters& run, std::size_t workers, bool is_alone) {
  // Between ranks it is the deadline that tells a late one from one that never comes.
  const bool waits = !is_alone && run.stall_timeout_s > 0.0;
  const double stall_s = waits ? std::max(run.stall_timeout_s, 2.0 * run.ranks.deadline_s) : run.stall_timeout_s;
  return {.workers = workers,
          .polling = run.polling,
          .poll_interval_s = run.poll_interval_s,
          .pin = run.pin,
          .stall_timeout_s = stall_s};
}

std::optional<io::OutputDirectory> open_directory(const std::filesystem::path& path, const comm::Communicator& ranks,
                                                  Reporter& reporter) {
  if (!is_first(ranks)) return std::nullopt;
  std::optional<io::OutputDirectory> directory(path);
  // Before a restart looks for a checkpoint: those of the run that was being moved are not its own.
  if (const std::string moved = finish_moving_aside(path); !moved.empty()) {
    reporter.note("an earlier run in " + path.string() + " was moved only in part; the rest of it is in " + moved +
                  " now, too");
  }
  std::error_code ignored;  // what cannot be removed is overwritten at the end of the run
  const bool is_alone = directory->is_locked();
  if (is_alone) std::filesystem::remove(trace::unfinished_trace(*directory / trace_name), ignored);
  return directory;
}

FoundCheckpoint find_checkpoint_if(Restart restart, const std::filesystem::path& directory, comm::Communicator& ranks,
                                   tasks::Scheduler& workers) {
  FoundCheckpoint found;
  if (restart != Restart::never) found = find_checkpoint(directory, ranks, &workers);
  if (found.path.empty() && restart == Restart::always) {
    throw base::SystemError(directory.string(),
                            "there is no checkpoint to continue from; leave out --restart to start again");
  }
  return found;
}

std::optional<io::FileReader> open_checkpoint_if(const FoundCheckpoint& found, std::string_view solver,
                                                 const config::Parameters& parameters, tasks::Scheduler& workers) {
  if (found.path.empty()) return std::nullopt;
  // Every byte has been compared with its checksum when it was found.
  io::FileReader checkpoint = open_checkpoint(found.path, solver, {.workers = &workers, .is_verified = true});
  require_same_parameters(checkpoint, parameters);
  return checkpoint;
}

/// The solver, made once the files that it begins with are known to be sound.
std::unique_ptr<Solver> make_solver(const SolverEntry& entry, const config::Parameters& parameters,
                                    const Resources& resources, const io::FileReader* checkpoint) {
  if (checkpoint == nullptr) {
    require_sound_files(parameters,
                        entry.further_files == nullptr ? std::vector<std::pair<std::string, std::filesystem::path>>()
                                                       : entry.further_files(parameters),
                        resources.ranks, &resources.scheduler);
  }
  return entry.make(parameters, resources, checkpoint);
}

std::vector<Series> files_of(const Solver& solver) {
  std::vector<Series> files = solver.series();
  files.push_back(solver.snapshots());
  return files;
}

}  // namespace

Simulation::Simulation(const config::Parameters& parameters, const SolverEntry& solver, comm::Communicator& ranks,
                       const RunOptions& options, Reporter& reporter)
    : run_(read_run_parameters(parameters)),
      options_(options),
      ranks_(ranks),
      reporter_(reporter),
      entry_(solver),
      directory_(open_directory(run_.directory, ranks_, reporter_)),
      parameters_as_used_(parameters.as_used()),
      workers_(worker_count(run_, ranks_)),
      limits_(run_, ranks_, workers_),
      recorder_(workers_, events_kept(run_.trace, workers_, ranks_.size())),
      kinds_{.snapshot = recorder_.kind("write snapshot", trace::Category::output),
             .statistics = recorder_.kind("statistics", trace::Category::output),
             .series = recorder_.kind("write series", trace::Category::output),
             .checkpoint = recorder_.kind("write checkpoint", trace::Category::output),
             .agreement = recorder_.kind("ranks agree on the step", trace::Category::wait),
             .packing = recorder_.kind("pack output", trace::Category::output),
             .trace = recorder_.kind("write trace", trace::Category::output),
             .rest = recorder_.kind("finish output", trace::Category::output),
             .log = recorder_.kind("log", trace::Category::output),
             .disk_wait = recorder_.kind(io::disk_wait_name, trace::Category::disk_wait),
             .log_care = recorder_.kind("make room in log", trace::Category::output)},
      output_(ranks_, {.writers = run_.writers,
                       .staging_memory = staging_memory(run_, ranks_on_node(ranks_)),
                       .recorder = &recorder_}),
      scheduler_(scheduler_options(run_, workers_, ranks_.size() == 1), recorder_),
      polling_(scheduler_, ranks_),
      help_(output_, scheduler_),
      agreement_(ranks_),
      log_(run_, ranks_),
      found_(find_checkpoint_if(options_.restart, run_.directory, ranks_, scheduler_)),
      checkpoint_(open_checkpoint_if(found_, solver.name, parameters, scheduler_)),
      solver_(make_solver(solver, parameters, {scheduler_, run_.deterministic, ranks_, log_.access()},
                          checkpoint_ ? &*checkpoint_ : nullptr)),
      series_(solver_->series()),
      times_(read_time_parameters(parameters, solver.axis, solver_->start_time())),
      schedule_(times_, series_, solver.axis.kind),
      stop_watcher_(directory_ ? directory_->path() : std::filesystem::path(), run_.wall_limit_s),
      wall_limit_where_(parameters.where("run.wall_limit")),
      conserved_(run_.drift, solver.axis),
      time_(times_.begin) {
  if (!run_.drift.named.empty()) require_conserved(parameters, run_.drift, solver_->conserved().quantities);
  std::vector<StoredLog> logs;
  if (checkpoint_) {
    resume(*checkpoint_);
    logs = stored_logs(*checkpoint_);
    checkpoint_.reset();
    has_nothing_to_do_ = finds_its_end();
    if (has_nothing_to_do_) return;
    damaged_ = found_.damaged;
    for (const std::string& note : found_.notes) warn("warning: a newer checkpoint cannot be continued from: " + note);
    if (directory_) std::filesystem::remove(*directory_ / summary_name);  // it is that of an earlier part
    if (directory_) reporter_.note(fmt::format("continues from step {} at {}", step_, place()));
  } else {
    origin_ = solver_->origin();
    if (directory_) {
      const std::string moved = set_aside_earlier_run(directory_->path(), files_of(*solver_));
      if (!moved.empty()) reporter_.note("an earlier run stood in " + directory().string() + "; moved to " + moved);
    }
  }
  if (directory_ && run_.writers.kind == io::Writers::Kind::shared && run_.compression > 0) {
    reporter_.note("snapshots are not compressed: all ranks write into one file (output.writers = \"shared\")");
  }
  if (directory_ && !directory_->is_locked()) {
    warn("warning: the file system of " + directory().string() +
         " has no locks (flock): nothing would stop a second run from writing there, so start none");
  }
  for (const std::string& note : parameters.notes()) warn("warning: " + note);
  stop_watcher_.expect_checkpoint(bytes_of_output().checkpoint);
  open_log(parameters, logs);
  open_statistics();
  if (directory_) {
    io::write_atomically(*directory_ / "parameters.toml", to_comment(provenance_of(origin_)) + parameters_as_used_);
  }
}

Simulation::~Simulation() = default;

Simulation::Polling::Polling(tasks::Scheduler& scheduler, comm::Communicator& ranks) {
  scheduler.attach(ranks.completions());  // of one rank, too: it may be its own neighbour
}

Summary Simulation::run() {
  begin();
  while (step()) {
  }
  return end();
}

void Simulation::begin() {
  busy_before_s_ = busy_s();
  exposure_before_ = recorder_.exposure();
  try {
    // Of a restart, whose last line of statistics.csv may be many steps old.
    if (conserved_.is_watched() && conserved_.last_step() != step_) look_at_conserved(Look::first);
    write_due_output();
  } catch (const NumericsError& error) {
    fail(error);
  }
}

bool Simulation::step() {
  try {
    if (is_over() || !prepare_step()) return false;
    advance();
    write_due_output();
    report_progress();
    return true;
  } catch (const NumericsError& error) {
    fail(error);
  }
}

Summary Simulation::end() {
  try {
    write_checkpoint();
    if (!was_stopped_ && !is_out_of_steps()) require_end_of_solve();
  } catch (const NumericsError& error) {
    fail(error);
  }
  return finish();
}

/// By a signal; by a file, or the clock, of the first rank.
bool Simulation::is_asked_to_stop() {
  if (options_.requests != nullptr && options_.requests->stop.load()) return true;
  if (!directory_) return false;
  const auto reason = stop_watcher_.reason(wall_.seconds());
  if (reason) reporter_.note("stops: " + *reason);
  return reason.has_value();
}

bool Simulation::is_checkpoint_due() {
  if (options_.requests != nullptr && options_.requests->checkpoint.exchange(false)) return true;
  const double unsaved_s = wall_.seconds() - last_checkpoint_s_;
  const bool is_time = directory_ && run_.checkpoint_every_s > 0.0 && unsaved_s > run_.checkpoint_every_s;
  const std::uint64_t unsaved = step_ - last_checkpoint_step_;
  return is_time || (run_.checkpoint_every_steps > 0 && unsaved >= run_.checkpoint_every_steps);
}

/// Finds the length of the next step, and writes a checkpoint that is due. @return whether there shall be one: no rank
/// was asked to stop
bool Simulation::prepare_step() {
  StepConsensus mine;
  mine.stops = is_asked_to_stop() ? asked_to_stop : 0;
  // A restart, too, would come no further.
  const bool is_first_step = step_ == first_step_;
  if (directory_ && is_first_step && stop_watcher_.is_given_limit_over(wall_.seconds())) mine.stops |= limit_too_short;
  mine.checkpoint = is_checkpoint_due() ? 1 : 0;
  mine.looks = may_look() ? 1 : 0;
  Flaw flaw;
  try {
    // Also where this rank is to stop: what limits a step, ranks may find together.
    mine.stable = longest_step(*solver_, times_);
    mine.within_steps = solver_->is_within_steps() ? 1 : 0;
  } catch (const NumericsError& error) {
    flaw = error.flaw();
    mine.failed = number(ranks_.rank());
  }
  make_room_in_log();
  const StepConsensus all = exchange(mine);
  if ((all.stops & limit_too_short) != 0) {
    throw config::Error(wall_limit_where_, "run.wall_limit",
                        "leaves no time for a first step and a checkpoint: a restart would come no further either",
                        "write a longer time, or leave it out");
  }
  was_stopped_ = all.stops != 0;
  if (was_stopped_) return false;
  if (all.failed != StepConsensus::none) {
    flaw.text = agreement_.text_of(all.failed, flaw.text);
    flaw.rank = all.failed;
    flaw.is_known_to_all = true;
    end_without_step(flaw);
  }
  if (all.checkpoint != 0) write_checkpoint();
  looks_after_step_ = all.looks != 0;
  try {
    next_dt_ = schedule_.step(time_, all.stable, all.within_steps != 0 ? StepKind::rest : StepKind::whole);
  } catch (const NumericsError& error) {
    end_without_step(error.flaw());
  }
  return true;
}

/// What the ranks say together. The time that it takes is a cost of communication.
/// @param problem  why this rank cannot write; empty: it can
/// @throws OutputError on all ranks, if one could not write a file
StepConsensus Simulation::exchange(StepConsensus mine, std::string problem) {
  mine.is_writing = output_.is_busy() ? 1 : 0;
  mine.written = output_.written();
  try {
    output_.check();  // after what has been written: a file that failed counts there, too
    if (problem.empty()) problem = log_.problem();
  } catch (const base::Error& error) {
    problem = error.what();
  }
  if (!problem.empty()) mine.output_failed = number(ranks_.rank());
  StepConsensus all = mine;
  if (ranks_.size() > 1) {
    const std::int64_t begin = base::ticks();
    all = agreement_.agree(mine);
    recorder_.track(0).record({.begin = begin, .end = base::ticks(), .kind = kinds_.agreement, .key = 0});
  }
  if (all.output_failed != StepConsensus::none) throw OutputError(agreement_.text_of(all.output_failed, problem));
  output_.note_written_by_all(all.written);
  note_finished_output();
  return all;
}

/// One step of the length that was agreed on.
void Simulation::advance() {
  const base::Stopwatch watch;
  is_saved_ = false;
  time_ = take_step(*solver_, schedule_, step_, time_, next_dt_);
  dt_ = next_dt_;
  ++step_;
  updates_ += solver_->updated();
  steps_s_ += watch.seconds();
  stop_watcher_.note_step(watch.seconds());
  write_planned_snapshot();
}

void Simulation::resume(const io::FileReader& checkpoint) {
  const EngineState state = load_engine(checkpoint);
  time_ = state.time;
  dt_ = state.dt;
  step_ = first_step_ = state.step;
  if (step_ != found_.step) {
    throw base::FormatError(
        found_.path.string(),
        fmt::format("is the checkpoint of step {}: name it {}, or take it away", step_, checkpoint_name(step_)));
  }
  updates_ = first_updates_ = state.updates;
  snapshots_ = state.snapshots;
  conserved_.resume(state.conservation, state.statistics_step);
  origin_ = state.origin;
  room_.note("checkpoint", found_.path);
  if (snapshots_ > 0) room_.note("snapshot", snapshot_path(snapshots_ - 1));
  last_checkpoint_step_ = step_;
  checkpointed_at_ = checkpoint_of_now();
  is_saved_ = true;
  if (solver_->has_converged()) schedule_.end_at(time_);
  schedule_.skip_to(time_);
}

/// Whether the checkpoint is that of the end, and what is written after it is there too: all ranks go by what the first
/// one sees.
bool Simulation::finds_its_end() {
  if (!is_over()) return false;
  StepConsensus mine;
  mine.stops = directory_ && std::filesystem::exists(*directory_ / summary_name) ? 1 : 0;
  return exchange(mine).stops != 0;
}

void Simulation::report_progress() {
  const double wall = wall_.seconds();
  const bool goes_on = !is_over();
  if (!directory_ || (wall - last_report_s_ < report_interval_s && goes_on)) return;
  last_report_s_ = wall;
  Progress progress{
      step_,      entry_.axis, time_, times_.begin,
      times_.end, dt_,         wall,  steps_s_ > 0.0 ? static_cast<double>(updates_ - first_updates_) / steps_s_ : 0.0};
  if (const auto* energy = conserved_.of_lines().find("energy"); energy != nullptr && energy->is_kept) {
    progress.energy_drift = energy->max_drift();
  }
  reporter_.progress(progress);
}

Summary Simulation::finish() {
  finish_output();
  close_log();
  if (was_stopped_) stop_watcher_.remove_file();
  Summary summary;
  summary.solver = entry_.name;
  summary.version = base::provenance().version;
  summary.provenance = provenance_of(origin_);
  summary.steps = step_ - first_step_;
  summary.updates = updates_ - first_updates_;
  summary.axis = entry_.axis;
  summary.coordinate = time_;
  summary.finished = schedule_.is_over(time_);
  summary.conservation = conserved_.of_lines();
  summary.elements = solver_->elements();
  if (ranks_.size() == 1) summary.traffic = solver_->traffic();
  if (statistics_) statistics_->close();
  if (directory_ && times_.average_from) {
    try {
      summary.averages = column_averages(*directory_ / "statistics.csv", entry_.axis.name, *times_.average_from);
    } catch (const base::Error& error) {
      warn(fmt::format("warning: the result has no averages: {}", error.what()));
    }
  }
  scheduler_.settle();
  count_output(kinds_.trace, [&] {
    const auto trace = run_.directory / trace_name;
    if (ranks_.size() == 1) {
      write_trace_of_run(recorder_, run_.trace, trace, summary.provenance);
    } else {
      write_joint_trace(recorder_, run_.trace, trace, summary.provenance, ranks_);
    }
  });
  summary.writers = output_.strategies();
  const std::vector<RankCost> costs = costs_of_all(ranks_, cost());
  if (const auto* const with_parts = dynamic_cast<const WithParts*>(solver_.get())) {
    for (const StepPart& part : with_parts->step_parts()) summary.parts.emplace_back(part.name, 0.0);
  }
  add_costs(summary, costs);
  summary.peak = peak_share(costs);
  summary.fingerprint = fingerprint();  // last: the other ranks need not wait for it
  summary.warnings = warnings_;
  if (directory_) io::write_atomically(*directory_ / summary_name, to_json(summary));
  return summary;
}

/// Of the checkpoint of the end, by the first rank. A run that was asked to stop has no time for it.
std::optional<Fingerprint> Simulation::fingerprint() {
  if (!directory_ || !run_.fingerprint || was_stopped_) return std::nullopt;
  try {
    return fingerprint_of(io::FileReader(*directory_ / checkpoint_name(step_)));
  } catch (const base::Error& error) {
    warn(fmt::format("warning: the result has no fingerprint: {}", error.what()));
    return std::nullopt;
  }
}

}  // namespace tacit::engine
