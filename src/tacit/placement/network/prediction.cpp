// What the model says about a job on given nodes: the time of the busiest link, of the busiest node, and latency.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/network/prediction.hpp"

#include <algorithm>

#include "tacit/base/error.hpp"
#include "tacit/placement/network/detail/machine.hpp"

namespace tacit::placement::network {
namespace detail {
namespace {

/// Loads below this fraction of the largest are rounding errors: loads along a line are sums and differences.
constexpr double nothing = 1e-12;

[[noreturn]] void fail(const Network& network, const std::string& what) {
  throw base::Error("placement on network " + network.name + ": " + what);
}

void check_placement(const Network& network, const Job& job, const Placement& placement) {
  if (placement.size() != rank_count(job)) {
    fail(network,
         "nodes for " + std::to_string(placement.size()) + " ranks; the job has " + std::to_string(rank_count(job)));
  }
  for (std::size_t rank = 0; rank < placement.size(); ++rank) {
    if (number(placement[rank]) < node_count(network)) continue;
    fail(network, "rank " + std::to_string(rank) + " is on node " + std::to_string(number(placement[rank])) +
                      "; there are " + std::to_string(node_count(network)));
  }
}

double wire_bytes(const Traffic& traffic) {
  double bytes = 0.0;
  for (const Flow& flow : traffic.flows) bytes += flow.bytes;
  for (const ExchangeSet& set : traffic.sets) {
    double all = 0.0;
    double inside = 0.0;
    for (const Member& member : set.members) {
      all += member.weight;
      inside += member.weight * member.weight;
    }
    bytes += set.bytes * (all * all - inside);
  }
  return bytes;
}

/// The loads on links that touch a router without a node of the job.
double foreign_bytes(const Machine& machine, const Placement& placement, std::span<const double> loads) {
  std::vector<bool> is_ours(router_count(machine.network), false);
  for (const NodeId node : placement) is_ours[number(router_of(machine.network, node))] = true;
  double bytes = 0.0;
  for (std::uint32_t link = 0; link < loads.size(); ++link) {
    const auto ends = machine.fabric->ends(LinkId{link});
    if (ends && !(is_ours[number((*ends)[0])] && is_ours[number((*ends)[1])])) bytes += loads[link];
  }
  return bytes;
}

}  // namespace

void time_links(const Machine& machine, std::span<const double> loads, ExchangeTime& time) {
  const double most = loads.empty() ? 0.0 : *std::max_element(loads.begin(), loads.end());
  double sum = 0.0;
  std::size_t used = 0;
  for (std::uint32_t link = 0; link < loads.size(); ++link) {
    if (!(loads[link] > nothing * most)) continue;
    const double seconds = loads[link] / machine.free[link];
    time.hop_bytes += loads[link];
    sum += seconds;
    ++used;
    if (seconds <= time.link_seconds) continue;
    time.link_seconds = seconds;
    time.busiest_link = machine.fabric->name(LinkId{link});
  }
  if (used > 0) time.mean_link_seconds = sum / static_cast<double>(used);
}

Machine::Machine(const Network& of) : network(of) {
  check(of);
  fabric = make_fabric(of);
  free = free_bandwidths(of, *fabric);
}

double link_seconds(std::span<const double> loads, std::span<const double> free) {
  double most = 0.0;
  for (std::size_t link = 0; link < loads.size(); ++link) {
    if (loads[link] > most * free[link]) most = loads[link] / free[link];  // few divisions
  }
  return most;
}

double all_to_all_seconds(const Machine& machine, std::span<const NodeId> nodes, double bytes) {
  std::vector<double> loads(machine.fabric->link_count(), 0.0);
  machine.fabric->add({{{routers_of(machine.network, nodes), bytes}}, {}}, loads);
  const double others = nodes.empty() ? 0.0 : static_cast<double>(nodes.size() - 1);
  return std::max(link_seconds(loads, machine.free), others * bytes / machine.network.injection_bandwidth);
}

Prediction predict(const Machine& machine, const Job& job, const Placement& placement) {
  check(job);
  check_placement(machine.network, job, placement);
  Prediction all;
  double foreign = 0.0;
  double hop_bytes = 0.0;
  std::vector<double> loads;
  for (const Exchange& exchange : exchanges(machine.network, job, placement)) {
    ExchangeTime time;
    time.name = exchange.name;
    loads.assign(machine.fabric->link_count(), 0.0);
    machine.fabric->add(exchange.traffic, loads);
    time_links(machine, loads, time);
    time.rank_bytes = exchange.rank_bytes;
    time.wire_bytes = wire_bytes(exchange.traffic);
    time.node_seconds = exchange.node_bytes / machine.network.injection_bandwidth;
    if (exchange.messages > 0.0) {
      time.latency_seconds =
          exchange.messages * machine.network.latency + machine.fabric->longest_path() * machine.network.hop_latency;
    }
    time.seconds = std::max(time.link_seconds, time.node_seconds) + time.latency_seconds;
    all.seconds += time.seconds;
    foreign += foreign_bytes(machine, placement, loads);
    hop_bytes += time.hop_bytes;
    all.exchanges.push_back(std::move(time));
  }
  if (hop_bytes > 0.0) all.foreign_share = foreign / hop_bytes;
  return all;
}

}  // namespace detail

Prediction predict(const Network& network, const Job& job, const Placement& placement) {
  return detail::predict(detail::Machine(network), job, placement);
}

double all_to_all_seconds(const Network& network, std::span<const NodeId> nodes, double bytes) {
  return detail::all_to_all_seconds(detail::Machine(network), nodes, bytes);
}

}  // namespace tacit::placement::network
