// The main loop and the output that goes with it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tacit/base/error.hpp"
#include "tacit/base/memory.hpp"
#include "tacit/base/provenance.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/earlier_run.hpp"
#include "tacit/engine/rank_trace.hpp"
#include "tacit/engine/summary.hpp"

namespace tacit::engine {
namespace {

constexpr const char* checkpoint_name = "restart.hdf5";
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

std::optional<io::OutputDirectory> open_directory(const std::filesystem::path& path, comm::Communicator* ranks) {
  if (!is_first(ranks)) return std::nullopt;
  return io::OutputDirectory(path);
}

std::optional<io::FileReader> open_checkpoint_if(bool restart, const std::filesystem::path& path,
                                                 std::string_view solver) {
  if (!restart) return std::nullopt;
  return open_checkpoint(path, solver);
}

double series_interval(const Solver& solver) {
  const std::optional<Series> series = solver.series();
  return series ? series->every.value_or(0.0) : 0.0;
}

}  // namespace

Simulation::Simulation(const config::Parameters& parameters, const SolverEntry& solver, const RunOptions& options,
                       Reporter& reporter)
    : run_(read_run_parameters(parameters)),
      options_(options),
      reporter_(reporter),
      entry_(solver),
      directory_(open_directory(run_.directory, options_.ranks)),
      parameters_as_used_(parameters.as_used()),
      workers_(worker_count(run_, options_.ranks)),
      recorder_(workers_, events_kept(workers_, options_.ranks == nullptr ? 1 : options_.ranks->size())),
      kinds_{.snapshot = recorder_.kind("write snapshot", trace::Category::output),
             .statistics = recorder_.kind("statistics", trace::Category::output),
             .series = recorder_.kind("write series", trace::Category::output),
             .checkpoint = recorder_.kind("write checkpoint", trace::Category::output),
             .agreement = recorder_.kind("ranks agree on the step", trace::Category::wait)},
      scheduler_(scheduler_options(run_, workers_, options_.ranks == nullptr), recorder_),
      polling_(scheduler_, options_.ranks),
      agreement_(options_.ranks),
      checkpoint_(open_checkpoint_if(options_.restart, run_.directory / checkpoint_name, solver.name)),
      solver_(solver.make(parameters, {scheduler_, run_.deterministic, options_.ranks},
                          checkpoint_ ? &*checkpoint_ : nullptr)),
      times_(read_time_parameters(parameters, solver_->start_time())),
      schedule_(times_, series_interval(*solver_)),
      time_(times_.begin) {
  TACIT_EXPECT(options_.ranks == nullptr || solver.spread == Spread::ranks);
  if (checkpoint_) {
    resume(*checkpoint_);
    checkpoint_.reset();
    has_nothing_to_do_ = finds_its_end();
    if (has_nothing_to_do_) return;
    if (directory_) std::filesystem::remove(*directory_ / summary_name);  // it is that of an earlier part
    if (directory_) reporter_.note(fmt::format("continues from step {} at t = {:.6g}", step_, time_));
  } else if (directory_) {
    const std::string moved = set_aside_earlier_run(directory_->path());
    if (!moved.empty()) reporter_.note("an earlier run stood in " + directory().string() + "; moved to " + moved);
  }
  for (const std::string& note : parameters.notes()) {
    if (directory_) reporter_.note(note);
    warnings_.push_back(note);
  }
  open_statistics();
  if (directory_) {
    io::write_atomically(*directory_ / "parameters.toml", provenance_comment(*solver_) + parameters_as_used_);
  }
}

Simulation::~Simulation() = default;

Simulation::Polling::Polling(tasks::Scheduler& scheduler, comm::Communicator* ranks) {
  if (ranks != nullptr) scheduler.attach(ranks->completions());
}

Summary Simulation::run() {
  busy_before_s_ = busy_s();
  exposure_before_ = recorder_.exposure();
  write_due_output();
  while (!is_over() && agrees_to_go_on()) {
    advance();
    write_due_output();
    report_progress();
  }
  write_checkpoint();
  return finish();
}

/// Whether nobody was asked to stop; then the length of the next step is known, and a checkpoint that is due is
/// written.
bool Simulation::agrees_to_go_on() {
  const double unsaved_s = wall_.seconds() - last_checkpoint_s_;
  Agreement::Word mine;
  mine.stops = is_stopped() ? 1 : 0;
  mine.checkpoint = directory_ && run_.checkpoint_every_s > 0.0 && unsaved_s > run_.checkpoint_every_s ? 1 : 0;
  std::string failure;
  try {
    if (mine.stops == 0) mine.stable = solver_->time_step();
    mine.within_steps = solver_->is_within_steps() ? 1 : 0;
  } catch (const NumericsError& error) {
    failure = error.what();
    mine.failed = options_.ranks == nullptr ? 0 : number(options_.ranks->rank());
  }
  const Agreement::Word all = exchange(mine);
  if (all.stops != 0) return false;
  if (all.failed != Agreement::nobody) end_without_step(agreement_.text_of(all.failed, failure));
  if (all.checkpoint != 0) write_checkpoint();
  try {
    next_dt_ = schedule_.step(time_, all.stable, all.within_steps != 0 ? Stretch::rest : Stretch::whole);
  } catch (const NumericsError& error) {
    end_without_step(error.what());
  }
  return true;
}

/// What the ranks say together. The time that it takes is a cost of communication.
Agreement::Word Simulation::exchange(const Agreement::Word& mine) {
  if (options_.ranks == nullptr) return mine;
  const std::int64_t begin = base::ticks();
  const Agreement::Word all = agreement_.agree(mine);
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
  solver_->step(step);
  dt_ = step.dt;
  time_ = schedule_.end_of_step(time_, step.dt);
  ++step_;
  updates_ += solver_->updated();
  steps_s_ += watch.seconds();
}

/// There is no next step: the present state is the last good one and is written.
void Simulation::end_without_step(const std::string& why) {
  try {
    write_snapshot();
    write_checkpoint();
  } catch (const NumericsError& flaw) {  // then the state cannot be written, which is worth knowing beside the reason
    throw NumericsError(fmt::format("at t = {:.6g}: {}\n{}", time_, why, flaw.what()));
  }
  throw NumericsError(fmt::format("at t = {:.6g}: {}", time_, why));
}

void Simulation::write_due_output() {
  if (schedule_.take_statistics(time_)) write_statistics();
  if (schedule_.take_snapshot(time_)) write_snapshot();
  if (schedule_.take_series(time_)) write_series();
}

/// Nothing is written of a state that holds numbers that are not finite; what was written before stays.
void Simulation::require_finite_state() {
  if (finite_at_ == step_) return;
  if (const auto flaw = solver_->not_finite()) {
    throw NumericsError(
        fmt::format("step {}, t = {:.6g}: {}\n"
                    "  Nothing was written of this state. Look at the last snapshot, or at the initial "
                    "conditions if there is none; shorter steps (cfl, time.dt_max) may help.",
                    step_, time_, *flaw));
  }
  finite_at_ = step_;
}

void Simulation::output(trace::KindId kind, const std::function<void()>& write) {
  trace::Track& lane = recorder_.track(0);
  const std::int64_t before = lane.ticks();
  const std::int64_t begin = base::ticks();
  require_finite_state();
  write();
  const std::int64_t end = base::ticks();
  // Solvers run graphs for what they write.
  lane.record_around({.begin = begin, .end = end, .kind = kind, .key = static_cast<std::uint32_t>(step_)},
                     lane.ticks() - before);
  output_s_ += recorder_.scale().seconds(end - begin);
}

FileContext Simulation::file_context() const {
  FileContext context;
  context.run_name = run_.name;
  context.time = time_;
  context.step = step_;
  context.parameters = parameters_as_used_;
  context.provenance = provenance_rows(*solver_);
  context.compression = run_.compression;
  context.double_precision = run_.double_precision;
  return context;
}

void Simulation::write_snapshot() {
  const std::string name = fmt::format("snapshot_{:04}.hdf5", snapshots_);
  output(kinds_.snapshot, [&] { output_bytes_ += solver_->write_snapshot(directory() / name, file_context()); });
  ++snapshots_;
}

void Simulation::write_series() {
  const std::optional<Series> series = solver_->series();
  if (!series) return;
  const std::string name = fmt::format("{}_{:06}.hdf5", series->name, step_);
  output(kinds_.series, [&] { output_bytes_ += solver_->write_series(directory() / name, file_context()); });
}

void Simulation::open_statistics() {
  const std::vector<Statistic> more = solver_->statistics();  // asked of all ranks
  if (!directory_) return;
  const auto path = *directory_ / "statistics.csv";
  if (options_.restart) {
    keep_statistics_until(path, step_);
    statistics_ = std::make_unique<io::LineFile>(path, io::LineFile::Mode::append);
  } else {
    statistics_ = std::make_unique<io::LineFile>(path);
    statistics_->append(statistics_header(more));
  }
}

void Simulation::write_statistics() {
  for (const std::string& warning : solver_->new_warnings()) {
    if (directory_) reporter_.note(warning);
    warnings_.push_back(warning);
  }
  output(kinds_.statistics, [&] {
    const Conserved state = solver_->conserved();
    conservation_.add(state);
    const std::vector<Statistic> more = solver_->statistics();
    if (statistics_) statistics_->append(statistics_line(step_, time_, dt_, wall_.seconds(), state, more));
  });
}

void Simulation::write_checkpoint() {
  output(kinds_.checkpoint, [&] {
    io::FileWriter file(run_.directory / checkpoint_name, 0, options_.ranks);
    save_engine(file, {.solver = std::string(entry_.name),
                       .time = time_,
                       .dt = dt_,
                       .step = step_,
                       .snapshots = snapshots_,
                       .updates = updates_,
                       .conservation = conservation_,
                       .parameters = parameters_as_used_,
                       .provenance = provenance_rows(*solver_)});
    solver_->save(file);
    output_bytes_ += file.commit();
  });
  last_checkpoint_s_ = wall_.seconds();
}

void Simulation::resume(const io::FileReader& checkpoint) {
  const EngineState state = load_engine(checkpoint);
  time_ = state.time;
  dt_ = state.dt;
  step_ = first_step_ = state.step;
  snapshots_ = state.snapshots;
  conservation_ = state.conservation;
  schedule_.skip_to(time_);
}

/// Whether the checkpoint is that of the end, and what is written after it is there too: all ranks go by what the first
/// one sees.
bool Simulation::finds_its_end() {
  if (!is_over()) return false;
  Agreement::Word mine;
  mine.stops = directory_ && std::filesystem::exists(*directory_ / summary_name) ? 1 : 0;
  return exchange(mine).stops != 0;
}

void Simulation::report_progress() {
  const double wall = wall_.seconds();
  const bool goes_on = !is_over() && !is_stopped();
  if (!directory_ || (wall - last_report_s_ < report_interval_s && goes_on)) return;
  last_report_s_ = wall;
  Progress progress{step_,
                    time_,
                    times_.begin,
                    times_.end,
                    dt_,
                    wall,
                    steps_s_ > 0.0 ? static_cast<double>(updates_) / steps_s_ : 0.0};
  if (conservation_.last().keeps_energy) progress.energy_drift = conservation_.energy.relative();
  reporter_.progress(progress);
}

/// Time that all workers have spent in tasks and output so far.
double Simulation::busy_s() {
  scheduler_.settle();
  double busy = 0.0;
  for (std::size_t lane = 0; lane < recorder_.tracks(); ++lane) busy += recorder_.busy_s(lane);
  return busy;
}

/// What the run cost this rank so far.
RankCost Simulation::cost() {
  scheduler_.settle();
  const trace::Exposure exposure = recorder_.exposure();
  const trace::CriticalPath& path = recorder_.critical_path();
  return {.wall_s = wall_.seconds(),
          .steps_s = steps_s_,
          .busy_s = busy_s() - busy_before_s_ - output_s_,  // output is recorded on lane 0 beside the tasks
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
  summary.provenance = provenance_rows(*solver_);
  summary.steps = step_ - first_step_;
  summary.updates = updates_;
  summary.time = time_;
  summary.finished = schedule_.is_over(time_);
  summary.conservation = conservation_;
  summary.warnings = warnings_;
  add_costs(summary, costs_of_all(options_.ranks, cost()));
  const auto trace = run_.directory / "trace.json";
  if (options_.ranks == nullptr) {
    recorder_.write(trace, summary.provenance);
  } else {
    write_joint_trace(recorder_, trace, summary.provenance, *options_.ranks);
  }
  if (directory_) io::write_atomically(*directory_ / summary_name, to_json(summary));
  return summary;
}

}  // namespace tacit::engine
