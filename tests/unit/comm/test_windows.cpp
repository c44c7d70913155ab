// Windows in a step: nothing is allocated, tasks wait for messages, late grants do not block.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/under_sanitizer.hpp"
#include "tacit/comm/window.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/ranks.hpp"
#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
#include "support/count_allocations.hpp"
#endif

namespace tacit::comm::testing {
namespace {

RankId other_rank(const Communicator& world) { return RankId{1 - number(world.rank())}; }

#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
TEST(CommWindows, AStepAllocatesNothing) {
  on_ranks(2, [](Communicator& world) {
    Connection connection(world, {.rank = other_rank(world)});
    SendWindow<double> send(connection, 5000);
    RecvWindow<double> receive(connection, 5000);
    std::array<base::Completion, 4> ends;
    const auto step = [&](std::size_t count) {
      send.post(count);  // before the grant, as may happen
      receive.init();
      static_cast<void>(receive.wait());
      send.wait();
      receive.init();
      receive.await(base::Token{1});
      send.post(count);
      send.await(base::Token{2});
      std::size_t open = 2;
      Backoff backoff(Processors::shared, 60.0);
      while (open > 0 && backoff.pause()) open -= world.completions().poll(ends);
      EXPECT_EQ(open, 0U);
    };
    step(5000);
    world.synchronise();
    static std::atomic<std::size_t> before;  // one count for both threads
    before = test::allocations.load();
    world.synchronise();
    const std::size_t after_synchronising = test::allocations.load();
    for (std::size_t i = 0; i < 100; ++i) step(50 * i);
    // The other rank may still be synchronising when this one begins: then it allocates its messages, a few of them.
    const std::size_t during = test::allocations.load() - after_synchronising;
    EXPECT_LE(during, 50U) << "one allocation in each of 100 steps would show";
    world.synchronise();
  });
}
#endif

TEST(CommWindows, MoveWithTheirMessages) {
  on_ranks(1, [](Communicator& world) {
    Connection connection(world, {.rank = RankId{0}});
    std::vector<SendWindow<int>> send;
    std::vector<RecvWindow<int>> receive;
    for (int i = 0; i < 10; ++i) {
      send.emplace_back(connection, 4);
      receive.emplace_back(connection, 4);
    }
    for (std::size_t i = 0; i < send.size(); ++i) {
      receive[i].init();
      send[i].data()[3] = static_cast<int>(i);
      send[i].post();
    }
    for (std::size_t i = 0; i < send.size(); ++i) EXPECT_EQ(receive[i].wait()[3], static_cast<int>(i));
  });
}

TEST(CommWindows, MemoryOfTheUserIsUsedInPlace) {
  on_ranks(2, [](Communicator& world) {
    Connection connection(world, {.rank = other_rank(world)});
    std::vector<float> out(1000, 1.5F + static_cast<float>(number(world.rank())));
    std::vector<float> in(1000);
    SendWindow<float> send(connection, std::span<const float>(out));
    RecvWindow<float> receive(connection, std::span<float>(in));
    receive.init();
    send.post(10);
    const auto message = receive.wait();
    EXPECT_EQ(message.data(), in.data());
    EXPECT_EQ(message.size(), 10U);
    EXPECT_EQ(in[9], 1.5F + static_cast<float>(number(other_rank(world))));
    EXPECT_EQ(in[10], 0.0F);
    send.wait();
  });
}

TEST(CommWindows, TasksWaitForMessages) {
  on_ranks(2, [](Communicator& world) {
    Connection connection(world, {.rank = other_rank(world)});
    SendWindow<std::uint32_t> send(connection, 1000);
    RecvWindow<std::uint32_t> receive(connection, 1000);
    trace::Recorder recorder(1);
    tasks::Scheduler scheduler(1, recorder);
    scheduler.attach(world.completions());
    tasks::Graph graph;
    const auto outgoing = graph.add_datum();
    const auto incoming = graph.add_datum();
    std::uint32_t turn = 0;
    std::vector<std::uint32_t> seen;
    graph.add(graph.kind("fill"), tasks::writes(outgoing),
              [&](tasks::StepContext& /*step*/) { send.data()[999] = 10 * turn + number(world.rank()); });
    graph.add(graph.kind("send"), tasks::reads(outgoing), [&](tasks::StepContext& step) {
      send.post();
      send.await(step.await(world.completions()));
    });
    graph.add(graph.kind("receive"), tasks::writes(incoming), [&](tasks::StepContext& step) {
      receive.init();
      receive.await(step.await(world.completions()));
    });
    graph.add(graph.kind("use"), tasks::reads(incoming),
              [&](tasks::StepContext& /*step*/) { seen.push_back(receive.message()[999]); });
    tasks::Activation all = graph.activate_all();
    for (turn = 0; turn < 50; ++turn) scheduler.run(graph, all, {});
    ASSERT_EQ(seen.size(), 50U);
    for (std::uint32_t i = 0; i < 50; ++i) EXPECT_EQ(seen[i], 10 * i + number(other_rank(world)));
    EXPECT_EQ(recorder.exposure().transfers, 100U);
    scheduler.detach(world.completions());
    world.synchronise();
  });
}

TEST(CommWindows, WhatIsAwaitedCanBeDescribedAndCancelled) {
  on_ranks(1, [](Communicator& world) {
    Connection connection(world, {.rank = RankId{0}});
    SendWindow<double> send(connection, 2);
    RecvWindow<double> receive(connection, 2);
    receive.init();
    receive.await(base::Token{7});
    const std::string text = world.completions().describe(base::Token{7});
    EXPECT_EQ(text, "message 1 of receive window 0 (16 B at most) of connection 0 with " + describe(world.own()) +
                        " through self");
    world.completions().cancel(base::Token{7});
    send.post();
    std::array<base::Completion, 1> ends;
    EXPECT_EQ(world.completions().poll(ends), 0U);
    EXPECT_TRUE(receive.test()) << "the grant holds, so the message came";
  });
}

TEST(CommWindows, WindowsWithMessagesUnderWayCanBeDestroyed) {
  on_ranks(1, [](Communicator& world) {
    Connection connection(world, {.rank = RankId{0}});
    {
      SendWindow<double> send(connection, 2000);
      RecvWindow<double> receive(connection, 2000);
      send.post();  // not granted: it is listed
      std::array<base::Completion, 1> ends;
      EXPECT_EQ(world.completions().poll(ends), 0U);
    }
    std::array<base::Completion, 1> ends;
    EXPECT_EQ(world.completions().poll(ends), 0U);
  });
}

}  // namespace
}  // namespace tacit::comm::testing
