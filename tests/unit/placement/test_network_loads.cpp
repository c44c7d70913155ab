// Loads of links: counting against single messages, closed forms, and what routing must keep.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "network_cases.hpp"
#include "tacit/placement/network/prediction.hpp"

namespace tacit::placement::network {
namespace loads_test {

using namespace cases;

/// Loads are sums of at most 1e4 terms of one sign, counted in two orders, or differences of such: each addition rounds
/// by 1.1e-16 of a sum that is at most the whole traffic.
constexpr double rounding = 1e4 * 1.2e-16;

void expect_same(const std::vector<double>& a, const std::vector<double>& b, double scale, const std::string& name) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t link = 0; link < a.size(); ++link) {
    ASSERT_NEAR(a[link], b[link], rounding * scale) << name << ", link " << link;
  }
}

double bytes_of(const Traffic& traffic) {
  double bytes = 0.0;
  for (const Flow& flow : messages_of(traffic)) bytes += flow.bytes;
  return bytes;
}

/// The largest and the smallest load of an all-to-all of one byte between all nodes, one on each router.
std::pair<double, double> uniform_loads(const Network& network) {
  ExchangeSet set{{}, 1.0};
  for (const RouterId router : routers(network)) set.members.push_back({router, 1.0});
  const auto fabric = make_fabric(network);
  std::vector<double> loads = loads_of(*fabric, {{set}, {}});
  std::erase_if(loads, [](double load) { return std::abs(load) < 1e-9; });  // links that do not exist; others carry 1
  const auto [low, high] = std::minmax_element(loads.begin(), loads.end());
  return {*low, *high};
}

TEST(NetworkLoads, CountingAgreesWithSingleMessages) {
  for (const Network& network : all()) {
    const auto fabric = make_fabric(network);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Traffic traffic{{random_set(network, 0.9, seed), random_set(network, 0.2, seed + 10)},
                      random_flows(network, 20, seed)};
      expect_same(loads_of(*fabric, traffic), loads_by_route(*fabric, traffic), bytes_of(traffic), network.name);
    }
  }
}

TEST(NetworkLoads, BothWaysOfCountingOnATorusAgree) {
  // With 6 of 120 routers pairs are counted, with all of them products: the test above must have seen both.
  const Network network = network_of(torus(5, 4, 6));
  const auto few = random_set(network, 0.05, 3).members.size();
  const auto many = random_set(network, 0.9, 3).members.size();
  EXPECT_LT(3 * few * few, 120U * 15);
  EXPECT_GT(3 * many * many, 120U * 15);
}

TEST(NetworkLoads, RoutesArriveAndConserve) {
  // What leaves a router less what enters it: all of the message at its start, minus all at its end, nothing elsewhere.
  for (const Network& network : all()) {
    if (std::holds_alternative<FatTree>(network.shape)) continue;  // its switches are no routers: see below
    const auto fabric = make_fabric(network);
    std::vector<Part> parts;
    for (const Flow& flow : random_flows(network, 40, 7)) {
      fabric->route(flow.from, flow.to, parts);
      std::vector<double> out(router_count(network), 0.0);
      for (const Part& part : parts) {
        const auto ends = fabric->ends(part.link);
        ASSERT_TRUE(ends.has_value()) << network.name << ": a way over a link that does not exist";
        out[number((*ends)[0])] += part.share;
        out[number((*ends)[1])] -= part.share;
      }
      for (const RouterId router : routers(network)) {
        const double expected = (router == flow.from ? 1.0 : 0.0) - (router == flow.to ? 1.0 : 0.0);
        ASSERT_NEAR(out[number(router)], expected, rounding) << network.name << ", router " << number(router);
      }
    }
  }
}

TEST(NetworkLoads, SumIsBytesTimesShortestWay) {
  const Graph cube = hypercube(5);
  for (const Network& network : {network_of(torus(5, 4, 6)), network_of(torus(7, 1, 2)), network_of(cube)}) {
    const auto fabric = make_fabric(network);
    const Traffic traffic{{random_set(network, 0.7, 2)}, random_flows(network, 50, 2)};
    double expected = 0.0;
    for (const Flow& flow : messages_of(traffic)) {
      expected += flow.bytes * distances(*fabric, router_count(network), flow.from)[number(flow.to)];
    }
    EXPECT_NEAR(sum(loads_of(*fabric, traffic)), expected, rounding * expected) << network.name;
  }
}

TEST(NetworkLoads, OnARingAreAnEighthOfItsSquare) {
  // Of k places, with ways split where both are equally long: sum over distances d of d, each way, is k^2 / 8 for even
  // k and (k^2 - 1) / 8 for odd k.
  for (const std::uint32_t k : {2U, 3U, 4U, 7U, 8U, 25U}) {
    const double expected = (1.0 * k * k - k % 2) / 8.0;
    const auto [low, high] = uniform_loads(network_of(torus(k, 1, 1)));
    EXPECT_NEAR(low, expected, rounding * k * k) << k;
    EXPECT_NEAR(high, expected, rounding * k * k) << k;
  }
}

TEST(NetworkLoads, OnALineAreTheProductOfItsSides) {
  Torus line = torus(9, 1, 1);
  line.ends[0] = Ends::line;
  const auto [low, high] = uniform_loads(network_of(line));
  EXPECT_NEAR(low, 1 * 8, rounding * 81);
  EXPECT_NEAR(high, 4 * 5, rounding * 81);
}

