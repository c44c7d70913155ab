// The checks of the collectives between threads of one process, where a thread sanitizer sees all ranks.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "mpi/collectives.hpp"
#include "support/under_sanitizer.hpp"
#include "tacit/base/memory.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/error.hpp"
#include "unit/comm/ranks.hpp"
#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
#include "unit/comm/quiet_steps.hpp"
#endif

namespace tacit::comm::testing {
namespace collectives {

using Case = std::tuple<conformance::NamedCheck, std::size_t, const char*>;

class CommCollectives : public ::testing::TestWithParam<Case> {};

TEST_P(CommCollectives, BetweenThreads) {
  const auto& [check, ranks, nodes] = GetParam();
  conformance::Setting setting{.exchanges = 60, .longest = std::size_t{1} << 20U};
  // Sanitized code is 10 to 50 times slower.
  if (tasks::testing::under_tsan) setting = {.exchanges = 12, .longest = 10'000};
  const auto run = check.check;
  const auto emulated = conformance::nodes_of(nodes, ranks);
  Options options = patient;
  options.nodes = emulated;
  EXPECT_NO_THROW(on_ranks(
      ranks, [&](Communicator& world) { run(world, setting); }, options));
}

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + std::to_string(std::get<1>(info.param)) + "_" +
         std::get<2>(info.param);
}

TEST(CommCollective, WhoIsMissingIsNamedAtTheDeadline) {
  on_ranks(2, [](Communicator& world) {
    Barrier barrier(world);
    barrier.run();
    if (number(world.rank()) == 0) {
      std::string text;
      try {
        barrier.run(0.05);
      } catch (const DeadlineError& error) {
        text = error.what();
      }
      EXPECT_EQ(text, describe(world.own()) + ": timed out after 0.05 s: call 2 of barrier 0, stage 3 of 6: " +
                          describe(world.ranks()[1]) + " has not begun it");
      world.synchronise();
      barrier.wait();  // the call is still under way
    } else {
      world.synchronise();
      barrier.run();
    }
  });
}

TEST(CommCollective, CallsUnderWayCanBeGivenUp) {
  on_ranks(2, [](Communicator& world) {
    {
      Barrier barrier(world);
      barrier.run();
      if (number(world.rank()) == 0) barrier.start();  // the other one never does
    }
    world.synchronise();
    std::array<base::Completion, 1> ends;
    EXPECT_EQ(world.completions().poll(ends), 0U);
  });
}

TEST(CommCollective, RanksThatCopyDifferentlyAreNamed) {
  on_ranks(2, [](Communicator& world) {
    const bool is_first = number(world.rank()) == 0;
    AllToAll<double> exchange(world, 10, {}, {.copying = is_first ? Copying::by_sender : Copying::by_receiver});
    std::string text;
    try {
      exchange.run();
    } catch (const MismatchError& error) {
      text = error.what();
    }
    const std::string made = " makes all-to-all of 10 float64 of 8 B";
    const std::string first = describe(world.ranks()[0]) + made + ", copied by senders";
    const std::string second = describe(world.ranks()[1]) + made;
    EXPECT_EQ(text, is_first ? first + ", " + second : second + ", " + first);
    world.synchronise();
  });
}

TEST(CommCollective, ARootMayEndItBeforeTheOthersUseIt) {
  on_ranks(2, [](Communicator& world) {
    for (int turn = 0; turn < 3; ++turn) {
      std::vector<int> data(500, number(world.rank()) == 0 ? 7 + turn : 0);
      Broadcast<int> broadcast(world, RankId{0}, std::span(data));
      if (number(world.rank()) == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      broadcast.run();
      EXPECT_EQ(data, std::vector<int>(500, 7 + turn));
    }
  });
}

#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
TEST(CommCollective, CallsAllocateNothing) {
  for (const Pattern pattern : {Pattern::node_aware, Pattern::flat}) {
    on_ranks(2, [pattern](Communicator& world) {
      const CollectiveOptions options{.pattern = pattern};
      std::vector<double> sums(1000, 1.0);
      AllReduce<double> reduce(world, std::span(sums), std::plus<>(), options);
      AllToAll<double> exchange(world, 1000, options);
      const auto step = [&] {
        reduce.run();
        static_cast<void>(exchange.input());
        exchange.start();
        exchange.wait();
      };
      expect_no_allocations(world, step);
    });
  }
}
#endif

#ifndef TACIT_UNDER_ASAN  // which keeps memory that is given back for a while
TEST(Collectives, GiveBackTheirMemory) {
  constexpr std::size_t bytes = std::size_t{1} << 20U;
  constexpr int collectives = 200;
  std::uint64_t before = 0;
  testing::on_ranks(2, [&](Communicator& world) {
    for (int i = 0; i < collectives; ++i) {
      AllToAllV<std::byte> exchange(world, std::vector<std::size_t>{bytes / 2, bytes / 2});
      std::ranges::fill(exchange.input(), std::byte{1});
      exchange.run();
      if (i == 9 && world.rank() == RankId{0}) before = base::peak_memory().value_or(0);
    }
  });
  EXPECT_LT(base::peak_memory().value_or(0), before + collectives / 4 * bytes);
}
#endif

INSTANTIATE_TEST_SUITE_P(OneNode, CommCollectives,
                         ::testing::Combine(::testing::ValuesIn(conformance::collective_checks()),
                                            ::testing::Values(1, 2, 4), ::testing::Values("found")),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Nodes, CommCollectives,
                         ::testing::Combine(::testing::ValuesIn(conformance::collective_checks()), ::testing::Values(4),
                                            ::testing::Values("0011", "0101", "0001", "0123")),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(TwoNodes, CommCollectives,
                         ::testing::Combine(::testing::ValuesIn(conformance::collective_checks()), ::testing::Values(2),
                                            ::testing::Values("01")),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Uneven, CommCollectives,
                         ::testing::Combine(::testing::ValuesIn(conformance::collective_checks()), ::testing::Values(7),
                                            ::testing::Values("0012221")),
                         name_of_case);

}  // namespace collectives

}  // namespace tacit::comm::testing
