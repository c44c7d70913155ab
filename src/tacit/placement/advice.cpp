// Tries process grids, nodes and orders.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "tacit/base/error.hpp"

namespace tacit::placement {
namespace {

using network::NodeId;
using network::Order;

constexpr auto names_of_orders =
    std::to_array<std::string_view>({"listed", "cells", "space_filling", "random_nodes", "random_pairs", "search"});
constexpr auto cheap_orders =
    std::to_array<Order>({Order::cells, Order::space_filling, Order::random_nodes, Order::random_pairs});

constexpr std::size_t most_blocks = 4;
constexpr std::size_t most_grids = 4;
constexpr std::size_t promising = 3;  // pairs of nodes and grid for which all orders are tried

/// Nodes that the job may get.
struct NodeSet {
  std::string name;
  std::vector<NodeId> nodes;
};

/// Times that differ by less than the model can mean are equal.
double rounded(double seconds) { return seconds > 0.0 ? std::floor(std::log(seconds) * 1e6) : -1e12; }

/// Faster; of equals the one whose rows stay on a node, then longer rows (fewer messages), then the simpler order.
bool is_better(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& c) {
    const double row = c.grid.size() == 2 ? c.grid.front() : 1.0;
    const bool leaves_node = c.grid.size() == 2 && c.job.ranks_per_node % c.grid.front() != 0;
    return std::tuple(rounded(c.seconds), leaves_node, -row, c.order);
  };
  return key(a) < key(b);
}

/// How many nodes belong together: a group of a dragonfly, a leaf switch of a fat tree; 0 where nothing does.
struct NodesOfPart {
  std::size_t operator()(const network::Torus& /*torus*/) const { return 0; }
  std::size_t operator()(const network::Graph& /*graph*/) const { return 0; }
  std::size_t operator()(const network::Dragonfly& fly) const {
    return std::size_t{fly.routers_per_group} * fly.nodes_per_router;
  }
  std::size_t operator()(const network::FatTree& tree) const { return tree.levels.front().children; }
};

class Adviser {
 public:
  Adviser(const network::Network& network, const JobRequest& request, std::span<const NodeId> nodes, bool is_list,
          const Progress& progress)
      : network_(network), request_(request), nodes_(nodes), is_list_(is_list), progress_(progress) {
    needed_ = (request.ranks + request.ranks_per_node - 1) / request.ranks_per_node;
    const std::size_t wanted = needed_ + request.spares;
    if (nodes.size() < wanted) {
      throw base::Error(
          fmt::format("{} ranks with {} on a node need {} nodes{}; {} are usable: take "
                      "fewer ranks, more of them on a node, or other nodes",
                      request.ranks, request.ranks_per_node, needed_,
                      request.spares > 0 ? fmt::format(" and {} spares", request.spares) : "", nodes.size()));
    }
  }

  Advice run() {
    const std::vector<NodeSet> sets = node_sets();
    Advice advice;
    advice.standard = make(sets.front(), grids_of_standard(), Order::listed);
    advice.candidates.push_back(advice.standard);
    if (request_.order && *request_.order != Order::listed) advice.candidates.clear();
    const Order first_order = request_.order.value_or(Order::listed);
    for (const NodeSet& set : sets) {
      for (const auto& grid : grids(set)) try_one(advice, set, grid, first_order);
    }
    if (!request_.order) try_orders(advice, sets);
    if (advice.candidates.empty()) advice.candidates.push_back(advice.standard);
    std::ranges::stable_sort(advice.candidates, is_better);
    return advice;
  }

 private:
  /// The nodes as they are listed; blocks of a torus.
  [[nodiscard]] std::vector<NodeSet> node_sets() const {
    const std::size_t wanted = needed_ + request_.spares;
    std::vector<NodeSet> sets{
        {is_list_ ? fmt::format("the {} listed nodes", nodes_.size()) : fmt::format("the first {} nodes", wanted),
         {nodes_.begin(), is_list_ ? nodes_.end() : nodes_.begin() + as_offset(wanted)}}};
    if (is_list_) return sets;
    if (!std::holds_alternative<network::Torus>(network_.shape)) {
      if (auto spread = spread_nodes(wanted)) sets.push_back(std::move(*spread));
      return sets;
    }
    // Blocks are looked for among the nodes that may be used: the others are no compute nodes in this copy.
    network::Network usable = network_;
    usable.states.assign(network::node_count(network_), network::NodeState::service);
    for (const NodeId node : nodes_) usable.states[network::number(node)] = network::NodeState::compute;
    for (const auto& block : network::blocks_for(usable, wanted, network::Routers::any, most_blocks)) {
      sets.push_back({fmt::format("block of {}x{}x{} routers at {},{},{}", block.size[0], block.size[1], block.size[2],
                                  block.first[0], block.first[1], block.first[2]),
                      network::nodes_of(usable, block, network::Routers::any)});
    }
    return sets;
  }

