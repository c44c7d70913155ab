// Reads machine files: the network, the nodes, what others take of the links.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tacit/base/read_text.hpp"
#include "tacit/base/text.hpp"
#include "tacit/placement/machine/detail/node_places.hpp"
#include "tacit/placement/machine/detail/table_reader.hpp"
#include "tacit/placement/machine/hostlist.hpp"
#include "tacit/placement/machine/machine.hpp"

namespace tacit::placement {
namespace {

using detail::TableReader;
using network::RouterId;
using Words = std::span<const std::string_view>;

constexpr auto file_keys = std::to_array<std::string_view>(
    {"name", "torus", "dragonfly", "fat_tree", "graph", "slurm", "nodes", "background"});
constexpr auto shape_keys = std::to_array<std::string_view>({"torus", "dragonfly", "fat_tree", "graph", "slurm"});
constexpr auto torus_keys =
    std::to_array<std::string_view>({"routers", "bandwidth", "ends", "nodes_per_router", "tie"});
constexpr auto dragonfly_keys =
    std::to_array<std::string_view>({"groups", "routers_per_group", "nodes_per_router", "global_links",
                                     "local_bandwidth", "global_bandwidth", "routing"});
constexpr auto fat_tree_keys = std::to_array<std::string_view>({"levels"});
constexpr auto level_keys = std::to_array<std::string_view>({"children", "uplink_bandwidth"});
constexpr auto graph_keys = std::to_array<std::string_view>({"routers", "links", "nodes"});
constexpr auto link_keys = std::to_array<std::string_view>({"a", "b", "bandwidth", "length", "count"});
constexpr auto at_router_keys = std::to_array<std::string_view>({"router", "names"});
constexpr auto slurm_keys = std::to_array<std::string_view>({"file", "topology", "oversubscription"});
constexpr auto node_keys = std::to_array<std::string_view>(
    {"names", "places", "service", "down", "bandwidth", "latency", "hop_latency", "hwloc"});
constexpr auto background_keys = std::to_array<std::string_view>({"share", "links"});
constexpr auto background_link_keys = std::to_array<std::string_view>({"from", "to", "bandwidth"});

constexpr auto end_words = std::to_array<std::string_view>({"ring", "line"});
constexpr auto tie_words = std::to_array<std::string_view>({"split", "upwards"});
constexpr auto routing_words = std::to_array<std::string_view>({"minimal", "valiant"});

/// Reads one document.
class MachineReader {
 public:
  explicit MachineReader(const config::Tree& document)
      : document_(document), top_(document, document.root, "", file_keys) {}

  Machine run() {
    read_shape();
    network().name = top_.text("name", network().name);
    if (network().name.empty()) network().name = std::filesystem::path(document_.file).stem().string();
    limit_size();
    if (const config::Node* nodes = top_.find("nodes")) {
      read_nodes(*nodes);
    } else if (!names_are_known_) {
      throw base::FormatError(document_.file, "'nodes.bandwidth' is missing: what a node sends and receives at once");
    }
    if (const config::Node* background = top_.find("background")) read_background(*background);
    check_whole();
    return std::move(machine_);
  }

 private:
  network::Network& network() { return machine_.network; }

  void read_shape() {
    std::vector<const config::Node*> shapes;
    for (const std::string_view key : shape_keys) {
      if (const config::Node* found = top_.find(key)) shapes.push_back(found);
    }
    if (shapes.size() != 1) {
      throw base::FormatError(document_.file, fmt::format("has {} of the tables [{}]; expected one of them",
                                                          shapes.size(), fmt::join(shape_keys, "], [")));
    }
    const config::Node& shape = *shapes.front();
    if (shape.name == "torus") read_torus(shape);
    if (shape.name == "dragonfly") read_dragonfly(shape);
    if (shape.name == "fat_tree") read_fat_tree(shape);
    if (shape.name == "graph") read_graph(shape);
    if (shape.name == "slurm") read_slurm(shape);
  }

  void read_torus(const config::Node& table) {
    const TableReader reader(document_, table, "torus", torus_keys);
    network::Torus torus;
    const auto& routers = reader.list("routers", 3);
    const auto& bandwidth = reader.list("bandwidth", 3);
    for (std::size_t i = 0; i < 3; ++i) {
      torus.routers[i] = reader.count_of(routers[i]);
      torus.bandwidth[i] = reader.bandwidth_of(bandwidth[i]);
      if (reader.find("ends") != nullptr) {
        torus.ends[i] = static_cast<network::Ends>(reader.choice_of(reader.list("ends", 3)[i], end_words));
      }
    }
    torus.nodes_per_router = reader.count("nodes_per_router", 1);
    torus.tie = static_cast<network::Tie>(reader.choice("tie", tie_words, 0));
    limit({torus.routers[0], torus.routers[1], torus.routers[2], torus.nodes_per_router}, table);
    network().shape = torus;
  }

