// Which ranks go to which node: in the order of a list, of a curve, at random, or as a search finds.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/placement/network/choice.hpp"
#include "tacit/placement/network/detail/machine.hpp"
#include "tacit/placement/network/detail/slots.hpp"

namespace tacit::placement::network {
namespace detail {
namespace {

/// Puts things in a random order, the same for the same seed.
/// @see Durstenfeld (1964), Comm. ACM 7, 420
template <typename T>
void shuffle(std::vector<T>& things, std::uint64_t seed) {
  for (std::size_t left = things.size(); left > 1; --left) {
    const double u = base::uniform(seed, left, 0);
    std::swap(things[left - 1], things[static_cast<std::size_t>(u * static_cast<double>(left))]);
  }
}

/// Nodes by router: the routers in the order of their first nodes, the nodes of each as listed.
std::vector<std::vector<NodeId>> by_router(const Network& network, std::span<const NodeId> nodes) {
  std::vector<std::vector<NodeId>> groups;
  std::unordered_map<std::uint32_t, std::size_t> group_of;
  for (const NodeId node : nodes) {
    const auto [group, is_new] = group_of.try_emplace(number(router_of(network, node)), groups.size());
    if (is_new) groups.emplace_back();
    groups[group->second].push_back(node);
  }
  return groups;
}

/// How many nodes each router has in all.
std::vector<std::size_t> nodes_on_routers(const Network& network) {
  std::vector<std::size_t> nodes(router_count(network), 0);
  for (std::size_t n = 0; n < node_count(network); ++n) {
    ++nodes[number(router_of(network, NodeId{static_cast<std::uint32_t>(n)}))];
  }
  return nodes;
}

/// Routers in random order; those whose nodes are not all there come last.
std::vector<NodeId> random_routers(const Network& network, std::span<const NodeId> nodes, std::uint64_t seed) {
  const std::vector<std::size_t> all = nodes_on_routers(network);
  auto groups = by_router(network, nodes);
  shuffle(groups, seed);
  std::stable_partition(groups.begin(), groups.end(), [&](const std::vector<NodeId>& group) {
    return group.size() == all[number(router_of(network, group.front()))];
  });
  std::vector<NodeId> order;
  order.reserve(nodes.size());
  for (const auto& group : groups) order.insert(order.end(), group.begin(), group.end());
  return order;
}

/// Nodes along Hilbert's curve through a torus; on other networks neighbours have neighbouring routers' numbers.
std::vector<NodeId> along_curve(const Network& network, std::span<const NodeId> nodes) {
  std::vector<std::array<std::uint32_t, 3>> points;
  points.reserve(nodes.size());
  const auto* torus = std::get_if<Torus>(&network.shape);
  for (const NodeId node : nodes) {
    const std::uint32_t router = number(router_of(network, node));
    if (torus == nullptr) {
      points.push_back({router, 0, 0});
      continue;
    }
    const std::uint32_t rest = router / torus->routers[0];
    points.push_back({router % torus->routers[0], rest % torus->routers[1], rest / torus->routers[1]});
  }
  std::vector<std::uint32_t> order(nodes.size());
  if (torus != nullptr) {
    order = hilbert_order(points);
  } else {
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&points](std::uint32_t a, std::uint32_t b) { return points[a][0] < points[b][0]; });
  }
  std::vector<NodeId> arranged;
  arranged.reserve(nodes.size());
  for (const std::uint32_t i : order) arranged.push_back(nodes[i]);
  return arranged;
}

/// Slots in the order in which they take nodes: a curve through the machine meets a curve through the job.
Slots slots_for(const Job& job, Order order) {
  if (order != Order::cells && order != Order::space_filling) return listed_slots(job);
  Slots slots = cell_slots(job);
  if (order == Order::cells || slots.cells.empty()) return slots;
  const std::vector<std::uint32_t> curve = hilbert_order(slots.cells);
  std::vector<std::uint32_t> place(slots.count);
  for (std::uint32_t i = 0; i < curve.size(); ++i) place[curve[i]] = i;
  for (std::uint32_t& slot : slots.of_rank) slot = place[slot];
  slots.cells.clear();
  return slots;
}

Placement put(const Slots& slots, std::span<const NodeId> nodes) {
  Placement placement;
  placement.reserve(slots.of_rank.size());
  for (const std::uint32_t slot : slots.of_rank) placement.push_back(nodes[slot]);
  return placement;
}

/// The nodes as an order takes them, those that no slot gets at the end. Orders that follow the list keep to its first
/// nodes; random ones spread over all of it.
std::vector<NodeId> arrange_all(const Network& network, std::span<const NodeId> nodes, std::size_t needed, Order order,
                                std::uint64_t seed) {
  const bool is_random = order == Order::random_nodes || order == Order::random_pairs;
  if (is_random) return arrange(network, nodes, order, seed);
  std::vector<NodeId> arranged = arrange(network, nodes.first(needed), order, seed);
  arranged.insert(arranged.end(), nodes.begin() + static_cast<std::ptrdiff_t>(needed), nodes.end());
  return arranged;
}

struct Candidate {
  Slots slots;
  std::vector<NodeId> nodes;
  double seconds = 0.0;
  double mean = 0.0;
};

/// The best of the orders that need no search.
Candidate best_order(const Network& network, const Job& job, std::span<const NodeId> nodes, std::uint64_t seed) {
  const Machine machine(network);
  Candidate best;
  for (const Order order :
       {Order::listed, Order::cells, Order::space_filling, Order::random_nodes, Order::random_pairs}) {
    Candidate next{slots_for(job, order), arrange_all(network, nodes, nodes_needed(job), order, seed), 0.0, 0.0};
    const Prediction prediction = predict(machine, job, put(next.slots, next.nodes));
    next.seconds = prediction.seconds;
    for (const ExchangeTime& exchange : prediction.exchanges) next.mean += exchange.mean_link_seconds;
    const bool is_better = std::pair(next.seconds, next.mean) < std::pair(best.seconds, best.mean);
    if (best.nodes.empty() || is_better) best = std::move(next);
  }
  return best;
}

}  // namespace

