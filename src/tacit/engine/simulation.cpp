// The main loop and the output that goes with it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tacit/base/memory.hpp"
#include "tacit/base/provenance.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/earlier_run.hpp"
#include "tacit/engine/summary.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::engine {
namespace {

constexpr const char* checkpoint_name = "restart.hdf5";
constexpr double report_interval_s = 0.2;
/// Events kept per worker for trace.json: some 10 MB of text; sums are kept of all.
constexpr std::size_t trace_capacity = 1U << 16U;

std::size_t worker_count(const RunParameters& run) {
  return run.threads == 0 ? topology::available_threads() : run.threads;
}

tasks::SchedulerOptions scheduler_options(const RunParameters& run) {
  return {.workers = worker_count(run),
          .polling = run.polling,
          .poll_interval_s = run.poll_interval_s,
          .pin = run.pin,
          .stall_timeout_s = run.stall_timeout_s};
}

std::optional<io::FileReader> open_checkpoint_if(bool restart, const std::filesystem::path& path,
                                                 std::string_view solver) {
  if (!restart) return std::nullopt;
  return open_checkpoint(path, solver);
}

}  // namespace

Simulation::Simulation(const config::Parameters& parameters, const SolverEntry& solver, const RunOptions& options,
                       Reporter& reporter)
    : run_(read_run_parameters(parameters)),
      options_(options),
      reporter_(reporter),
      entry_(solver),
      directory_(run_.directory),
      parameters_as_used_(parameters.as_used()),
      recorder_(worker_count(run_), trace_capacity),
      kinds_{.snapshot = recorder_.kind("write snapshot", trace::Category::output),
             .statistics = recorder_.kind("statistics", trace::Category::output),
             .checkpoint = recorder_.kind("write checkpoint", trace::Category::output)},
      scheduler_(scheduler_options(run_), recorder_),
      checkpoint_(open_checkpoint_if(options_.restart, directory_ / checkpoint_name, solver.name)),
      solver_(solver.make(parameters, {scheduler_, run_.deterministic}, checkpoint_ ? &*checkpoint_ : nullptr)),
      times_(read_time_parameters(parameters, solver_->start_time())),
      schedule_(times_),
      time_(times_.begin) {
  if (checkpoint_) {
    resume(*checkpoint_);
    checkpoint_.reset();
  } else {
    const std::string moved = set_aside_earlier_run(directory_.path());
    if (!moved.empty()) reporter_.note("an earlier run stood in " + directory_.path().string() + "; moved to " + moved);
  }
  open_statistics();
  io::write_atomically(directory_ / "parameters.toml", provenance_comment(*solver_) + parameters_as_used_);
}

Simulation::~Simulation() = default;

Summary Simulation::run() {
  busy_before_s_ = busy_s();
  write_due_output();
  while (goes_on()) {
    advance();
    write_due_output();
    report_progress();
  }
  write_checkpoint();
  return finish();
}

bool Simulation::goes_on() const {
  const bool stop = options_.stop != nullptr && options_.stop->load();
  return !schedule_.is_over(time_) && step_ < times_.max_steps && !stop;
}

/// One step of the length that the solver can take and the schedule wants.
void Simulation::advance() {
  const base::Stopwatch watch;
  tasks::StepContext step;
  step.time = time_;
  step.dt = next_step();
  step.step = step_;
  solver_->step(step);
  dt_ = step.dt;
  time_ = schedule_.end_of_step(time_, step.dt);
  ++step_;
  updates_ += solver_->updated();
  steps_s_ += watch.seconds();
}

/// The length of the next step. If there is none, the present state is the last good one and is written.
double Simulation::next_step() {
  try {
    const double stable = solver_->time_step();
    return schedule_.step(time_, stable, solver_->is_within_steps() ? Stretch::rest : Stretch::whole);
  } catch (const NumericsError& error) {
    write_snapshot();
    write_checkpoint();
    throw NumericsError(fmt::format("at t = {:.6g}: {}", time_, error.what()));
  }
}

