// Choices: blocks of a torus, orders of nodes, the search, process grids; all the same for the same seed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "network_cases.hpp"
#include "tacit/base/error.hpp"
#include "tacit/placement/network/choice.hpp"
#include "tacit/placement/network/detail/slots.hpp"

namespace tacit::placement::network {
namespace choice_test {

using namespace cases;

constexpr std::array orders{Order::listed,       Order::cells,        Order::space_filling,
                            Order::random_nodes, Order::random_pairs, Order::search};

/// Sums of some thousand loads, each rounded by 1.1e-16.
constexpr double rounding = 1e4 * 1.2e-16;

Network pairs(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  Network network = network_of(torus(x, y, z));
  std::get<Torus>(network.shape).nodes_per_router = 2;
  return network;
}

/// Nodes that are down or serve, about one in `one_in`.
void punch_holes(Network& network, double one_in, std::uint64_t seed) {
  network.states.assign(node_count(network), NodeState::compute);
  for (std::size_t node = 0; node < network.states.size(); ++node) {
    if (base::uniform(seed, node, 0) * one_in < 1.0) network.states[node] = NodeState::down;
  }
}

/// How many ranks each node of a placement has.
std::map<NodeId, std::size_t> ranks_on(const Placement& placement) {
  std::map<NodeId, std::size_t> ranks;
  for (const NodeId node : placement) ++ranks[node];
  return ranks;
}

/// The nodes that are usable and among `nodes` together with all others of their routers.
std::vector<NodeId> whole_routers(const Network& network, const std::vector<NodeId>& nodes) {
  const auto count = [&](std::uint32_t router) {
    return std::ranges::count_if(
        nodes, [&](NodeId node) { return is_usable(network, node) && number(router_of(network, node)) == router; });
  };
  std::vector<NodeId> whole = nodes;
  std::erase_if(whole, [&](NodeId node) { return count(number(router_of(network, node))) < 2; });  // of pairs()
  return whole;
}

TEST(NetworkBlocks, HaveTheNodesTheySay) {
  Network network = pairs(6, 5, 4);
  punch_holes(network, 10, 1);
  for (const Routers routers : {Routers::any, Routers::whole}) {
    const std::vector<Block> blocks = blocks_for(network, 60, routers, 1000);
    ASSERT_FALSE(blocks.empty());
    for (const Block& block : blocks) {
      const std::vector<NodeId> nodes = nodes_of(network, block, routers);
      EXPECT_EQ(nodes.size(), block.nodes);
      EXPECT_GE(nodes.size(), 60U);
      for (const NodeId node : nodes) EXPECT_TRUE(is_usable(network, node));
      if (routers == Routers::whole) {
        EXPECT_EQ(whole_routers(network, nodes), nodes);
      }
    }
    EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end(),
                               [](const Block& a, const Block& b) { return a.seconds < b.seconds; }));
  }
  EXPECT_TRUE(blocks_for(network, 241, Routers::any, 1).empty()) << "more than there are";
}

TEST(NetworkBlocks, AreFoundWhereTheHolesAreNot) {
  // Only 2 x 2 x 2 routers, around two ends of rings, are up: the block must lie there.
  Network network = network_of(torus(5, 4, 3));
  network.states.assign(60, NodeState::service);
  for (const std::uint32_t z : {1U, 2U}) {
    for (const std::uint32_t y : {3U, 0U}) {
      for (const std::uint32_t x : {4U, 0U}) network.states[x + 5 * (y + 4 * z)] = NodeState::compute;
    }
  }
  const std::vector<Block> blocks = blocks_for(network, 8, Routers::whole, 100);
  const auto found = std::find_if(blocks.begin(), blocks.end(), [](const Block& block) {
    return block.size == std::array<std::uint32_t, 3>{2, 2, 2};
  });
  ASSERT_NE(found, blocks.end());
  EXPECT_EQ(found->first, (std::array<std::uint32_t, 3>{4, 3, 1}));
  std::vector<NodeId> nodes = nodes_of(network, *found, Routers::whole);
  std::sort(nodes.begin(), nodes.end());
  EXPECT_EQ(nodes, usable_nodes(network));
}

TEST(NetworkBlocks, PreferBalancedCuts) {
  // Without rings, a block of X x Y x Z loads its middle link in x with (X / 2)^2 Y Z bytes.
  Torus open = torus(8, 8, 8);
  open.ends.fill(Ends::line);
  const std::vector<Block> blocks = blocks_for(network_of(open), 64, Routers::any, 500);
  const auto seconds = [&](std::array<std::uint32_t, 3> size) {
    for (const Block& block : blocks) {
      if (block.size == size) return block.seconds;
    }
    return -1.0;
  };
  EXPECT_NEAR(seconds({4, 4, 4}), 4 * 16, rounding * 64 * 64);
  EXPECT_NEAR(seconds({2, 4, 8}), 16 * 8, rounding * 64 * 64);
  EXPECT_NEAR(seconds({1, 8, 8}), 16 * 8, rounding * 64 * 64);
  EXPECT_THROW(static_cast<void>(blocks_for(network_of(tree()), 4, Routers::any, 1)), base::Error);
}

