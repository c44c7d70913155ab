// Formats the results of a run.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/summary.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

#include "tacit/base/provenance.hpp"
#include "tacit/base/text.hpp"

namespace tacit::engine {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const base::Vec3& v) { return Json::array({v.x, v.y, v.z}); }

template <class Number>
Json or_null(const std::optional<Number>& value) {
  return value ? Json(*value) : Json();
}

template <class Value>
Json conserved_entry(const Value& start, const Value& end, const Conservation::Drift& drift) {
  return {{"start", start}, {"end", end}, {"max_drift", drift.relative()}};
}

Json conserved_json(const Conservation& conservation) {
  if (conservation.empty()) return Json::object();
  const Conserved& start = conservation.start();
  const Conserved& end = conservation.last();
  Json json;
  if (start.mass && end.mass) json["mass"] = conserved_entry(*start.mass, *end.mass, conservation.mass);
  json["momentum"] = conserved_entry(to_json(start.momentum), to_json(end.momentum), conservation.momentum);
  if (end.keeps_energy) json["energy"] = conserved_entry(start.energy(), end.energy(), conservation.energy);
  if (start.angular_momentum && end.angular_momentum) {
    json["angular_momentum"] = conserved_entry(to_json(*start.angular_momentum), to_json(*end.angular_momentum),
                                               conservation.angular_momentum);
  }
  return json;
}

std::string communication_text(const Summary& summary) {
  if (!summary.hidden_fraction) return summary.ranks == 1 ? "none, on one rank" : "none";
  // Below nothing: on a node, where messages alone take microseconds, who waits for late ranks waits longer.
  const double hidden = 100.0 * *summary.hidden_fraction;
  return fmt::format("{:.2f} s exposed, {:.1f} % of the run, {} hidden", summary.exposed_s,
                     100.0 * summary.exposed_share, hidden > 0.0 ? fmt::format("{:.1f} %", hidden) : "nothing");
}

}  // namespace

std::string to_json(const Summary& summary) {
  Json json;
  json["solver"] = summary.solver;
  json["version"] = summary.version;
  json["ranks"] = summary.ranks;
  json["threads"] = summary.threads;
  json["steps"] = summary.steps;
  json["time"] = summary.time;
  json["finished"] = summary.finished;
  json["wall_s"] = summary.wall_s;
  json["updates"] = summary.updates;
  json["updates_per_core_s"] = summary.updates_per_core_s;
  json["exposed_s"] = summary.exposed_s;
  json["exposed_share"] = summary.exposed_share;
  json["hidden_fraction"] = or_null(summary.hidden_fraction);
  json["output_s"] = summary.output_s;
  json["output_share"] = summary.output_share;
  json["output_bytes"] = summary.output_bytes;
  json["peak_memory_bytes"] = or_null(summary.peak_memory_bytes);
  json["idle_share"] = summary.idle_share;
  json["parallelism"] = or_null(summary.parallelism);
  json["provenance"] = Json::object();
  for (const auto& [name, value] : summary.provenance) json["provenance"][name] = value;
  json["conserved"] = conserved_json(summary.conservation);
  json["warnings"] = summary.warnings;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string statistics_header(std::span<const Statistic> more) {
  std::string header =
      "step,time,dt,mass,kinetic_energy,internal_energy,potential_energy,total_energy,momentum_x,momentum_y,momentum_z,"
      "angular_momentum_x,angular_momentum_y,angular_momentum_z,wall_s";
  for (const Statistic& statistic : more) header.append(",").append(statistic.name);
  return header;
}

std::string statistics_line(std::uint64_t step, double time, double dt, double wall_s, const Conserved& state,
                            std::span<const Statistic> more) {
  const auto field = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; };
  const std::string angular = state.angular_momentum ? fmt::format("{},{},{}", state.angular_momentum->x,
                                                                   state.angular_momentum->y, state.angular_momentum->z)
                                                     : ",,";
  std::string line = fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{:.3f}", step, time, dt, field(state.mass),
                                 state.kinetic_energy, field(state.internal_energy), field(state.potential_energy),
                                 state.energy(), state.momentum.x, state.momentum.y, state.momentum.z, angular, wall_s);
  for (const Statistic& statistic : more) line += fmt::format(",{}", statistic.value);
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
    steps_s = std::max(steps_s, cost.steps_s);
    path_s = std::max(path_s, cost.path_s);
  }
  const auto workers = static_cast<double>(sum.workers);
  const trace::Exposure exposure{.exposed_s = sum.exposed_s / workers,
                                 .serial_s = sum.serial_s / static_cast<double>(costs.size()),
                                 .transfers = sum.transfers};
  summary.ranks = costs.size();
  summary.wall_s = costs.front().wall_s;
  summary.output_s = costs.front().output_s;
  summary.output_share = summary.output_s / summary.wall_s;
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
  const std::string parallelism = summary.parallelism ? fmt::format(", parallelism {:.1f}", *summary.parallelism) : "";
  const bool keeps_energy = summary.conservation.empty() || summary.conservation.last().keeps_energy;
  const std::string energy =
      keeps_energy ? fmt::format("energy drift {:.2e}, ", summary.conservation.energy.relative()) : "";
  std::string warnings;
  for (const std::string& warning : summary.warnings) warnings += "\n" + warning;
  return fmt::format(
      "{} at t = {:.6g} after {} steps in {:.2f} s: {:.3g} updates/s per core on {}{} thread{}, workers idle {:.1f} "
      "%{}\n"
      "communication: {}; output: {:.1f} MB in {:.2f} s, {:.1f} % of the run, not hidden\n"
      "{}momentum drift {:.2e}{}",
      summary.finished ? "done" : "stopped", summary.time, summary.steps, summary.wall_s, summary.updates_per_core_s,
      summary.ranks == 1 ? "" : fmt::format("{} ranks of ", summary.ranks), summary.threads,
      summary.threads == 1 ? "" : "s", 100.0 * summary.idle_share, parallelism, communication_text(summary),
      static_cast<double>(summary.output_bytes) / 1e6, summary.output_s, 100.0 * summary.output_share, energy,
      summary.conservation.momentum.relative(), warnings);
}

std::vector<std::pair<std::string, std::string>> provenance_rows(const Solver& solver) {
  const base::Provenance p = base::provenance();
  std::vector<std::pair<std::string, std::string>> rows{
      {"version", p.version}, {"commit", p.commit}, {"compiler", p.compiler}, {"build", p.flags},
      {"host", p.host},       {"user", p.user},     {"date", p.date}};
  const auto origin = solver.origin();
  rows.insert(rows.end(), origin.begin(), origin.end());
  return rows;
}

std::string provenance_comment(const Solver& solver) {
  std::string text;
  for (const auto& [name, value] : provenance_rows(solver))
    text += fmt::format("# {}: {}\n", name, base::printable(value, 4096));
  return text;
}

}  // namespace tacit::engine
