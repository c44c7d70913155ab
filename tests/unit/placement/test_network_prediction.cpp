// Predictions of a job's exchanges: cuts, times, latency, foreign traffic, and what a broken description says.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "network_cases.hpp"
#include "tacit/base/error.hpp"
#include "tacit/placement/network/prediction.hpp"

namespace tacit::placement::network {
namespace prediction_test {

using namespace cases;

/// A handful of multiplications and divisions.
constexpr double few_roundings = 16 * 1.2e-16;
/// Sums over at most 1e4 messages, each addition rounding by 1.1e-16.
constexpr double many_roundings = 1e4 * 1.2e-16;

double smallest(const std::vector<Cut>& cuts) {
  double least = cuts.front().bandwidth;
  for (const Cut& cut : cuts) least = std::min(least, cut.bandwidth);
  return least;
}

template <typename Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

std::vector<NodeId> numbers(std::initializer_list<std::uint32_t> list) {
  std::vector<NodeId> nodes;
  for (const std::uint32_t node : list) nodes.push_back(NodeId{node});
  return nodes;
}

TEST(NetworkCuts, OfATorusAreItsPlanes) {
  Torus torus = cases::torus(23, 24, 24);
  torus.bandwidth = {2.0, 1.0, 2.0};
  std::vector<Cut> cuts = bisection(network_of(torus));
  ASSERT_EQ(cuts.size(), 3U);
  EXPECT_EQ(cuts[0].bandwidth, 2 * 24 * 24 * 2.0);
  EXPECT_EQ(cuts[1].bandwidth, 2 * 23 * 24 * 1.0);
  EXPECT_EQ(cuts[2].bandwidth, 2 * 23 * 24 * 2.0);
  EXPECT_EQ(cuts[1].name, "normal to y");
  // A part of it: once where it spans at most half of the ring.
  cuts = bisection(torus, {11, 13, 24});
  EXPECT_EQ(cuts[0].bandwidth, 13 * 24 * 2.0);
  EXPECT_EQ(cuts[1].bandwidth, 2 * 11 * 24 * 1.0);
  EXPECT_EQ(cuts[2].bandwidth, 2 * 11 * 13 * 2.0);
  torus.ends[1] = Ends::line;
  EXPECT_EQ(bisection(torus, {1, 24, 24})[0].bandwidth, 24 * 1.0) << "no cut normal to x, one plane normal to y";
}

TEST(NetworkCuts, OfTreesAndDragonflies) {
  // 12 leaves with uplinks of 2, 4 switches with uplinks of 6: half of them on each side.
  const std::vector<Cut> tree = bisection(network_of(cases::tree()));
  ASSERT_EQ(tree.size(), 2U);
  EXPECT_EQ(tree[0].bandwidth, 2 * 6.0);
  EXPECT_EQ(tree[1].bandwidth, 6 * 2.0);
  Dragonfly fly = dragonfly(6, DragonflyRouting::minimal);
  fly.global_bandwidth = 5.0;
  EXPECT_EQ(smallest(bisection(network_of(fly))), 3 * 3 * 2 * 5.0);
  EXPECT_EQ(smallest(bisection(network_of(dragonfly(1, DragonflyRouting::minimal)))), 2 * 2 * 1.0);
}

TEST(NetworkCuts, OfAGraphFindTheNarrowPlace) {
  // Two rings of 8 with one link between them.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links{{3, 11}};
  for (std::uint32_t i = 0; i < 8; ++i) {
    links.emplace_back(i, (i + 1) % 8);
    links.emplace_back(8 + i, 8 + (i + 1) % 8);
  }
  EXPECT_EQ(smallest(bisection(network_of(graph(16, links)))), 1.0);
}

/// The bisection bandwidth that an all-to-all over all nodes sees: B = (n / 2)^2 m / t, where its busiest link takes t
/// for m bytes from each to each.
double effective_bisection(Network network) {
  network.injection_bandwidth = 1e300;  // links alone count
  const std::vector<NodeId> nodes = usable_nodes(network);
  const double half = 0.5 * static_cast<double>(nodes.size());
  return half * half / all_to_all_seconds(network, nodes, 1.0);
}

TEST(NetworkCuts, AreWhatAnAllToAllSeesWhereLoadsAreEven) {
  // Even tori, full fat trees and dragonflies load every link of the narrowest cut alike.
  const Network even = network_of(torus(8, 4, 6));
  EXPECT_NEAR(effective_bisection(even), smallest(bisection(even)), many_roundings * 64);
  FatTree oversubscribed{{{4, 2.0}, {6, 0.0}}};  // 4 nodes of speed 1 on a leaf, half of that upwards
  const Network fat = network_of(oversubscribed);
  // A leaf's 4 nodes send to 20 others, not to 12 of the other half: (n/2)^2 / (4 * 20 / 2) of n = 24.
  EXPECT_NEAR(effective_bisection(fat), 144.0 / 40.0, few_roundings * 4);
  Dragonfly fly = dragonfly(8, DragonflyRouting::minimal);
  fly.local_bandwidth = 1000.0;
  const Network flies = network_of(fly);
  EXPECT_NEAR(effective_bisection(flies), smallest(bisection(flies)), many_roundings * 32);
}

TEST(NetworkPrediction, OfATransposeIsTheBusiestLink) {
  // Ring of 4, one rank on each node: 2 bytes on every link for each byte between pairs.
  Network network = network_of(torus(4, 1, 1));
  network.injection_bandwidth = 10.0;
  network.latency = 0.25;
  network.hop_latency = 0.125;
  std::get<Torus>(network.shape).bandwidth[0] = 2.0;
  const Job job{Transposes{1, 4, 7.0, 5.0}, 1};
  const Prediction prediction = predict(network, job, numbers({0, 1, 2, 3}));
  ASSERT_EQ(prediction.exchanges.size(), 2U);
  const ExchangeTime& row = prediction.exchanges[0];
  const ExchangeTime& column = prediction.exchanges[1];
  EXPECT_EQ(row.seconds, 0.0) << "rows of one rank";
  EXPECT_EQ(row.busiest_link, "");
  EXPECT_EQ(column.link_seconds, 2 * 5.0 / 2.0);
  EXPECT_EQ(column.mean_link_seconds, column.link_seconds);
  EXPECT_EQ(column.node_seconds, 3 * 5.0 / 10.0);
  EXPECT_EQ(column.latency_seconds, 3 * 0.25 + 2 * 0.125);
  EXPECT_EQ(column.rank_bytes, 3 * 5.0);
  EXPECT_EQ(column.wire_bytes, 12 * 5.0);
  EXPECT_EQ(column.hop_bytes, 8 * 2 * 5.0);
  EXPECT_EQ(column.seconds, 5.0 + 1.0);
  EXPECT_EQ(prediction.seconds, 6.0);
  EXPECT_EQ(prediction.foreign_share, 0.0);
}

TEST(NetworkPrediction, RanksOfANodeShareItsWay) {
  // Two nodes, 2 ranks each, rows on a node: 2 * 1 bytes per column each way, 2 columns.
  const Network network = network_of(torus(2, 1, 1));
  const Job job{Transposes{2, 2, 9.0, 1.0}, 2};
  const Prediction prediction = predict(network, job, numbers({0, 0, 1, 1}));
  EXPECT_EQ(prediction.exchanges[0].seconds, 0.0) << "rows stay on their nodes";
  EXPECT_EQ(prediction.exchanges[0].rank_bytes, 9.0);
  EXPECT_EQ(prediction.exchanges[1].wire_bytes, 4.0);
  EXPECT_EQ(prediction.exchanges[1].node_seconds, 2.0);
  EXPECT_EQ(prediction.exchanges[1].link_seconds, 1.0) << "half goes each way around the ring of two";
  // Two nodes on one router: the node's own speed counts, and no link.
  Network pair = network;
  std::get<Torus>(pair.shape).nodes_per_router = 2;
  EXPECT_EQ(predict(pair, job, numbers({0, 0, 1, 1})).exchanges[1].link_seconds, 0.0);
  EXPECT_EQ(predict(pair, job, numbers({0, 0, 1, 1})).exchanges[1].node_seconds, 2.0);
}

TEST(NetworkPrediction, TransposesAreTheirMessages) {
  // The same transposes as a list of messages load the same links.
  const Network network = network_of(torus(3, 4, 2));
  const Transposes grid{4, 6, 3.0, 2.0};
  Messages messages{24, {}};
  for (std::uint32_t a = 0; a < 24; ++a) {
    for (std::uint32_t b = 0; b < 24; ++b) {
      if (a != b && a / 4 == b / 4) messages.list.push_back({a, b, 3.0});
      if (a != b && a % 4 == b % 4) messages.list.push_back({a, b, 2.0});
    }
  }
  Placement placement;
  for (std::uint32_t rank = 0; rank < 24; ++rank) placement.push_back(NodeId{rank * 7 % 24});
  const Prediction sets = predict(network, {grid, 1}, placement);
  const Prediction list = predict(network, {messages, 1}, placement);
  const double hop_bytes = sets.exchanges[0].hop_bytes + sets.exchanges[1].hop_bytes;
  EXPECT_NEAR(hop_bytes, list.exchanges[0].hop_bytes, many_roundings * hop_bytes);
  EXPECT_EQ(sets.exchanges[0].wire_bytes + sets.exchanges[1].wire_bytes, list.exchanges[0].wire_bytes);
  EXPECT_EQ(sets.exchanges[0].node_seconds + sets.exchanges[1].node_seconds, list.exchanges[0].node_seconds);
}

TEST(NetworkPrediction, HalosGoToNeighbours) {
  // A ring of ranks on a ring of routers: one message each way on every link.
  const Network network = network_of(torus(5, 1, 1));
  Halos halos{{5, 1, 1}, {3.0, 8.0, 8.0}, {true, false, false}};
  const Prediction ring = predict(network, {halos, 1}, numbers({0, 1, 2, 3, 4}));
  EXPECT_EQ(ring.exchanges[0].rank_bytes, 2 * 3.0);
  EXPECT_NEAR(ring.exchanges[0].link_seconds, 3.0, few_roundings * 15);
  EXPECT_NEAR(ring.exchanges[0].hop_bytes, 10 * 3.0, few_roundings * 30);
  halos.is_periodic[0] = false;
  EXPECT_NEAR(predict(network, {halos, 1}, numbers({0, 1, 2, 3, 4})).exchanges[0].hop_bytes, 8 * 3.0,
              few_roundings * 24);
  // Periodic in a direction with one rank: its neighbour is itself, and costs nothing.
  halos.is_periodic = {false, true, true};
  EXPECT_NEAR(predict(network, {halos, 1}, numbers({0, 1, 2, 3, 4})).exchanges[0].wire_bytes, 8 * 3.0,
              few_roundings * 24);
}

TEST(NetworkPrediction, TrafficThroughForeignRoutersIsTold) {
  const Network network = network_of(torus(4, 1, 1));
  const Job job{Messages{2, {{0, 1, 1.0}}}, 1};
  EXPECT_EQ(predict(network, job, numbers({0, 1})).foreign_share, 0.0);
  EXPECT_EQ(predict(network, job, numbers({0, 2})).foreign_share, 1.0);
}

TEST(NetworkPrediction, OthersTakeTheirShare) {
  Network network = network_of(torus(4, 1, 1));
  const Job job{Messages{2, {{0, 1, 1.0}}}, 1};
  network.injection_bandwidth = 100.0;
  network.background_share = 0.5;
  EXPECT_EQ(predict(network, job, numbers({0, 1})).seconds, 2.0);
  network.background.push_back({RouterId{0}, RouterId{1}, 0.25});
  EXPECT_EQ(predict(network, job, numbers({0, 1})).seconds, 4.0);
  EXPECT_EQ(predict(network, job, numbers({1, 0})).seconds, 2.0) << "the other direction is as it was";
  network.background.back().bandwidth = 0.5;
  EXPECT_EQ(
      message_of([&] {
        static_cast<void>(predict(network, job, numbers({0, 1})));
      }),
      "network test: background from router 0 to router 1: it fills the link; a job would never end, so lower it");
  network.background.back().to = RouterId{2};
  EXPECT_EQ(message_of([&] {
              static_cast<void>(predict(network, job, numbers({0, 1})));
            }),
            "network test: background from router 0 to router 2: no link joins the two; name neighbours");
}

TEST(NetworkJobs, VolumesOfTransposesAreTheField) {
  // Each rank gives away all but its own part: word * points in all, to all of its row, to all of its column.
  const Transposes job = transposes(12288.0 * 12288.0 * 12288.0, 8.0, 32, 12288);
  const double field = 8.0 * 12288.0 * 12288.0 * 12288.0;
  EXPECT_NEAR(job.row_bytes * 32 * 32 * 12288, field, few_roundings * field);
  EXPECT_NEAR(job.column_bytes * 32 * 12288 * 12288, field, few_roundings * field);
}

TEST(NetworkJobs, CountRanksIn64Bits) {
  EXPECT_EQ(rank_count({Transposes{1U << 20U, 1U << 20U, 0, 0}, 1}), std::size_t{1} << 40U);
  EXPECT_EQ(nodes_needed({Halos{{1U << 12U, 1U << 12U, 1U << 12U}, {}, {}}, 64}), std::size_t{1} << 30U);
  EXPECT_EQ(nodes_needed({Messages{65, {}}, 32}), 3U);
  EXPECT_EQ(router_count(network_of(torus(1U << 16U, 1U << 16U, 1))), std::size_t{1} << 32U);
}

TEST(NetworkErrors, NameTheQuantity) {
  const auto network_error = [](auto&& change) {
    Network network = network_of(torus(4, 4, 4), "hopper");
    change(network);
    return message_of([&] { check(network); });
  };
  EXPECT_EQ(network_error([](Network& n) { std::get<Torus>(n.shape).routers[1] = 0; }),
            "network hopper: routers in y is 0; at least 1 is needed");
  EXPECT_EQ(network_error([](Network& n) { std::get<Torus>(n.shape).bandwidth[2] = -1; }),
            "network hopper: bandwidth in z is -1.000000; a finite value above 0 is needed");
  EXPECT_EQ(network_error([](Network& n) {
              std::get<Torus>(n.shape).routers = {1U << 16U, 1U << 16U, 1};
            }),
            "network hopper: nodes are more than 2^28; describe a part of the machine");
  EXPECT_EQ(network_error([](Network& n) { n.injection_bandwidth = NAN; }),
            "network hopper: injection_bandwidth is nan; a finite value above 0 is needed");
  EXPECT_EQ(network_error([](Network& n) { n.background_share = 1.0; }),
            "network hopper: background_share is 1.000000; a value from 0 to below 1 is needed");
  EXPECT_EQ(network_error([](Network& n) { n.states.resize(3); }),
            "network hopper: 3 states for 64 nodes; give one of each, or none");
  EXPECT_EQ(network_error([](Network& n) { n.node_names.resize(65); }),
            "network hopper: 65 names for 64 nodes; give one of each, or none");
  EXPECT_EQ(network_error([](Network& n) { n.shape = FatTree{}; }),
            "network hopper: a fat tree without levels; at least one is needed");
  EXPECT_EQ(network_error([](Network& n) {
              n.shape = graph(4, {{0, 1}, {2, 3}});
            }),
            "network hopper: node 2 cannot be reached from node 0; add the missing link");
  EXPECT_EQ(network_error([](Network& n) {
              n.shape = graph(2, {{0, 1}, {1, 2}});
            }),
            "network hopper: the link 1 - 2 names a switch that does not exist; there are 2");
  EXPECT_EQ(network_error([](Network& n) {
              n.shape = graph(2, {{0, 1}, {1, 1}});
            }),
            "network hopper: the link 1 - 1 joins a switch with itself; remove it");
  EXPECT_EQ(network_error([](Network&) {}), "no error");
}

TEST(NetworkErrors, OfJobsAndPlacements) {
  const Network network = network_of(torus(4, 1, 1), "hopper");
  const auto job_error = [](const Job& job) { return message_of([&] { check(job); }); };
  EXPECT_EQ(job_error({Transposes{0, 4, 1, 1}, 1}), "job: row_ranks is 0; at least 1 is needed");
  EXPECT_EQ(job_error({Transposes{1U << 16U, 1U << 16U, 1, 1}, 1}),
            "job: row_ranks * column_ranks is above 2^28; the model holds lists of ranks");
  EXPECT_EQ(job_error({Halos{{1, 1, 1}, {0, -2, 0}, {}}, 1}),
            "job: bytes of a face normal to y is -2.000000; a finite number of at least 0 is needed");
  EXPECT_EQ(job_error({Messages{2, {{0, 2, 1.0}}}, 1}), "job: a message goes from rank 0 to rank 2; there are 2 ranks");
  EXPECT_EQ(job_error({Messages{2, {}}, 0}), "job: ranks_per_node is 0; at least 1 is needed");
  const Job job{Messages{2, {}}, 1};
  EXPECT_EQ(message_of([&] { static_cast<void>(predict(network, job, numbers({0}))); }),
            "placement on network hopper: nodes for 1 ranks; the job has 2");
  EXPECT_EQ(message_of([&] {
              static_cast<void>(predict(network, job, numbers({0, 4})));
            }),
            "placement on network hopper: rank 1 is on node 4; there are 4");
}

}  // namespace prediction_test
}  // namespace tacit::placement::network
