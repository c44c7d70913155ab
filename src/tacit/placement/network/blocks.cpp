// Blocks of a torus that hold the nodes of a job: counted by prefix sums, ranked by their all-to-all.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "tacit/base/error.hpp"
#include "tacit/placement/network/choice.hpp"
#include "tacit/placement/network/detail/machine.hpp"

namespace tacit::placement::network {
namespace {

using Size = std::array<std::uint32_t, 3>;

const Torus& torus_of(const Network& network) {
  if (const auto* torus = std::get_if<Torus>(&network.shape)) return *torus;
  throw base::Error("network " + network.name + " is no torus; only a torus has blocks of routers to ask for");
}

/// How many nodes of a router a job may have; none where whole routers are asked for and one of its nodes is not
/// usable.
std::uint32_t usable_on(const Network& network, const Torus& torus, std::size_t router, Routers routers) {
  std::uint32_t usable = 0;
  for (std::uint32_t slot = 0; slot < torus.nodes_per_router; ++slot) {
    const NodeId node{static_cast<std::uint32_t>(router * torus.nodes_per_router + slot)};
    usable += is_usable(network, node) ? 1 : 0;
  }
  return routers == Routers::whole && usable < torus.nodes_per_router ? 0 : usable;
}

/// Sums of usable nodes over boxes from the origin, over the torus laid out twice each way, so that a box that goes
/// around a ring is one box. Cost of a count: 8 look-ups.
class Counts {
 public:
  Counts(const Network& network, const Torus& torus, Routers routers)
      : size_{2 * std::size_t{torus.routers[0]}, 2 * std::size_t{torus.routers[1]}, 2 * std::size_t{torus.routers[2]}},
        sums_((size_[0] + 1) * (size_[1] + 1) * (size_[2] + 1), 0) {
    for (std::size_t z = 0; z < size_[2]; ++z) {
      for (std::size_t y = 0; y < size_[1]; ++y) {
        std::uint64_t row = 0;
        for (std::size_t x = 0; x < size_[0]; ++x) {
          const std::size_t router =
              x % torus.routers[0] +
              torus.routers[0] * (y % torus.routers[1] + std::size_t{torus.routers[1]} * (z % torus.routers[2]));
          row += usable_on(network, torus, router, routers);
          sum(x + 1, y + 1, z + 1) = row + sum(x + 1, y, z + 1) + sum(x + 1, y + 1, z) - sum(x + 1, y, z);
        }
      }
    }
  }

  [[nodiscard]] std::uint64_t in(const Size& first, const Size& size) const {
    const auto [x, y, z] = first;
    const auto [a, b, c] = Size{x + size[0], y + size[1], z + size[2]};
    return sum(a, b, c) - sum(x, b, c) - sum(a, y, c) - sum(a, b, z) + sum(x, y, c) + sum(x, b, z) + sum(a, y, z) -
           sum(x, y, z);
  }

 private:
  std::uint64_t& sum(std::size_t x, std::size_t y, std::size_t z) {
    return sums_[x + (size_[0] + 1) * (y + (size_[1] + 1) * z)];
  }
  [[nodiscard]] std::uint64_t sum(std::size_t x, std::size_t y, std::size_t z) const {
    return sums_[x + (size_[0] + 1) * (y + (size_[1] + 1) * z)];
  }

