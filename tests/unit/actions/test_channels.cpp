// Channels: values in order whatever order they come in, in coroutines and in graphs; quiet; what is refused.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tacit/actions/channel.hpp"
#include "tacit/base/random.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::actions::channels_test {
namespace {

using comm::RankId;
using comm::testing::on_ranks;

Table table_of_rows() {
  Table table;
  table.add_channel<std::vector<double>>("rows");
  return table;
}

/// The channel that a rank has made as its first object.
ChannelHandle<std::vector<double>> rows_of(std::uint64_t rank) { return {RankId{static_cast<std::uint32_t>(rank)}, 1}; }

template <class Function>
std::string message_of(Function&& function) {
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

// A ring of cells, one per rank, as a graph that runs once per step: each cell becomes the mean of itself and its left
// neighbour. The right neighbour's task awaits the value of the step, on this rank or on another one.
TEST(ActionChannels, FeedTheTasksOfAGraph) {
  constexpr std::uint64_t steps = 20;
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    for (const std::size_t threads : {1U, 2U}) {
      on_ranks(ranks, [&](comm::Communicator& world) {
        trace::Recorder recorder(threads, 4096);
        tasks::Scheduler scheduler(threads, recorder);
        Actions actions(world, scheduler, table_of_rows());
        Channel<std::vector<double>> from_left(actions);
        actions.quiet();  // all channels are there
        ChannelSetter<std::vector<double>> to_right(actions, rows_of((number(world.rank()) + 1) % ranks));

        std::vector<double> cell{1.0 + number(world.rank())};
        std::vector<double> rim;
        tasks::Graph graph;
        const auto own = graph.add_datum();
        const auto outer = graph.add_datum();
        graph.add("send", tasks::reads(own), [&](tasks::StepContext& step) { to_right.set(step.step, cell).ignore(); });
        graph.add("receive", tasks::writes(outer),
                  [&](tasks::StepContext& step) { from_left.await(step, step.step, rim); });
        graph.add("mean", tasks::reads(outer) + tasks::writes(own),
                  [&](tasks::StepContext&) { cell[0] = 0.5 * (cell[0] + rim[0]); });
        tasks::Activation all = graph.activate_all();
        std::vector<double> expected;
        for (std::size_t i = 0; i < ranks; ++i) expected.push_back(1.0 + static_cast<double>(i));
        for (std::uint64_t i = 0; i < steps; ++i) {
          tasks::StepContext step;
          step.step = i;
          scheduler.run(graph, all, step);
          const std::vector<double> before = expected;
          for (std::size_t k = 0; k < ranks; ++k) expected[k] = 0.5 * (before[k] + before[(k + ranks - 1) % ranks]);
          ASSERT_EQ(cell[0], expected[number(world.rank())]) << "step " << i;
        }
        actions.quiet();
      });
    }
  }
}

TEST(ActionChannels, MoveValuesOfTheirOwnRank) {
  on_ranks(1, [&](comm::Communicator& world) {
    trace::Recorder recorder(1, 64);
    tasks::Scheduler scheduler(1, recorder);
    Actions actions(world, scheduler, table_of_rows());
    Channel<std::vector<double>> rows(actions);
    ChannelSetter<std::vector<double>> setter(actions, rows.handle());
    const std::uint64_t before = actions.messages();
    for (const std::uint64_t generation : {1U, 0U, 40U}) {
      std::vector<double> row(1000, 0.5);
      const double* const memory = row.data();
      tasks::Future<std::vector<double>> early;
      if (generation == 0) early = rows.get(generation);
      setter.set(generation, std::move(row)).ignore();
      if (generation != 0) early = rows.get(generation);
      EXPECT_EQ(early.get().data(), memory);
    }
    EXPECT_EQ(actions.messages(), before);
  });
}

// ---- quiet
// -----------------------------------------------------------------------------------------------------------

std::atomic<std::uint64_t> hops{0};

/// Goes on to a rank that follows from the seed, without an answer; now and then it rests for a while before.
tasks::Task<> hop(Context context, std::uint64_t seed, std::uint32_t left) {
  ++hops;
  Actions& actions = context.actions();
  for (std::uint64_t i = 0; i < base::mix64(seed) % 8; ++i) co_await tasks::on(actions.scheduler());
  const RankId next{static_cast<std::uint32_t>(base::mix64(seed + 1) % actions.world().size())};
  if (left > 1) co_await actions.send<&hop>(next, base::mix64(seed + 2), left - 1);
}

// Chains that move on from rank to rank: counts that are summed while one is between two ranks must not look even.
TEST(ActionChannels, QuietWaitsForChainsThatNobodyAwaits) {
  constexpr std::uint32_t length = 20;
  constexpr std::uint64_t rounds = 5;
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    hops = 0;
    std::atomic<std::uint64_t> early{0};
    on_ranks(ranks, [&](comm::Communicator& world) {
      trace::Recorder recorder(2, 64);
      tasks::Scheduler scheduler(2, recorder);
      Table table;
      table.add<&hop>("hop");
      Actions actions(world, scheduler, table);
      for (std::uint64_t round = 1; round <= rounds; ++round) {
        actions.send<&hop>(RankId{0}, 1000 * round + number(world.rank()), length).ignore();
        actions.quiet();
        early += hops == round * ranks * length ? 0 : 1;
        world.synchronise();
      }
    });
    EXPECT_EQ(early, 0U) << ranks << " ranks";
    EXPECT_EQ(hops, rounds * ranks * length);
  }
}

