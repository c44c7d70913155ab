// Files of routes: what they say for a pair of ranks, and what is said about those that are wrong.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/comm/routes.hpp"
#include "tacit/comm/window.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {
namespace routes {

RankInfo rank_on(std::uint32_t rank, std::uint32_t node) { return {.rank = RankId{rank}, .node = node}; }

std::string text_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// A file that goes with the test.
class File {
 public:
  explicit File(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("tacit-routes-" + std::to_string(getpid()))) {
    std::ofstream(path_) << text;
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace routes

namespace {

using routes::rank_on;

TEST(CommRoutes, TheLastThatFitsDecidesInBothDirections) {
  const RouteMap map(
      "# ranks ranks transport provider device port\n"
      "* * mpi\n"
      "\n"
      "0-3 4,6-7 ofi tcp;ofi_rxm eth0 7000  # by hand\n"
      "  2\t6 ofi - ib0\n"
      "between nodes shm\n"
      "1 4 ofi",
      "routes");
  const auto at = [&](std::uint32_t a, std::uint32_t b) { return map.find(rank_on(a, 0), rank_on(b, 0)); };
  EXPECT_EQ(at(4, 5)->transport, ProviderId::mpi);
  EXPECT_EQ(at(0, 5)->transport, ProviderId::mpi);
  for (const auto& [a, b] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 4}, {3, 7}, {7, 3}, {4, 0}}) {
    const Route* route = at(a, b);
    EXPECT_EQ(route->transport, ProviderId::ofi);
    EXPECT_EQ(route->network, (Network{"tcp;ofi_rxm", "eth0", 7000}));
  }
  EXPECT_EQ(at(6, 2)->network, (Network{"", "ib0", 0}));
  EXPECT_EQ(map.find(rank_on(6, 0), rank_on(2, 1))->transport, ProviderId::shm);
  EXPECT_EQ(map.find(rank_on(1, 0), rank_on(4, 1))->network, Network{});
}

TEST(CommRoutes, ScopesAreNodes) {
  const RouteMap map("within nodes mpi", "routes");
  EXPECT_EQ(map.find(rank_on(0, 2), rank_on(1, 2))->transport, ProviderId::mpi);
  EXPECT_EQ(map.find(rank_on(0, 1), rank_on(1, 2)), nullptr);
}

TEST(CommRoutes, ARankReachesItselfByNoRoute) {
  const RouteMap map("* * mpi", "routes");
  EXPECT_EQ(map.find(rank_on(3, 0), rank_on(3, 0)), nullptr);
  EXPECT_TRUE(RouteMap("# nothing\n\n", "routes").is_empty());
}

TEST(CommRoutes, WhatIsWrongIsNamedWithItsLine) {
  const auto text = [](const char* line) { return routes::text_of([&] { RouteMap(line, "a.routes"); }); };
  EXPECT_EQ(text("* * mpi\n0 1"), "a.routes:2: the line ends where a transport should be");
  EXPECT_EQ(text("0"), "a.routes:1: the line ends where the ranks at the other end should be");
  EXPECT_EQ(text("* *"), "a.routes:1: the line ends where a transport should be");
  EXPECT_EQ(text("* * tcp"), "a.routes:1: 'tcp' is no transport: shm, ofi, mpi");
  EXPECT_EQ(text("* * self"), "a.routes:1: 'self' is no transport: shm, ofi, mpi");
  for (const char* ranks : {"3-1", "x", "1-", "1,,2", "-1", "4294967296"}) {
    EXPECT_EQ(
        text((std::string("* ") + ranks + " mpi").c_str()),
        std::string("a.routes:1: '") + ranks + "' names no ranks: * for all, or numbers and ranges such as 0-3,8");
  }
  EXPECT_EQ(text("between ranks mpi"), "a.routes:1: 'ranks' after 'between', which only 'nodes' may follow");
  EXPECT_EQ(text("* * ofi - - 70000"), "a.routes:1: '70000' is no port: 1 to 65535, or - for any");
  EXPECT_EQ(text("* * ofi - - 0"), "a.routes:1: '0' is no port: 1 to 65535, or - for any");
  EXPECT_EQ(text("* * mpi eth0"), "a.routes:1: 'eth0' is too much: nothing follows mpi");
  EXPECT_EQ(text("* * ofi tcp eth0 7 8"), "a.routes:1: '8' is too much: nothing follows the port");
}

TEST(CommRoutes, AFileThatIsNotThereIsNamed) {
  EXPECT_EQ(routes::text_of([] { static_cast<void>(RouteMap::read("/nowhere/a.routes")); }),
            "/nowhere/a.routes: the file of routes cannot be read (No such file or directory)");
}

TEST(CommRoutes, AFileOverridesLocality) {
  const routes::File file("0 1 mpi\n1 2 shm\n");
  Options options = patient;
  const std::string path = file.path();
  options.routes = path;
  on_ranks(
      3,
      [](Communicator& world) {
        const Target one{.rank = RankId{1}};
        if (number(world.rank()) == 0) {
          EXPECT_EQ(routes::text_of([&] { Connection(world, one); }),
                    describe(world.own()) + ": mpi does not reach " + describe(world.ranks()[1]) + ", as a route says");
          EXPECT_EQ(Connection(world, {.rank = RankId{1}, .via = ProviderId::shm}).provider(), ProviderId::shm);
        }
        if (number(world.rank()) == 2) {
          EXPECT_EQ(Connection(world, one).provider(), ProviderId::shm);
        }
      },
      options);
}

TEST(CommRoutes, OneTransportIsForAllThatNoRouteNames) {
  const routes::File file("1 2 shm\n");
  Options options = patient;
  const std::string path = file.path();
  options.routes = path;
  options.transport = ProviderId::mpi;
  on_ranks(
      3,
      [](Communicator& world) {
        const RankId own = world.rank();
        EXPECT_EQ(world.transport_to(own), ProviderId::self);
        if (number(own) == 0) {
          EXPECT_EQ(routes::text_of([&] { static_cast<void>(world.transport_to(RankId{1})); }),
                    describe(world.own()) + ": mpi does not reach " + describe(world.ranks()[1]) +
                        ", the transport to every other rank");
        } else {
          EXPECT_EQ(world.transport_to(RankId{3 - number(own)}), ProviderId::shm);
        }
      },
      options);
  options.transport = ProviderId::shm;
  options.routes = {};
  on_ranks(
      2, [](Communicator& world) { EXPECT_EQ(world.transport_to(RankId{1 - number(world.rank())}), ProviderId::shm); },
      options);
}

}  // namespace
}  // namespace tacit::comm::testing
