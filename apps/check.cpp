// tacit check: validates the file and its input, and predicts what a run needs.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "amounts.hpp"
#include "commands.hpp"
#include "input.hpp"
#include "launch_environment.hpp"
#include "tacit/base/memory.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/engine/axis.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/engine/input_file.hpp"
#include "tacit/engine/rank_trace.hpp"
#include "tacit/engine/run_estimate.hpp"
#include "tacit/solvers/registry.hpp"
#include "tacit/topology/cpus.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::apps {
namespace {

/// Of trace.json, for each of the events that are written; of memory, for each that is kept: measured.
constexpr double event_bytes = 113.0;
constexpr double kept_bytes = sizeof(trace::Event);

/// Memory of the program without a solver, and of each thread without its ring of events: measured, 4^3 particles on 1
/// to 16 threads.
constexpr double program_memory = 25e6;
constexpr double thread_memory = 0.23e6;

/// What a run needs of memory [byte], and what there is.
struct Memory {
  double of_rank = 0.0;    ///< each rank, all of its threads included
  double of_solver = 0.0;  ///< of all ranks together: what they divide
  std::size_t ranks = 1;
  double usable = 0.0;  ///< here

  [[nodiscard]] bool rank_fits() const { return of_rank <= usable; }
  [[nodiscard]] bool all_fit() const { return static_cast<double>(ranks) * of_rank <= usable; }
};

/// What waits to be written, on a rank that writes: at most what a snapshot and a checkpoint, one after the other, give
/// it, and at most what it has room for. Ranks are taken to share a node.
double staged(const engine::Prediction& prediction, const engine::RunParameters& run, std::size_t ranks) {
  const double writers = [&] {
    switch (run.writers.kind) {
      case io::Writers::Kind::all:
        return static_cast<double>(ranks);
      case io::Writers::Kind::count:
        return static_cast<double>(std::min<std::size_t>(run.writers.count, ranks));
      default:
        return 1.0;
    }
  }();
  return std::min(prediction.staged_bytes / writers, static_cast<double>(engine::staging_memory(run, ranks)));
}

/// @param kept  events in the ring of a thread
Memory memory_of(const engine::Prediction& prediction, const engine::RunParameters& run, std::size_t ranks,
                 double threads, double kept) {
  const auto usable = base::usable_memory();
  return {.of_rank = program_memory + (thread_memory + kept_bytes * kept) * threads +
                     prediction.memory_bytes / static_cast<double>(ranks) + staged(prediction, run, ranks),
          .of_solver = prediction.memory_bytes,
          .ranks = ranks,
          .usable = usable ? static_cast<double>(*usable) : std::numeric_limits<double>::infinity()};
}

/// How many machines like this one it takes, with one rank on each; 0: no number of them will do.
double machines_for(const Memory& memory) {
  const double own = memory.of_rank - memory.of_solver / static_cast<double>(memory.ranks);
  return own < memory.usable ? std::ceil(memory.of_solver / (memory.usable - own)) : 0.0;
}

/// What to do about memory that is too small; empty where it is not.
std::string shortage_text(const Memory& memory) {
  if (memory.all_fit()) return {};
  const std::string here = fmt::format("; there are {} here", bytes_text(memory.usable));
  if (!memory.rank_fits()) {
    const double machines = machines_for(memory);
    if (machines == 0.0) return here + ": it needs machines with more memory";
    return here + fmt::format(": it needs at least {:.0f} ranks, each on a machine of its own like this one", machines);
  }
  const double together = std::floor(memory.usable / memory.of_rank);
  return here +
         fmt::format(": at most {:.0f} ranks fit on a machine like this one, so it needs at least {:.0f} of them",
                     together, std::ceil(static_cast<double>(memory.ranks) / together));
}

/// How many files come at an interval, with one at the begin and one at the end.
double files_every(double interval, double duration) { return std::ceil(duration / interval * (1.0 - 1e-12)) + 1.0; }

/// At which files come beside the computation, which waits for a part of it, and at which checkpoints do, which are
/// not compressed: measured. [byte/s]
constexpr double written_per_s = 150e6;
constexpr double saved_per_s = 300e6;

/// What a run writes [byte].
struct Output {
  double snapshots = 0.0;  ///< their number
  double snapshot = 0.0;
  double checkpoint = 0.0;
  double checkpoints = 1.0;  ///< that are kept
  double trace = 0.0;
  double log = 0.0;              ///< with which the continuous logs begin; how they grow depends on the run
  double series = 0.0;           ///< of all files of further series
  std::string series_text = {};  ///< "3 plotfiles of 2 MB, "; empty: there are none