// ---- what is refused, and how waits end
// ------------------------------------------------------------------------------

TEST(ActionChannels, NameWhatIsWrong) {
  on_ranks(2, [&](comm::Communicator& world) {
    trace::Recorder recorder(1, 64);
    tasks::Scheduler scheduler(1, recorder);
    Actions actions(world, scheduler, table_of_rows());
    EXPECT_EQ(message_of([&] { Channel<int>{actions}; }),
              "a channel is made whose values are not in the table of actions");
    std::optional<Channel<std::vector<double>>> rows(std::in_place, actions);
    actions.quiet();
    rows->set(3, {1.0});
    EXPECT_EQ(message_of([&] { rows->set(3, {}); }), "generation 3 of channel 1, 'rows', is set twice");
    EXPECT_EQ(rows->get(3).get().size(), 1U);
    EXPECT_EQ(message_of([&] { rows->set(3, {}); }), "generation 3 of channel 1, 'rows', is set twice");
    EXPECT_EQ(message_of([&] { static_cast<void>(rows->get(3)); }),
              "generation 3 of channel 1, 'rows', is taken twice");
    const auto waiting = rows->get(0);
    EXPECT_EQ(message_of([&] { static_cast<void>(rows->get(0)); }),
              "generation 0 of channel 1, 'rows', is taken twice");
    // Elsewhere it is an action without an answer.
    const RankId other{1 - number(world.rank())};
    ChannelSetter<std::vector<double>> setter(actions, rows_of(number(other)));
    ChannelSetter<std::vector<double>> own(actions, rows->handle());
    actions.quiet();
    if (number(world.rank()) == 0) setter.set(3, std::vector<double>{}).ignore();
    const std::string twice = message_of([&] { actions.quiet(); });
    EXPECT_NE(twice.find(number(world.rank()) == 1 ? "generation 3 of channel 1, 'rows', is set twice"
                                                   : "1 actions without an answer"),
              std::string::npos)
        << twice;
    rows.reset();
    EXPECT_NE(message_of([&] { waiting.get(); }).find("will not come: it is gone"), std::string::npos);
    EXPECT_THROW(own.set(4, std::vector<double>{}).ignore(), ObjectError);
    EXPECT_THROW((ChannelSetter<std::vector<double>>(actions, rows_of(number(world.rank())))), ObjectError);
    actions.quiet();
    setter.set(9, std::vector<double>{}).ignore();
    const std::string gone = message_of([&] { actions.quiet(); });
    EXPECT_NE(gone.find("object 1 is gone"), std::string::npos) << gone;
  });
}

// A run that ends with an error leaves the value to the next that asks; a value that never comes is named.
TEST(ActionChannels, OutliveTheRunThatAwaitsThem) {
  on_ranks(1, [&](comm::Communicator& world) {
    trace::Recorder recorder(1, 64);
    tasks::Scheduler scheduler({.workers = 1, .stall_timeout_s = 0.1}, recorder);
    Actions actions(world, scheduler, table_of_rows());
    Channel<std::vector<double>> rows(actions);
    std::vector<double> into;
    tasks::Graph graph;
    graph.add("receive", tasks::writes(graph.add_datum()),
              [&](tasks::StepContext& step) { rows.await(step, 7, into); });
    const std::string stall = message_of([&] { scheduler.run(graph, graph.activate_all(), {}); });
    EXPECT_NE(stall.find("task receive[0] waits for the value of generation 7 of channel 1, 'rows' on actions"),
              std::string::npos)
        << stall;
    rows.set(7, {0.25});
    EXPECT_TRUE(into.empty());
    EXPECT_EQ(rows.get(7).get(), std::vector<double>{0.25});
    const auto never = rows.get(8);
    const std::string caller = message_of([&] { never.get(); });
    EXPECT_NE(caller.find("a caller waits for the value of generation 8 of channel 1, 'rows' on actions"),
              std::string::npos)
        << caller;
  });
}

}  // namespace
}  // namespace tacit::actions::channels_test
