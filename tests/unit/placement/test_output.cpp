// Output on the links to the service nodes: by hand, against single messages, and what it changes of an advice.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "network_cases.hpp"
#include "tacit/base/error.hpp"
#include "tacit/placement/advice.hpp"
#include "tacit/placement/network/prediction.hpp"

namespace tacit::placement::network {
namespace output_test {

using namespace cases;

/// Each load is a sum of at most 1e4 terms of one sign, in two orders, or a difference of such.
constexpr double rounding = 1e4 * 1.2e-16;

/// Four routers in a row with a node on each; the last is of service.
Network row() {
  Torus line = torus(4, 1, 1);
  line.ends = {Ends::line, Ends::line, Ends::line};
  line.bandwidth = {2.0, 1.0, 1.0};
  Network network = network_of(line, "row");
  network.injection_bandwidth = 8.0;
  network.states = {NodeState::compute, NodeState::compute, NodeState::compute, NodeState::service};
  return network;
}

TEST(NetworkOutput, AllOfItGoesOverTheLastLink) {
  Network network = row();
  network.hop_latency = 0.25;
  const ExchangeTime time = predict_output(network, {NodeId{0}, NodeId{1}, NodeId{2}}, 12.0);
  EXPECT_EQ(time.name, "output");
  EXPECT_EQ(time.busiest_link, "x 2,0,0 -> 3,0,0");
  EXPECT_DOUBLE_EQ(time.link_seconds, 12.0 / 2.0);
  EXPECT_DOUBLE_EQ(time.node_seconds, 12.0 / 8.0);  // the service node receives all
  EXPECT_DOUBLE_EQ(time.hop_bytes, 4.0 * (3 + 2 + 1));
  EXPECT_DOUBLE_EQ(time.wire_bytes, 12.0);
  EXPECT_DOUBLE_EQ(time.rank_bytes, 4.0);
  EXPECT_DOUBLE_EQ(time.seconds, 6.0 + 3 * 0.25);
}

TEST(NetworkOutput, IsSharedByServiceNodesAndSentByTheNodeWithMostRanks) {
  Network network = row();
  network.states = {NodeState::service, NodeState::compute, NodeState::compute, NodeState::service};
  const ExchangeTime time = predict_output(network, {NodeId{1}, NodeId{1}, NodeId{1}, NodeId{2}}, 16.0);
  EXPECT_DOUBLE_EQ(time.node_seconds, 12.0 / 8.0);     // of node 1
  EXPECT_DOUBLE_EQ(time.link_seconds, (6 + 2) / 2.0);  // half of all, at each end
  EXPECT_DOUBLE_EQ(time.hop_bytes, 6.0 * (1 + 2) + 2.0 * (2 + 1));
}

TEST(NetworkOutput, AgreesWithSingleMessagesOnEveryNetwork) {
  for (Network network : all()) {
    network.states.assign(node_count(network), NodeState::compute);
    Placement placement;
    for (std::uint32_t node = 0; node < node_count(network); ++node) {
      if (node % 3 == 1) network.states[node] = NodeState::service;
      for (std::uint32_t rank = 0; node % 3 != 1 && rank < node % 4; ++rank) placement.push_back(NodeId{node});
    }
    if (placement.empty()) continue;
    Traffic messages;
    const auto service = service_nodes(network);
    for (const NodeId from : placement) {
      for (const NodeId to : service) messages.flows.push_back({router_of(network, from), router_of(network, to), 0.5});
    }
    const double bytes = 0.5 * static_cast<double>(placement.size() * service.size());
    const auto fabric = make_fabric(network);
    const auto loads = loads_by_route(*fabric, messages);
    double link_seconds = 0.0;
    for (std::uint32_t link = 0; link < loads.size(); ++link) {
      link_seconds = std::max(link_seconds, loads[link] / fabric->bandwidth(LinkId{link}));
    }
    EXPECT_NEAR(predict_output(network, placement, bytes).link_seconds, link_seconds, rounding * bytes) << network.name;
  }
}

TEST(NetworkOutput, RefusesWhatCannotBe) {
  Network network = row();
  EXPECT_THROW(static_cast<void>(predict_output(network, {NodeId{9}}, 1.0)), base::Error);
  EXPECT_THROW(static_cast<void>(predict_output(network, {NodeId{0}}, -1.0)), base::Error);
  network.states[3] = NodeState::down;
  EXPECT_THROW(static_cast<void>(predict_output(network, {NodeId{0}}, 1.0)), base::Error);
  network.states.clear();
  EXPECT_TRUE(service_nodes(network).empty());
}

/// Two switches of compute nodes and one of service nodes: a is joined to it by a slow link, b by a fast one. Exchanges
/// on a are fast, and those on b slow.
Network near_and_far() {
  Graph graph;
  graph.routers = 5;  // a0, a1, b0, b1, io
  graph.links = {{RouterId{0}, RouterId{1}, 10.0, 1.0, 1}, {RouterId{2}, RouterId{3}, 5.0, 1.0, 1},
                 {RouterId{0}, RouterId{4}, 1.0, 1.0, 1},  {RouterId{1}, RouterId{4}, 1.0, 1.0, 1},
                 {RouterId{2}, RouterId{4}, 10.0, 1.0, 1}, {RouterId{3}, RouterId{4}, 10.0, 1.0, 1}};
  for (std::uint32_t i = 0; i < 5; ++i) graph.router_of_node.push_back(RouterId{i});
  Network network = network_of(graph, "near and far");
  network.injection_bandwidth = 100.0;
  network.states.assign(5, NodeState::compute);
  network.states[4] = NodeState::service;
  return network;
}

Advice advice_with(double dump, double exchanges_per_dump, std::uint64_t seed) {
  static const Network network = near_and_far();
  JobRequest request;
  request.pattern = Pattern::halo;
  request.ranks = 2;
  request.ranks_per_node = 1;
  request.points = 8;
  request.dump = dump;
  request.exchanges_per_dump = exchanges_per_dump;
  request.seed = seed;
  return advise(network, request, usable_nodes(network), true, [](std::string_view) { return true; });
}

TEST(NetworkOutput, CountsInAnAdviceByItsShare) {
  const Advice advice = advice_with(64.0, 16.0, 1);
  for (std::size_t i = 0; i < advice.candidates.size(); ++i) {
    const Candidate& candidate = advice.candidates[i];
    ASSERT_TRUE(candidate.output);
    EXPECT_DOUBLE_EQ(candidate.seconds, candidate.prediction.seconds + candidate.output->seconds / 16.0);
    if (i == 0) continue;
    EXPECT_GE(candidate.seconds * (1 + 2e-6), advice.candidates[i - 1].seconds);  // ties end at 1e-6
  }
  EXPECT_FALSE(advice_with(0.0, 16.0, 1).candidates.front().output);
}

TEST(NetworkOutput, DecidesWhereItIsMost) {
  // Of eight random orders of four nodes at least one takes both on the fast side.
  std::set<double> rare;
  std::set<double> frequent;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    rare.insert(advice_with(1.0, 1e9, seed).candidates.front().output->link_seconds);
    frequent.insert(advice_with(1e9, 1.0, seed).candidates.front().output->link_seconds / 1e9);
  }
  EXPECT_EQ(rare, std::set<double>{0.5});  // both nodes of a, half of the bytes on each slow link
  EXPECT_DOUBLE_EQ(*frequent.begin(), 0.05);
}

}  // namespace output_test
}  // namespace tacit::placement::network
