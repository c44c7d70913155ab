// Reads Slurm's topology.yaml.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tacit/base/text.hpp"
#include "tacit/placement/machine/detail/switches.hpp"
#include "tacit/placement/machine/detail/table_reader.hpp"
#include "tacit/placement/machine/hostlist.hpp"

namespace tacit::placement {
namespace {

using detail::TableReader;

constexpr std::array<std::string_view, 5> topology_keys{"topology", "cluster_default", "tree", "block", "flat"};
constexpr std::array<std::string_view, 1> tree_keys{"switches"};
constexpr std::array<std::string_view, 3> switch_keys{"switch", "children", "nodes"};
constexpr std::array<std::string_view, 2> block_keys{"block_sizes", "blocks"};
constexpr std::array<std::string_view, 2> one_block_keys{"block", "nodes"};

std::string place_of(const config::Tree& document, const config::Node& at) {
  return fmt::format("{}:{}", document.file, at.line);
}

/// Those that a topology has: one that is not chosen may be of a kind that nothing here reads.
std::vector<std::string_view> keys_of(const config::Node& one) {
  std::vector<std::string_view> keys;
  for (const config::Node& item : one.items) keys.push_back(item.name);
  return keys;
}

/// The topology of that name, or the one that Slurm would take.
const config::Node& choose(const config::Tree& document, const std::string& name) {
  const config::Node& all = document.root;
  if (all.kind != config::Node::Kind::array || all.items.empty()) {
    throw document.error(all, "expected a list of topologies: '- topology: NAME' and below it tree, block or flat");
  }
  const config::Node* chosen = nullptr;
  for (const config::Node& one : all.items) {
    const TableReader reader(document, one, "topology", keys_of(one));
    const config::Node* is_default = one.find("cluster_default");
    const bool is_meant = name.empty() ? is_default != nullptr && is_default->flag : reader.text("topology") == name;
    if (is_meant && chosen == nullptr) chosen = &one;
  }
  if (chosen == nullptr && !name.empty()) {
    throw document.error(all, fmt::format("has no topology '{}'", base::printable(name)));
  }
  const config::Node& found = chosen == nullptr ? all.items.front() : *chosen;
  static_cast<void>(TableReader(document, found, "topology", topology_keys));
  return found;
}

class YamlMachine {
 public:
  YamlMachine(const config::Tree& document, const SlurmSpeeds& speeds) : document_(document), speeds_(speeds) {}

  [[nodiscard]] Machine tree(const config::Node& table) const {
    const TableReader reader(document_, table, "tree", tree_keys);
    std::vector<detail::Switch> switches;
    for (const config::Node& item : reader.list("switches")) {
      const TableReader one(document_, item, "switch", switch_keys);
      switches.push_back({.name = one.text("switch"),
                          .switches = one.hosts("children"),
                          .nodes = one.hosts("nodes"),
                          .where = place_of(document_, item)});
    }
    return detail::machine_of_switches(switches, document_.file, speeds_);
  }

  [[nodiscard]] Machine block(const config::Node& table) const {
    const TableReader reader(document_, table, "block", block_keys);
    std::vector<std::size_t> sizes;
    if (reader.find("block_sizes") != nullptr) {
      for (const config::Node& size : reader.list("block_sizes")) {
        sizes.push_back(reader.count_of(size));
        if (sizes.back() % sizes.front() != 0 || (sizes.size() > 1 && sizes.back() <= sizes[sizes.size() - 2])) {
          throw reader.error(size, "sizes of blocks must ascend, each a multiple of the first");
        }
      }
    }
    std::vector<detail::Block> blocks;
    for (const config::Node& item : reader.list("blocks")) {
      const TableReader one(document_, item, "blocks", one_block_keys);
      blocks.push_back({one.text("block"), one.hosts("nodes"), place_of(document_, item)});
    }
    return detail::machine_of_blocks(blocks, sizes, document_.file, speeds_);
  }

  [[nodiscard]] Machine flat(const config::Node& at, const std::vector<std::string>& nodes) const {
    if (nodes.empty()) throw document_.error(at, "a flat topology names no nodes; give them with --nodes");
    return detail::machine_of_switches({{.name = "all nodes", .nodes = nodes, .where = place_of(document_, at)}},
                                       document_.file, speeds_);
  }

 private:
  const config::Tree& document_;
  const SlurmSpeeds& speeds_;
};

}  // namespace

Machine read_topology_yaml(const config::Tree& document, const std::string& name, const std::vector<std::string>& nodes,
                           const SlurmSpeeds& speeds) {
  const config::Node& chosen = choose(document, name);
  const YamlMachine machine(document, speeds);
  if (chosen.find("tree") != nullptr && chosen.find("block") != nullptr) {
    throw document.error(chosen, "has both tree and block; Slurm takes one of them");
  }
  if (const config::Node* tree = chosen.find("tree")) return machine.tree(*tree);
  if (const config::Node* block = chosen.find("block")) return machine.block(*block);
  if (const config::Node* flat = chosen.find("flat");
      flat != nullptr && (flat->flag || flat->kind == config::Node::Kind::table))
    return machine.flat(*flat, nodes);
  throw document.error(chosen, "expected tree, block or 'flat: true'");
}

}  // namespace tacit::placement
