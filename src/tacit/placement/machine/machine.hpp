// A machine as its files describe it: network, names of nodes, and the processors of a node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/config/node.hpp"
#include "tacit/placement/network/network.hpp"

namespace tacit::placement {

/// The cores of one node, in the order of the machine; all nodes are alike.
struct NodeShape {
  struct Core {
    std::uint32_t package = 0;  ///< socket
    std::uint32_t place = 0;    ///< in its package, from 0
    std::uint32_t numa = 0;     ///< NUMA domain, from 0 in the node
    std::uint32_t threads = 1;  ///< hardware threads
  };
  std::vector<Core> cores;
  std::uint32_t packages = 0;
  std::uint32_t numa_domains = 0;

  /// The fewest cores that a NUMA domain has.
  [[nodiscard]] std::size_t cores_per_numa() const;
};

struct Machine {
  network::Network network;
  std::optional<NodeShape> node;
  std::vector<std::string> remarks;  ///< what was assumed where the file says nothing, each a sentence
};

/// Speeds of a network that a file of Slurm says nothing about.
struct SlurmSpeeds {
  double node = 12.5e9;           ///< of a node's own link [byte/s]
  double oversubscription = 2.0;  ///< what the nodes below a switch inject, over its links upwards
  bool are_given = false;         ///< else a remark says that they are guesses
};

/// The largest file about a machine [byte].
inline constexpr std::size_t largest_machine_file = 64'000'000;

/// Slurm's topology.conf: switches in a tree (SwitchName, Switches, Nodes, LinkSpeed) or blocks (BlockName,
/// BlockSizes).
///
/// A tree whose switches of one level are alike becomes a FatTree, any other a Graph. LinkSpeed is taken as the speed
/// of a switch's links upwards in Gbit/s; Slurm itself gives it no unit.
///
/// @param file  its name, for messages
/// @throws base::FormatError with file and line
[[nodiscard]] Machine parse_topology_conf(std::string_view text, const std::string& file, const SlurmSpeeds& speeds);

/// Slurm's topology.yaml: tree, block or flat.
///
/// @param name   which of its topologies; empty: the one with cluster_default, else the first
/// @param nodes  names of the nodes, for a flat one, which names none itself
/// @throws base::FormatError with file, line and column
[[nodiscard]] Machine read_topology_yaml(const config::Tree& document, const std::string& name,
                                         const std::vector<std::string>& nodes, const SlurmSpeeds& speeds);

/// The XML that hwloc's lstopo writes, versions 1 and 2.
///
/// @param document  elements as tables, their attributes as texts (config::parse_xml_tree)
/// @throws base::FormatError with the file, also where it has no cores
[[nodiscard]] NodeShape read_hwloc(const config::Tree& document);

/// A machine file (TOML): exactly one of the tables torus, dragonfly, fat_tree, graph and slurm; nodes; background.
/// docs/guide/placement.md describes the keys. Files that it names are relative to its folder.
///
/// @throws base::FormatError or config::Error with file, line and column; base::SystemError if a file that it names
///         cannot be read
[[nodiscard]] Machine read_machine(const config::Tree& document);

}  // namespace tacit::placement
