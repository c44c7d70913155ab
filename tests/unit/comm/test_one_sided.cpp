// One-sided windows, counters and pools between threads of one process, where a thread sanitizer sees all ranks.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "mpi/collectives.hpp"
#include "mpi/one_sided.hpp"
#include "support/under_sanitizer.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/comm/one_sided/one_sided.hpp"
#include "tacit/comm/one_sided/work_pool.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/deadline_words.hpp"
#include "unit/comm/ranks.hpp"
#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
#include "unit/comm/quiet_steps.hpp"
#endif

namespace tacit::comm::testing {
namespace one_sided {

using Case = std::tuple<conformance::OneSidedCheck, std::size_t, const char*, Access>;

class CommOneSided : public ::testing::TestWithParam<Case> {};

TEST_P(CommOneSided, BetweenThreads) {
  const auto& [check, ranks, nodes, access] = GetParam();
  conformance::Setting setting{.exchanges = 500};
  // Sanitized code is 10 to 50 times slower.
  if (tasks::testing::under_tsan) setting = {.exchanges = 60, .longest = 40'000};
  const auto run = check.check;
  const Access how = access;
  const auto emulated = conformance::nodes_of(nodes, ranks);
  Options options = patient;
  options.nodes = emulated;
  EXPECT_NO_THROW(on_ranks(
      ranks, [&](Communicator& world) { run(world, setting, how); }, options));
}

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + std::to_string(std::get<1>(info.param)) + "_" +
         std::get<2>(info.param) + (std::get<3>(info.param) == Access::direct ? "_direct" : "_messages");
}

INSTANTIATE_TEST_SUITE_P(OneNode, CommOneSided,
                         ::testing::Combine(::testing::ValuesIn(conformance::one_sided_checks()),
                                            ::testing::Values(1, 2, 4), ::testing::Values("found"),
                                            ::testing::Values(Access::direct, Access::messages)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Nodes, CommOneSided,
                         ::testing::Combine(::testing::ValuesIn(conformance::one_sided_checks()), ::testing::Values(4),
                                            ::testing::Values("0011", "0120"), ::testing::Values(Access::direct)),
                         name_of_case);

/// Adds in two steps, between which another thread draws: what the checks must notice.
class TornCounter {
 public:
  std::uint64_t fetch_add() {
    const std::uint64_t before = value_.load();
    if (before == 0) both_.arrive_and_wait();  // both threads have read the same number
    value_.store(before + 1);
    return before;
  }

 private:
  std::atomic<std::uint64_t> value_{0};
  std::barrier<> both_{2};
};

TEST(CommSharedCounter, TheCheckOfTicketsFindsACounterThatIsNotAtomic) {
  TornCounter torn;
  const auto tickets = conformance::draw_all([&] { return torn.fetch_add(); }, [] {}, 50, 2);
  EXPECT_EQ(conformance::find_fault(tickets, 50), "0 was drawn twice");
  EXPECT_EQ(conformance::find_fault({0, 1, 3}, 4), "2 was not drawn");
  EXPECT_EQ(conformance::find_fault({0, 1}, 3), "2 were drawn, not 3");
  EXPECT_EQ(conformance::find_fault({1, 0, 2}, 3), "");
}

TEST(CommOneSidedWindow, RanksOfANodeSeeEachOthersMemory) {
  on_ranks(2, [](Communicator& world) {
    OneSidedWindow<int> window(world, 3 + number(world.rank()));
    OneSidedWindow<int> by_messages(world, 3, {.access = Access::messages});
    window.data()[2] = 10 + static_cast<int>(number(world.rank()));
    window.fence();
    by_messages.fence();
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      EXPECT_EQ(window.view(RankId{rank}).size(), 3 + rank);
      EXPECT_EQ(window.view(RankId{rank})[2], 10 + static_cast<int>(rank));
      EXPECT_TRUE(by_messages.view(RankId{rank}).empty());
      EXPECT_EQ(by_messages.size(RankId{rank}), 3U);
    }
    window.fence();
  });
}

template <class Function>
std::string deadline_text(Function&& function) {
  try {
    function();
  } catch (const DeadlineError& error) {
    return error.what();
  }
  return {};
}

TEST(CommOneSidedWindow, ARankThatMakesNoneIsNamedAtTheDeadline) {
  std::string expected = "nothing";
  const auto first = [&](Communicator& world) {
    OneSidedWindow<int> window(world, 1);
    expected = describe(world.own()) + ": waited D s for " + describe(world.ranks()[1]) + " to make one-sided window 0";
    return complaint([&] { static_cast<void>(window.size(RankId{1})); });
  };
  const auto run = [&](double deadline_s) {
    return said_by_first({.setup_deadline_s = deadline_s}, first, [](Communicator&) {});
  };
  expect_words({"waited D s for ", " to make one-sided window 0"}, run);
  expect_words({expected}, run);
}

TEST(CommOneSidedWindow, WhatIsWaitedForIsNamedAtTheDeadline) {
  on_ranks(2, [](Communicator& world) {
    OneSidedWindow<int> window(world, 1, {.signals = 2});
    window.fence();
    EXPECT_EQ(deadline_text([&] { window.wait_signal(1, 3, 0.05); }),
              describe(world.own()) + ": timed out after 0.05 s: signal 1 of one-sided window 0 to reach 3 (it is 0)");
    window.fence();
  });
}

TEST(CommSharedCounter, AHomeThatDoesNotServeIsNamedAtTheDeadline) {
  std::atomic<bool> has_waited = false;
  on_ranks(2, [&](Communicator& world) {
    SharedCounter counter(world, {.access = Access::messages});
    counter.open();
    world.synchronise();
    if (number(world.rank()) == 1) {
      EXPECT_EQ(deadline_text([&] { counter.fetch_add(1, 0.05); }),
                describe(world.own()) + ": timed out after 0.05 s: " + describe(world.ranks()[0]) +
                    " to serve request 1 of 1 to it (it does when it waits or polls)");
      has_waited.store(true);
    }
    while (!has_waited.load()) yield_processor();  // which serves no requests
    world.synchronise();
    counter.reset();
    EXPECT_EQ(counter.read(), 0U);
    counter.reset();
  });
}

TEST(CommSharedCounter, NeedsAHomeThatIsThere) {
  on_ranks(1, [](Communicator& world) { EXPECT_THROW(SharedCounter(world, {.home = RankId{1}}), base::Error); });
}

TEST(CommWorkPool, NeedsChunksOfSomething) {
  on_ranks(1, [](Communicator& world) {
    EXPECT_THROW(WorkPool(world, 10, {.chunk = 0}), base::Error);
    EXPECT_THROW(WorkPool(world, 10, {.workers = 0}), base::Error);
    EXPECT_THROW(WorkPool(world, 10, {.batch = 0}), base::Error);
  });
}

TEST(CommWorkPool, GuidedChunksShrink) {
  on_ranks(1, [](Communicator& world) {
    WorkPool pool(world, 100, {.chunking = Chunking::guided, .chunk = 2, .workers = 2});
    std::vector<std::size_t> sizes;
    while (const auto range = pool.next()) sizes.push_back(range->size());
    // A quarter of what is left, at least 2: 100, 75, 57, 43, 33, 25, 19, 15, 12, 9, 7, 5, 3, 1 are left.
    EXPECT_EQ(sizes, (std::vector<std::size_t>{25, 18, 14, 10, 8, 6, 4, 3, 3, 2, 2, 2, 2, 1}));
    EXPECT_EQ(sizes.size(), pool.chunks());
  });
}

TEST(CommWorkPool, WorkersOfASchedulerDraw) {
  on_ranks(2, [](Communicator& world) {
    constexpr std::size_t items = 300;
    WorkPool pool(world, items);
    OneSidedWindow<std::uint8_t> done(world, number(world.rank()) == 0 ? items : 0);
    trace::Recorder recorder(2);
    tasks::Scheduler scheduler(2, recorder);
    scheduler.attach(world.completions());
    tasks::Graph graph;
    for (std::size_t worker = 0; worker < scheduler.workers(); ++worker) {
      graph.add(graph.kind("work"), tasks::reads(), [&](tasks::StepContext& /*step*/) {
        while (const auto range = pool.next()) {
          const std::uint8_t one = 1;
          for (std::size_t i = range->begin; i < range->end; ++i) done.put(RankId{0}, i, std::span(&one, 1));
          done.wait();
        }
      });
    }
    tasks::Activation all = graph.activate_all();
    scheduler.run(graph, all, {});
    scheduler.detach(world.completions());
    done.fence();
    for (const std::uint8_t count : done.data()) EXPECT_EQ(count, 1);
    done.fence();
  });
}

#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
TEST(CommOneSidedWindow, AccessAllocatesNothing) {
  for (const Access access : {Access::direct, Access::messages}) {
    on_ranks(2, [access](Communicator& world) {
      const RankId other{1 - number(world.rank())};
      OneSidedWindow<double> window(world, 10'000, {.access = access});
      WorkPool pool(world, 1'000'000, {.access = access});
      std::vector<double> memory(10'000);
      std::uint64_t round = 0;
      const auto step = [&] {
        window.put(other, 0, std::span<const double>(memory).first(5000), {.signal = 0});
        window.wait_signal(0, ++round);
        window.get(other, 5000, std::span(memory).subspan(5000));
        window.wait();
        static_cast<void>(pool.next());
        window.fence();
      };
      expect_no_allocations(world, step);
    });
  }
}
#endif

}  // namespace one_sided
}  // namespace tacit::comm::testing
