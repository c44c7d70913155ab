// Nodes chosen, candidates made, cuts counted, and the files that launchers read.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/placement/advice.hpp"
#include "tacit/placement/files.hpp"

namespace tacit::placement::test_placement {

using network::NodeId;
using network::Order;

/// 4x2x1 routers with two nodes each, n0 to n15.
network::Network small_torus() {
  network::Network network;
  network.name = "small";
  network.shape = network::Torus{.routers = {4, 2, 1}, .bandwidth = {2, 1, 1}, .nodes_per_router = 2};
  for (int i = 0; i < 16; ++i) network.node_names.push_back(fmt::format("n{}", i));
  return network;
}

std::vector<NodeId> ids(std::initializer_list<std::uint32_t> numbers) {
  std::vector<NodeId> nodes;
  for (const std::uint32_t number : numbers) nodes.push_back(NodeId{number});
  return nodes;
}

bool always(std::string_view /*doing*/) { return true; }

JobRequest job_of(std::uint32_t ranks, std::uint32_t ranks_per_node) {
  JobRequest request;
  request.ranks = ranks;
  request.ranks_per_node = ranks_per_node;
  request.points = 64;
  return request;
}

TEST(PlacementNodes, DropsPartnersOfNodesThatAreDown) {
  auto network = small_torus();
  NodeFilter filter{.nodes = {"n6", "n2", "n3", "n4", "n9"}, .excluded = {"n9"}, .down = {"n5", "n2"}};
  NodeChoice choice = choose_nodes(network, filter);
  EXPECT_EQ(choice.nodes, ids({6}));
  EXPECT_EQ(choice.beside_down, ids({3, 4}));
  EXPECT_EQ(choice.down, 1U);
  EXPECT_EQ(choice.excluded, 1U);
  filter.partners = Partners::keep;
  auto again = small_torus();
  EXPECT_EQ(choose_nodes(again, filter).nodes, ids({6, 3, 4}));
}

TEST(PlacementNodes, UnknownAndRepeatedNamesAreRefused) {
  const auto refusal = [](const NodeFilter& filter) {
    auto network = small_torus();
    try {
      static_cast<void>(choose_nodes(network, filter));
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(refusal({.nodes = {"m1"}, .excluded = {}, .down = {}}),
            "node 'm1' (listed) is not of machine 'small'; its nodes have names like 'n0'");
  EXPECT_EQ(refusal({.nodes = {"n1", "n1"}, .excluded = {}, .down = {}}), "node 'n1' is listed twice");
}

TEST(PlacementCuts, CountPairsAcrossHalves) {
  const auto network = small_torus();
  // 16 ranks, one on a node, all in one row: 8 x 8 pairs cross each cut, each way.
  const network::Job job{.pattern = network::Transposes{.row_ranks = 16, .column_ranks = 1, .row_bytes = 10.0},
                         .ranks_per_node = 1};
  network::Placement placement;
  for (std::uint32_t i = 0; i < 16; ++i) placement.push_back(NodeId{i});
  const auto cuts = cut_loads(network, job, placement);
  ASSERT_EQ(cuts.size(), 2U);
  EXPECT_DOUBLE_EQ(cuts[0].bytes, 640.0);
  EXPECT_DOUBLE_EQ(cuts[0].bandwidth, 2 * 2 * 2.0);  // two planes of two links of speed 2
  EXPECT_DOUBLE_EQ(cuts[1].bytes, 640.0);
  EXPECT_DOUBLE_EQ(cuts[1].bandwidth, 2 * 4 * 1.0);
  EXPECT_DOUBLE_EQ(cuts[1].seconds(), 80.0);
}

TEST(PlacementCuts, BoxAroundARingIsHalvedInItself) {
  const auto network = small_torus();
  // Routers 3 and 0 of the first row: a box of 2 x 1 around the ring.
  const network::Job job{.pattern = network::Messages{.ranks = 2, .list = {{0, 1, 5.0}, {1, 0, 7.0}}},
                         .ranks_per_node = 1};
  const auto cuts = cut_loads(network, job, ids({6, 0}));
  ASSERT_EQ(cuts.size(), 1U);
  EXPECT_DOUBLE_EQ(cuts[0].bytes, 7.0);
  EXPECT_DOUBLE_EQ(cuts[0].bandwidth, 2.0);
  EXPECT_TRUE(cut_loads(network, job, ids({6, 7})).empty());  // one router
}

TEST(PlacementCuts, HalosCrossByFaces) {
  const auto network = small_torus();
  network::Halos halos;
  halos.ranks = {4, 2, 1};
  halos.bytes = {3.0, 5.0, 0.0};
  network::Job job;
  job.pattern = halos;
  network::Placement placement;
  for (std::uint32_t i = 0; i < 8; ++i) placement.push_back(NodeId{2 * i});
  const auto cuts = cut_loads(network, job, placement);
  ASSERT_EQ(cuts.size(), 2U);
  EXPECT_DOUBLE_EQ(cuts[0].bytes, 2 * 2 * 3.0);  // two planes (periodic) of two rows
  EXPECT_DOUBLE_EQ(cuts[1].bytes, 4 * 2 * 5.0);  // four columns, both faces of a rank lead to the other
}

TEST(PlacementAdvice, NearCubeDividesEvenly) {
  EXPECT_EQ(near_cube(12, 2), (std::vector<std::uint32_t>{4, 3}));
  EXPECT_EQ(near_cube(12, 3), (std::vector<std::uint32_t>{3, 2, 2}));
  EXPECT_EQ(near_cube(13, 2), (std::vector<std::uint32_t>{13, 1}));
  EXPECT_EQ(near_cube(64, 3), (std::vector<std::uint32_t>{4, 4, 4}));
  EXPECT_EQ(near_cube(196608, 2), (std::vector<std::uint32_t>{512, 384}));
}

TEST(PlacementAdvice, BestIsNoSlowerThanTheStandardAndPutsEveryRankOnce) {
  const auto network = small_torus();
  const auto nodes = network::usable_nodes(network);
  for (const Pattern pattern : {Pattern::pencils, Pattern::halo}) {
    JobRequest request = job_of(32, 4);
    request.pattern = pattern;
    const Advice advice = advise(network, request, nodes, false, always);
    const Candidate& best = advice.candidates.front();
    EXPECT_LE(best.prediction.seconds, advice.standard.prediction.seconds);
    ASSERT_EQ(best.placement.size(), 32U);
    for (const NodeId node : std::set<NodeId>(best.placement.begin(), best.placement.end())) {
      EXPECT_EQ(std::ranges::count(best.placement, node), 4);
    }
    for (const Candidate& candidate : advice.candidates) {
      EXPECT_GE(candidate.prediction.seconds, best.prediction.seconds * (1.0 - 2e-6));  // ties end at 1e-6
    }
  }
}

TEST(PlacementAdvice, IsForTheRanksOfTheJobWhereTheLastNodeHasFewer) {
  const auto network = small_torus();
  const Advice advice = advise(network, job_of(7, 2), network::usable_nodes(network), false, always);
  for (const Candidate& candidate : advice.candidates) {
    EXPECT_EQ(candidate.placement.size(), 7U) << grid_text(candidate);
    EXPECT_EQ(candidate.grid.front() * candidate.grid.back(), 7U) << grid_text(candidate);
  }
}

TEST(PlacementAdvice, StopsWhenThereIsNoTime) {
  const auto network = small_torus();
  const auto nodes = network::usable_nodes(network);
  const Advice advice = advise(network, job_of(32, 4), nodes, false, [](std::string_view) { return false; });
  EXPECT_EQ(advice.candidates.size(), 1U);
  EXPECT_GT(advice.left_out, 0U);
}

TEST(PlacementAdvice, SparesCountAndTooFewNodesAreRefused) {
  const auto network = small_torus();
  JobRequest request = job_of(32, 2);
  request.spares = 1;
  try {
    static_cast<void>(advise(network, request, network::usable_nodes(network), false, always));
    FAIL() << "17 nodes of 16";
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(),
                 "32 ranks with 2 on a node need 16 nodes and 1 spares; 16 are usable: take fewer ranks, more of "
                 "them on a node, or other nodes");
  }
}

TEST(PlacementAdvice, SpreadsOverTheGroupsOfADragonfly) {
  network::Network network;
  network.shape =
      network::Dragonfly{.groups = 4, .routers_per_group = 2, .nodes_per_router = 4, .local_bandwidth = 100};
  network.injection_bandwidth = 100;
  const Advice advice = advise(network, job_of(10, 1), network::usable_nodes(network), false, always);
  const Candidate& best = advice.candidates.front();
  EXPECT_EQ(best.nodes, "10 nodes spread over 4 groups");
  EXPECT_EQ(best.listed.size(), 10U);
  std::set<std::uint32_t> groups;
  for (const NodeId node : best.placement) groups.insert(network::number(node) / 8);
  EXPECT_EQ(groups.size(), 4U);
  EXPECT_LT(best.prediction.seconds, advice.standard.prediction.seconds);
}

TEST(PlacementFiles, SayWhereEachRankRuns) {
  const auto network = small_torus();
  const auto placement = ids({3, 5, 3, 5, 1, 1});
  const auto used = used_nodes(placement, ids({1, 2, 3, 4, 5}));
  EXPECT_EQ(used, ids({1, 3, 5}));
  EXPECT_EQ(mpich_rank_order(placement, used), "4,5\n0,2\n1,3\n");
  EXPECT_EQ(slurm_hostfile(network, placement), "n3\nn5\nn3\nn5\nn1\nn1\n");
  EXPECT_EQ(node_list(network, used), "n1\nn3\nn5\n");
  EXPECT_EQ(openmpi_rankfile(network, ids({3, 5, 3}), std::nullopt),
            "rank 0=n3 slot=0\nrank 1=n5 slot=0\nrank 2=n3 slot=1\n");
}

TEST(PlacementFiles, ANodeWithFewerRanksComesLast) {
  const auto network = small_torus();
  const auto placement = ids({3, 3, 5, 5, 1, 2, 2});  // slots are counted as if each node had two
  const auto used = used_nodes(placement, ids({1, 2, 3, 4, 5}));
  EXPECT_EQ(used, ids({2, 3, 5, 1}));
  EXPECT_EQ(mpich_rank_order(placement, used), "5,6\n0,1\n2,3\n4\n");
}

TEST(PlacementFiles, RanksSpreadOverTheCoresOfANode) {
  NodeShape shape{.cores = {}, .packages = 2, .numa_domains = 2};
  for (std::uint32_t i = 0; i < 4; ++i) shape.cores.push_back({.package = i / 2, .place = i % 2, .numa = i / 2});
  const auto network = small_torus();
  EXPECT_EQ(openmpi_rankfile(network, ids({0, 0}), shape), "rank 0=n0 slot=0:0\nrank 1=n0 slot=1:0\n");
  EXPECT_EQ(openmpi_rankfile(network, ids({0, 0, 0, 0}), shape),
            "rank 0=n0 slot=0:0\nrank 1=n0 slot=0:1\nrank 2=n0 slot=1:0\nrank 3=n0 slot=1:1\n");
}

TEST(PlacementFiles, RowsKeepToDomainsWhereTheirCoresDo) {
  for (const std::uint32_t of_domain : {1U, 2U, 3U, 4U, 6U}) {
    NodeShape shape{.cores = {}, .packages = 1, .numa_domains = 3};
    for (std::uint32_t i = 0; i < 3 * of_domain; ++i) shape.cores.push_back({.place = i, .numa = i / of_domain});
    const std::size_t cores = shape.cores.size();
    for (std::size_t ranks = 1; ranks <= cores; ++ranks) {
      for (std::size_t row = 1; row <= ranks; ++row) {
        if (ranks % row != 0) continue;
        bool keep = true;
        for (std::size_t slot = 0; slot < ranks; ++slot) {
          const auto domain = [&](std::size_t s) { return s * cores / ranks / of_domain; };
          keep = keep && domain(slot) == domain(slot - slot % row);
        }
        EXPECT_EQ(do_rows_keep_to_domains(shape, row, ranks), keep) << of_domain << " " << ranks << " " << row;
      }
    }
    EXPECT_EQ(do_rows_keep_to_domains(shape, 1, cores + 1), std::nullopt);
  }
  // Of two domains of three cores, rows of two do not begin where the second one does.
  NodeShape two{.cores = {}, .packages = 1, .numa_domains = 2};
  for (std::uint32_t i = 0; i < 6; ++i) two.cores.push_back({.place = i, .numa = i / 3});
  EXPECT_EQ(do_rows_keep_to_domains(two, 2, 6), false);
  EXPECT_EQ(do_rows_keep_to_domains(two, 3, 6), true);
  EXPECT_EQ(do_rows_keep_to_domains(two, 2, 4), true);
}

TEST(PlacementRecord, PredictionIsReadBack) {
  const auto network = small_torus();
  const JobRequest request = job_of(32, 4);
  const Advice advice = advise(network, request, network::usable_nodes(network), false, always);
  const auto file = std::filesystem::temp_directory_path() / fmt::format("tacit-placement-{}.json", ::getpid());
  std::ofstream(file) << to_json(network, request, advice);
  const Predicted predicted = read_predicted(file);
  EXPECT_EQ(predicted.machine, "small");
  EXPECT_EQ(predicted.ranks, 32U);
  EXPECT_EQ(predicted.grid, grid_text(advice.candidates.front()));
  const auto& exchanges = advice.candidates.front().prediction.exchanges;
  ASSERT_EQ(predicted.exchanges.size(), exchanges.size());
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    EXPECT_EQ(predicted.exchanges[i].name, exchanges[i].name);
    EXPECT_EQ(predicted.exchanges[i].seconds, exchanges[i].seconds);  // JSON keeps every bit
  }
  std::ofstream(file) << "{\"machine\": 3}";
  EXPECT_THROW(static_cast<void>(read_predicted(file)), base::FormatError);
  std::filesystem::remove(file);
}

TEST(PlacementMessages, AreReadAndAddedUp) {
  const auto messages = parse_messages("# from to bytes\n0 1 10\n1,0,2.5e3\n0 1 5\n2 2 9\n\n", "t", 3);
  ASSERT_EQ(messages.list.size(), 2U);
  EXPECT_EQ(messages.list[0].bytes, 15.0);
  EXPECT_EQ(messages.list[1].bytes, 2500.0);
  const auto refusal = [](const char* text) {
    try {
      static_cast<void>(parse_messages(text, "t", 3));
    } catch (const base::FormatError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(refusal(""), "t: holds no messages; expected lines FROM TO BYTES");
  EXPECT_EQ(refusal("0 1 1\n0 3 1\n"), "t:2: '3' is no rank: expected a number from 0 to 2; a line is FROM TO BYTES");
  EXPECT_EQ(refusal("0 1 -1\n"),
            "t:1: '-1' is no number of bytes: expected a number from 0 to 1e+18; a line is FROM TO BYTES");
  EXPECT_EQ(refusal("0 1 1 1\n"), "t:1: has more than three words; expected FROM TO BYTES");
}

}  // namespace tacit::placement::test_placement
