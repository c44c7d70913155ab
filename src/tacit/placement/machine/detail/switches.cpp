// Makes a fat tree of switches where it is regular, else a graph.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/machine/detail/switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "tacit/base/text.hpp"

namespace tacit::placement::detail {
namespace {

using network::FatTree;
using network::Graph;
using network::RouterId;

constexpr std::size_t deepest = 16;  // levels of switches

/// What Slurm takes with a warning, or without: made whole, and said.
class Settled {
 public:
  explicit Settled(std::vector<Switch> given) : switches(std::move(given)) {
    while (leave_out_empty()) {
    }
    keep_first_place();
  }

  std::vector<Switch> switches;
  std::vector<std::string> remarks;

 private:
  /// @return whether there was one: those above it may have nothing else
  bool leave_out_empty() {
    const auto empty =
        std::ranges::find_if(switches, [](const Switch& one) { return one.nodes.empty() && one.switches.empty(); });
    if (empty == switches.end() || switches.size() == 1) return false;
    const std::string name = empty->name;
    remarks.push_back(
        fmt::format("Switch '{}' has neither nodes nor switches below it: it is left out.", base::printable(name)));
    switches.erase(empty);
    for (Switch& one : switches) std::erase(one.switches, name);
    return true;
  }

  void keep_first_place() {
    std::unordered_map<std::string, std::string> switch_of;
    for (Switch& one : switches) {
      std::erase_if(one.nodes, [&](const std::string& node) {
        const auto [place, is_new] = switch_of.emplace(node, one.name);
        if (!is_new) {
          remarks.push_back(
              fmt::format("Node '{}' is below switch '{}' and below '{}': it is taken as below the first.",
                          base::printable(node), base::printable(place->second), base::printable(one.name)));
        }
        return !is_new;
      });
    }
    while (leave_out_empty()) {
    }
  }
};

/// The switches by number, joined to each other.
class Switchboard {
 public:
  Switchboard(Settled settled, const std::string& file, const SlurmSpeeds& speeds)
      : switches_(std::move(settled.switches)), remarks_(std::move(settled.remarks)), file_(file), speeds_(speeds) {
    name_all();
    join_all();
    find_root();
  }

  Machine run() {
    Machine machine;
    machine.network.name = base::printable(file_);
    machine.network.injection_bandwidth = speeds_.node;
    if (auto levels = regular_levels()) {
      machine.network.shape = FatTree{*levels};
      name_nodes(root_, machine.network.node_names);
    } else {
      machine.network.shape = graph(machine.network.node_names);
    }
    add_remarks(machine);
    return machine;
  }

 private:
  [[noreturn]] static void fail(const Switch& at, const std::string& what) { throw base::FormatError(at.where, what); }

  void name_all() {
    if (switches_.empty()) throw base::FormatError(file_, "names no switch and no block");
    bool has_nodes = false;
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      const Switch& one = switches_[i];
      if (!number_.emplace(one.name, i).second) {
        fail(one, fmt::format("switch '{}' is given twice", base::printable(one.name)));
      }
      if (one.nodes.empty() && one.switches.empty()) {
        fail(one, fmt::format("switch '{}' has neither nodes nor switches below it", base::printable(one.name)));
      }
      has_nodes = has_nodes || !one.nodes.empty();
    }
    if (!has_nodes) throw base::FormatError(file_, "names no node");
  }

  void join_all() {
    children_.resize(switches_.size());
    parents_.resize(switches_.size());
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      for (const std::string& name : switches_[i].switches) {
        const auto child = number_.find(name);
        if (child == number_.end()) {
          fail(switches_[i], fmt::format("'{}' is below switch '{}', but is no switch of this file",
                                         base::printable(name), base::printable(switches_[i].name)));
        }
        children_[i].push_back(child->second);
        parents_[child->second].push_back(i);
      }
    }
  }