std::vector<NodeId> arrange(const Network& network, std::span<const NodeId> nodes, Order order, std::uint64_t seed) {
  if (order == Order::random_pairs) return random_routers(network, nodes, seed);
  if (order == Order::space_filling) return along_curve(network, nodes);
  std::vector<NodeId> listed(nodes.begin(), nodes.end());
  if (order == Order::random_nodes) shuffle(listed, seed);
  return listed;
}

}  // namespace detail

Placement place(const Network& network, const Job& job, std::span<const NodeId> nodes,
                const PlacementOptions& options) {
  check(network);
  check(job);
  const std::size_t needed = nodes_needed(job);
  if (nodes.size() < needed) {
    throw base::Error("placement on network " + network.name + ": the job needs " + std::to_string(needed) +
                      " nodes of " + std::to_string(job.ranks_per_node) + " ranks, but only " +
                      std::to_string(nodes.size()) + " are given");
  }
  for (const NodeId node : nodes) {
    if (number(node) < node_count(network)) continue;
    throw base::Error("placement on network " + network.name + ": node " + std::to_string(number(node)) +
                      " does not exist; there are " + std::to_string(node_count(network)));
  }
  if (options.order != Order::search) {
    const auto arranged = detail::arrange_all(network, nodes, needed, options.order, options.seed);
    return detail::put(detail::slots_for(job, options.order), arranged);
  }
  detail::Candidate best = detail::best_order(network, job, nodes, options.seed);
  detail::improve(network, job, best.slots, options, best.nodes);
  return detail::put(best.slots, best.nodes);
}

std::vector<GridChoice> process_grids(const Network& network, std::span<const NodeId> nodes,
                                      const GridOptions& options) {
  const detail::Machine machine(network);
  const double volume = std::pow(static_cast<double>(options.points), 3.0);
  std::vector<GridChoice> grids;
  for (std::uint32_t row = 1; row <= options.ranks && row <= options.points; ++row) {
    if (options.ranks % row != 0 || options.ranks / row > options.points) continue;
    const Transposes shape = transposes(volume, options.word, row, options.ranks / row);
    const Job job{shape, options.ranks_per_node};
    grids.push_back({shape, detail::predict(machine, job, detail::put(detail::listed_slots(job), nodes))});
  }
  std::stable_sort(grids.begin(), grids.end(), [](const GridChoice& a, const GridChoice& b) {
    return a.prediction.seconds < b.prediction.seconds;
  });
  if (grids.size() > options.most) grids.resize(options.most);
  return grids;
}

}  // namespace tacit::placement::network
