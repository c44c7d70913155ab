// A machine's network: counts, names, and the check of what a description says.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/network/network.hpp"

#include <cmath>
#include <numeric>
#include <string_view>

#include "tacit/base/error.hpp"

namespace tacit::placement::network {
namespace {

/// Most nodes, routers or links of a kind: they are numbered in 32 bits, and links are counted six to a router.
constexpr double most_of_a_kind = 1U << 28U;

/// Leaf switches of a fat tree: one, times the children of every level above the leaves.
std::size_t leaves(const FatTree& tree) {
  std::size_t count = 1;
  for (std::size_t level = 1; level < tree.levels.size(); ++level) count *= tree.levels[level].children;
  return count;
}

struct RouterCount {
  std::size_t operator()(const Torus& torus) const {
    return std::size_t{torus.routers[0]} * torus.routers[1] * torus.routers[2];
  }
  std::size_t operator()(const Dragonfly& fly) const { return std::size_t{fly.groups} * fly.routers_per_group; }
  std::size_t operator()(const FatTree& tree) const { return leaves(tree); }
  std::size_t operator()(const Graph& graph) const { return graph.routers; }
};

/// Nodes on each router; 0 for a graph, whose nodes are listed.
struct NodesPerRouter {
  std::uint32_t operator()(const Torus& torus) const { return torus.nodes_per_router; }
  std::uint32_t operator()(const Dragonfly& fly) const { return fly.nodes_per_router; }
  std::uint32_t operator()(const FatTree& tree) const { return tree.levels.empty() ? 0 : tree.levels[0].children; }
  std::uint32_t operator()(const Graph&) const { return 0; }
};

/// Checks quantities of one network; every complaint starts with the network's name.
class Checker {
 public:
  explicit Checker(const std::string& name) : name_(name.empty() ? "network" : "network " + name) {}

  [[noreturn]] void fail(const std::string& what) const { throw base::Error(name_ + ": " + what); }
  void count(std::string_view what, std::uint32_t value) const {
    if (value == 0) fail(std::string(what) + " is 0; at least 1 is needed");
  }
  void speed(std::string_view what, double value) const {
    if (!(value > 0.0) || !std::isfinite(value)) {
      fail(std::string(what) + " is " + std::to_string(value) + "; a finite value above 0 is needed");
    }
  }
  void not_negative(std::string_view what, double value) const {
    if (!(value >= 0.0) || !std::isfinite(value)) {
      fail(std::string(what) + " is " + std::to_string(value) + "; a finite value of at least 0 is needed");
    }
  }
  void size(std::string_view what, double value) const {
    if (value > most_of_a_kind) fail(std::string(what) + " are more than 2^28; describe a part of the machine");
  }

  void operator()(const Torus& torus) const {
    for (std::size_t d = 0; d < 3; ++d) {
      const std::string axis(1, "xyz"[d]);
      count("routers in " + axis, torus.routers[d]);
      speed("bandwidth in " + axis, torus.bandwidth[d]);
    }
    count("nodes_per_router", torus.nodes_per_router);
    size("nodes", 1.0 * torus.routers[0] * torus.routers[1] * torus.routers[2] * torus.nodes_per_router);
  }
  void operator()(const Dragonfly& fly) const {
    count("groups", fly.groups);
    count("routers_per_group", fly.routers_per_group);
    count("nodes_per_router", fly.nodes_per_router);
    if (fly.groups > 1) count("global_links", fly.global_links);
    speed("local_bandwidth", fly.local_bandwidth);
    speed("global_bandwidth", fly.global_bandwidth);
    size("nodes", 1.0 * fly.groups * fly.routers_per_group * fly.nodes_per_router);
    size("links", 1.0 * fly.groups * fly.routers_per_group * fly.routers_per_group);
    size("links between groups", 1.0 * fly.groups * fly.groups * fly.global_links);
  }
  void operator()(const FatTree& tree) const {
    if (tree.levels.empty()) fail("a fat tree without levels; at least one is needed");
    double nodes = 1.0;
    for (std::size_t level = 0; level < tree.levels.size(); ++level) {
      const std::string of = " of level " + std::to_string(level);
      count("children" + of, tree.levels[level].children);
      if (level + 1 < tree.levels.size()) speed("uplink_bandwidth" + of, tree.levels[level].uplink_bandwidth);
      nodes *= tree.levels[level].children;
    }
    size("nodes", nodes);
  }
  void operator()(const Graph& graph) const {
    count("routers", graph.routers);
    size("routers", graph.routers);
    size("nodes", static_cast<double>(graph.router_of_node.size()));
    size("links", static_cast<double>(graph.links.size()));
    for (const GraphLink& link : graph.links) check_link(graph, link);
    for (std::size_t node = 0; node < graph.router_of_node.size(); ++node) {
      if (number(graph.router_of_node[node]) >= graph.routers) {
        fail("node " + std::to_string(node) + " is on switch " + std::to_string(number(graph.router_of_node[node])) +
             "; there are " + std::to_string(graph.routers));
      }
    }
    check_connected(graph);
  }