  void find_root() {
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      if (parents_[i].empty()) roots.push_back(i);
    }
    if (roots.empty()) fail(switches_.front(), "every switch is below another one: they stand in a circle");
    root_ = roots.front();
    has_one_root_ = roots.size() == 1;
    nodes_below_.assign(switches_.size(), 0);
    for (const std::size_t root : roots) count_nodes(root, 1);
    const auto circular = std::ranges::find(nodes_below_, 0U);
    if (circular != nodes_below_.end()) {
      fail(switches_[static_cast<std::size_t>(circular - nodes_below_.begin())], "a switch is below itself");
    }
    if (const auto other = not_joined(roots)) join_from_above(roots, *other);
  }

  /// Several trees, between which Slurm spreads no job unless it is told to.
  void join_from_above(const std::vector<std::size_t>& roots, std::size_t other) {
    remarks_.push_back(fmt::format("Nothing joins switch '{}' to '{}': one above all trees is assumed.",
                                   base::printable(switches_[other].name),
                                   base::printable(switches_[roots.front()].name)));
    Switch above{.name = file_ + ":above all trees", .where = file_};
    root_ = switches_.size();
    std::size_t nodes = 0;
    for (const std::size_t root : roots) {
      above.switches.push_back(switches_[root].name);
      parents_[root].push_back(root_);
      nodes += nodes_below_[root];
    }
    switches_.push_back(std::move(above));
    children_.push_back(roots);
    parents_.emplace_back();
    nodes_below_.push_back(nodes);
    has_one_root_ = true;
  }

  /// Several switches at the top are fine if they share what is below them, as the spines of a leaf and spine network.
  /// @return a switch that is not reached from the first of them; nothing if all are
  [[nodiscard]] std::optional<std::size_t> not_joined(const std::vector<std::size_t>& roots) const {
    std::vector<char> is_reached(switches_.size(), 0);
    std::vector<std::size_t> open{roots.front()};
    is_reached[roots.front()] = 1;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const auto* neighbours : {&children_[at], &parents_[at]}) {
        for (const std::size_t next : *neighbours) {
          if (is_reached[next] == 0) open.push_back(next);
          is_reached[next] = 1;
        }
      }
    }
    const auto lost = std::ranges::find(is_reached, 0);
    if (lost == is_reached.end()) return std::nullopt;
    return static_cast<std::size_t>(lost - is_reached.begin());
  }

  std::size_t count_nodes(std::size_t at, std::size_t level) {
    if (level > deepest) {
      fail(switches_[at], fmt::format("switch '{}' is more than {} levels down, or below itself",
                                      base::printable(switches_[at].name), deepest));
    }
    if (nodes_below_[at] != 0) return nodes_below_[at];
    std::size_t count = switches_[at].nodes.size();
    for (const std::size_t child : children_[at]) count += count_nodes(child, level + 1);
    return nodes_below_[at] = count;
  }

  /// Of all links from a switch upwards [byte/s].
  [[nodiscard]] double uplink(std::size_t at) const {
    const double injected = static_cast<double>(nodes_below_[at]) * speeds_.node;
    return switches_[at].uplink.value_or(injected / speeds_.oversubscription);
  }

  /// The levels of the tree from the leaves up, if all switches of a level are alike.
  [[nodiscard]] std::optional<std::vector<network::TreeLevel>> regular_levels() const {
    if (!has_one_root_) return std::nullopt;
    std::vector<network::TreeLevel> levels;
    for (std::vector<std::size_t> row{root_}; !row.empty();) {
      std::vector<std::size_t> below;
      const Switch& first = switches_[row.front()];
      for (const std::size_t at : row) {
        const Switch& one = switches_[at];
        const bool is_alike = one.nodes.size() == first.nodes.size() && one.switches.size() == first.switches.size() &&
                              uplink(at) == uplink(row.front()) && parents_[at].size() <= 1;
        if (!is_alike || one.nodes.empty() == one.switches.empty()) return std::nullopt;
        below.insert(below.end(), children_[at].begin(), children_[at].end());
      }
      levels.push_back({.children = static_cast<std::uint32_t>(std::max(first.nodes.size(), first.switches.size())),
                        .uplink_bandwidth = row.front() == root_ ? 0.0 : uplink(row.front())});
      row = std::move(below);
    }
    std::ranges::reverse(levels);
    return levels;
  }

  void name_nodes(std::size_t at, std::vector<std::string>& names) const {
    names.insert(names.end(), switches_[at].nodes.begin(), switches_[at].nodes.end());
    for (const std::size_t child : children_[at]) name_nodes(child, names);
  }

  Graph graph(std::vector<std::string>& names) const {
    Graph graph;
    graph.routers = static_cast<std::uint32_t>(switches_.size());
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      const auto router = static_cast<RouterId>(i);
      graph.router_names.push_back(switches_[i].name);
      for (const std::size_t above : parents_[i]) {
        const double share = uplink(i) / static_cast<double>(parents_[i].size());
        graph.links.push_back({.a = static_cast<RouterId>(above), .b = router, .bandwidth = share});
      }
      names.insert(names.end(), switches_[i].nodes.begin(), switches_[i].nodes.end());
      graph.router_of_node.insert(graph.router_of_node.end(), switches_[i].nodes.size(), router);
    }
    return graph;
  }

  void add_remarks(Machine& machine) const {
    machine.remarks = remarks_;
    if (speeds_.are_given) return;
    machine.remarks.push_back(fmt::format(
        "The file has no speed of a node's link: {} GB/s is assumed (a machine file can say it).", speeds_.node / 1e9));
    const bool says_uplinks = std::ranges::any_of(switches_, [](const Switch& one) { return one.uplink.has_value(); });
    machine.remarks.push_back(
        says_uplinks
            ? "LinkSpeed is taken as the speed of all links of a switch upwards, in Gbit/s."
            : fmt::format("The file has no speeds of switches: their links upwards are assumed to carry 1/{} of what "
                          "the nodes below inject.",
                          speeds_.oversubscription));
  }

  std::vector<Switch> switches_;
  std::vector<std::string> remarks_;
  const std::string& file_;
  const SlurmSpeeds& speeds_;
  std::unordered_map<std::string, std::size_t> number_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::vector<std::size_t>> parents_;
  std::vector<std::size_t> nodes_below_;
  std::size_t root_ = 0;
  bool has_one_root_ = false;
};

}  // namespace

