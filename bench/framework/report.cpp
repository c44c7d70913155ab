// Writes machines and results.
// SPDX-License-Identifier: Apache-2.0
#include "framework/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/flag_latency.hpp"

namespace tacit::bench {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::uint32_t> numbers(std::span<const topology::CpuId> processors) {
  std::vector<std::uint32_t> result;
  for (const topology::CpuId cpu : processors) result.push_back(static_cast<std::uint32_t>(cpu));
  return result;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json flag_json(const std::optional<Summary>& flag) {
  if (!flag) return nullptr;
  return {{"median_ns", flag->median}, {"min_ns", flag->min}, {"near", flag->median < near_ns}};
}

Json machine_json(const Machine& machine) {
  Json json{{"host", machine.host},
            {"cpu", machine.cpu},
            {"cores_allowed", machine.processors.size()},
            {"processors", numbers(machine.processors)},
            {"compiler", machine.compiler},
            {"flags", machine.flags},
            {"commit", machine.commit},
            {"date", machine.date}};
  json["flag_before"] = flag_json(machine.flag_before);
  json["flag_after"] = flag_json(machine.flag_after);
  json["peers"] = Json::object();
  for (const auto& [name, version] : machine.peers) json["peers"][name] = version;
  return json;
}

Json result_json(const Result& result) {
  const auto other = reference(result);
  Json json{{"name", result.name}, {"value", result.ours.median}, {"unit", result.unit}};
  json["reference"] = other ? Json(other->value) : Json(nullptr);
  json["ratio"] = or_null(ratio(result));
  json["reference_name"] = other ? Json(other->name) : Json(nullptr);
  json["better"] = result.better == Better::lower ? "lower" : "higher";
  json["min"] = result.ours.min;
  json["max"] = result.ours.max;
  json["samples"] = result.ours.samples;
  json["limit"] = or_null(result.limit);
  json["flag_ns"] = or_null(result.flag_ns);
  json["peers"] = Json::object();
  for (const auto& [name, value] : result.peers) json["peers"][name] = value;
  return json;
}

std::string flag_text(const std::optional<Summary>& flag) {
  if (!flag) return "not measured (one processor)";
  return fmt::format("{:.0f} ns (min {:.0f}, {})", flag->median, flag->min, flag->median < near_ns ? "near" : "far");
}

std::string number(const std::optional<double>& value) { return value ? fmt::format("{:.4g}", *value) : "-"; }

}  // namespace

std::string to_json(const Machine& machine, std::span<const Result> results) {
  Json json{{"machine", machine_json(machine)}, {"results", Json::array()}};
  for (const Result& result : results) json["results"].push_back(result_json(result));
  return json.dump(2) + "\n";
}

std::string table_head() {
  return fmt::format("{:<32} {:>10} {:>10} {:<6} {:>10} {:>7}  {:<12} {:>7} {:>7}\n", "name", "value", "min", "unit",
                     "reference", "ratio", "is", "limit", "flag ns");
}

std::string table_row(const Result& result) {
  const auto other = reference(result);
  std::string others;
  for (const auto& [name, value] : result.peers) others += fmt::format("  {} {:.4g}", name, value);
  return fmt::format("{:<32} {:>10.4g} {:>10.4g} {:<6} {:>10} {:>7}  {:<12} {:>7} {:>7}{}\n", result.name,
                     result.ours.median, result.ours.min, result.unit,
                     number(other ? std::optional(other->value) : std::nullopt), number(ratio(result)),
                     other ? other->name : "-", number(result.limit), number(result.flag_ns), others);
}

std::string machine_text(const Machine& machine) {
  std::string peers;
  for (const auto& [name, version] : machine.peers) peers += fmt::format(" {} {},", name, version);
  if (peers.empty()) peers = " none,";
  peers.back() = '\n';
  return fmt::format(
      "machine  {}, {}, processors {}\nbuild    {}, {}, commit {}\npeers   {}flag     {} before, {} after\n",
      machine.host, machine.cpu, fmt::join(numbers(machine.processors), " "), machine.compiler, machine.flags,
      machine.commit, peers, flag_text(machine.flag_before), flag_text(machine.flag_after));
}

}  // namespace tacit::bench