 private:
  void check_link(const Graph& graph, const GraphLink& link) const {
    const std::string name = "the link " + std::to_string(number(link.a)) + " - " + std::to_string(number(link.b));
    if (number(link.a) >= graph.routers || number(link.b) >= graph.routers) {
      fail(name + " names a switch that does not exist; there are " + std::to_string(graph.routers));
    }
    if (link.a == link.b) fail(name + " joins a switch with itself; remove it");
    speed("bandwidth of " + name, link.bandwidth);
    speed("length of " + name, link.length);
    count("count of " + name, link.count);
  }

  /// All switches with nodes in one piece: every switch points to another one of its piece, up to the piece's root.
  void check_connected(const Graph& graph) const {
    std::vector<std::uint32_t> parent(graph.routers);
    std::iota(parent.begin(), parent.end(), 0U);
    const auto root = [&parent](std::uint32_t of) {
      while (parent[of] != of) of = parent[of] = parent[parent[of]];
      return of;
    };
    for (const GraphLink& link : graph.links) parent[root(number(link.a))] = root(number(link.b));
    for (std::size_t node = 1; node < graph.router_of_node.size(); ++node) {
      if (root(number(graph.router_of_node[node])) == root(number(graph.router_of_node[0]))) continue;
      fail("node " + std::to_string(node) + " cannot be reached from node 0; add the missing link");
    }
  }

  std::string name_;
};

}  // namespace

std::size_t router_count(const Network& network) { return std::visit(RouterCount{}, network.shape); }

std::size_t node_count(const Network& network) {
  if (const auto* graph = std::get_if<Graph>(&network.shape)) return graph->router_of_node.size();
  return router_count(network) * std::visit(NodesPerRouter{}, network.shape);
}

RouterId router_of(const Network& network, NodeId node) {
  TACIT_EXPECT(number(node) < node_count(network));
  if (const auto* graph = std::get_if<Graph>(&network.shape)) return graph->router_of_node[number(node)];
  return RouterId{number(node) / std::visit(NodesPerRouter{}, network.shape)};
}

bool is_usable(const Network& network, NodeId node) {
  TACIT_EXPECT(number(node) < node_count(network));
  return network.states.empty() || network.states[number(node)] == NodeState::compute;
}

std::vector<NodeId> usable_nodes(const Network& network) {
  std::vector<NodeId> nodes;
  const std::size_t count = node_count(network);
  for (std::size_t n = 0; n < count; ++n) {
    const NodeId node{static_cast<std::uint32_t>(n)};
    if (is_usable(network, node)) nodes.push_back(node);
  }
  return nodes;
}

std::string name_of(const Network& network, NodeId node) {
  TACIT_EXPECT(number(node) < node_count(network));
  return network.node_names.empty() ? std::to_string(number(node)) : network.node_names[number(node)];
}

void check(const Network& network) {
  const Checker checker(network.name);
  std::visit(checker, network.shape);
  checker.speed("injection_bandwidth", network.injection_bandwidth);
  checker.not_negative("latency", network.latency);
  checker.not_negative("hop_latency", network.hop_latency);
  if (!(network.background_share >= 0.0 && network.background_share < 1.0)) {
    checker.fail("background_share is " + std::to_string(network.background_share) +
                 "; a value from 0 to below 1 is needed");
  }
  for (const Background& other : network.background) checker.not_negative("a background bandwidth", other.bandwidth);
  const std::string nodes = std::to_string(node_count(network));
  if (!network.states.empty() && network.states.size() != node_count(network)) {
    checker.fail(std::to_string(network.states.size()) + " states for " + nodes + " nodes; give one of each, or none");
  }
  if (!network.node_names.empty() && network.node_names.size() != node_count(network)) {
    checker.fail(std::to_string(network.node_names.size()) + " names for " + nodes +
                 " nodes; give one of each, or none");
  }
}

}  // namespace tacit::placement::network
