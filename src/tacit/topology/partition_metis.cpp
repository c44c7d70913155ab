// Partitions of graphs by METIS, the only user of the library.
// SPDX-License-Identifier: Apache-2.0
#include <metis.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <utility>

#include "tacit/base/kept_handlers.hpp"
#include "tacit/topology/detail/metis.hpp"

namespace tacit::topology {
namespace {

/// METIS adds up weights in 32 bits, and compares them as floats.
constexpr double largest_sum = 0x1p26;

/// METIS trades balance for short cuts up to this.
constexpr float most_imbalance = 1.01F;

/// What METIS may use of the room that there is beyond the mean.
constexpr double share_of_room = 0.8;

/// METIS is for graphs whose units are small beside the parts. Where a part may be a unit or two, it divides what
/// cannot be divided, and prints that.
constexpr std::uint64_t least_units_of_part = 4;

/// More parts than this are found at once, not by halving: that takes less time.
constexpr std::size_t most_by_halving = 8;

/// A graph as METIS reads it.
struct MetisGraph {
  std::vector<idx_t> begins;      // shape (units + 1): of their neighbours
  std::vector<idx_t> neighbours;  // shape (2 edges)
  std::vector<idx_t> costs;       // shape (2 edges)
  std::vector<idx_t> weights;     // shape (units, constraints)
  idx_t constraints = 1;
  std::array<real_t, 2> imbalances{most_imbalance, 1.0F};
};

/// Numbers in proportion, whose sum is about `largest_sum`; none is 0.
std::vector<idx_t> scaled(std::span<const std::uint64_t> numbers) {
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  const double factor = sum > 0.0 ? largest_sum / sum : 0.0;
  std::vector<idx_t> result;
  for (const std::uint64_t number : numbers) {
    result.push_back(std::max<idx_t>(1, static_cast<idx_t>(factor * static_cast<double>(number))));
  }
  return result;
}

/// Both ways, by unit; those of the same two units are one.
std::vector<Edge> both_ways(std::span<const Edge> edges) {
  std::vector<Edge> all;
  for (const auto& [a, b, cost] : edges) {
    if (a == b) continue;
    all.push_back({a, b, cost});
    all.push_back({b, a, cost});
  }
  std::ranges::sort(all, [](const Edge& p, const Edge& q) { return std::pair(p.a, p.b) < std::pair(q.a, q.b); });
  std::size_t kept = 0;
  for (const Edge& edge : all) {
    if (kept > 0 && all[kept - 1].a == edge.a && all[kept - 1].b == edge.b) {
      all[kept - 1].cost += edge.cost;
    } else {
      all[kept++] = edge;
    }
  }
  all.resize(kept);
  return all;
}

/// Whether no unit is much of a part, in proportion to a sum that all parts share.
bool are_small(std::span<const std::uint64_t> numbers, std::size_t parts) {
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  const auto largest = static_cast<double>(std::ranges::max(numbers));
  return largest * static_cast<double>(least_units_of_part * parts) <= sum;
}

MetisGraph graph_of(std::span<const std::uint64_t> weights, std::span<const Edge> edges, std::size_t parts,
                    const Room& room) {
  MetisGraph graph;
  const std::vector<Edge> all = both_ways(edges);
  graph.begins.assign(weights.size() + 1, 0);
  std::vector<std::uint64_t> costs;
  for (const auto& [a, b, cost] : all) {
    ++graph.begins[a + 1];
    graph.neighbours.push_back(static_cast<idx_t>(b));
    costs.push_back(cost);
  }
  std::partial_sum(graph.begins.begin(), graph.begins.end(), graph.begins.begin());
  graph.costs = scaled(costs);
  graph.weights = scaled(weights);
  const double size = std::accumulate(room.sizes.begin(), room.sizes.end(), 0.0);
  const double share = static_cast<double>(room.most) * static_cast<double>(parts);
  if (size <= 0.0 || share <= size) return graph;
  // Sizes are a second kind of weight, which may be nearly as unequal as there is room: METIS goes somewhat beyond.
  graph.constraints = 2;
  graph.imbalances[1] = static_cast<real_t>(1.0 + share_of_room * (share / size - 1.0));
  const std::vector<idx_t> first = std::move(graph.weights);
  const std::vector<idx_t> second = scaled(room.sizes);
  graph.weights.clear();
  for (std::size_t i = 0; i < first.size(); ++i) {
    graph.weights.push_back(first[i]);
    graph.weights.push_back(second[i]);
  }
  return graph;
}

std::optional<std::vector<std::uint32_t>> call_metis(MetisGraph& graph, std::size_t parts) {
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_NCUTS] = 4;
  auto units = static_cast<idx_t>(graph.begins.size() - 1);
  auto count = static_cast<idx_t>(parts);
  idx_t cut = 0;
  std::vector<idx_t> found(graph.begins.size() - 1, 0);
  auto* const method = parts <= most_by_halving ? METIS_PartGraphRecursive : METIS_PartGraphKway;
  const int code =
      method(&units, &graph.constraints, graph.begins.data(), graph.neighbours.data(), graph.weights.data(), nullptr,
             graph.costs.data(), &count, nullptr, graph.imbalances.data(), options.data(), &cut, found.data());
  if (code != METIS_OK) return std::nullopt;
  std::vector<std::uint32_t> part_of(found.size());
  std::ranges::transform(found, part_of.begin(), [](idx_t part) { return static_cast<std::uint32_t>(part); });
  return part_of;
}

}  // namespace

bool has_metis() noexcept { return true; }

std::optional<std::vector<std::uint32_t>> detail::partition_by_metis(std::span<const std::uint64_t> weights,
                                                                     std::span<const Edge> edges, std::size_t parts,
                                                                     const Room& room) {
  // METIS draws from the C library's random numbers, which all threads share.
  static std::mutex one_at_a_time;
  if (!are_small(weights, parts) || (!room.sizes.empty() && !are_small(room.sizes, parts))) return std::nullopt;
  MetisGraph graph = graph_of(weights, edges, parts, room);
  bool was_asked_to_end = false;
  std::optional<std::vector<std::uint32_t>> found;
  {
    const std::scoped_lock lock(one_at_a_time);
    // METIS puts handlers of its own in place of the program's, and those back as handlers that serve once.
    const base::KeptHandlers kept(std::array{SIGTERM, SIGABRT});
    found = call_metis(graph, parts);
    if (!found) {
      // It also fails where the signal to end comes meanwhile, and then alone it does not fail once more.
      found = call_metis(graph, parts);
      was_asked_to_end = found.has_value();
    }
  }
  if (was_asked_to_end) std::raise(SIGTERM);
  return found;
}

}  // namespace tacit::topology