TEST(NetworkPlace, GivesEveryNodeItsRanks) {
  Network network = pairs(4, 4, 3);
  punch_holes(network, 8, 2);
  const std::vector<NodeId> nodes = usable_nodes(network);
  const std::vector<Job> jobs{{Transposes{8, 16, 1.0, 1.0}, 4}, {Halos{{8, 4, 4}, {1, 2, 4}, {true, true, true}}, 4}};
  for (const Job& job : jobs) {
    for (const Order order : orders) {
      const Placement placement = place(network, job, nodes, {order, 3, 300});
      ASSERT_EQ(placement.size(), 128U);
      const auto ranks = ranks_on(placement);
      EXPECT_EQ(ranks.size(), 32U);
      for (const auto& [node, count] : ranks) {
        EXPECT_EQ(count, 4U);
        EXPECT_TRUE(is_usable(network, node));
      }
    }
  }
}

TEST(NetworkPlace, IsTheSameForTheSameSeed) {
  const Network network = pairs(4, 4, 3);
  const std::vector<NodeId> nodes = usable_nodes(network);
  const Job job{Halos{{8, 4, 4}, {1, 1, 1}, {true, true, true}}, 4};
  for (const Order order : orders) {
    EXPECT_EQ(place(network, job, nodes, {order, 3, 300}), place(network, job, nodes, {order, 3, 300}));
  }
  for (const Order order : {Order::random_nodes, Order::random_pairs}) {
    EXPECT_NE(place(network, job, nodes, {order, 3, 300}), place(network, job, nodes, {order, 4, 300}));
  }
}

TEST(NetworkPlace, KeepsPairsTogether) {
  Network network = pairs(4, 4, 3);
  punch_holes(network, 6, 5);
  const std::vector<NodeId> nodes = usable_nodes(network);
  const std::size_t whole = whole_routers(network, nodes).size();
  ASSERT_LT(whole, nodes.size());
  const Job job{Transposes{1, static_cast<std::uint32_t>(whole), 1.0, 1.0}, 1};
  const Placement placement = place(network, job, nodes, {Order::random_pairs, 1, 0});
  for (std::size_t rank = 0; rank < placement.size(); rank += 2) {
    EXPECT_EQ(router_of(network, placement[rank]), router_of(network, placement[rank + 1]));
  }
  EXPECT_EQ(whole_routers(network, placement).size(), whole) << "routers with one node come last";
}

TEST(NetworkPlace, CellsKeepNeighboursOnANode) {
  // 8 x 8 x 8 ranks, 8 on a node: cells of 2 x 2 x 2 let 24 faces out of each of 64 nodes, whole rows of 8 let 32.
  const Network network = network_of(torus(4, 4, 4));
  const Job job{Halos{{8, 8, 8}, {1, 1, 1}, {true, true, true}}, 8};
  const std::vector<NodeId> nodes = usable_nodes(network);
  const auto bytes = [&](Order order) {
    return predict(network, job, place(network, job, nodes, {order, 1, 0})).exchanges[0].wire_bytes;
  };
  EXPECT_EQ(bytes(Order::cells), 64 * 24.0);
  EXPECT_EQ(bytes(Order::listed), 64 * 32.0);
  EXPECT_EQ(bytes(Order::space_filling), bytes(Order::cells));
}

TEST(NetworkPlace, CellsOfTransposesAreRowsWhereThatIsLess) {
  // 8 x 8 ranks, 8 on a node. A row of 8 keeps its 7 messages of 1 on the node, a column likewise.
  const auto cell = [](double row_bytes, double column_bytes) {
    const detail::Slots slots = detail::cell_slots({Transposes{8, 8, row_bytes, column_bytes}, 8});
    return std::pair(std::count(slots.of_rank.begin(), slots.of_rank.begin() + 8, 0U),
                     std::count(slots.of_rank.begin(), slots.of_rank.end(), 0U));
  };
  EXPECT_EQ(cell(2.0, 1.0), std::pair(8L, 8L));
  EXPECT_EQ(cell(1.0, 2.0), std::pair(1L, 8L));
}

TEST(NetworkCurve, VisitsEveryPointByStepsOfOne) {
  std::vector<std::array<std::uint32_t, 3>> points;
  for (std::uint32_t i = 0; i < 512; ++i) points.push_back({i % 8, i / 8 % 8, i / 64});
  const std::vector<std::uint32_t> order = detail::hilbert_order(points);
  EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), 512U);
  for (std::size_t i = 1; i < order.size(); ++i) {
    int steps = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      steps += std::abs(static_cast<int>(points[order[i]][d]) - static_cast<int>(points[order[i - 1]][d]));
    }
    ASSERT_EQ(steps, 1) << "between places " << i - 1 << " and " << i;
  }
}

