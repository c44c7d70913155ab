// The main loop and the output that goes with it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/memory.hpp"
#include "tacit/base/provenance.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/engine/axis.hpp"
#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/earlier_run.hpp"
#include "tacit/engine/rank_trace.hpp"
#include "tacit/engine/summary.hpp"

namespace tacit::engine {
namespace {

constexpr const char* checkpoint_name = "restart.hdf5";
constexpr const char* failed_name = "failed.hdf5";
constexpr const char* summary_name = "summary.json";
constexpr double report_interval_s = 0.2;

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

std::optional<io::OutputDirectory> open_directory(const std::filesystem::path& path, const comm::Communicator& ranks) {
  if (!is_first(ranks)) return std::nullopt;
  return io::OutputDirectory(path);
}

std::optional<io::FileReader> open_checkpoint_if(bool restart, const std::filesystem::path& path,
                                                 std::string_view solver) {
  if (!restart) return std::nullopt;
  return open_checkpoint(path, solver);
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
      directory_(open_directory(run_.directory, ranks_)),
      parameters_as_used_(parameters.as_used()),
      workers_(worker_count(run_, ranks_)),
      recorder_(workers_, events_kept(workers_, ranks_.size())),
      kinds_{.snapshot = recorder_.kind("write snapshot", trace::Category::output),
             .statistics = recorder_.kind("statistics", trace::Category::output),
             .series = recorder_.kind("write series", trace::Category::output),
             .checkpoint = recorder_.kind("write checkpoint", trace::Category::output),
             .agreement = recorder_.kind("ranks agree on the step", trace::Category::wait)},
      scheduler_(scheduler_options(run_, workers_, ranks_.size() == 1), recorder_),
      polling_(scheduler_, ranks_),
      agreement_(ranks_),
      checkpoint_(open_checkpoint_if(options_.restart, run_.directory / checkpoint_name, solver.name)),
      solver_(solver.make(parameters, {scheduler_, run_.deterministic, ranks_}, checkpoint_ ? &*checkpoint_ : nullptr)),
      series_(solver_->series()),
      times_(read_time_parameters(parameters, solver.axis, solver_->start_time())),
      schedule_(times_, series_, solver.axis.kind),
      time_(times_.begin) {
  TACIT_EXPECT(ranks_.size() == 1 || solver.parallelism == Parallelism::ranks);
  if (checkpoint_) {
    resume(*checkpoint_);
    checkpoint_.reset();
    has_nothing_to_do_ = finds_its_end();
    if (has_nothing_to_do_) return;
    if (directory_) std::filesystem::remove(*directory_ / summary_name);  // it is that of an earlier part
    if (directory_) reporter_.note(fmt::format("continues from step {} at {}", step_, place()));
  } else {
    origin_ = solver_->origin();
    if (directory_) {
      const std::string moved = set_aside_earlier_run(directory_->path(), files_of(*solver_));
      if (!moved.empty()) reporter_.note("an earlier run stood in " + directory().string() + "; moved to " + moved);
    }
  }
  for (const std::string& note : parameters.notes()) warn("warning: " + note);
  open_statistics();
  if (directory_) {
    io::write_atomically(*directory_ / "parameters.toml", to_comment(provenance_of(origin_)) + parameters_as_used_);
  }
}

Simulation::~Simulation() = default;

Simulation::Polling::Polling(tasks::Scheduler& scheduler, comm::Communicator& ranks) {
  if (ranks.size() > 1) scheduler.attach(ranks.completions());
}

Summary Simulation::run() {
  busy_before_s_ = busy_s();
  exposure_before_ = recorder_.exposure();
  try {
    write_due_output();
    while (!is_over() && prepare_step()) {
      advance();
      write_due_output();
      report_progress();
    }
    write_checkpoint();
  } catch (const NumericsError& error) {
    fail(error);
  }
  return finish();
}

/// Finds the length of the next step, and writes a checkpoint that is due. @return whether there shall be one: no rank
/// was asked to stop
bool Simulation::prepare_step() {
  const double unsaved_s = wall_.seconds() - last_checkpoint_s_;
  StepConsensus mine;
  mine.stops = is_stopped() ? 1 : 0;
  mine.checkpoint = directory_ && run_.checkpoint_every_s > 0.0 && unsaved_s > run_.checkpoint_every_s ? 1 : 0;
  Flaw flaw;
  try {
    if (mine.stops == 0) mine.stable = longest_step();
    mine.within_steps = solver_->is_within_steps() ? 1 : 0;
  } catch (const NumericsError& error) {
    flaw = error.flaw();
    mine.failed = number(ranks_.rank());
  }
  const StepConsensus all = exchange(mine);
  if (all.stops != 0) return false;
  if (all.failed != StepConsensus::none) {
    flaw.text = agreement_.text_of(all.failed, flaw.text);
    flaw.rank = all.failed;
    flaw.is_known_to_all = true;
    end_without_step(flaw);
  }
  if (all.checkpoint != 0) write_checkpoint();
  try {
    next_dt_ = schedule_.step(time_, all.stable, all.within_steps != 0 ? StepKind::rest : StepKind::whole);
  } catch (const NumericsError& error) {
    end_without_step(error.flaw());
  }
  return true;
}

/// @throws NumericsError if an element needs a step below time.dt_min
double Simulation::longest_step() const {
  const double stable = solver_->time_step();
  if (const double shortest = solver_->shortest_step(); shortest < times_.dt_min) {
    const StepLimit limit = solver_->step_limit();
    throw NumericsError(
        Flaw{.text = fmt::format("{} needs a time step of {:.4g}, below time.dt_min = {:.4g}\n"
                                 "  Look at the last snapshot{} If all is as it should be, lower time.dt_min.",
                                 limit.element, shortest, times_.dt_min, limit.advice),
             .element = limit.id});
  }
  return stable;
}

/// What the ranks say together. The time that it takes is a cost of communication.
StepConsensus Simulation::exchange(const StepConsensus& mine) {
  if (ranks_.size() == 1) return mine;
  const std::int64_t begin = base::ticks();
  const StepConsensus all = agreement_.agree(mine);
  recorder_.track(0).record({.begin = begin, .end = base::ticks(), .kind = kinds_.agreement, .key = 0});
  return all;
}

/// One step of the length that was agreed on.
void Simulation::advance() {
  const base::Stopwatch watch;
  tasks::StepContext step;
  step.time = time_;
  step.dt = next_dt_;
  step.step = step_;
  is_saved_ = false;
  solver_->step(step);
  dt_ = step.dt;
  time_ = schedule_.end_of_step(time_, step.dt);
  ++step_;
  updates_ += solver_->updated();
  if (solver_->has_converged()) schedule_.end_at(time_);
  steps_s_ += watch.seconds();
}

/// There is no next step: the present state is the last good one and is written.
void Simulation::end_without_step(Flaw flaw) {
  flaw.text = fmt::format("at {}: {}", place(), flaw.text);
  try {
    write_snapshot();
    write_checkpoint();
  } catch (const NumericsError& error) {  // then the state cannot be written, which is worth knowing beside the reason
    flaw.text += fmt::format("\n{}", error.what());
  }
  throw NumericsError(flaw);
}

/// Says what failed, where the failed state is, and where to go on from. The last valid checkpoint stays as it is.
void Simulation::fail(const NumericsError& error) {
  const std::string state = is_saved_ ? "" : "\n  " + write_failed(error);
  const std::string checkpoint = (directory() / checkpoint_name).string();
  throw NumericsError(error, step_,
                      fmt::format("{}{}\n  {}", error.what(), state,
                                  checkpointed_at_ ? fmt::format("The last valid checkpoint is {}, of {}.", checkpoint,
                                                                 *checkpointed_at_)
                                                   : "There is no checkpoint to continue from."));
}

/// Of a flaw that one rank knows of, the others hear only when it gives up: they would not take part.
std::string Simulation::write_failed(const NumericsError& error) {
  if (ranks_.size() > 1 && !error.flaw().is_known_to_all)
    return "The failed state is not written: only one rank knows of it.";
  const std::filesystem::path path = directory() / failed_name;
  try {
    write_failed_state(path, *solver_, error, file_context(), ranks_);
  } catch (const std::exception& problem) {  // of any kind: a failed state may break what a good one keeps
    return fmt::format("The failed state cannot be written: {}", problem.what());
  }
  return fmt::format("The failed state is in {}.", path.string());
}

void Simulation::write_due_output() {
  if (schedule_.take_statistics(time_)) write_statistics();
  if (schedule_.take_snapshot(time_)) write_snapshot();
  for (std::size_t i = 0; i < series_.size(); ++i) {
    if (schedule_.take_series(i, time_)) write_series(series_[i]);
  }
}

/// A state that holds numbers that are not finite is no snapshot and no checkpoint.
void Simulation::require_finite_state() {
  if (finite_at_ == step_) return;
  if (auto flaw = solver_->not_finite()) {
    flaw->text = fmt::format(
        "step {}, {}: {}\n  Look at the last snapshot, or at the initial conditions if there is none{}", step_, place(),
        flaw->text, entry_.axis.is_counted() ? "." : "; shorter steps (cfl, time.dt_max) may help.");
    throw NumericsError(*flaw);
  }
  finite_at_ = step_;
}

void Simulation::output(trace::KindId kind, const std::function<void()>& write) {
  trace::Track& track = recorder_.track(0);
  const std::int64_t before = track.ticks();
  const std::int64_t begin = base::ticks();
  require_finite_state();
  write();
  const std::int64_t end = base::ticks();
  // Solvers run graphs for what they write.
  track.record_around({.begin = begin, .end = end, .kind = kind, .key = static_cast<std::uint32_t>(step_)},
                      track.ticks() - before);
  output_s_ += recorder_.scale().seconds(end - begin);
}

FileContext Simulation::file_context() const {
  FileContext context;
  context.run_name = run_.name;
  context.axis = entry_.axis;
  context.coordinate = time_;
  context.step = step_;
  context.parameters = parameters_as_used_;
  context.provenance = provenance_of(origin_);
  context.compression = run_.compression;
  context.double_precision = run_.double_precision;
  return context;
}

void Simulation::write_snapshot() {
  const Series series = solver_->snapshots();
  const std::string name = fmt::format("{}_{:04}{}", series.name, snapshots_, series.suffix);
  output(kinds_.snapshot, [&] { output_bytes_ += solver_->write_snapshot(directory() / name, file_context()); });
  ++snapshots_;
}

void Simulation::write_series(const Series& series) {
  const std::string name = fmt::format("{}_{:06}{}", series.name, step_, series.suffix);
  output(kinds_.series, [&] { output_bytes_ += solver_->write_series(series, directory() / name, file_context()); });
}

/// Says it now and, in the summary, at the end.
void Simulation::warn(const std::string& warning) {
  if (directory_) reporter_.note(warning);
  warnings_.push_back(warning);
}

/// The present state is that of the checkpoint.
void Simulation::note_saved() {
  checkpointed_at_ = fmt::format("step {}, {}", step_, place());
  is_saved_ = true;
}

void Simulation::open_statistics() {
  if (!directory_) return;
  const auto path = *directory_ / "statistics.csv";
  if (options_.restart) {
    keep_statistics_until(path, step_);
    statistics_ = std::make_unique<io::LineFile>(path, io::LineFile::Mode::append);
  } else {
    statistics_ = std::make_unique<io::LineFile>(path);
    lacks_header_ = true;
  }
}

void Simulation::write_statistics() {
  for (const std::string& warning : solver_->new_warnings()) warn(warning);
  output(kinds_.statistics, [&] {
    StatisticsRow row{.step = step_, .coordinate = time_, .dt = dt_, .conserved = solver_->conserved()};
    conservation_.add(row.conserved.quantities);
    row.more = solver_->statistics();
    if (!statistics_) return;
    row.wall_s = wall_.seconds();
    if (std::exchange(lacks_header_, false)) statistics_->append(statistics_header(row, entry_.axis));
    statistics_->append(statistics_line(row, entry_.axis));
  });
}

void Simulation::write_checkpoint() {
  output(kinds_.checkpoint, [&] {
    io::FileWriter file(run_.directory / checkpoint_name, 0, ranks_);
    save_engine(file, {.solver = std::string(entry_.name),
                       .time = time_,
                       .dt = dt_,
                       .step = step_,
                       .snapshots = snapshots_,
                       .updates = updates_,
                       .conservation = conservation_,
                       .parameters = parameters_as_used_,
                       .provenance = provenance_of(origin_)});
    solver_->save(file);
    output_bytes_ += file.commit();
  });
  note_saved();
  last_checkpoint_s_ = wall_.seconds();
}

void Simulation::resume(const io::FileReader& checkpoint) {
  const EngineState state = load_engine(checkpoint);
  time_ = state.time;
  dt_ = state.dt;
  step_ = first_step_ = state.step;
  snapshots_ = state.snapshots;
  conservation_ = state.conservation;
  origin_ = state.origin;
  note_saved();
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
  const bool goes_on = !is_over() && !is_stopped();
  if (!directory_ || (wall - last_report_s_ < report_interval_s && goes_on)) return;
  last_report_s_ = wall;
  Progress progress{step_,      entry_.axis, time_, times_.begin,
                    times_.end, dt_,         wall,  steps_s_ > 0.0 ? static_cast<double>(updates_) / steps_s_ : 0.0};
  if (const auto* energy = conservation_.find("energy"); energy != nullptr && energy->is_kept) {
    progress.energy_drift = energy->max_drift();
  }
  reporter_.progress(progress);
}

/// Time that all workers have spent in tasks and output so far.
double Simulation::busy_s() {
  scheduler_.settle();
  double busy = 0.0;
  for (std::size_t track = 0; track < recorder_.tracks(); ++track) busy += recorder_.busy_s(track);
  return busy;
}

/// What the run cost this rank so far.
RankCost Simulation::cost() {
  scheduler_.settle();
  const trace::Exposure exposure = recorder_.exposure();
  const trace::CriticalPath& path = recorder_.critical_path();
  return {.wall_s = wall_.seconds(),
          .steps_s = steps_s_,
          .busy_s = busy_s() - busy_before_s_ - output_s_,  // output is recorded on track 0 beside the tasks
          .output_s = output_s_,
          .exposed_s = exposure.exposed_s - exposure_before_.exposed_s,
          .serial_s = exposure.serial_s - exposure_before_.serial_s,
          .work_s = path.work_s,
          .path_s = path.length_s,
          .transfers = exposure.transfers - exposure_before_.transfers,
          .workers = scheduler_.workers(),
          .output_bytes = output_bytes_,
          .peak_memory_bytes = base::peak_memory().value_or(0)};
}

Summary Simulation::finish() {
  Summary summary;
  summary.solver = entry_.name;
  summary.version = base::provenance().version;
  summary.provenance = provenance_of(origin_);
  summary.steps = step_ - first_step_;
  summary.updates = updates_;
  summary.axis = entry_.axis;
  summary.coordinate = time_;
  summary.finished = schedule_.is_over(time_);
  summary.conservation = conservation_;
  summary.warnings = warnings_;
  add_costs(summary, costs_of_all(ranks_, cost()));
  const auto trace = run_.directory / "trace.json";
  if (ranks_.size() == 1) {
    recorder_.write(trace, summary.provenance);
  } else {
    write_joint_trace(recorder_, trace, summary.provenance, ranks_);
  }
  if (directory_) io::write_atomically(*directory_ / summary_name, to_json(summary));
  return summary;
}

}  // namespace tacit::engine
