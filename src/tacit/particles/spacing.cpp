// Halves boxes around particles until few are left in each.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/particles/spacing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/topology/partition.hpp"

namespace tacit::particles {
namespace {

constexpr std::uint64_t enough_for_a_mean = 8;
constexpr std::uint64_t few = 32;

/// Along each axis minus the lowest coordinate, and the highest: what ranks find together is the largest of both.
using Ends = std::array<double, 6>;

Ends ends_of(const Positions& positions, std::span<const std::uint32_t> members, std::size_t axes) {
  Ends ends;
  ends.fill(-std::numeric_limits<double>::infinity());
  for (std::size_t axis = 0; axis < axes; ++axis) {
    for (const std::uint32_t i : members) {
      ends[2 * axis] = std::max(ends[2 * axis], -positions[axis][i]);
      ends[2 * axis + 1] = std::max(ends[2 * axis + 1], positions[axis][i]);
    }
  }
  return ends;
}

/// The sides of the smallest box around particles.
struct Extent {
  std::array<double, 3> side{};
  std::size_t longest = 0;
  double halfway = 0.0;  ///< along the longest

  Extent(std::span<const double> ends, std::size_t axes) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      side[axis] = ends[2 * axis + 1] + ends[2 * axis];
      if (side[axis] > side[longest]) longest = axis;
    }
    halfway = -ends[2 * longest] + 0.5 * side[longest];
  }

  [[nodiscard]] double spacing(std::uint64_t count, std::size_t axes) const {
    const double share = std::pow(static_cast<double>(count), -1.0 / static_cast<double>(axes));
    const double least = share * side[longest];
    double mean = share;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      mean *= std::pow(std::max(side[axis], least), 1.0 / static_cast<double>(axes));
    }
    return mean;
  }
};

/// Some particles, and the estimate of the box that they were found in.
struct Node {
  std::span<std::uint32_t> members;
  std::uint64_t count = 0;  ///< of all ranks
  double spacing = 0.0;

  /// Estimates, where there are enough, or where nothing is known.
  void estimate(const Extent& extent, std::size_t axes) {
    if (count >= enough_for_a_mean || spacing == 0.0) spacing = extent.spacing(count, axes);
  }
  /// @return how many come first: those below the middle of the longest side
  [[nodiscard]] std::size_t halve(const Positions& positions, const Extent& extent) const {
    const auto upper = std::partition(members.begin(), members.end(),
                                      [&](std::uint32_t i) { return positions[extent.longest][i] < extent.halfway; });
    return static_cast<std::size_t>(upper - members.begin());
  }
  [[nodiscard]] bool is_last(std::uint64_t lower_count) const {
    return count <= few || lower_count == 0 || lower_count == count;
  }
  [[nodiscard]] std::pair<Node, Node> halves(std::size_t lower, std::uint64_t lower_count) const {
    return {{members.first(lower), lower_count, spacing}, {members.subspan(lower), count - lower_count, spacing}};
  }
};

/// Of a node of which this rank has all particles.
void find_spacing(const Positions& positions, std::size_t axes, const Node& root, std::span<double> spacing) {
  std::vector<Node> left{root};  // no recursion: boxes may be halved a thousand times
  while (!left.empty()) {
    Node node = left.back();
    left.pop_back();
    const Extent extent(ends_of(positions, node.members, axes), axes);
    node.estimate(extent, axes);
    const std::size_t lower = node.halve(positions, extent);
    if (node.is_last(lower)) {
      for (const std::uint32_t i : node.members) spacing[i] = node.spacing;
      continue;
    }
    const auto halves = node.halves(lower, lower);
    left.push_back(halves.first);
    left.push_back(halves.second);
  }
}