TEST(NetworkLoads, OnATorusAreThoseOfTheRingTimesItsCrossSection) {
  // 8 x 6 x 4: x-links 24 * 64 / 8, y-links 32 * 36 / 8, z-links 48 * 16 / 8.
  const auto [low, high] = uniform_loads(network_of(torus(8, 6, 4)));
  EXPECT_NEAR(high, 192.0, rounding * 192 * 192);
  EXPECT_NEAR(low, 96.0, rounding * 192 * 192);
}

TEST(NetworkLoads, OnAHypercubeAreHalfItsNodes) {
  const auto [low, high] = uniform_loads(network_of(hypercube(5)));
  EXPECT_NEAR(low, 16.0, rounding * 32 * 32);
  EXPECT_NEAR(high, 16.0, rounding * 32 * 32);
}

TEST(NetworkLoads, OfADragonflyDoubleUnderValiant) {
  // Groups of 4 nodes, two links: 4 * 4 / 2 bytes on each; by way of a third group everything crosses two.
  for (const auto& [routing, expected] :
       {std::pair{DragonflyRouting::minimal, 8.0}, {DragonflyRouting::valiant, 16.0}}) {
    const Network network = network_of(dragonfly(7, routing));
    const auto fabric = make_fabric(network);
    ExchangeSet set{{}, 1.0};
    for (const RouterId router : routers(network)) set.members.push_back({router, 1.0});
    const std::vector<double> loads = loads_of(*fabric, {{set}, {}});
    for (std::uint32_t link = 7 * 16; link < loads.size(); ++link) {  // behind the links inside of groups
      if (!fabric->ends(LinkId{link})) continue;
      EXPECT_NEAR(loads[link], expected, rounding * 28 * 28) << fabric->name(LinkId{link});
    }
  }
}

TEST(NetworkLoads, ValiantEvensOutTwoGroupsThatTalkOnlyToEachOther) {
  // Group 0 to group 1 over 2 direct links, or over 2 links to each of 5 others: a fifth of the load.
  Traffic traffic;
  for (std::uint32_t i = 0; i < 4; ++i) traffic.flows.push_back({RouterId{i}, RouterId{4 + i}, 1.0});
  const auto busiest_global = [&](DragonflyRouting routing) {
    const auto fabric = make_fabric(network_of(dragonfly(7, routing)));
    const std::vector<double> loads = loads_of(*fabric, traffic);
    return *std::max_element(loads.begin() + 7 * 16, loads.end());
  };
  EXPECT_NEAR(busiest_global(DragonflyRouting::minimal), 2.0, rounding * 4);
  EXPECT_NEAR(busiest_global(DragonflyRouting::valiant), 0.4, rounding * 4);
}

TEST(NetworkLoads, GoUpATreeNoHigherThanTheyMust) {
  const auto fabric = make_fabric(network_of(tree()));
  std::vector<Part> parts;
  const auto links = [&](std::uint32_t from, std::uint32_t to) {
    fabric->route(RouterId{from}, RouterId{to}, parts);
    std::vector<std::string> names;
    for (const Part& part : parts) names.push_back(fabric->name(part.link));
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(links(1, 1), Names{});
  EXPECT_EQ(links(0, 2), (Names{"up from switch 0 of level 0", "down to switch 2 of level 0"}));
  EXPECT_EQ(links(5, 6), (Names{"up from switch 5 of level 0", "down to switch 6 of level 0",
                                "up from switch 1 of level 1", "down to switch 2 of level 1"}));
}

TEST(NetworkLoads, SplitOverAllLinksThatBeginAShortestWay) {
  // 0 - 1 - 3 and 0 - 2 - 3, the links to 2 threefold: a quarter by 1, three quarters by 2.
  Graph square = graph(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  square.links[1].count = 3;
  const auto fabric = make_fabric(network_of(square));
  std::vector<double> loads = loads_of(*fabric, {{}, {{RouterId{0}, RouterId{3}, 4.0}}});
  EXPECT_EQ(loads, (std::vector<double>{1, 0, 3, 0, 1, 0, 3, 0}));
  square.links[1].length = 1.5;  // now the way by 1 is the shorter one
  loads = loads_of(*make_fabric(network_of(square)), {{}, {{RouterId{0}, RouterId{3}, 4.0}}});
  EXPECT_EQ(loads, (std::vector<double>{4, 0, 0, 0, 4, 0, 0, 0}));
}

TEST(NetworkLoads, LongestWaysAreBounds) {
  for (const Network& network : all()) {
    const auto fabric = make_fabric(network);
    std::vector<Part> parts;
    for (const Flow& flow : random_flows(network, 100, 11)) {
      fabric->route(flow.from, flow.to, parts);
      double links = 0.0;
      for (const Part& part : parts) links += part.share;
      EXPECT_LE(links, fabric->longest_path() + rounding) << network.name;
    }
  }
}

TEST(NetworkLoads, NamesOfLinksSayTheirEnds) {
  const auto ring = make_fabric(network_of(torus(3, 2, 2)));
  EXPECT_EQ(ring->name(LinkId{2}), "x 2,0,0 -> 0,0,0");
  EXPECT_EQ(ring->name(LinkId{12}), "x 0,0,0 -> 2,0,0");
  const auto fly = make_fabric(network_of(dragonfly(3, DragonflyRouting::minimal)));
  EXPECT_EQ(fly->name(LinkId{1}), "local 0.0 -> 0.1");
  EXPECT_EQ(fly->name(LinkId{3 * 16 + 3}), "global 0.1 -> 1.1");
}

}  // namespace loads_test
}  // namespace tacit::placement::network
