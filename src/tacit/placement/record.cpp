// Writes placement.json and reads it back.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tacit/base/read_text.hpp"
#include "tacit/placement/files.hpp"
#include "tacit/placement/machine/hostlist.hpp"
#include "tacit/placement/machine/machine.hpp"

namespace tacit::placement {
namespace {

using Json = nlohmann::ordered_json;  // as written
using network::NodeId;

std::string hostlist(const network::Network& network, std::span<const NodeId> nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const NodeId node : nodes) names.push_back(network::name_of(network, node));
  return compress_hostlist(names);
}

Json json_of(const network::ExchangeTime& exchange) {
  return {{"name", exchange.name},
          {"seconds", exchange.seconds},
          {"link_seconds", exchange.link_seconds},
          {"node_seconds", exchange.node_seconds},
          {"latency_seconds", exchange.latency_seconds},
          {"mean_link_seconds", exchange.mean_link_seconds},
          {"rank_bytes", exchange.rank_bytes},
          {"wire_bytes", exchange.wire_bytes},
          {"hop_bytes", exchange.hop_bytes},
          {"busiest_link", exchange.busiest_link}};
}

Json json_of(const network::Network& network, const Candidate& candidate, const Candidate& standard) {
  Json exchanges = Json::array();
  for (const auto& exchange : candidate.prediction.exchanges) exchanges.push_back(json_of(exchange));
  Json cuts = Json::array();
  for (const CutLoad& cut : cut_loads(network, candidate.job, candidate.placement)) {
    cuts.push_back(
        {{"name", cut.name}, {"bytes", cut.bytes}, {"bandwidth", cut.bandwidth}, {"seconds", cut.seconds()}});
  }
  const double seconds = candidate.seconds;
  Json all{{"grid", candidate.grid},
           {"nodes", candidate.nodes},
           {"order", name(candidate.order)},
           {"seconds", seconds},
           {"times_faster_than_standard", seconds > 0.0 ? standard.seconds / seconds : 1.0},
           {"foreign_share", candidate.prediction.foreign_share},
           {"exchanges", exchanges},
           {"cuts", cuts}};
  if (candidate.output) all["output"] = json_of(*candidate.output);
  return all;
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw base::FormatError(file.string(), fmt::format("is no placement.json of 'tacit place' ({})", why));
}

}  // namespace

std::string to_json(const network::Network& network, const JobRequest& request, const Advice& advice) {
  const Candidate& best = advice.candidates.front();
  Json candidates = Json::array();
  for (const Candidate& candidate : advice.candidates) {
    candidates.push_back(json_of(network, candidate, advice.standard));
  }
  std::vector<std::size_t> node_of_rank;
  for (const NodeId node : best.placement) node_of_rank.push_back(network::number(node));
  const Json all{{"machine", network.name},
                 {"machine_nodes", network::node_count(network)},
                 {"ranks", request.ranks},
                 {"ranks_per_node", request.ranks_per_node},
                 {"points", request.points},
                 {"word_bytes", request.word},
                 {"dump_bytes", request.dump},
                 {"exchanges_per_dump", request.exchanges_per_dump},
                 {"standard", json_of(network, advice.standard, advice.standard)},
                 {"candidates", candidates},
                 {"left_out", advice.left_out},
                 {"chosen",
                  {{"used_nodes", hostlist(network, used_nodes(best.placement, best.listed))},
                   {"listed_nodes", hostlist(network, best.listed)},
                   {"node_of_rank", node_of_rank}}}};
  return all.dump(1) + '\n';
}

Predicted read_predicted(const std::filesystem::path& file) {
  const auto text = base::read_text(file, largest_machine_file, "placement.json of 'tacit place'");
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) refuse(file, "it is not JSON");
  try {
    Predicted predicted{.machine = json.at("machine"), .ranks = json.at("ranks"), .grid = {}, .exchanges = {}};
    const auto& best = json.at("candidates").at(0);
    for (const std::uint32_t side : best.at("grid")) {
      predicted.grid += fmt::format("{}{}", predicted.grid.empty() ? "" : "x", side);
    }
    for (const auto& exchange : best.at("exchanges")) {
      network::ExchangeTime time;
      time.name = exchange.at("name");
      time.seconds = exchange.at("seconds");
      time.latency_seconds = exchange.at("latency_seconds");
      time.rank_bytes = exchange.at("rank_bytes");
      predicted.exchanges.push_back(time);
    }
    return predicted;
  } catch (const nlohmann::json::exception& problem) {
    refuse(file, problem.what());
  }
}

}  // namespace tacit::placement
