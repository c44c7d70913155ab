// The cuts through a network that limit an all-to-all.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "tacit/base/random.hpp"
#include "tacit/placement/network/prediction.hpp"

namespace tacit::placement::network {
namespace {

/// Pairs of one from each half of n things.
double halves(double n) { return std::floor(n / 2) * std::ceil(n / 2); }

/// Joins all routers with the bandwidth of their links: rows of the Laplacian of a graph.
class Laplacian {
 public:
  explicit Laplacian(const Graph& graph) : graph_(graph), degree_(graph.routers, 0.0) {
    for (const GraphLink& link : graph.links) {
      degree_[number(link.a)] += link.bandwidth * link.count;
      degree_[number(link.b)] += link.bandwidth * link.count;
    }
    // No eigenvalue is above twice the largest degree (Gershgorin), so this turns the smallest into the largest.
    shift_ = 2.0 * *std::max_element(degree_.begin(), degree_.end());
  }

  /// One step of the power iteration for the eigenvector of the smallest eigenvalue but 0.
  void step(std::vector<double>& v, std::vector<double>& next) const {
    for (std::size_t i = 0; i < v.size(); ++i) next[i] = (shift_ - degree_[i]) * v[i];
    for (const GraphLink& link : graph_.links) {
      next[number(link.a)] += link.bandwidth * link.count * v[number(link.b)];
      next[number(link.b)] += link.bandwidth * link.count * v[number(link.a)];
    }
    // Eigenvalue 0 belongs to the constant vector: without it, the next one is what the iteration finds.
    const double mean = std::accumulate(next.begin(), next.end(), 0.0) / static_cast<double>(next.size());
    double square = 0.0;
    for (double& value : next) square += (value - mean) * (value - mean);
    const double scale = square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = scale * (next[i] - mean);
  }

 private:
  const Graph& graph_;
  std::vector<double> degree_;
  double shift_ = 0.0;
};

/// Switches in the order of the spectral bisection: those that are well joined lie near each other.
std::vector<std::uint32_t> spectral_order(const Graph& graph) {
  constexpr int steps = 2000;  // any order gives an upper bound; more steps give a closer one
  std::vector<double> v(graph.routers);
  std::vector<double> next(graph.routers);
  for (std::uint32_t i = 0; i < graph.routers; ++i) v[i] = base::uniform(1, i, 0) - 0.5;
  const Laplacian laplacian(graph);
  for (int i = 0; i < steps; ++i) laplacian.step(v, next);
  std::vector<std::uint32_t> order(graph.routers);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&v](std::uint32_t a, std::uint32_t b) { return v[a] < v[b]; });
  return order;
}

struct Cuts {
  std::vector<Cut> operator()(const Torus& torus) const { return bisection(torus, torus.routers); }

  std::vector<Cut> operator()(const Dragonfly& fly) const {
    if (fly.groups == 1) return {{"inside the group", halves(fly.routers_per_group) * fly.local_bandwidth}};
    return {{"between groups", halves(fly.groups) * fly.global_links * fly.global_bandwidth}};
  }

  std::vector<Cut> operator()(const FatTree& tree) const {
    std::vector<Cut> cuts;
    double switches = 1.0;
    for (std::size_t level = tree.levels.size() - 1; level > 0; --level) {
      switches *= tree.levels[level].children;  // of the level below
      if (switches < 2.0) continue;
      cuts.push_back({"above level " + std::to_string(level - 1),
                      std::floor(switches / 2) * tree.levels[level - 1].uplink_bandwidth});
    }
    return cuts;
  }

  std::vector<Cut> operator()(const Graph& graph) const {
    std::vector<std::size_t> nodes(graph.routers, 0);
    for (const RouterId router : graph.router_of_node) ++nodes[number(router)];
    std::vector<bool> is_left(graph.routers, false);
    std::size_t left = 0;
    for (const std::uint32_t router : spectral_order(graph)) {
      if (2 * left >= graph.router_of_node.size()) break;
      is_left[router] = true;
      left += nodes[router];
    }
    double bandwidth = 0.0;
    for (const GraphLink& link : graph.links) {
      if (is_left[number(link.a)] != is_left[number(link.b)]) bandwidth += link.bandwidth * link.count;
    }
    return {{"spectral halves", bandwidth}};
  }
};

}  // namespace

std::vector<Cut> bisection(const Network& network) {
  check(network);
  return std::visit(Cuts{}, network.shape);
}

std::vector<Cut> bisection(const Torus& torus, const std::array<std::uint32_t, 3>& size) {
  std::vector<Cut> cuts;
  for (std::size_t d = 0; d < 3; ++d) {
    if (size[d] < 2) continue;
    const double planes = torus.ends[d] == Ends::ring && 2 * size[d] > torus.routers[d] ? 2.0 : 1.0;
    const double area = 1.0 * size[(d + 1) % 3] * size[(d + 2) % 3];
    cuts.push_back({std::string("normal to ") + "xyz"[d], planes * area * torus.bandwidth[d]});
  }
  return cuts;
}

}  // namespace tacit::placement::network
