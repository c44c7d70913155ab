// Formats the results of a run.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "tacit/base/provenance.hpp"
#include "tacit/base/text.hpp"

namespace tacit::engine {
namespace {

using Json = nlohmann::ordered_json;

template <class Number>
Json or_null(const std::optional<Number>& value) {
  return value ? Json(*value) : Json();
}

Json to_json(const std::vector<double>& value) { return value.size() == 1 ? Json(value[0]) : Json(value); }

Json conserved_json(const Conservation& conservation) {
  Json json = Json::object();
  for (const Conservation::Entry& entry : conservation.entries()) {
    if (!entry.is_kept) continue;
    json[entry.name] = {
        {"start", to_json(entry.start)}, {"end", to_json(entry.last)}, {"max_drift", entry.max_drift()}};
  }
  return json;
}

/// "energy drift 1e-3, momentum drift 1e-16"; of a solver that has neither, all that it keeps.
/// On a line of its own.
std::string fingerprint_text(const std::optional<Fingerprint>& fingerprint) {
  if (!fingerprint) return "";
  return fmt::format("\nfingerprint {} ({})", fingerprint->digits, fingerprint_depends_on());
}

std::string drift_text(const Conservation& conservation) {
  std::vector<std::string> texts;
  const auto add = [&texts](const Conservation::Entry* entry) {
    if (entry != nullptr && entry->is_kept) {
      texts.push_back(fmt::format("{} drift {:.2e}", entry->name, entry->max_drift()));
    }
  };
  for (const char* name : {"energy", "momentum"}) add(conservation.find(name));
  if (texts.empty()) {
    for (const Conservation::Entry& entry : conservation.entries()) add(&entry);
  }
  return texts.empty() ? "" : "\n" + fmt::format("{}", fmt::join(texts, ", "));
}

/// Those of one quantity after the other, where the solver names none itself.
std::vector<Column> columns_of(const Conserved& state) {
  if (!state.columns.empty()) return state.columns;
  constexpr std::array axes{"_x", "_y", "_z"};
  std::vector<Column> columns;
  for (const Quantity& quantity : state.quantities) {
    const bool is_vector = quantity.value.size() == axes.size();
    for (std::size_t i = 0; i < quantity.value.size(); ++i) {
      columns.push_back({quantity.name + (is_vector ? axes.at(i) : ""), quantity.value[i]});
    }
  }
  return columns;
}

Json to_json(std::span<const StepTraffic> traffic) {
  Json json = Json::array();
  for (const StepTraffic& step : traffic) {
    json.push_back({{"ranks", step.ranks},
                    {"messages", step.messages},
                    {"bytes", step.bytes},
                    {"most_messages", step.most_messages},
                    {"most_bytes", step.most_bytes},
                    {"largest_share", step.largest_share},
                    {"row_ranks", step.row_ranks},
                    {"row_bytes", step.row_bytes}});
  }
  return json;
}

Json to_json(const ColumnAverages& averages) {
  Json columns = Json::object();
  for (const auto& [name, estimate] : averages.columns) {
    columns[name] = {{"mean", estimate.mean},
                     {"error", std::isfinite(estimate.error) ? Json(estimate.error) : Json()},
                     {"is_reliable", estimate.is_reliable},
                     {"inefficiency", estimate.inefficiency},
                     {"block", estimate.block}};
  }
  return {{"from", averages.from}, {"lines", averages.lines}, {"columns", columns}};
}

Json peak_json(const PeakShare& peak) {
  return {{"limit", peak.limit == PeakShare::Limit::memory ? "memory" : "arithmetic"},
          {"flops_per_s", peak.flops_per_s},
          {"flops_limit", peak.flops_limit},
          {"bytes_per_s", peak.bytes_per_s},
          {"bytes_limit", peak.bytes_limit}};
}

void add_launches(Summary& summary, const RankCost& cost) {
  if (cost.has_slots == 0) return;
  if (!summary.launches) summary.launches.emplace();
  summary.launches->all += cost.launched + cost.launched_on_cpu;
  summary.launches->on_device += cost.launched - cost.launches_rescued;
  summary.launches->on_cpu += cost.launched_on_cpu;
  summary.launches->failed += cost.launches_failed;
  summary.launches->rescued += cost.launches_rescued;
  summary.launches->waited += cost.launches_waited;
}

void add_parts(Summary& summary, std::span<const RankCost> costs) {
  if (summary.parts.empty()) return;
  double rest = summary.wall_s;
  for (std::size_t part = 0; part < summary.parts.size(); ++part) {
    double sum = 0.0;
    for (const RankCost& cost : costs) sum += cost.part_s.at(part);
    summary.parts[part].second = sum / static_cast<double>(costs.size());
    rest -= summary.parts[part].second;
  }
  summary.parts.emplace_back("other", rest);
}

std::string communication_text(const Summary& summary) {
  if (!summary.hidden_fraction) return summary.ranks == 1 ? "none, on one rank" : "none";
  // Negative on a node: messages alone take microseconds there, waiting for late ranks takes longer.
  const double hidden = 100.0 * *summary.hidden_fraction;
  return fmt::format("{:.2f} s exposed, {:.1f} % of the run, {} hidden", summary.exposed_s,
                     100.0 * summary.exposed_share, hidden > 0.0 ? fmt::format("{:.1f} %", hidden) : "nothing");
}

Json launches_json(const LaunchSummary& launches) {
  return {{"all", launches.all},
          {"on_device", launches.on_device},
          {"on_cpu", launches.on_cpu},
          {"failed", launches.failed},
          {"rescued", launches.rescued},
          {"waited", launches.waited},
          {"device_share", launches.share(launches.on_device)},
          {"fallback_share", launches.share(launches.on_cpu)}};
}

/// "\nlaunches: 12000, 99.5 % on the device, 0.5 % by workers"; nothing of a run without slots.
std::string launches_text(const std::optional<LaunchSummary>& launches) {
  if (!launches) return {};
  if (launches->all == 0) return "\nlaunches: none";
  const std::string rescued =
      launches->rescued > 0 ? fmt::format(", {} that failed there, too", launches->rescued) : std::string();
  return fmt::format("\nlaunches: {}, {:.1f} % on the device, {:.1f} % by workers for want of a slot{}", launches->all,
                     100.0 * launches->share(launches->on_device), 100.0 * launches->share(launches->on_cpu), rescued);
}

/// "\ntime: gravity 80.1 s (81 %), hydrodynamics 15.2 s (15 %), other 3.5 s (4 %)"; nothing where parts are not told.
std::string parts_text(const Summary& summary) {
  std::vector<std::string> texts;
  for (const auto& [name, seconds] : summary.parts)
    texts.push_back(fmt::format("{} {:.2f} s ({:.1f} %)", name, seconds, 100.0 * seconds / summary.wall_s));
  return texts.empty() ? "" : fmt::format("\ntime: {}", fmt::join(texts, ", "));
}

std::string output_text(const Summary& summary) {
  const double hidden = 100.0 * summary.output_hidden_fraction.value_or(0.0);
  return fmt::format("{:.1f} MB, {:.2f} s exposed, {:.1f} % of the run, {} hidden",
                     static_cast<double>(summary.output_bytes) / 1e6, summary.output_exposed_s,
                     100.0 * summary.output_share, hidden > 0.0 ? fmt::format("{:.1f} %", hidden) : "nothing");
}

}  // namespace

std::string to_json(const Summary& summary) {
  Json json;
  json["solver"] = summary.solver;
  json["version"] = summary.version;
  json["ranks"] = summary.ranks;
  json["threads"] = summary.threads;
  json["steps"] = summary.steps;
  json[std::string(summary.axis.name)] = summary.coordinate;
  json["finished"] = summary.finished;
  json["wall_s"] = summary.wall_s;
  json["updates"] = summary.updates;
  json["updates_per_core_s"] = summary.updates_per_core_s;
  json["peak_share"] = summary.peak ? Json(summary.peak->share) : Json();
  if (summary.peak) json["peak"] = peak_json(*summary.peak);
  json["exposed_s"] = summary.exposed_s;
  json["exposed_share"] = summary.exposed_share;
  json["hidden_fraction"] = or_null(summary.hidden_fraction);
  json["output_s"] = summary.output_s;
  json["output_exposed_s"] = summary.output_exposed_s;
  json["output_hidden_fraction"] = or_null(summary.output_hidden_fraction);
  json["output_share"] = summary.output_share;
  json["output_bytes"] = summary.output_bytes;
  json["writers"] = summary.writers;
  json["peak_memory_bytes"] = or_null(summary.peak_memory_bytes);
  if (summary.launches) json["launches"] = launches_json(*summary.launches);
  for (const auto& [name, seconds] : summary.parts) json["parts_s"][name] = seconds;
  json["idle_share"] = summary.idle_share;
  json["parallelism"] = or_null(summary.parallelism);
  if (summary.fingerprint) json["fingerprint"] = summary.fingerprint->digits;
  if (summary.fingerprint) json["fingerprint_depends_on"] = fingerprint_depends_on();
  json["provenance"] = Json::object();
  for (const auto& [name, value] : summary.provenance) json["provenance"][name] = value;
  json["conserved"] = conserved_json(summary.conservation);
  json["warnings"] = summary.warnings;
  if (summary.averages) json["averages"] = to_json(*summary.averages);
  if (!summary.traffic.empty()) json["elements"] = summary.elements;
  if (!summary.traffic.empty()) json["traffic"] = to_json(std::span<const StepTraffic>(summary.traffic));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string statistics_header(const StatisticsRow& row, const Axis& axis) {
  std::string header = fmt::format("step,{}{}", axis.name, axis.is_counted() ? "" : ",dt");
  for (const Column& column : columns_of(row.conserved)) header += "," + column.name;
  header += ",wall_s";
  for (const Statistic& statistic : row.more) header.append(",").append(statistic.name);
  return header;
}

std::string statistics_line(const StatisticsRow& row, const Axis& axis) {
  std::string line = fmt::format("{},{}", row.step, row.coordinate);
  if (!axis.is_counted()) line += fmt::format(",{}", row.dt);
  for (const Column& column : columns_of(row.conserved)) {
    line += column.value ? fmt::format(",{}", *column.value) : ",";
  }
  line += fmt::format(",{:.3f}", row.wall_s);
  for (const Statistic& statistic : row.more) line += fmt::format(",{}", statistic.value);
  return line;
}

void add_costs(Summary& summary, std::span<const RankCost> costs) {
  RankCost sum;
  double steps_s = 0.0;  // of the slowest rank
  double path_s = 0.0;
  for (const RankCost& cost : costs) {
    const auto workers = static_cast<double>(cost.workers);
    sum.workers += cost.workers;
    summary.threads = std::max<std::size_t>(summary.threads, cost.workers);
    sum.busy_s += cost.busy_s;
    sum.exposed_s += cost.exposed_s * workers;
    sum.serial_s += cost.serial_s;
    sum.transfers += cost.transfers;
    sum.work_s += cost.work_s;
    sum.output_bytes += cost.output_bytes;
    sum.peak_memory_bytes = std::max(sum.peak_memory_bytes, cost.peak_memory_bytes);
    add_launches(summary, cost);
    steps_s = std::max(steps_s, cost.steps_s);
    path_s = std::max(path_s, cost.path_s);
  }
  const auto workers = static_cast<double>(sum.workers);
  const trace::Exposure exposure{.exposed_s = sum.exposed_s / workers,
                                 .serial_s = sum.serial_s / static_cast<double>(costs.size()),
                                 .transfers = sum.transfers};
  summary.ranks = costs.size();
  summary.wall_s = costs.front().wall_s;
  for (const RankCost& cost : costs) {
    summary.output_s = std::max(summary.output_s, cost.output_s);
    summary.output_exposed_s = std::max(summary.output_exposed_s, cost.output_exposed_s);
  }
  add_parts(summary, costs);
  summary.output_share = summary.output_exposed_s / summary.wall_s;
  if (summary.output_s > 0.0) summary.output_hidden_fraction = 1.0 - summary.output_exposed_s / summary.output_s;
  summary.output_bytes = sum.output_bytes;
  if (sum.peak_memory_bytes > 0) summary.peak_memory_bytes = sum.peak_memory_bytes;
  summary.exposed_s = exposure.exposed_s;
  summary.exposed_share = exposure.exposed_s / summary.wall_s;
  summary.hidden_fraction = exposure.hidden_fraction();
  if (path_s > 0.0) summary.parallelism = sum.work_s / path_s;
  if (steps_s <= 0.0) return;
  summary.updates_per_core_s = static_cast<double>(summary.updates) / (steps_s * workers);
  summary.idle_share = std::clamp(1.0 - sum.busy_s / (steps_s * workers), 0.0, 1.0);
}

std::string headline(const Summary& summary) {
  const std::string peak = summary.peak ? "\nspeed: " + to_text(*summary.peak) : "";
  const std::string parallelism = summary.parallelism ? fmt::format(", parallelism {:.1f}", *summary.parallelism) : "";
  std::string warnings;
  for (const std::string& warning : summary.warnings) warnings += "\n" + warning;
  if (summary.averages) {
    warnings += "\n" + to_text(*summary.averages, summary.axis.at(summary.averages->from));
  }
  return fmt::format(
      "{} at {} after {} steps in {:.2f} s: {:.3g} updates/s per core on {}{} thread{}, workers idle {:.1f} "
      "%{}\n"
      "communication: {}; output: {}{}{}{}{}{}{}",
      summary.finished ? "done" : "stopped", summary.axis.at(summary.coordinate), summary.steps, summary.wall_s,
      summary.updates_per_core_s, summary.ranks == 1 ? "" : fmt::format("{} ranks of ", summary.ranks), summary.threads,
      summary.threads == 1 ? "" : "s", 100.0 * summary.idle_share, parallelism, communication_text(summary),
      output_text(summary), parts_text(summary), launches_text(summary.launches), peak,
      drift_text(summary.conservation), fingerprint_text(summary.fingerprint), warnings);
}

Provenance provenance_of(const Origin& origin) {
  const base::Provenance p = base::provenance();
  Provenance rows{{"version", p.version}, {"commit", p.commit}, {"compiler", p.compiler}, {"build", p.flags},
                  {"host", p.host},       {"user", p.user},     {"date", p.date},         {"input", origin.input}};
  if (!origin.checksum.empty()) rows.emplace_back("input checksum", origin.checksum);
  rows.insert(rows.end(), origin.more.begin(), origin.more.end());
  return rows;
}

std::string to_comment(const Provenance& provenance) {
  std::string text;
  for (const auto& [name, value] : provenance) text += fmt::format("# {}: {}\n", name, base::printable(value, 4096));
  return text;
}

}  // namespace tacit::engine
