// Times of the steps of a run that writes a large file now and then, by the run's own trace.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "io/program_runs.hpp"
#include "io/sections.hpp"
#include "tacit/base/error.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {
namespace {

/// Of an event or a step [us].
struct Interval {
  double begin = 0.0;
  double end = 0.0;
};

struct Trace {
  std::vector<Interval> tasks;      // those of stages, by begin
  std::vector<Interval> snapshots;  // written by the solver: copies
  std::vector<Interval> files;      // what the I/O thread did
};

Trace read_trace(const std::filesystem::path& path) {
  std::ifstream text(path);
  Trace trace;
  const auto json = nlohmann::json::parse(text);
  for (const auto& event : json.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    const double begin = event.at("ts");
    const Interval interval{begin, begin + event.at("dur").get<double>()};
    const std::string name = event.at("name");
    if (name == "stage") trace.tasks.push_back(interval);
    if (name == "write snapshot") trace.snapshots.push_back(interval);
    if (name == "write file") trace.files.push_back(interval);
  }
  for (auto* list : {&trace.tasks, &trace.snapshots, &trace.files}) std::ranges::sort(*list, {}, &Interval::begin);
  return trace;
}

/// Each step has as many tasks as every other, and begins when the one before has ended.
std::vector<Interval> steps_of(const Trace& trace, std::size_t steps) {
  if (steps == 0 || trace.tasks.empty() || trace.tasks.size() % steps != 0) {
    throw base::Error("the trace of a run does not have all its tasks");
  }
  const std::size_t tasks = trace.tasks.size() / steps;
  std::vector<Interval> all;
  for (std::size_t step = 0; step < steps; ++step) {
    Interval interval{trace.tasks[step * tasks].begin, 0.0};
    for (std::size_t i = 0; i < tasks; ++i) interval.end = std::max(interval.end, trace.tasks[step * tasks + i].end);
    all.push_back(interval);
  }
  return all;
}

/// From the call that writes a snapshot to the last thing that the I/O thread does before the next one.
std::vector<Interval> flights_of(const Trace& trace) {
  std::vector<Interval> flights;
  for (std::size_t i = 0; i < trace.snapshots.size(); ++i) {
    const double next = i + 1 < trace.snapshots.size() ? trace.snapshots[i + 1].begin : 1e300;
    Interval flight = trace.snapshots[i];
    for (const Interval& event : trace.files) {
      if (event.begin >= flight.begin && event.begin < next) flight.end = std::max(flight.end, event.end);
    }
    flights.push_back(flight);
  }
  return flights;
}

double median_length(const std::vector<Interval>& steps) {
  std::vector<double> lengths;
  for (const Interval& step : steps) lengths.push_back(step.end - step.begin);
  return lengths.empty() ? 0.0 : summarise(lengths).median;
}

constexpr std::size_t window = 20;  // steps

/// Steps of a run in three windows: the first one warms memory, the last one begins with a snapshot.
struct Windows {
  double step_ratio = 0.0;
  double wall_ratio = 0.0;
  double in_flight = 0.0;  // steps
};

Windows compare_windows(const std::vector<Interval>& steps, const std::vector<Interval>& flights) {
  const std::vector<Interval> without(steps.begin() + window, steps.begin() + 2 * window);
  std::vector<Interval> during;
  for (auto step = steps.begin() + 2 * window; step != steps.begin() + 3 * window; ++step) {
    const bool is_during = std::ranges::any_of(
        flights, [&](const Interval& flight) { return flight.begin < step->end && step->begin < flight.end; });
    if (is_during) during.push_back(*step);
  }
  const auto wall = [&](std::size_t first) { return steps[first + window - 1].end - steps[first - 1].end; };
  // What was written before a step began is not felt by it.
  return {.step_ratio = during.empty() ? 1.0 : median_length(during) / median_length(without),
          .wall_ratio = wall(2 * window) / wall(window),
          .in_flight = static_cast<double>(during.size())};
}

}  // namespace

void add_steps_during_output(Session& session, const std::filesystem::path& folder) {
  const std::size_t side = session.size(400, 16);  // 0.5 GB in double precision
  constexpr double dt = 1e-9;
  const auto input = folder / "steps.hdf5";
  const std::string base = fmt::format("solver = \"heat\"\n[heat]\ncells = [{0}, {0}, {0}]\ndiffusivity = 1.0\n", side);
  const std::string output =
      "[output]\ncompression = 0\ndouble_precision = true\ncheckpoint_every = 0\npicture = false\ntrace = \"all\"\n";
  Case steady{.folder = folder, .parameters = {}, .ranks = 1};
  steady.threads = static_cast<int>(std::min<std::size_t>(topology::allowed_cpus().size(), 2));
  steady.parameters = base + output + "[initial]\nsetup = \"eigenmode\"\n[time]\nend = 1e-12\n";
  run_program(steady);
  std::filesystem::rename(folder / "out" / "snapshot_0000.hdf5", input);
  steady.parameters = base + output +
                      fmt::format(
                          "snapshot_every = {0}\nstatistics_every = {3}\n[initial]\nsetup = \"file\"\nfile = \"{1}\"\n"
                          "[time]\nend = {3}\ndt_max = {2}\nmax_steps = {4}\n",
                          2 * window * dt, input.string(), dt, 100 * window * dt, 3 * window);
  std::vector<double> steps;
  std::vector<double> walls;
  std::vector<double> in_flight;
  for (std::size_t sample = 0; sample < session.size(7, 2); ++sample) {
    const RunCost cost = run_program(steady);
    const Trace trace = read_trace(folder / "out" / "trace.json");
    const Windows windows = compare_windows(steps_of(trace, cost.steps), flights_of(trace));
    steps.push_back(windows.step_ratio);
    walls.push_back(windows.wall_ratio);
    in_flight.push_back(windows.in_flight);
  }
  session.add({.name = "step_time_during_output_ratio", .unit = "1", .ours = summarise(steps), .limit = 1.05});
  session.add({.name = "whole_wall_ratio", .unit = "1", .ours = summarise(walls)});
  session.add({.name = "steps_in_flight", .unit = "1", .ours = summarise(in_flight)});
  std::filesystem::remove(input);
  std::filesystem::remove_all(folder / "out");
}

}  // namespace tacit::bench
