// Makes the keys of counted axes from those of time.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

namespace tacit::engine {
namespace {

/// Keys hold views of texts, which live here as long as the program.
struct CountedKeys {
  std::string title, end_name, end_help, steps_name, snapshot_help, times_help, statistics_help, average_help;
  std::array<config::Key, 2> end;
  std::vector<config::Key> output;

  CountedKeys(std::string_view axis, std::span<const config::Key> output_keys)
      : title(axis),
        end_name(fmt::format("{}.end", axis)),
        end_help(fmt::format("The {} with which the run ends.", axis)),
        steps_name(fmt::format("{}.max_steps", axis)),
        snapshot_help(fmt::format("Snapshots are this far apart, counted by {}. Without it: one at the begin and one "
                                  "at the end.",
                                  axis)),
        times_help(fmt::format("Further snapshots, counted by {}: [10, 50], rising. What lies outside the run is left "
                               "out.",
                               axis)),
        statistics_help(fmt::format("Lines of statistics.csv are this far apart, counted by {}. Without it: about a "
                                    "hundred in the run.",
                                    axis)),
        average_help(fmt::format("The {} from which on the columns of statistics.csv are averaged, for summary.json "
                                 "and the lines at the end of the run: means with standard errors, by blocks of lines "
                                 "that are longer than what lines remember of those before them. Without it there are "
                                 "none.",
                                 axis)),
        end{config::Key{.name = end_name,
                        .type = config::Type::integer,
                        .help = end_help,
                        .need = config::Need::required,
                        .range = {.lower = 1},
                        .on_restart = config::OnRestart::may_change},
            config::Key::count(steps_name, "Stop after this number of steps, to be continued.").changeable()},
        output(output_keys.begin(), output_keys.end()) {
    for (config::Key& key : output) {
      if (key.name == "output.snapshot_times") key = config::Key::numbers(key.name, times_help, config::non_negative);
      if (key.name == "output.average_from") {
        key = {.name = key.name, .type = config::Type::integer, .help = average_help, .range = {.lower = 0}};
      }
      if (key.name != "output.snapshot_every" && key.name != "output.statistics_every") continue;
      key = {.name = key.name,
             .type = config::Type::integer,
             .help = key.name == "output.snapshot_every" ? snapshot_help : statistics_help,
             .range = {.lower = 1}};
    }
  }
  CountedKeys(const CountedKeys&) = delete;
  CountedKeys& operator=(const CountedKeys&) = delete;
};

bool holds(const config::KeyTable& table, std::string_view key) {
  return std::ranges::find(table.keys, key, &config::Key::name) != table.keys.end();
}

const CountedKeys& counted_keys(std::string_view axis, std::span<const config::Key> output) {
  static std::mutex mutex;
  static std::map<std::string, CountedKeys, std::less<>> all;
  const std::scoped_lock lock(mutex);
  return all.try_emplace(std::string(axis), axis, output).first->second;
}

}  // namespace

std::string Axis::at(double coordinate) const {
  return is_counted() ? fmt::format("{} {:.0f}", name, coordinate) : fmt::format("{} = {:.6g}", symbol, coordinate);
}

std::vector<config::KeyTable> key_tables(const Axis& axis) {
  const auto of_time = key_tables();
  std::vector<config::KeyTable> tables(of_time.begin(), of_time.end());
  if (!axis.is_counted()) return tables;
  const auto output = std::ranges::find_if(tables, [](const auto& t) { return holds(t, "output.snapshot_every"); });
  const auto time = std::ranges::find_if(tables, [](const auto& t) { return holds(t, "time.end"); });
  const CountedKeys& counted = counted_keys(axis.name, output->keys);
  output->keys = counted.output;
  *time = {counted.title, counted.end};
  return tables;
}

TimeParameters read_time_parameters(const config::Parameters& p, const Axis& axis, double start) {
  if (!axis.is_counted()) return read_time_parameters(p, start);
  const std::string end = fmt::format("{}.end", axis.name);
  TimeParameters result;
  result.begin = start;
  result.end = static_cast<double>(p.integer(end));
  if (!(result.end > start)) {
    throw config::Error(p.where(end), end, fmt::format("must be larger than {:.0f}, where the run begins", start));
  }
  result.dt_max = std::numeric_limits<double>::infinity();
  const std::string steps = fmt::format("{}.max_steps", axis.name);
  result.max_steps = p.has(steps) ? p.count(steps) : std::numeric_limits<std::uint64_t>::max();
  const auto every = [&p](const char* key, double usual) {
    return p.has(key) ? static_cast<double>(p.integer(key)) : usual;
  };
  const double length = result.end - start;
  result.snapshot_every = every("output.snapshot_every", length);
  result.statistics_every = every("output.statistics_every", std::max(1.0, std::floor(length / 100.0)));
  if (p.has("output.average_from")) result.average_from = static_cast<double>(p.integer("output.average_from"));
  read_snapshot_times(p, result);
  for (const double at : result.snapshot_times) {
    if (std::trunc(at) == at) continue;
    throw config::Error(p.where("output.snapshot_times"), "output.snapshot_times",
                        fmt::format("{} is no {}; expected integers", at, axis.name));
  }
  return result;
}

}  // namespace tacit::engine
