// What a run writes, and when: snapshots, series, statistics, the log, checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/provenance.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/earlier_run.hpp"
#include "tacit/engine/simulation.hpp"
#include "tacit/engine/summary.hpp"

namespace tacit::engine {
namespace {

/// Whether its snapshots and series are.
bool compresses(const RunParameters& run) {
  return run.compression > 0 && run.writers.kind != io::Writers::Kind::shared;
}

}  // namespace

/// Ends the run, on all ranks, where the disk has no room for the next file: with whole files, and nothing written of
/// this one.
/// @throws OutputError
void Simulation::require_room(const ExpectedFile& file) {
  // Only the first rank asks: all write into the same folder.
  StepConsensus mine;
  const auto is_waiting = [this] { return output_.is_busy() || planned_snapshot_.has_value(); };
  if (directory_) mine.stops = room_.shortage(file, room_.waiting(is_waiting())).empty() ? 0 : 1;
  std::string problem;
  if (directory_ && directory_->is_replaced()) {
    problem = directory().string() +
              " is no longer the folder in which this run began: it was moved, removed or replaced; nothing more is "
              "written";
  }
  if (exchange(mine, problem).stops != 0) {
    write_planned_snapshot();
    finish_output();  // then the file system says what is left
    std::string shortage = directory_ ? room_.shortage(file) : std::string();
    if (!shortage.empty() && checkpointed_at_) shortage += "\n  The last valid checkpoint is " + *checkpointed_at_;
    static_cast<void>(exchange({}, shortage));
  }
  if (directory_) room_.give(file, is_waiting());
}

void Simulation::write_due_output() {
  if (schedule_.take_statistics(time_)) {
    write_statistics();
  } else if (looks_after_step_) {
    look_at_conserved(Look::next);
  }
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
  count_output(kind, [&] {
    require_finite_state();
    write();
  });
  pass_on_news();
}

void Simulation::pass_on_news() {
  for (const std::string& news : output_.take_news()) {
    if (directory_) reporter_.note(news);
  }
}

void Simulation::count_output(trace::KindId kind, const std::function<void()>& write) {
  trace::Track& track = recorder_.track(0);
  const std::int64_t before = track.ticks();
  const std::int64_t waited = track.sum(kinds_.disk_wait).ticks;
  const std::int64_t begin = base::ticks();
  write();
  const std::int64_t end = base::ticks();
  // Solvers run graphs for what they write.
  track.record_around({.begin = begin, .end = end, .kind = kind, .key = static_cast<std::uint32_t>(step_)},
                      track.ticks() - before, track.sum(kinds_.disk_wait).ticks - waited);
  output_s_ += recorder_.scale().seconds(end - begin);
}

FileContext Simulation::file_context() {
  FileContext context;
  context.run_name = run_.name;
  context.axis = entry_.axis;
  context.coordinate = time_;
  context.step = step_;
  context.parameters = parameters_as_used_;
  context.provenance = provenance_of(origin_);
  context.compression = run_.compression;
  context.output = &output_;
  context.double_precision = run_.double_precision;
  return context;
}

/// What is known of the next files before they are written.
OutputBytes Simulation::bytes_of_output() { return solver_->output_bytes(file_context()); }

std::filesystem::path Simulation::snapshot_path(std::uint64_t number) const {
  const Series series = solver_->snapshots();
  return directory() / fmt::format("{}_{:04}{}", series.name, number, series.suffix);
}

void Simulation::write_snapshot() {
  write_planned_snapshot();
  PlannedSnapshot snapshot{snapshot_path(snapshots_), file_context()};
  require_room({"snapshot", snapshot.path, bytes_of_output().snapshot, compresses(run_)});
  const double begun_s = wall_.seconds();
  count_output(kinds_.snapshot, [&] {
    if (!solver_->looks_while_writing()) require_finite_state();
    // At the end no step follows.
    if (output_.is_beside() && !is_over() && solver_->plan_snapshot(snapshot.path, snapshot.context)) {
      planned_snapshot_ = std::move(snapshot);
    } else {
      write_snapshot_at_once(snapshot);
      pending_snapshots_.push_back({output_.committed(), snapshot.path.string(), begun_s});
    }
  });
  pass_on_news();
  ++snapshots_;
}

void Simulation::write_snapshot_to(const std::filesystem::path& path) {
  write_planned_snapshot();
  require_finite_state();
  FileContext context = file_context();
  context.output = nullptr;
  context.double_precision = true;
  count_output(kinds_.snapshot, [&] { solver_->write_snapshot(path, context); });
}

void Simulation::write_snapshot_at_once(const PlannedSnapshot& snapshot) {
  try {
    solver_->write_snapshot(snapshot.path, snapshot.context);
  } catch (const NumericsError&) {
    require_finite_state();  // says of what, and what to do
    throw;
  }
  finite_at_ = step_;
}

/// What follows must not be on disk without the snapshot before it.
void Simulation::write_planned_snapshot() {
  if (!planned_snapshot_) return;
  const PlannedSnapshot snapshot = *std::exchange(planned_snapshot_, std::nullopt);
  const double begun_s = wall_.seconds();
  count_output(kinds_.snapshot, [&] { solver_->write_planned_snapshot(snapshot.path, snapshot.context); });
  pending_snapshots_.push_back({output_.committed(), snapshot.path.string(), begun_s});
}

void Simulation::write_series(const Series& series) {
  const std::string name = fmt::format("{}_{:06}{}", series.name, step_, series.suffix);
  require_room({series.name, directory() / name, 0, compresses(run_)});
  output(kinds_.series, [&] { solver_->write_series(series, directory() / name, file_context()); });
}

/// Says it now and, in the summary, at the end.
void Simulation::warn(const std::string& warning) {
  if (directory_) reporter_.note(warning);
  warnings_.push_back(warning);
}

/// "output/blast/restart_000004.hdf5, of step 4, t = 1."
std::string Simulation::checkpoint_of_now() const {
  return fmt::format("{}, of step {}, {}.", (directory() / checkpoint_name(step_)).string(), step_, place());
}

/// The present state is that of the checkpoint that is on its way, or on disk.
void Simulation::note_saved(double begun_s) {
  pending_checkpoints_.push_back({output_.committed(), checkpoint_of_now(), begun_s});
  is_saved_ = true;
}

void Simulation::note_finished_output() {
  bool is_newer = false;
  while (!pending_checkpoints_.empty() && output_.finished() >= pending_checkpoints_.front().number) {
    checkpointed_at_ = std::move(pending_checkpoints_.front().at);
    stop_watcher_.note_checkpoint(wall_.seconds() - pending_checkpoints_.front().begun_s);
    pending_checkpoints_.pop_front();
    is_newer = true;
  }
  while (!pending_snapshots_.empty() && output_.finished() >= pending_snapshots_.front().number) {
    const Pending& snapshot = pending_snapshots_.front();
    if (directory_) stop_watcher_.note_snapshot(io::bytes_of_file(snapshot.at), wall_.seconds() - snapshot.begun_s);
    pending_snapshots_.pop_front();
  }
  if (is_newer && directory_) remove_old_checkpoints(directory(), run_.checkpoints, damaged_);
}

/// Waits for what is on its way to disk, together, so that no rank seems lost to the others while it writes.
void Simulation::finish_output() {
  constexpr double patience_s = 1.0;
  const double before_s = output_s_;
  count_output(kinds_.rest, [&] {
    do {
      output_.await(patience_s);
    } while (exchange({}).is_writing != 0);
  });
  rest_s_ += output_s_ - before_s;
}

void Simulation::open_statistics() {
  if (!directory_) return;
  const auto path = *directory_ / "statistics.csv";
  if (!found_.path.empty()) {
    const KeptStatistics kept = keep_statistics_until(path, step_, conserved_.line_step());
    if (!kept.note.empty()) warn("warning: " + kept.note);
    lacks_header_ = !kept.has_header;
    statistics_ = std::make_unique<io::LineFile>(path, io::LineFile::Mode::append);
  } else {
    statistics_ = std::make_unique<io::LineFile>(path);
    lacks_header_ = true;
  }
}

void Simulation::write_statistics() {
  for (const std::string& warning : solver_->new_warnings()) warn(warning);
  count_output(kinds_.statistics, [&] {
    StatisticsRow row{.step = step_, .coordinate = time_, .dt = dt_, .conserved = solver_->conserved()};
    // Sums show what is not finite, if not what is of it; a look at the whole state each time would cost as much again.
    if (find_not_finite(row.conserved.quantities)) require_finite_state();
    warn_all(conserved_.add_line(row.conserved.quantities, step_, time_));
    row.more = solver_->statistics();
    log_.note(*solver_, time_);
    if (!statistics_) return;
    row.wall_s = wall_.seconds();
    if (std::exchange(lacks_header_, false)) statistics_->append(statistics_header(row, entry_.axis));
    statistics_->append(statistics_line(row, entry_.axis));
  });
  pass_on_news();
  conserved_.require_small_drift(step_, time_);  // of all ranks, so all throw alike
}

/// Whether what is conserved is to be measured after the next step, whatever lines of statistics.csv are due. A solver
/// sums it for a line; in every step that would show in what a run takes. So it is done after the first step, in which
/// what is wrong with steps mostly shows, and then as often as a share of the time allows. The first rank decides.
bool Simulation::may_look() const {
  if (!directory_ || !conserved_.is_watched()) return false;
  return step_ == first_step_ || conserved_.may_look(steps_s_);
}

/// @param look  the first has no state before it
void Simulation::look_at_conserved(Look look) {
  const base::Stopwatch watch;
  count_output(kinds_.statistics, [&] {
    const Conserved state = solver_->conserved();
    if (look == Look::next) {
      warn_all(conserved_.look(state.quantities, step_, time_));
    } else {
      conserved_.begin_at(state.quantities, step_);
    }
  });
  conserved_.note_cost(watch.seconds());
}

void Simulation::warn_all(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) warn(warning);
}

void Simulation::write_checkpoint() {
  write_planned_snapshot();
  require_room({"checkpoint", directory() / checkpoint_name(step_), bytes_of_output().checkpoint});
  const double begun_s = wall_.seconds();
  output(kinds_.checkpoint, [&] {
    if (statistics_) statistics_->sync();
    log_.sync(*solver_, time_);
    if (log_.is_on()) exchange({});  // a checkpoint is worth nothing without the log that it continues
    io::FileWriter file(run_.directory / checkpoint_name(step_), 0, output_);
    save_engine(file, {.solver = std::string(entry_.name),
                       .time = time_,
                       .dt = dt_,
                       .step = step_,
                       .snapshots = snapshots_,
                       .updates = updates_,
                       .statistics_step = conserved_.line_step(),
                       .conservation = conserved_.of_lines(),
                       .parameters = parameters_as_used_,
                       .provenance = provenance_of(origin_)});
    log_.save(file);
    solver_->save(file);
    file.commit();
  });
  damaged_.erase(step_);
  note_saved(begun_s);
  last_checkpoint_s_ = wall_.seconds();
  last_checkpoint_step_ = step_;
}

}  // namespace tacit::engine
