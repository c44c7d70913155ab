// Small networks, random traffic and a slow oracle of loads, shared by the tests of the network model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/placement/network/fabric.hpp"

namespace tacit::placement::network::cases {

inline Network network_of(Shape shape, std::string name = "test") {
  Network network;
  network.name = std::move(name);
  network.shape = std::move(shape);
  return network;
}

inline Torus torus(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  Torus torus;
  torus.routers = {x, y, z};
  return torus;
}

/// Groups of 4 routers with one node each, two links between every two groups.
inline Dragonfly dragonfly(std::uint32_t groups, DragonflyRouting routing) {
  Dragonfly fly;
  fly.groups = groups;
  fly.routers_per_group = 4;
  fly.global_links = 2;
  fly.routing = routing;
  return fly;
}

/// Three levels: 2 nodes on a leaf, 3 leaves to a switch, 4 switches at the top.
inline FatTree tree() { return {{{2, 2.0}, {3, 6.0}, {4, 0.0}}}; }

/// A graph with one node on each switch.
inline Graph graph(std::uint32_t routers, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& links) {
  Graph graph;
  graph.routers = routers;
  for (const auto& [a, b] : links) graph.links.push_back({RouterId{a}, RouterId{b}, 1.0, 1.0, 1});
  for (std::uint32_t i = 0; i < routers; ++i) graph.router_of_node.push_back(RouterId{i});
  return graph;
}

/// A hypercube of 2^d switches.
inline Graph hypercube(unsigned d) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
  for (std::uint32_t i = 0; i < 1U << d; ++i) {
    for (unsigned bit = 0; bit < d; ++bit) {
      if ((i >> bit & 1U) == 0) links.emplace_back(i, i | 1U << bit);
    }
  }
  return graph(1U << d, links);
}

/// All shapes that a general test runs over.
inline std::vector<Network> all() {
  Torus open = torus(4, 3, 2);
  open.ends = {Ends::line, Ends::ring, Ends::line};
  Torus upwards = torus(4, 4, 1);
  upwards.tie = Tie::upwards;
  Graph uneven = graph(7, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}, {4, 5}, {5, 2}, {5, 6}, {6, 0}});
  uneven.links[2].count = 3;
  uneven.links[4].length = 2.5;
  return {network_of(torus(5, 4, 6), "torus"),
          network_of(torus(2, 1, 3), "small torus"),
          network_of(open, "open torus"),
          network_of(upwards, "torus with ties upwards"),
          network_of(dragonfly(5, DragonflyRouting::minimal), "dragonfly"),
          network_of(dragonfly(5, DragonflyRouting::valiant), "dragonfly, Valiant"),
          network_of(dragonfly(2, DragonflyRouting::valiant), "two groups"),
          network_of(dragonfly(1, DragonflyRouting::minimal), "one group"),
          network_of(tree(), "tree"),
          network_of(hypercube(4), "hypercube"),
          network_of(uneven, "uneven graph")};
}

inline std::vector<RouterId> routers(const Network& network) {
  std::vector<RouterId> routers;
  for (std::uint32_t i = 0; i < router_count(network); ++i) routers.push_back(RouterId{i});
  return routers;
}

/// A set of about `share` of the routers with weights from 1 to 4.
inline ExchangeSet random_set(const Network& network, double share, std::uint64_t seed) {
  ExchangeSet set{{}, 0.5 + base::uniform(seed, 0, 9)};
  for (const RouterId router : routers(network)) {
    if (base::uniform(seed, number(router), 0) >= share) continue;
    set.members.push_back(
        {router, 1.0 + static_cast<double>(static_cast<int>(4 * base::uniform(seed, number(router), 1)))});
  }
  return set;
}

inline std::vector<Flow> random_flows(const Network& network, std::size_t count, std::uint64_t seed) {
  const auto pick = [&](std::size_t i, std::uint64_t draw) {
    const double u = base::uniform(seed, i, draw);
    return RouterId{static_cast<std::uint32_t>(u * static_cast<double>(router_count(network)))};
  };
  std::vector<Flow> flows;
  for (std::size_t i = 0; i < count; ++i) flows.push_back({pick(i, 0), pick(i, 1), 100 * base::uniform(seed, i, 2)});
  return flows;
}

/// The traffic as single messages.
inline std::vector<Flow> messages_of(const Traffic& traffic) {
  std::vector<Flow> flows = traffic.flows;
  for (const ExchangeSet& set : traffic.sets) {
    for (const Member& from : set.members) {
      for (const Member& to : set.members) {
        flows.push_back({from.router, to.router, from.weight * to.weight * set.bytes});
      }
    }
  }
  return flows;
}

/// Loads of the traffic, each message sent by itself.
inline std::vector<double> loads_by_route(const Fabric& fabric, const Traffic& traffic) {
  std::vector<double> loads(fabric.link_count(), 0.0);
  std::vector<Part> parts;
  for (const Flow& flow : messages_of(traffic)) {
    fabric.route(flow.from, flow.to, parts);
    for (const Part& part : parts) loads[number(part.link)] += part.share * flow.bytes;
  }
  return loads;
}

inline std::vector<double> loads_of(const Fabric& fabric, const Traffic& traffic) {
  std::vector<double> loads(fabric.link_count(), 0.0);
  fabric.add(traffic, loads);
  return loads;
}

inline double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Links of the shortest way from `from` to every router, by breadth-first search over the ends of all links.
inline std::vector<std::uint32_t> distances(const Fabric& fabric, std::size_t count, RouterId from) {
  std::vector<std::vector<std::uint32_t>> next(count);
  for (std::uint32_t link = 0; link < fabric.link_count(); ++link) {
    if (const auto ends = fabric.ends(LinkId{link})) next[number((*ends)[0])].push_back(number((*ends)[1]));
  }
  std::vector<std::uint32_t> distance(count, ~0U);
  std::deque<std::uint32_t> open{number(from)};
  distance[number(from)] = 0;
  while (!open.empty()) {
    const std::uint32_t at = open.front();
    open.pop_front();
    for (const std::uint32_t to : next[at]) {
      if (distance[to] != ~0U) continue;
      distance[to] = distance[at] + 1;
      open.push_back(to);
    }
  }
  return distance;
}

}  // namespace tacit::placement::network::cases