  /// As many nodes of each group or leaf switch, so that the links of all carry the job.
  [[nodiscard]] std::optional<NodeSet> spread_nodes(std::size_t wanted) const {
    const std::size_t size = std::visit(NodesOfPart{}, network_.shape);
    if (size == 0) return std::nullopt;
    std::map<std::size_t, std::vector<NodeId>> parts;
    for (const NodeId node : nodes_) parts[network::number(node) / size].push_back(node);
    if (parts.size() < 2) return std::nullopt;
    // The number of nodes that each part gives, or all that it has where it has fewer.
    std::size_t each = wanted / parts.size();
    const auto given = [&parts](std::size_t most) {
      std::size_t sum = 0;
      for (const auto& [part, nodes] : parts) sum += std::min(most, nodes.size());
      return sum;
    };
    while (given(each) < wanted) ++each;
    NodeSet set{fmt::format("{} nodes spread over {} {}", wanted, parts.size(),
                            std::holds_alternative<network::Dragonfly>(network_.shape) ? "groups" : "leaf switches"),
                {}};
    std::size_t surplus = given(each) - wanted;  // taken from the first parts, one of each
    for (const auto& [part, nodes] : parts) {
      std::size_t count = std::min(each, nodes.size());
      if (surplus > 0 && count == each) {
        --count;
        --surplus;
      }
      // Evenly from all of the part, so that its routers share the work too.
      for (std::size_t i = 0; i < count; ++i) set.nodes.push_back(nodes[i * nodes.size() / count]);
    }
    return set;
  }