  std::array<std::size_t, 3> size_;
  std::vector<std::uint64_t> sums_;
};

/// How many places a block of this size can begin at in one dimension.
std::uint32_t places(const Torus& torus, std::size_t d, std::uint32_t size) {
  if (size == torus.routers[d]) return 1;
  return torus.ends[d] == Ends::ring ? torus.routers[d] : torus.routers[d] - size + 1;
}

/// The block of this size with the most usable nodes; of several, the first.
Block fullest(const Torus& torus, const Counts& counts, const Size& size) {
  Block best{{}, size, 0, 0.0, 0.0};
  for (std::uint32_t z = 0; z < places(torus, 2, size[2]); ++z) {
    for (std::uint32_t y = 0; y < places(torus, 1, size[1]); ++y) {
      for (std::uint32_t x = 0; x < places(torus, 0, size[0]); ++x) {
        const std::uint64_t nodes = counts.in({x, y, z}, size);
        if (nodes <= best.nodes) continue;
        best.first = {x, y, z};
        best.nodes = nodes;
      }
    }
  }
  return best;
}

/// One block of every shape that is as low as it can be for its sides in x and y.
std::vector<Block> shapes_for(const Torus& torus, const Counts& counts, std::size_t nodes) {
  const auto [X, Y, Z] = torus.routers;
  TACIT_EXPECT(torus.nodes_per_router > 0);
  std::vector<Block> blocks;
  std::vector<std::uint32_t> lowest((X + std::size_t{1}) * (Y + 1),
                                    Z + 1);  // height that suffices for these sides or smaller ones
  for (std::uint32_t y = 1; y <= Y; ++y) {
    for (std::uint32_t x = 1; x <= X; ++x) {
      const std::uint32_t smaller = std::min(lowest[x - 1 + (X + 1) * y], lowest[x + (X + 1) * (y - 1)]);
      const std::size_t area = std::size_t{x} * y * torus.nodes_per_router;
      const std::size_t least = std::max<std::size_t>(1, (nodes + area - 1) / area);
      std::uint32_t& height = lowest[x + (X + 1) * y] = smaller;
      // A block as high as one of smaller sides would only waste routers.
      for (std::size_t z = least; z < smaller; ++z) {
        const Block block = fullest(torus, counts, {x, y, static_cast<std::uint32_t>(z)});
        if (block.nodes < nodes) continue;
        height = static_cast<std::uint32_t>(z);
        blocks.push_back(block);
        break;
      }
    }
  }
  return blocks;
}

/// How many nodes more than it needs a job may be spread over to close a ring: an eighth. With all of the machine to
/// itself, every job would be faster.
constexpr double spread = 1.125;

/// Adds to each block that spans more than half of a ring the one that spans all of it: its messages use all routers of
/// the ring, and its nodes are less dense.
void close_rings(const Torus& torus, const Counts& counts, std::size_t nodes, std::vector<Block>& blocks) {
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t count = blocks.size();
    for (std::size_t i = 0; i < count; ++i) {
      Size size = blocks[i].size;
      if (torus.ends[d] == Ends::line || size[d] == torus.routers[d] || 2 * size[d] <= torus.routers[d]) continue;
      size[d] = torus.routers[d];
      const Block closed = fullest(torus, counts, size);
      if (static_cast<double>(closed.nodes) <= spread * static_cast<double>(nodes)) blocks.push_back(closed);
    }
  }
  std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.size < b.size; });
  const auto is_same = [](const Block& a, const Block& b) { return a.size == b.size; };
  blocks.erase(std::unique(blocks.begin(), blocks.end(), is_same), blocks.end());
}

double smallest_cut(const Torus& torus, const Size& size) {
  double least = std::numeric_limits<double>::infinity();
  for (const Cut& cut : bisection(torus, size)) least = std::min(least, cut.bandwidth);
  return least;
}

}  // namespace

std::vector<NodeId> nodes_of(const Network& network, const Block& block, Routers routers) {
  const Torus& torus = torus_of(network);
  std::vector<NodeId> nodes;
  for (std::uint32_t z = 0; z < block.size[2]; ++z) {
    for (std::uint32_t y = 0; y < block.size[1]; ++y) {
      for (std::uint32_t x = 0; x < block.size[0]; ++x) {
        const Size at{(block.first[0] + x) % torus.routers[0], (block.first[1] + y) % torus.routers[1],
                      (block.first[2] + z) % torus.routers[2]};
        const std::size_t router = at[0] + torus.routers[0] * (at[1] + std::size_t{torus.routers[1]} * at[2]);
        if (usable_on(network, torus, router, routers) == 0) continue;
        for (std::uint32_t slot = 0; slot < torus.nodes_per_router; ++slot) {
          const NodeId node{static_cast<std::uint32_t>(router * torus.nodes_per_router + slot)};
          if (is_usable(network, node)) nodes.push_back(node);
        }
      }
    }
  }
  return nodes;
}

std::vector<Block> blocks_for(const Network& network, std::size_t nodes, Routers routers, std::size_t most) {
  const Torus& torus = torus_of(network);
  const detail::Machine machine(network);
  const Counts counts(network, torus, routers);
  std::vector<Block> blocks = shapes_for(torus, counts, nodes);
  close_rings(torus, counts, nodes, blocks);
  for (Block& block : blocks) block.bisection = smallest_cut(torus, block.size);
  // The cuts rank all shapes at no cost; the loads of links then decide among those that they rank high.
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const Block& a, const Block& b) { return a.bisection > b.bisection; });
  blocks.resize(std::min(blocks.size(), std::max<std::size_t>(4 * most, 32)));
  for (Block& block : blocks) {
    const double share = static_cast<double>(nodes) / static_cast<double>(block.nodes);
    block.seconds = detail::all_to_all_seconds(machine, nodes_of(network, block, routers), share * share);
  }
  std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.seconds < b.seconds; });
  blocks.resize(std::min(blocks.size(), most));
  return blocks;
}

}  // namespace tacit::placement::network