/// Halves together what is too much for one rank.
/// @param most  particles that one rank takes
/// @return the nodes that are left, each of which one rank can go on with
std::vector<Node> halve_together(const Positions& positions, std::size_t axes, const Node& root, std::uint64_t most,
                                 comm::Communicator& ranks, std::span<double> spacing) {
  std::vector<Node> small;
  std::vector<Node> large{root};
  while (!large.empty()) {
    std::vector<double> ends;
    for (const Node& node : large) {
      const Ends mine = ends_of(positions, node.members, axes);
      ends.insert(ends.end(), mine.begin(), mine.end());
    }
    exchange::take_largest(ranks, std::span<double>(ends));
    std::vector<std::size_t> lower;
    std::vector<std::uint64_t> lower_counts;
    for (std::size_t n = 0; n < large.size(); ++n) {
      const Extent extent(std::span<const double>(ends).subspan(6 * n, 6), axes);
      large[n].estimate(extent, axes);
      lower.push_back(large[n].halve(positions, extent));
      lower_counts.push_back(lower.back());
    }
    exchange::add_over(ranks, lower_counts);
    std::vector<Node> next;
    for (std::size_t n = 0; n < large.size(); ++n) {
      const Node& node = large[n];
      if (node.is_last(lower_counts[n])) {
        for (const std::uint32_t i : node.members) spacing[i] = node.spacing;
        continue;
      }
      const auto halves = node.halves(lower[n], lower_counts[n]);
      for (const Node& half : {halves.first, halves.second}) (half.count > most ? next : small).push_back(half);
    }
    large = std::move(next);
  }
  return small;
}

void append(std::vector<std::byte>& to, double value) {
  const auto bytes = std::as_bytes(std::span<const double, 1>(&value, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

/// The numbers of a block, one after another.
class Numbers {
 public:
  explicit Numbers(std::span<const std::byte> block) : rest_(block) {}
  double next() {
    double value = 0.0;
    std::memcpy(&value, rest_.data(), sizeof(double));
    rest_ = rest_.subspan(sizeof(double));
    return value;
  }

 private:
  std::span<const std::byte> rest_;
};

/// Gives each node to one rank, which finds the spacing of its particles and sends it back.
void find_on_ranks(const Positions& positions, std::size_t axes, std::span<const Node> nodes, comm::Communicator& ranks,
                   std::span<double> spacing) {
  if (nodes.empty()) return;
  std::vector<std::uint64_t> weights;
  for (const Node& node : nodes) weights.push_back(node.count);
  const std::vector<std::uint32_t> owner = topology::cut_curve(weights, std::min(ranks.size(), nodes.size()));
  std::vector<std::vector<std::byte>> out(ranks.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    append(out[owner[n]], static_cast<double>(nodes[n].members.size()));
    for (const std::uint32_t i : nodes[n].members) {
      for (std::size_t axis = 0; axis < axes; ++axis) append(out[owner[n]], positions[axis][i]);
    }
  }
  const exchange::Blocks come = exchange::send_blocks(ranks, out);
  std::vector<Numbers> from;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    out[rank].clear();
    from.emplace_back(come.from(rank));
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (owner[n] != comm::number(ranks.rank())) continue;
    std::array<std::vector<double>, 3> x;
    std::vector<std::size_t> ends;  // of each rank's
    for (Numbers& numbers : from) {
      const auto count = static_cast<std::size_t>(numbers.next());
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t axis = 0; axis < axes; ++axis) x[axis].push_back(numbers.next());
      }
      ends.push_back(x[0].size());
    }
    std::vector<std::uint32_t> order(x[0].size());
    std::iota(order.begin(), order.end(), 0U);
    std::vector<double> found(order.size());
    find_spacing({x[0], x[1], x[2]}, axes, {order, nodes[n].count, nodes[n].spacing}, found);
    std::size_t i = 0;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      while (i < ends[rank]) append(out[rank], found[i++]);
    }
  }
  const exchange::Blocks back = exchange::send_blocks(ranks, out);
  from.clear();
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) from.emplace_back(back.from(rank));
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (const std::uint32_t i : nodes[n].members) spacing[i] = from[owner[n]].next();
  }
}

}  // namespace

std::vector<double> local_spacing(const Positions& positions, int dimension, comm::Communicator* ranks) {
  const std::size_t n = positions[0].size();
  const auto axes = static_cast<std::size_t>(dimension);
  TACIT_EXPECT(axes >= 1 && axes <= 3);
  std::vector<double> spacing(n, 0.0);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  if (ranks == nullptr || ranks->size() == 1) {
    if (n > 0) find_spacing(positions, axes, {order, n}, spacing);
    return spacing;
  }
  std::array<std::uint64_t, 1> all{n};
  exchange::add_over(*ranks, all);
  if (all[0] == 0) return spacing;
  // Small enough to give each rank about as many, large enough to be few.
  const std::uint64_t most = std::max(few, all[0] / (8 * ranks->size()));
  const std::vector<Node> nodes = halve_together(positions, axes, {order, all[0]}, most, *ranks, spacing);
  find_on_ranks(positions, axes, nodes, *ranks, spacing);
  return spacing;
}

}  // namespace tacit::particles