  void add(const engine::SeriesPrediction& one, double duration) {
    const double count = files_every(one.every, duration);
    series += count * one.bytes;
    series_text += fmt::format("{:.0f} {} of {}, ", count, one.name, bytes_text(one.bytes));
  }
  [[nodiscard]] double total() const { return snapshots * snapshot + checkpoints * checkpoint + series + trace + log; }
  /// For which a run waits that makes one checkpoint, at its end.
  [[nodiscard]] double seconds() const {
    return (snapshots * snapshot + series + trace + log) / written_per_s + checkpoint / saved_per_s;
  }
  /// What must fit at once, however short the run: the checkpoints before are kept until the next one is whole.
  [[nodiscard]] double least() const { return (checkpoints + 1.0) * checkpoint + snapshot + log; }
};

/// The logs of all ranks, as far as they are known beforehand [byte].
struct Log {
  double begin = 0.0;  ///< a header and a mark of each rank, a record of each element; 0: there is none
  std::string text;    ///< how it grows; empty: there is none

  Log(const engine::LogPrediction& log, const engine::LogParameters& how, std::size_t ranks) {
    if (!how.is_on || log.elements == 0.0) return;
    const io::LogLayout layout = io::layout_of(log.schema);
    const double record = layout.record_bytes;
    begin = static_cast<double>(ranks) * (layout.header_bytes + record) + log.elements * record;
    const double step_most = log.elements * record;
    const double step_least = step_most / how.policy.steps;  // on average
    text = fmt::format("  log     {} to begin with, then {} to {} for each step of all {:.0f} {}: records of {} B\n",
                       bytes_text(begin), bytes_text(step_least), bytes_text(step_most), log.elements, log.element_name,
                       layout.record_bytes);
  }
};

/// What the file system has left where a directory is, or is to be made [byte]; infinite if it does not say.
double free_bytes(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::path place = std::filesystem::absolute(directory, error);
  while (!error && !std::filesystem::exists(place, error) && place.has_relative_path()) place = place.parent_path();
  const auto space = std::filesystem::space(place, error);
  return error ? std::numeric_limits<double>::infinity() : static_cast<double>(space.available);
}

/// What to say of a disk that is too small; empty if it is not.
std::string disk_warning(const Output& output, const std::filesystem::path& directory) {
  const double free = free_bytes(directory);
  if (free >= std::max(output.total(), output.least())) return {};
  const std::string here = fmt::format("{}: its file system has {} free, ", directory.string(), bytes_text(free));
  if (free < output.least()) {
    return here + fmt::format("less than {:.0f} checkpoints and a snapshot ({})", output.checkpoints + 1.0,
                              bytes_text(output.least()));
  }
  return here + fmt::format("less than the output will take ({})", bytes_text(output.total()));
}

/// What of a run's time is no step and no output: a start and an end, of which every run has one; measured.
constexpr double begin_and_end_s = 0.005;

std::string count_text(double count) {
  return count < 1e6 ? fmt::format("{:.0f}", count) : fmt::format("{:.2g}", count);
}

std::string steps_text(const engine::StepEstimate& estimate) {
  if (!(estimate.steps > 0.0)) return "cannot be told: the length of a step follows from what the file holds";
  return fmt::format("about {}, with {:.3g} updates: {}", count_text(estimate.steps), estimate.updates, estimate.basis);
}

std::string time_text(const engine::RunEstimate& estimate, double seconds, double threads, std::size_t ranks) {
  if (!(estimate.updates_per_s > 0.0)) return "cannot be told";
  const double cores = threads * static_cast<double>(ranks);
  const std::string duration = seconds < 10.0 ? fmt::format("{:.2g} s", seconds) : duration_text(seconds);
  return fmt::format("{}{} on {}{:.0f} thread{}: steps at {:.2g} updates/s per core, {}",
                     seconds < longest_counted_s ? "about " : "", duration,
                     ranks == 1 ? "" : fmt::format("{} ranks of ", ranks), threads, threads == 1.0 ? "" : "s",
                     estimate.updates_per_s / cores, estimate.speed_basis);
}

/// A run does the same before it begins, and as it reads fields in formats with checksums of their own.
void require_sound_files(const Input& input) {
  comm::Communicator alone(comm::bootstrap_alone());
  std::vector<std::pair<std::string, std::filesystem::path>> further;
  if (input.solver->further_files != nullptr) further = input.solver->further_files(input.parameters);
  engine::require_sound_files(input.parameters, std::move(further), alone, nullptr);
  for (const std::string& key : input.parameters.paths()) require_sound_file(input.parameters.path(key));
}

/// @throws engine::NumericsError that names the file, where the run fails as far as it is rehearsed
engine::RunEstimate rehearse(const RunArguments& arguments, const Input& input, const engine::Prediction& prediction,
                             const engine::TimeParameters& time, std::size_t threads) {
  try {
    return engine::estimate({.solver = *input.solver,
                             .parameters = input.parameters,
                             .prediction = prediction,
                             .threads = threads,
                             .with =
                                 [&](const std::vector<std::string>& settings) {
                                   RunArguments coarser = arguments;
                                   coarser.settings.insert(coarser.settings.end(), settings.begin(), settings.end());
                                   return read_input(coarser).parameters;
                                 }},
                            time);
  } catch (const engine::NumericsError& error) {
    throw engine::NumericsError(fmt::format("{}: the run would fail {}", arguments.file.string(), error.what()));
  }
}

}  // namespace