  static std::ptrdiff_t as_offset(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

  [[nodiscard]] std::vector<std::uint32_t> grids_of_standard() const {
    if (!request_.grid.empty() || request_.pattern == Pattern::messages) return request_.grid;
    if (request_.pattern == Pattern::halo) return near_cube(request_.ranks, 3);
    const auto sides = near_cube(request_.ranks, 2);
    return {sides[1], sides[0]};  // the shorter side is a row, which then lies on fewer nodes
  }

  [[nodiscard]] std::vector<std::vector<std::uint32_t>> grids(const NodeSet& set) const {
    if (!request_.grid.empty() || request_.pattern != Pattern::pencils) return {grids_of_standard()};
    std::vector<std::vector<std::uint32_t>> grids;
    const auto choices = network::process_grids(network_, std::span(set.nodes).first(needed_),
                                                {.ranks = request_.ranks,
                                                 .ranks_per_node = request_.ranks_per_node,
                                                 .points = request_.points,
                                                 .word = request_.word,
                                                 .most = most_grids});
    for (const auto& choice : choices) grids.push_back({choice.transposes.row_ranks, choice.transposes.column_ranks});
    const std::vector<std::uint32_t> row_on_node{request_.ranks_per_node, request_.ranks / request_.ranks_per_node};
    const bool fits = request_.ranks % request_.ranks_per_node == 0 && std::ranges::max(row_on_node) <= request_.points;
    if (fits && std::ranges::find(grids, row_on_node) == grids.end()) grids.push_back(row_on_node);
    if (grids.empty()) {
      throw base::Error(fmt::format("no process grid of {} ranks fits {}^3 points: at most {}^2 ranks have something",
                                    request_.ranks, request_.points, request_.points));
    }
    return grids;
  }

  [[nodiscard]] decltype(network::Job::pattern) pattern(const std::vector<std::uint32_t>& grid) const {
    const auto n = static_cast<double>(request_.points);
    if (request_.pattern == Pattern::messages) return request_.messages;
    if (request_.pattern == Pattern::pencils) return network::transposes(n * n * n, request_.word, grid[0], grid[1]);
    network::Halos halos;
    for (std::size_t d = 0; d < 3; ++d) {
      halos.ranks[d] = grid[d];
      halos.bytes[d] = request_.word * n * n / (1.0 * grid[(d + 1) % 3] * grid[(d + 2) % 3]);
    }
    return halos;
  }

  [[nodiscard]] Candidate make(const NodeSet& set, const std::vector<std::uint32_t>& grid, Order order) const {
    Candidate candidate;
    candidate.grid = grid;
    candidate.nodes = set.name;
    candidate.listed = set.nodes;
    candidate.order = order;
    candidate.job.pattern = pattern(grid);
    candidate.job.ranks_per_node = request_.ranks_per_node;
    const network::PlacementOptions how{.order = order, .seed = request_.seed};
    candidate.placement = network::place(network_, candidate.job, set.nodes, how);
    candidate.prediction = network::predict(network_, candidate.job, candidate.placement);
    candidate.seconds = candidate.prediction.seconds;
    if (request_.dump > 0.0) {
      candidate.output = network::predict_output(network_, candidate.placement, request_.dump);
      candidate.seconds += candidate.output->seconds / request_.exchanges_per_dump;
    }
    return candidate;
  }

  void try_one(Advice& advice, const NodeSet& set, const std::vector<std::uint32_t>& grid, Order order) {
    const auto is_it = [&](const Candidate& known) {
      return known.grid == grid && known.order == order && known.nodes == set.name;
    };
    if (std::ranges::any_of(advice.candidates, is_it)) return;
    const std::string grid_name = grid.empty() ? "" : fmt::format("grid {}, ", fmt::join(grid, "x"));
    if (!progress_(fmt::format("{}{}, order {}", grid_name, set.name, name(order)))) {
      ++advice.left_out;
      return;
    }
    advice.candidates.push_back(make(set, grid, order));
  }

  /// All orders for the best pairs of nodes and grid, then the search from the best of all.
  void try_orders(Advice& advice, const std::vector<NodeSet>& sets) {
    std::ranges::stable_sort(advice.candidates, is_better);
    std::vector<std::pair<std::string, std::vector<std::uint32_t>>> best;
    for (const Candidate& candidate : advice.candidates) {
      if (best.size() < promising) best.emplace_back(candidate.nodes, candidate.grid);
    }
    for (const auto& [name, grid] : best) {
      for (const Order order : cheap_orders)
        try_one(advice, *std::ranges::find(sets, name, &NodeSet::name), grid, order);
    }
    const Candidate& leader = *std::ranges::min_element(advice.candidates, is_better);
    const NodeSet& set = *std::ranges::find(sets, leader.nodes, &NodeSet::name);
    try_one(advice, set, std::vector(leader.grid), Order::search);
  }

  const network::Network& network_;
  const JobRequest& request_;
  std::span<const NodeId> nodes_;
  bool is_list_;
  const Progress& progress_;
  std::size_t needed_ = 0;
};

}  // namespace

std::span<const std::string_view> order_names() { return names_of_orders; }

std::string_view name(Order order) { return names_of_orders[static_cast<std::size_t>(order)]; }

std::string grid_text(const Candidate& candidate) {
  return candidate.grid.empty() ? "-" : fmt::format("{}", fmt::join(candidate.grid, "x"));
}

std::vector<std::uint32_t> near_cube(std::uint32_t count, std::size_t dimensions) {
  std::vector<std::uint32_t> factors;
  for (std::size_t left = dimensions; left > 1; --left) {
    // The largest divisor that leaves the other factors at least as large.
    const double root = std::pow(static_cast<double>(count), 1.0 / static_cast<double>(left));
    auto factor = static_cast<std::uint32_t>(root + 1e-9 * root);
    while (factor > 1 && count % factor != 0) --factor;
    factors.push_back(std::max(factor, 1U));
    count /= factors.back();
  }
  factors.push_back(count);
  std::ranges::sort(factors, std::greater{});
  return factors;
}

Advice advise(const network::Network& network, const JobRequest& request, std::span<const NodeId> nodes, bool is_list,
              const Progress& progress) {
  return Adviser(network, request, nodes, is_list, progress).run();
}

}  // namespace tacit::placement