void Simulation::write_due_output() {
  if (schedule_.take_statistics(time_)) write_statistics();
  if (schedule_.take_snapshot(time_)) write_snapshot();
  const bool checkpoint_due =
      run_.checkpoint_every_s > 0.0 && wall_.seconds() - last_checkpoint_s_ > run_.checkpoint_every_s;
  if (checkpoint_due) write_checkpoint();
}

void Simulation::output(trace::KindId kind, const std::function<void()>& write) {
  const std::int64_t begin = base::ticks();
  write();
  const std::int64_t end = base::ticks();
  recorder_.lane(0).record({.begin = begin, .end = end, .kind = kind, .key = static_cast<std::uint32_t>(step_)});
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
  output(kinds_.snapshot, [&] { output_bytes_ += solver_->write_snapshot(directory_ / name, file_context()); });
  ++snapshots_;
}

void Simulation::open_statistics() {
  const auto path = directory_ / "statistics.csv";
  if (options_.restart) {
    keep_statistics_until(path, step_);
    statistics_ = std::make_unique<io::LineFile>(path, io::LineFile::Mode::append);
  } else {
    statistics_ = std::make_unique<io::LineFile>(path);
    statistics_->append(statistics_header());
  }
}

void Simulation::write_statistics() {
  output(kinds_.statistics, [&] {
    const Conserved state = solver_->conserved();
    conservation_.add(state);
    statistics_->append(statistics_line(step_, time_, dt_, wall_.seconds(), state));
  });
}

void Simulation::write_checkpoint() {
  output(kinds_.checkpoint, [&] {
    io::FileWriter file(directory_ / checkpoint_name);
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
  reporter_.note(fmt::format("continues from step {} at t = {:.6g}", step_, time_));
}

void Simulation::report_progress() {
  const double wall = wall_.seconds();
  if (wall - last_report_s_ < report_interval_s && goes_on()) return;
  last_report_s_ = wall;
  reporter_.progress({step_, time_, times_.begin, times_.end, dt_, wall,
                      steps_s_ > 0.0 ? static_cast<double>(updates_) / steps_s_ : 0.0,
                      conservation_.energy.relative()});
}

/// Time that all workers have spent in tasks and output so far.
double Simulation::busy_s() {
  scheduler_.settle();
  double busy = 0.0;
  for (std::size_t lane = 0; lane < recorder_.lanes(); ++lane) busy += recorder_.busy_s(lane);
  return busy;
}

Summary Simulation::finish() {
  scheduler_.settle();
  Summary summary;
  summary.solver = entry_.name;
  summary.version = base::provenance().version;
  summary.provenance = provenance_rows(*solver_);
  summary.threads = scheduler_.workers();
  summary.steps = step_ - first_step_;
  summary.updates = updates_;
  summary.wall_s = wall_.seconds();
  summary.output_s = output_s_;
  summary.output_share = output_s_ / summary.wall_s;
  summary.output_bytes = output_bytes_;
  summary.peak_memory_bytes = base::peak_memory();
  summary.time = time_;
  summary.finished = schedule_.is_over(time_);
  summary.conservation = conservation_;
  const trace::Exposure exposure = recorder_.exposure();
  summary.exposed_s = exposure.exposed_s;
  summary.exposed_share = exposure.exposed_s / summary.wall_s;
  summary.hidden_fraction = exposure.hidden_fraction();
  const trace::CriticalPath& path = recorder_.critical_path();
  if (path.length_s > 0.0) summary.parallelism = path.parallelism();
  const double cores = static_cast<double>(summary.threads);
  if (steps_s_ > 0.0) {
    summary.updates_per_core_s = static_cast<double>(updates_) / (steps_s_ * cores);
    const double busy = busy_s() - busy_before_s_ - output_s_;  // output is recorded on lane 0 beside the tasks
    summary.idle_share = std::clamp(1.0 - busy / (steps_s_ * cores), 0.0, 1.0);
  }
  recorder_.write(directory_ / "trace.json", summary.provenance);
  io::write_atomically(directory_ / "summary.json", to_json(summary));
  return summary;
}

}  // namespace tacit::engine