int check(const RunArguments& arguments) {
  const Input input = read_input(arguments);
  require_sound_files(input);
  require_built(*input.solver, arguments.words);
  const std::size_t ranks = arguments.ranks != 0 ? arguments.ranks : ranks_started();
  const engine::RunParameters run = engine::read_run_parameters(input.parameters);
  const engine::Prediction prediction = input.solver->predict(input.parameters, ranks);
  const engine::TimeParameters time =
      engine::read_time_parameters(input.parameters, input.solver->axis, prediction.start_time);

  const double duration = time.end - time.begin;
  const auto threads = static_cast<double>(run.threads == 0 ? topology::available_threads() : run.threads);
  const auto workers = static_cast<std::size_t>(threads);
  const auto kept = static_cast<double>(engine::events_kept(run.trace, workers, ranks));
  const auto written = static_cast<double>(engine::events_written(run.trace, workers, ranks));
  const Log log(prediction.log, run.log, ranks);
  const auto listed = static_cast<double>(time.snapshot_times.size());
  Output output{.snapshots = files_every(time.snapshot_every, duration) + listed,
                .snapshot = prediction.snapshot_bytes,
                .checkpoint = prediction.checkpoint_bytes,
                .checkpoints = static_cast<double>(run.checkpoints),
                .trace = event_bytes * written * threads * static_cast<double>(ranks),
                .log = log.begin};
  for (const engine::SeriesPrediction& one : prediction.series) output.add(one, duration);
  const Memory memory = memory_of(prediction, run, ranks, threads, kept);
  const engine::RunEstimate estimate = rehearse(arguments, input, prediction, time, workers * ranks);
  // Those of several ranks have their own, and messages beside them.
  if (ranks == 1 && estimate.events > 0.0) output.trace = std::min(output.trace, event_bytes * estimate.events);
  const double lines = std::min(estimate.steps.steps, files_every(time.statistics_every, duration));
  const double seconds =
      begin_and_end_s + estimate.setup_s + estimate.steps_s + lines * estimate.statistics_s + output.seconds();

  for (const std::string& note : input.parameters.notes()) fmt::print(stderr, "warning: {}\n", note);
  for (const std::string& warning : prediction.warnings) fmt::print(stderr, "warning: {}\n", warning);
  for (const std::string& warning : estimate.warnings) fmt::print(stderr, "{}\n", warning);
  const std::string disk = disk_warning(output, run.directory);
  if (!disk.empty()) fmt::print(stderr, "warning: {}\n", disk);
  fmt::print("{}: good{}\n", arguments.file.string(), memory.rank_fits() ? "" : ", but too large for this machine");
  fmt::print("  run     '{}', solver {}, {} {}, output in {}\n", run.name, input.solver->name, prediction.elements,
             prediction.element_name, run.directory.string());
  fmt::print("  memory  about {}{}{}\n", bytes_text(memory.of_rank),
             ranks == 1 ? "" : fmt::format(" on each of {} ranks", ranks), shortage_text(memory));
  fmt::print("  disk    about {}: {:.0f} snapshots of {}, {}{:.0f} checkpoint{} of {}, a trace of {}{}\n",
             bytes_text(output.total()), output.snapshots, bytes_text(output.snapshot), output.series_text,
             output.checkpoints, output.checkpoints == 1.0 ? "" : "s", bytes_text(output.checkpoint),
             bytes_text(output.trace), log.text.empty() ? "" : ", and the begin of the log");
  fmt::print("{}", log.text);
  fmt::print("  steps   {}\n", steps_text(estimate.steps));
  fmt::print("  time    {}\n", time_text(estimate, seconds, threads, ranks));
  return memory.rank_fits() ? success : machine_failed;
}

}  // namespace tacit::apps