  void read_dragonfly(const config::Node& table) {
    const TableReader reader(document_, table, "dragonfly", dragonfly_keys);
    const network::Dragonfly dragonfly{
        .groups = reader.count("groups"),
        .routers_per_group = reader.count("routers_per_group"),
        .nodes_per_router = reader.count("nodes_per_router", 1),
        .global_links = reader.count("global_links", 1),
        .local_bandwidth = reader.bandwidth("local_bandwidth"),
        .global_bandwidth = reader.bandwidth("global_bandwidth"),
        .routing = static_cast<network::DragonflyRouting>(reader.choice("routing", routing_words, 0))};
    limit({dragonfly.groups, dragonfly.routers_per_group, dragonfly.nodes_per_router}, table);
    network().shape = dragonfly;
  }

  void read_fat_tree(const config::Node& table) {
    const TableReader reader(document_, table, "fat_tree", fat_tree_keys);
    network::FatTree tree;
    std::vector<std::uint64_t> children;
    const auto& levels = reader.list("levels");
    if (levels.empty() || levels.size() > config::deepest_tree) {
      throw reader.error(reader.need("levels"), fmt::format("has {} levels; expected 1 to {}, the leaf switches first",
                                                            levels.size(), config::deepest_tree));
    }
    for (const config::Node& item : levels) {
      const TableReader level(document_, item, "levels", level_keys);
      const bool is_top = &item == &levels.back();
      tree.levels.push_back({.children = level.count("children"),
                             .uplink_bandwidth = is_top ? level.bandwidth("uplink_bandwidth", 0.0)
                                                        : level.bandwidth("uplink_bandwidth")});
      children.push_back(tree.levels.back().children);
    }
    limit(children, table);
    network().shape = tree;
  }

  void read_graph(const config::Node& table) {
    const TableReader reader(document_, table, "graph", graph_keys);
    network::Graph graph;
    std::unordered_map<std::string, RouterId> routers;
    for (const std::string& name : reader.hosts("routers")) {
      if (!routers.emplace(name, static_cast<RouterId>(graph.routers++)).second) {
        throw reader.error(reader.need("routers"), fmt::format("router '{}' is named twice", base::printable(name)));
      }
      graph.router_names.push_back(name);
    }
    if (routers.empty()) throw reader.error(table, "needs its routers: routers = \"s[0-3]\"");
    const auto router = [&](const TableReader& at, std::string_view key) {
      const std::string name = at.text(key);
      const auto found = routers.find(name);
      if (found != routers.end()) return found->second;
      throw at.error(at.need(key), fmt::format("'{}' is not among the routers", base::printable(name)));
    };
    if (reader.find("links") != nullptr) {
      for (const config::Node& item : reader.list("links")) {
        const TableReader link(document_, item, "links", link_keys);
        graph.links.push_back({.a = router(link, "a"),
                               .b = router(link, "b"),
                               .bandwidth = link.bandwidth("bandwidth"),
                               .length = link.number("length", 1e-9, 1e9, 1.0),
                               .count = link.count("count", 1)});
      }
    }
    std::unordered_set<std::string> nodes;
    for (const config::Node& item : reader.list("nodes")) {
      const TableReader at(document_, item, "nodes", at_router_keys);
      const auto names = at.hosts("names");
      for (const std::string& name : names) {
        if (nodes.insert(name).second) continue;
        throw at.error(at.need("names"), fmt::format("node '{}' is named twice", base::printable(name)));
      }
      graph.router_of_node.insert(graph.router_of_node.end(), names.size(), router(at, "router"));
      network().node_names.insert(network().node_names.end(), names.begin(), names.end());
      limit({network().node_names.size()}, item);
    }
    network().shape = graph;
  }

  void read_slurm(const config::Node& table) {
    const TableReader reader(document_, table, "slurm", slurm_keys);
    SlurmSpeeds speeds;
    speeds.oversubscription = reader.number("oversubscription", 1e-3, 1e3, speeds.oversubscription);
    std::vector<std::string> names;
    if (const config::Node* nodes = top_.find("nodes")) {
      const TableReader node(document_, *nodes, "nodes", node_keys);
      speeds.are_given = node.find("bandwidth") != nullptr && reader.find("oversubscription") != nullptr;
      speeds.node = node.bandwidth("bandwidth", speeds.node);
      names = node.hosts("names");
    }
    const auto path = beside(reader.text("file"));
    const std::string text = base::read_text(path, largest_machine_file, "topology.conf or topology.yaml");
    const bool is_yaml = path.extension() == ".yaml" || path.extension() == ".yml";
    machine_ = is_yaml ? read_topology_yaml(config::parse_yaml_tree(text, path.string()), reader.text("topology", ""),
                                            names, speeds)
                       : parse_topology_conf(text, path.string(), speeds);
    names_are_known_ = true;
  }

  [[nodiscard]] std::filesystem::path beside(const std::string& name) const {
    return std::filesystem::path(document_.file).parent_path() / name;
  }

  /// Refuses sizes whose product no machine has, before anything is allocated.
  void limit(const std::vector<std::uint64_t>& sizes, const config::Node& at) const {
    std::uint64_t product = 1;
    for (const std::uint64_t size : sizes) product = std::min<std::uint64_t>(product * size, std::uint64_t{1} << 31U);
    if (product > detail::most_parts) {
      throw top_.error(at, fmt::format("more than {} nodes", detail::most_parts));
    }
  }

