// The time of a job's output: what its nodes send to the service nodes, on the links between them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tacit/base/error.hpp"
#include "tacit/placement/network/detail/machine.hpp"
#include "tacit/placement/network/prediction.hpp"

namespace tacit::placement::network {
namespace {

void check_output(const Network& network, const Placement& placement, std::span<const NodeId> service, double bytes) {
  const std::string where = "placement on network " + network.name + ": ";
  if (!(bytes >= 0.0) || !std::isfinite(bytes)) {
    throw base::Error(where + "an output of " + std::to_string(bytes) +
                      " bytes; a finite value of at least 0 is needed");
  }
  if (service.empty()) throw base::Error(where + "no service node is up, through which output could leave");
  for (const NodeId node : placement) {
    if (number(node) >= node_count(network)) {
      throw base::Error(where + "a rank is on node " + std::to_string(number(node)) + "; there are " +
                        std::to_string(node_count(network)));
    }
  }
}

/// Ranks of the node that has most of them.
double most_on_a_node(const Placement& placement) {
  Placement nodes = placement;
  std::sort(nodes.begin(), nodes.end());
  std::size_t most = 0;
  for (auto first = nodes.begin(); first != nodes.end();) {
    const auto last = std::upper_bound(first, nodes.end(), *first);
    most = std::max(most, static_cast<std::size_t>(last - first));
    first = last;
  }
  return static_cast<double>(most);
}

}  // namespace

std::vector<NodeId> service_nodes(const Network& network) {
  std::vector<NodeId> nodes;
  for (std::size_t node = 0; node < network.states.size(); ++node) {
    if (network.states[node] == NodeState::service) nodes.push_back(static_cast<NodeId>(node));
  }
  return nodes;
}

ExchangeTime predict_output(const Network& network, const Placement& placement, double bytes) {
  const detail::Machine machine(network);
  const std::vector<NodeId> service = service_nodes(network);
  check_output(network, placement, service, bytes);
  ExchangeTime time;
  time.name = "output";
  if (placement.empty()) return time;
  time.rank_bytes = bytes / static_cast<double>(placement.size());
  const double part = time.rank_bytes / static_cast<double>(service.size());  // from a rank to a service node
  const std::vector<Member> from = detail::routers_of(network, placement);
  std::vector<double> loads(machine.fabric->link_count(), 0.0);
  // One receiving router after the other: all pairs at once would be a list of millions.
  for (const Member& to : detail::routers_of(network, service)) {
    Traffic traffic;
    for (const Member& member : from) {
      if (member.router == to.router) continue;
      traffic.flows.push_back({member.router, to.router, member.weight * to.weight * part});
      time.wire_bytes += traffic.flows.back().bytes;
    }
    machine.fabric->add(traffic, loads);
  }
  detail::time_links(machine, loads, time);
  const double most_sent = most_on_a_node(placement) * time.rank_bytes;
  time.node_seconds = std::max(most_sent, bytes / static_cast<double>(service.size())) / network.injection_bandwidth;
  if (bytes > 0.0) time.latency_seconds = machine.fabric->longest_path() * network.hop_latency;
  time.seconds = std::max(time.link_seconds, time.node_seconds) + time.latency_seconds;
  return time;
}

}  // namespace tacit::placement::network
