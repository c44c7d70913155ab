// tacit check: validates the file and its input, and predicts what a run needs.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "commands.hpp"
#include "input.hpp"
#include "launch_environment.hpp"
#include "tacit/engine/keys.hpp"
#include "tacit/engine/rank_trace.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::apps {
namespace {

/// Of trace.json, for each of the events that are kept: measured.
constexpr double event_bytes = 113.0;

/// Memory of the program without a solver, and of each thread with its ring of events: measured, 4^3 particles on 1 to
/// 16 threads.
constexpr double program_memory = 21e6;
constexpr double thread_memory = 1.8e6;

std::string bytes_text(double bytes) {
  constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 1000.0 && unit + 1 < units.size()) {
    bytes /= 1000.0;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string seconds_text(double seconds) {
  if (seconds < 120.0) return fmt::format("{:.0f} s", std::max(seconds, 1.0));
  if (seconds < 7200.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

std::string time_text(const engine::Prediction& prediction, const engine::TimeParameters& time, double threads,
                      std::size_t ranks) {
  if (!(prediction.first_time_step > 0.0))
    return "cannot be told: the length of a step follows from what the file holds";
  const double step = std::min(prediction.first_time_step, time.dt_max);
  const double steps = std::min(std::ceil((time.end - time.begin) / step), static_cast<double>(time.max_steps));
  const double work = steps * static_cast<double>(prediction.elements);
  const double seconds = work / (prediction.updates_per_core_s * threads * static_cast<double>(ranks));
  return fmt::format(
      "about {} on {}{:.0f} thread{}: {:.0f} steps if all are as short as the first ({:.3g}), at {:.2g} updates/s per "
      "core",
      seconds_text(seconds), ranks == 1 ? "" : fmt::format("{} ranks of ", ranks), threads, threads == 1.0 ? "" : "s",
      steps, step, prediction.updates_per_core_s);
}

}  // namespace

int check(const RunArguments& arguments) {
  const Input input = read_input(arguments);
  const std::size_t ranks = arguments.ranks != 0 ? arguments.ranks : ranks_started();
  require_spread(input, ranks);
  const engine::RunParameters run = engine::read_run_parameters(input.parameters);
  const engine::Prediction prediction = input.solver->predict(input.parameters, ranks);
  const engine::TimeParameters time = engine::read_time_parameters(input.parameters, prediction.start_time);

  const double duration = time.end - time.begin;
  const double snapshots = std::ceil(duration / time.snapshot_every * (1.0 - 1e-12)) + 1.0;
  const auto threads = static_cast<double>(run.threads == 0 ? topology::available_threads() : run.threads);
  const double kept = static_cast<double>(engine::events_kept(static_cast<std::size_t>(threads), ranks));
  const double trace_bytes = event_bytes * kept * threads * static_cast<double>(ranks);
  const double memory = program_memory + thread_memory * threads + prediction.memory_bytes / static_cast<double>(ranks);

  for (const std::string& warning : prediction.warnings) fmt::print(stderr, "warning: {}\n", warning);
  fmt::print("{}: good\n", arguments.file.string());
  fmt::print("  run     '{}', solver {}, {} {}, output in {}\n", run.name, input.solver->name, prediction.elements,
             prediction.element_name, run.directory.string());
  fmt::print("  memory  about {}{}\n", bytes_text(memory),
             ranks == 1 ? "" : fmt::format(" on each of {} ranks", ranks));
  fmt::print("  disk    about {}: {:.0f} snapshots of {}, a checkpoint of {}, a time line of {}\n",
             bytes_text(snapshots * prediction.snapshot_bytes + prediction.checkpoint_bytes + trace_bytes), snapshots,
             bytes_text(prediction.snapshot_bytes), bytes_text(prediction.checkpoint_bytes), bytes_text(trace_bytes));
  fmt::print("  time    {}\n", time_text(prediction, time, threads, ranks));
  return success;
}

}  // namespace tacit::apps