TEST(NetworkSearch, NeverLosesAgainstTheOrdersItBeginsWith) {
  for (const Network& network : all()) {
    const std::vector<NodeId> nodes = usable_nodes(network);
    const auto count = static_cast<std::uint32_t>(nodes.size());
    const std::vector<Job> jobs{{Halos{{count, 1, 1}, {1, 1, 1}, {true, true, true}}, 1},
                                {Transposes{2, count / 2, 3.0, 1.0}, 1}};
    for (const Job& job : jobs) {
      double best = 1e300;
      for (const Order order : orders) {
        const double seconds = predict(network, job, place(network, job, nodes, {order, 1, 500})).seconds;
        if (order != Order::search) best = std::min(best, seconds);
        if (order == Order::search) {
          EXPECT_LE(seconds, best * (1.0 + rounding)) << network.name;
        }
      }
    }
  }
}

TEST(NetworkSearch, FindsTheRingAgain) {
  // Halos of a ring of ranks on a ring of routers, listed in a bad order: neighbours can all be neighbours.
  const Network network = network_of(torus(6, 1, 1));
  const Job job{Halos{{6, 1, 1}, {1, 0, 0}, {true, false, false}}, 1};
  const std::vector<NodeId> nodes{NodeId{0}, NodeId{3}, NodeId{1}, NodeId{4}, NodeId{2}, NodeId{5}};
  EXPECT_GT(predict(network, job, place(network, job, nodes, {Order::listed, 1, 0})).exchanges[0].hop_bytes, 12.5);
  detail::Slots slots = detail::listed_slots(job);
  std::vector<NodeId> better = nodes;
  EXPECT_GT(detail::improve(network, job, slots, {Order::search, 1, 2000}, better), 0U);
  const Prediction prediction = predict(network, job, better);
  EXPECT_NEAR(prediction.exchanges[0].hop_bytes, 12.0, rounding * 12);
  EXPECT_NEAR(prediction.exchanges[0].link_seconds, 1.0, rounding);
}

TEST(NetworkSearch, UsesNodesThatAreLeftOver) {
  // Two ranks that talk, the first two nodes of the list far apart, the third next to the first.
  const Network network = network_of(torus(9, 1, 1));
  const Job job{Messages{2, {{0, 1, 1.0}}}, 1};
  std::vector<NodeId> nodes{NodeId{0}, NodeId{4}, NodeId{1}};
  static_cast<void>(detail::improve(network, job, detail::listed_slots(job), {Order::search, 1, 200}, nodes));
  const Placement placement{nodes[0], nodes[1]};
  EXPECT_NEAR(predict(network, job, placement).exchanges[0].hop_bytes, 1.0, rounding);
}

TEST(NetworkSearch, LeavesAloneWhatNoOrderChanges) {
  const Network network = network_of(torus(4, 4, 1));
  const Job job{Transposes{2, 16, 1.0, 1.0}, 2};
  std::vector<NodeId> nodes = usable_nodes(network);
  EXPECT_EQ(detail::improve(network, job, detail::listed_slots(job), {}, nodes), 0U);
}

TEST(NetworkGrids, KeepRowsOnNodes) {
  Network network = pairs(4, 4, 4);
  network.latency = 1e-6;  // decides between rows of 4 and of 8, which move the same bytes
  const std::vector<NodeId> nodes = usable_nodes(network);
  const std::vector<GridChoice> grids =
      process_grids(network, nodes, {.ranks = 1024, .ranks_per_node = 8, .points = 256, .word = 8, .most = 100});
  // 1024 = 2^10 ranks, sides at most 256: rows of 4 to 256.
  EXPECT_EQ(grids.size(), 7U);
  EXPECT_EQ(grids.front().transposes.row_ranks, 8U)
      << "a row on a node costs nothing; a shorter one makes more messages in columns";
  for (const GridChoice& grid : grids) EXPECT_EQ(grid.transposes.row_ranks * grid.transposes.column_ranks, 1024U);
  const GridOptions two{.ranks = 1024, .ranks_per_node = 8, .points = 256, .word = 8, .most = 2};
  EXPECT_EQ(process_grids(network, nodes, two).size(), 2U);
}

TEST(NetworkGrids, AreThoseOfTheRanksWhereTheLastNodeHasFewer) {
  const Network network = pairs(4, 4, 4);
  const std::vector<NodeId> nodes = usable_nodes(network);
  const auto grids = process_grids(network, std::span(nodes).first(4),
                                   {.ranks = 14, .ranks_per_node = 4, .points = 64, .word = 8, .most = 100});
  EXPECT_EQ(grids.size(), 4U);  // 1 x 14, 2 x 7, 7 x 2, 14 x 1
  for (const GridChoice& grid : grids) EXPECT_EQ(grid.transposes.row_ranks * grid.transposes.column_ranks, 14U);
}

TEST(NetworkErrors, OfTooFewNodes) {
  const Network network = network_of(torus(4, 1, 1), "hopper");
  const std::vector<NodeId> nodes = usable_nodes(network);
  try {
    static_cast<void>(place(network, {Transposes{2, 6, 1, 1}, 2}, nodes, {}));
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "placement on network hopper: the job needs 6 nodes of 2 ranks, but only 4 are given");
  }
}

}  // namespace choice_test
}  // namespace tacit::placement::network