Machine machine_of_switches(const std::vector<Switch>& switches, const std::string& file, const SlurmSpeeds& speeds) {
  return Switchboard(Settled(switches), file, speeds).run();
}

Machine machine_of_blocks(const std::vector<Block>& blocks, const std::vector<std::size_t>& sizes,
                          const std::string& file, const SlurmSpeeds& speeds) {
  std::vector<Switch> switches;
  std::vector<std::string> row;  // the names of the level below
  std::vector<std::string> remarks;
  for (const Block& block : blocks) {
    if (block.nodes.empty()) {
      remarks.push_back(fmt::format("Block '{}' has no nodes: it is left out.", base::printable(block.name)));
      continue;
    }
    if (!sizes.empty() && block.nodes.size() < sizes.front()) {
      remarks.push_back(fmt::format("Block '{}' has {} nodes; the smallest of the block sizes is {}.",
                                    base::printable(block.name), block.nodes.size(), sizes.front()));
    }
    switches.push_back({.name = block.name, .nodes = block.nodes, .where = block.where});
    row.push_back(block.name);
  }
  // Groups of blocks; above the largest one switch that joins all.
  std::size_t joined = 1;
  for (std::size_t level = 1; row.size() > 1; ++level) {
    const std::size_t wanted = level < sizes.size() ? sizes[level] / sizes.front() : blocks.size();
    const std::size_t together = std::max<std::size_t>(wanted / joined, level < sizes.size() ? 1 : row.size());
    joined = wanted;
    if (together == 1) continue;
    std::vector<std::string> above;
    for (std::size_t begin = 0; begin < row.size(); begin += together) {
      const auto first = row.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = first + static_cast<std::ptrdiff_t>(std::min(together, row.size() - begin));
      above.push_back(fmt::format("{}:blocks.{}.{}", file, level, begin / together));
      switches.push_back({.name = above.back(), .switches = {first, last}, .where = file});
    }
    row = std::move(above);
  }
  Machine machine = machine_of_switches(switches, file, speeds);
  machine.remarks.insert(machine.remarks.begin(), remarks.begin(), remarks.end());
  return machine;
}

}  // namespace tacit::placement::detail