  void limit_size() { nodes_ = network::node_count(network()); }

  void read_nodes(const config::Node& table) {
    const TableReader reader(document_, table, "nodes", node_keys);
    // Files of Slurm have a speed that is assumed, and said to be.
    if (!names_are_known_ || reader.find("bandwidth") != nullptr) {
      network().injection_bandwidth = reader.bandwidth("bandwidth");
    }
    network().latency = reader.seconds("latency", 0.0);
    network().hop_latency = reader.seconds("hop_latency", 0.0);
    if (reader.find("names") != nullptr && !names_are_known_) read_names(reader);
    if (reader.find("places") != nullptr) read_places(reader);
    mark(reader, "service", network::NodeState::service);
    mark(reader, "down", network::NodeState::down);
    if (reader.find("hwloc") != nullptr) {
      const auto path = beside(reader.text("hwloc"));
      const std::string text = base::read_text(path, largest_machine_file, "XML file of hwloc");
      machine_.node = read_hwloc(config::parse_xml_tree(text, path.string()));
    }
  }

  void read_names(const TableReader& reader) {
    const config::Node& at = reader.need("names");
    if (std::holds_alternative<network::Graph>(network().shape)) {
      throw reader.error(at, "a graph names its nodes with its routers: graph.nodes");
    }
    network().node_names = reader.hosts("names");
    std::unordered_set<std::string_view> names;
    for (const std::string& name : network().node_names) {
      if (names.insert(name).second) continue;
      throw reader.error(at, fmt::format("node '{}' is named twice", base::printable(name)));
    }
    if (network().node_names.size() != nodes_) {
      throw reader.error(at,
                         fmt::format("has {} names; the machine has {} nodes", network().node_names.size(), nodes_));
    }
  }

  void read_places(const TableReader& reader) {
    const config::Node& at = reader.need("places");
    if (!std::holds_alternative<network::Torus>(network().shape)) throw reader.error(at, "only a torus has places");
    if (!network().node_names.empty()) throw reader.error(at, "beside nodes.names; a file of places names the nodes");
    const auto path = beside(reader.text("places"));
    const std::string text = base::read_text(path, largest_machine_file, "list of names and places");
    detail::read_places(text, path.string(), network());
  }

  void mark(const TableReader& reader, std::string_view key, network::NodeState state) {
    if (reader.find(key) == nullptr) return;
    if (network().states.empty()) network().states.assign(nodes_, network::NodeState::compute);
    const detail::NodeNames names(network());
    for (const std::string& name : reader.hosts(key)) {
      const auto node = names.find(name);
      if (!node) {
        throw reader.error(reader.need(key), fmt::format("'{}' is no node of this machine", base::printable(name)));
      }
      network().states[network::number(*node)] = state;
    }
  }

  void read_background(const config::Node& table) {
    const TableReader reader(document_, table, "background", background_keys);
    network().background_share = reader.number("share", 0.0, 1.0, 0.0);
    if (reader.find("links") == nullptr) return;
    for (const config::Node& item : reader.list("links")) {
      const TableReader link(document_, item, "links", background_link_keys);
      network().background.push_back(
          {.from = router_at(link, "from"), .to = router_at(link, "to"), .bandwidth = link.bandwidth("bandwidth")});
    }
  }

  /// A router by its number, or of a torus by its place.
  [[nodiscard]] RouterId router_at(const TableReader& reader, std::string_view key) {
    const config::Node& value = reader.need(key);
    const auto part = [&](const config::Node& item, std::uint64_t size) {
      if (item.kind != config::Node::Kind::integer || item.integer < 0 ||
          static_cast<std::uint64_t>(item.integer) >= size) {
        throw reader.error(value, fmt::format("expected a number from 0 to {}", size - 1));
      }
      return static_cast<std::uint64_t>(item.integer);
    };
    const auto* torus = std::get_if<network::Torus>(&network().shape);
    if (torus == nullptr || value.kind != config::Node::Kind::array) {
      return static_cast<RouterId>(part(value, network::router_count(network())));
    }
    if (value.items.size() != 3) throw reader.error(value, "expected a place: [x, y, z]");
    const auto& size = torus->routers;
    return static_cast<RouterId>(part(value.items[0], size[0]) +
                                 size[0] * (part(value.items[1], size[1]) + size[1] * part(value.items[2], size[2])));
  }

  /// What the model asks for beyond single values: links that join all, numbers that are finite together.
  void check_whole() {
    try {
      network::check(network());
    } catch (const base::FormatError&) {
      throw;
    } catch (const base::Error& problem) {
      throw base::FormatError(document_.file, problem.what());
    }
  }

  const config::Tree& document_;
  TableReader top_;
  Machine machine_;
  std::size_t nodes_ = 0;
  bool names_are_known_ = false;
};

}  // namespace

Machine read_machine(const config::Tree& document) { return MachineReader(document).run(); }

}  // namespace tacit::placement
