// A machine's network: its shape, its links' speeds and the state of its nodes, as files describe it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tacit::placement::network {

/// A node of the machine. Of a torus, dragonfly or fat tree node n sits on router n / nodes_per_router.
enum class NodeId : std::uint32_t {};
/// A router (or switch) of the machine.
enum class RouterId : std::uint32_t {};

[[nodiscard]] constexpr std::uint32_t number(NodeId node) noexcept { return static_cast<std::uint32_t>(node); }
[[nodiscard]] constexpr std::uint32_t number(RouterId router) noexcept { return static_cast<std::uint32_t>(router); }

/// Whether a dimension of a torus closes to a ring.
enum class Ends : std::uint8_t { ring, line };
/// Direction of a message whose two directions around a ring are equally long.
enum class Tie : std::uint8_t { split, upwards };

/// Routers at the points of a box, joined along x, y and z; router number = x + X (y + Y z).
/// Dimension-ordered routing: the shorter direction in x, then in y, then in z.
struct Torus {
  std::array<std::uint32_t, 3> routers{1, 1, 1};
  std::array<double, 3> bandwidth{1, 1, 1};  // of one link, each way [byte/s]
  std::array<Ends, 3> ends{Ends::ring, Ends::ring, Ends::ring};
  std::uint32_t nodes_per_router = 1;
  Tie tie = Tie::split;
};

/// How messages between groups of a dragonfly go: directly, or through each other group in equal parts.
enum class DragonflyRouting : std::uint8_t { minimal, valiant };

/// Groups of routers, all joined to all inside a group, and `global_links` links between every two groups.
/// Router number = group * routers_per_group + place in the group. The links of a group to the others, in the order of
/// the others' numbers, are dealt to its routers in blocks of equal length.
struct Dragonfly {
  std::uint32_t groups = 1;
  std::uint32_t routers_per_group = 1;
  std::uint32_t nodes_per_router = 1;
  std::uint32_t global_links = 1;
  double local_bandwidth = 1;   // of one link inside a group, each way [byte/s]
  double global_bandwidth = 1;  // of one link between groups, each way [byte/s]
  DragonflyRouting routing = DragonflyRouting::minimal;
};

/// One level of a fat tree: how many subtrees a switch of it joins, and what leads from it to the level above.
struct TreeLevel {
  std::uint32_t children = 1;  // of a leaf switch: nodes
  double uplink_bandwidth =
      0.0;  // all links upwards of one switch together, each way [byte/s]; of the top level: unused
};

/// Switches in levels, the leaves first. Messages go up to the lowest common level and down; parallel paths are used
/// evenly, so that the links upwards of one switch count as one. Router number = number of the leaf switch.
struct FatTree {
  std::vector<TreeLevel> levels;
};

/// A link of a graph of switches; the same speed in both directions.
struct GraphLink {
  RouterId a{};
  RouterId b{};
  double bandwidth = 1;     // of one link, each way [byte/s]
  double length = 1;        // weight in shortest-path routing, > 0
  std::uint32_t count = 1;  // parallel links
};

/// Any switches and links. Messages take shortest paths; at each switch they are split over all links that begin one.
struct Graph {
  std::uint32_t routers = 0;
  std::vector<GraphLink> links;
  std::vector<RouterId> router_of_node;
  std::vector<std::string> router_names = {};  // shape (routers), or none: numbers
};

using Shape = std::variant<Torus, Dragonfly, FatTree, Graph>;

/// Whether a job may have a node.
enum class NodeState : std::uint8_t { compute, service, down };

/// Traffic of others on the link between two routers (both must be neighbours), in the direction `from` to `to`.
struct Background {
  RouterId from{};
  RouterId to{};
  double bandwidth = 0.0;  // that others take [byte/s]
};

/// A whole machine.
struct Network {
  std::string name;
  Shape shape;
  double injection_bandwidth = 1;       // of one node, each way [byte/s]
  double latency = 0.0;                 // of one message, sender and receiver together [s]
  double hop_latency = 0.0;             // of each link on the way [s]
  double background_share = 0.0;        // of every link, taken by others; 0 <= share < 1
  std::vector<Background> background;   // beside background_share
  std::vector<NodeState> states;        // of each node; empty: all compute
  std::vector<std::string> node_names;  // of each node; empty: they have only numbers
};

/// How many nodes the machine has, in whatever state.
[[nodiscard]] std::size_t node_count(const Network& network);
/// How many routers nodes can be attached to: of a fat tree the leaf switches.
[[nodiscard]] std::size_t router_count(const Network& network);
/// The router that a node is attached to.
/// @pre number(node) < node_count(network)
[[nodiscard]] RouterId router_of(const Network& network, NodeId node);
/// Whether a job may have the node.
/// @pre number(node) < node_count(network)
[[nodiscard]] bool is_usable(const Network& network, NodeId node);
/// All nodes that a job may have, ascending.
[[nodiscard]] std::vector<NodeId> usable_nodes(const Network& network);
/// The node's name, or its number where the machine has no names.
[[nodiscard]] std::string name_of(const Network& network, NodeId node);

/// Checks everything that the model relies on: sizes above 0, speeds finite and above 0, lists of the right length,
/// links between routers that exist, each node of a graph reachable from each other one.
/// @throws base::Error that names the network, the quantity, its value and what is allowed
void check(const Network& network);

}  // namespace tacit::placement::network
