// The links of any graph of switches: shortest paths from every switch to one destination after the other.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "tacit/placement/network/fabric.hpp"

namespace tacit::placement::network::detail {
namespace {

constexpr double far = std::numeric_limits<double>::infinity();

/// Sums of lengths that differ by less than this part are the same: sums in another order round differently.
constexpr double same = 1e-9;

/// A link as seen from the switch that it leaves.
struct Exit {
  std::uint32_t to = 0;
  std::uint32_t link = 0;
  double length = 1.0;
  double count = 1.0;
};

/// The shortest paths of all switches to one.
struct Tree {
  std::vector<double> distance;      // infinite where there is no path
  std::vector<std::uint32_t> order;  // switches that reach it, the nearest first
};

class GraphFabric final : public Fabric {
 public:
  explicit GraphFabric(const Graph& graph);

  [[nodiscard]] std::size_t link_count() const override { return 2 * graph_.links.size(); }
  [[nodiscard]] double bandwidth(LinkId link) const override {
    const GraphLink& both = graph_.links[number(link) / 2];
    return both.bandwidth * both.count;
  }
  [[nodiscard]] std::optional<std::array<RouterId, 2>> ends(LinkId link) const override {
    const GraphLink& both = graph_.links[number(link) / 2];
    if (number(link) % 2 == 0) return std::array<RouterId, 2>{both.a, both.b};
    return std::array<RouterId, 2>{both.b, both.a};
  }
  [[nodiscard]] std::string name(LinkId link) const override {
    const auto text = [this](RouterId router) {
      const std::uint32_t at = number(router);
      return at < graph_.router_names.size() ? graph_.router_names[at] : std::to_string(at);
    };
    const auto both = *ends(link);
    return text(both[0]) + " -> " + text(both[1]);
  }
  void add(const Traffic& traffic, std::span<double> loads) const override;
  void route(RouterId from, RouterId to, std::vector<Part>& parts) const override;
  [[nodiscard]] std::uint32_t longest_path() const override { return longest_way_; }
  [[nodiscard]] double route_cost() const override {
    return static_cast<double>(graph_.routers + 4 * graph_.links.size());
  }

 private:
  [[nodiscard]] Tree ways_to(std::uint32_t destination) const;
  [[nodiscard]] bool is_on_way(const Tree& tree, std::uint32_t from, const Exit& exit) const {
    const double there = tree.distance[exit.to] + exit.length;
    return there <= tree.distance[from] * (1.0 + same);
  }
  /// Sends what waits at each switch on towards the destination, the farthest switch first; calls use(link, amount).
  template <typename Use>
  void drain(const Tree& tree, std::vector<double>& waiting, Use&& use) const;

  Graph graph_;
  std::vector<std::vector<Exit>> exits_;
  std::uint32_t longest_way_ = 0;
};

GraphFabric::GraphFabric(const Graph& graph) : graph_(graph), exits_(graph.routers) {
  for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
    const GraphLink& link = graph.links[i];
    const std::uint32_t a = number(link.a);
    const std::uint32_t b = number(link.b);
    exits_[a].push_back({b, 2 * i, link.length, static_cast<double>(link.count)});
    exits_[b].push_back({a, 2 * i + 1, link.length, static_cast<double>(link.count)});
  }
  if (graph.router_of_node.empty()) return;
  // No path is longer than two to one switch. Links are counted along the paths that are shortest by length.
  const Tree tree = ways_to(number(graph.router_of_node.front()));
  std::vector<std::uint32_t> links(graph.routers, 0);
  for (const std::uint32_t router : tree.order) {
    for (const Exit& exit : exits_[router]) {
      if (tree.distance[exit.to] < tree.distance[router] && is_on_way(tree, router, exit)) {
        links[router] = std::max(links[router], links[exit.to] + 1);
      }
    }
    longest_way_ = std::max(longest_way_, 2 * links[router]);
  }
}

/// Dijkstra's algorithm; links have the same length both ways, so distances from the destination are those to it.
Tree GraphFabric::ways_to(std::uint32_t destination) const {
  Tree tree{std::vector<double>(graph_.routers, far), {}};
  tree.order.reserve(graph_.routers);
  using Entry = std::pair<double, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  std::vector<bool> is_done(graph_.routers, false);
  tree.distance[destination] = 0.0;
  open.emplace(0.0, destination);
  while (!open.empty()) {
    const std::uint32_t at = open.top().second;
    open.pop();
    if (is_done[at]) continue;
    is_done[at] = true;
    tree.order.push_back(at);
    for (const Exit& exit : exits_[at]) {
      const double there = tree.distance[at] + exit.length;
      if (there >= tree.distance[exit.to]) continue;
      tree.distance[exit.to] = there;
      open.emplace(there, exit.to);
    }
  }
  return tree;
}

template <typename Use>
void GraphFabric::drain(const Tree& tree, std::vector<double>& waiting, Use&& use) const {
  for (std::size_t i = tree.order.size(); i-- > 1;) {  // the nearest is the destination itself
    const std::uint32_t at = tree.order[i];
    if (waiting[at] == 0.0) continue;
    const auto leads = [&](const Exit& exit) {
      return tree.distance[exit.to] < tree.distance[at] && is_on_way(tree, at, exit);
    };
    double ways = 0.0;
    for (const Exit& exit : exits_[at]) ways += leads(exit) ? exit.count : 0.0;
    for (const Exit& exit : exits_[at]) {
      if (!leads(exit)) continue;
      const double amount = waiting[at] * exit.count / ways;
      use(exit.link, amount);
      waiting[exit.to] += amount;
    }
    waiting[at] = 0.0;
  }
}

void GraphFabric::add(const Traffic& traffic, std::span<double> loads) const {
  // What goes to one destination, from wherever, flows down one tree: so destinations are taken one by one.
  struct Share {
    const ExchangeSet* set = nullptr;
    double weight = 0.0;
  };
  std::vector<std::vector<Share>> sets(graph_.routers);
  std::vector<std::vector<const Flow*>> flows(graph_.routers);
  for (const ExchangeSet& set : traffic.sets) {
    for (const Member& member : set.members) sets[number(member.router)].push_back({&set, member.weight});
  }
  for (const Flow& flow : traffic.flows) flows[number(flow.to)].push_back(&flow);
  std::vector<double> waiting(graph_.routers, 0.0);
  for (std::uint32_t to = 0; to < graph_.routers; ++to) {
    if (sets[to].empty() && flows[to].empty()) continue;
    for (const auto& [set, weight] : sets[to]) {
      for (const Member& from : set->members) waiting[number(from.router)] += from.weight * weight * set->bytes;
    }
    for (const Flow* flow : flows[to]) waiting[number(flow->from)] += flow->bytes;
    drain(ways_to(to), waiting, [&](std::uint32_t link, double bytes) { loads[link] += bytes; });
    waiting[to] = 0.0;
  }
}

void GraphFabric::route(RouterId from, RouterId to, std::vector<Part>& parts) const {
  parts.clear();
  if (from == to) return;
  std::vector<double> waiting(graph_.routers, 0.0);
  waiting[number(from)] = 1.0;
  drain(ways_to(number(to)), waiting, [&](std::uint32_t link, double share) {
    parts.push_back({LinkId{link}, share});
  });
}

}  // namespace

std::unique_ptr<const Fabric> make_graph(const Graph& graph) { return std::make_unique<const GraphFabric>(graph); }

}  // namespace tacit::placement::network::detail
