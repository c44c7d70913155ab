// What the tasks of an exchange tell the scheduler: that they are communication, what answers them, and to stay awake.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "error_of.hpp"
#include "fake_source.hpp"
#include "support/under_sanitizer.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/topology/cpus.hpp"
#include "tacit/trace/trace.hpp"
#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
#include "support/count_allocations.hpp"
#endif

namespace tacit::tasks {
namespace kinds_relations_test {
namespace {

using Words = std::vector<std::string>;

// ---- kinds by category ---------------------------------------------------------------------------------------------

TEST(TasksKinds, TheSameNameInAnotherCategoryIsAnotherKind) {
  Graph graph;
  const TaskKind work = graph.kind("pack");
  const TaskKind communication = graph.kind("pack", trace::Category::communication);
  EXPECT_NE(work, communication);
  EXPECT_EQ(graph.kind("pack"), work);
  EXPECT_EQ(graph.kind("pack", trace::Category::communication), communication);
  EXPECT_EQ(graph.kind_name(communication), "pack");
}

TEST(TasksKinds, MessagesAreCountedUnderTheirPhase) {
  trace::Recorder recorder(2);
  {
    Scheduler scheduler(2, recorder);
    Graph graph;
    const TaskKind halo = graph.kind("halo", trace::Category::communication);
    for (int i = 0; i < 50; ++i) {
      graph.add(graph.kind("halo post"), {}, [halo](StepContext& step) { step.note_sent(halo, 2, 100); });
    }
    Activation all = graph.activate_all();
    for (int i = 0; i < 3; ++i) scheduler.run(graph, all, {});
  }
  const auto sent = recorder.sent();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].name, "halo");
  EXPECT_EQ(sent[0].messages, 300U);
  EXPECT_EQ(sent[0].bytes, 15'000U);
}

TEST(TasksKinds, OnlyARunningTaskCountsMessages) {
  Graph graph;
  const TaskKind halo = graph.kind("halo");
  StepContext outside;
  EXPECT_EQ(testing::error_of([&] { outside.note_sent(halo, 1, 1); }), "only a running task can count messages");
}

/// Runs one task that takes some time. @return exposed time, and time inside of the task's function [ticks]
std::pair<double, double> exposed_by(trace::Category category) {
  constexpr double ns_per_tick = 1.0;  // says the recorder
  trace::Recorder recorder(1, 16, base::TickScale(base::ticks(), ns_per_tick));
  std::int64_t spent = 0;
  {
    Scheduler scheduler(1, recorder);
    Graph graph;
    graph.add(graph.kind("pack", category), {}, [&](StepContext&) {
      const std::int64_t begin = base::ticks();
      while (spent < 1'000'000) spent = base::ticks() - begin;
    });
    Activation all = graph.activate_all();
    scheduler.run(graph, all, {});
  }
  return {1e9 * recorder.exposure().exposed_s / ns_per_tick, static_cast<double>(spent)};
}

TEST(TasksKinds, CommunicationCountsAsExposed) {
  const auto [exposed, spent] = exposed_by(trace::Category::communication);
  EXPECT_GE(exposed, (1.0 - 1e-12) * spent);
  EXPECT_EQ(exposed_by(trace::Category::task).first, 0.0) << "nothing is transferred";
}

TEST(TasksKinds, OfTwoGraphsAreToldApart) {
  trace::Recorder recorder(1);
  Scheduler scheduler(1, recorder);
  const auto run = [&](const char* name) {
    Graph graph;
    graph.add(name, {}, [](StepContext&) {});
    Activation all = graph.activate_all();
    scheduler.run(graph, all, {});
  };
  for (const char* name : {"first", "second", "first"}) run(name);  // each with one kind
  scheduler.settle();
  EXPECT_EQ(recorder.track(0).sum(recorder.kind("first")).count, 2U);
  EXPECT_EQ(recorder.track(0).sum(recorder.kind("second")).count, 1U);
}

TEST(TasksKinds, ThoseAddedBetweenRunsAreNamedToo) {
  trace::Recorder recorder(1);
  Scheduler scheduler(1, recorder);
  Graph graph;
  for (const char* name : {"first", "second"}) {
    graph.add(name, {}, [](StepContext&) {});
    Activation all = graph.activate_all();
    scheduler.run(graph, all, {});
  }
  scheduler.settle();
  EXPECT_EQ(recorder.track(0).sum(recorder.kind("first")).count, 2U);
  EXPECT_EQ(recorder.track(0).sum(recorder.kind("second")).count, 1U);
}

// ---- expect_after --------------------------------------------------------------------------------------------------

/// A send, work that is worth more, and behind the arrival of the answer a lot: on one worker, the order tells levels.
class ExpectAfter : public ::testing::Test {
 protected:
  TaskId add(const char* name, const Accesses& accesses, double cost) {
    return graph.add(name, accesses, [this, name](StepContext&) { order.emplace_back(name); }, {.cost = cost});
  }
  Words order_of(Activation& activation) {
    order.clear();
    scheduler.run(graph, activation, {});
    return order;
  }
  std::size_t place_of(const char* name) const {
    return static_cast<std::size_t>(std::ranges::find(order, name) - order.begin());
  }
  trace::Recorder recorder{1, 64};
  Scheduler scheduler{1, recorder};
  Graph graph;
  Words order;
};

TEST_F(ExpectAfter, MakesAQuestionAsUrgentAsWhatFollowsTheAnswer) {
  const DatumId ghosts = graph.add_datum();
  const TaskId work = add("work", {}, 5.0);
  const TaskId send = add("send", {}, 0.1);
  const TaskId arrive = add("arrive", writes(ghosts), 0.1);
  add("use", reads(ghosts), 10.0);
  Activation before = graph.activate_all();
  EXPECT_EQ(order_of(before), (Words{"arrive", "use", "work", "send"}));
  graph.expect_after({&send, 1}, arrive);
  Activation after = graph.activate_all();
  const Words with = order_of(after);
  EXPECT_LT(place_of("send"), place_of("work"));
  EXPECT_EQ(with.size(), 4U);
  // Where nothing follows, or the answer is left out, it is what it was.
  Activation part = graph.activate(std::array{work, send});
  EXPECT_EQ(order_of(part), (Words{"work", "send"}));
}

TEST_F(ExpectAfter, GoesThroughTheSendersOfASender) {
  // "fill" leads to "send", whose answer leads to much.
  const DatumId rim = graph.add_datum();
  const DatumId ghosts = graph.add_datum();
  add("work", {}, 5.0);
  add("fill", writes(rim), 0.1);
  const std::array sends{add("send a", reads(rim), 0.1), add("send b", reads(rim), 0.1)};
  const TaskId arrive = add("arrive", writes(ghosts), 0.1);
  add("use", reads(ghosts), 10.0);
  graph.expect_after(sends, arrive);
  Activation all = graph.activate_all();
  static_cast<void>(order_of(all));
  EXPECT_LT(place_of("fill"), place_of("work"));
  EXPECT_LT(place_of("send a"), place_of("work"));
  EXPECT_LT(place_of("send b"), place_of("work"));
}

TEST_F(ExpectAfter, DemandsNoOrder) {
  const TaskId send = add("send", {}, 1.0);
  const TaskId arrive = add("arrive", {}, 1.0);
  Activation before = graph.activate_all();
  graph.expect_after({&send, 1}, arrive);
  Activation after = graph.activate_all();
  EXPECT_EQ(after.edges(), before.edges());
  EXPECT_EQ(after.joins(), 0U);
  Activation answer = graph.activate(std::array{arrive});
  EXPECT_EQ(order_of(answer), Words{"arrive"}) << "it does not wait for what is left out";
}

TEST_F(ExpectAfter, RefusesAnAnswerThatWasAddedFirst) {
  const TaskId arrive = add("arrive", {}, 1.0);
  const TaskId send = add("send", {}, 1.0);
  std::string text = "nothing was thrown";
  try {
    graph.expect_after({&send, 1}, arrive);
  } catch (const base::PreconditionError& error) {
    text = error.what();
  }
  EXPECT_EQ(text, "send[0] was not added before arrive[0]");
}

#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
TEST_F(ExpectAfter, ActivatingAgainAllocatesNothing) {
  const DatumId ghosts = graph.add_datum();
  const TaskId send = add("send", {}, 0.1);
  const TaskId arrive = add("arrive", writes(ghosts), 0.1);
  add("use", reads(ghosts), 1.0);
  graph.expect_after({&send, 1}, arrive);
  const std::array chosen{send, arrive};
  Activation into;
  graph.activate(chosen, into);
  const std::size_t before = test::allocations.load();
  for (int i = 0; i < 10; ++i) graph.activate(chosen, into);
  EXPECT_EQ(test::allocations.load() - before, 0U);
}
#endif

// ---- StayAwake -----------------------------------------------------------------------------------------------------

/// Runs short graphs with pauses between them in which workers may sleep. @return how often they did
std::uint64_t sleeps_of(bool stays_awake, std::size_t runs) {
  trace::Recorder recorder(2);
  {
    Scheduler scheduler(2, recorder);
    Graph graph;
    graph.add("work", {}, [](StepContext&) {});
    Activation all = graph.activate_all();
    std::optional<Scheduler::StayAwake> awake;
    if (stays_awake) awake.emplace(scheduler);
    scheduler.run(graph, all, {});
    scheduler.settle();
    const std::uint64_t before = recorder.track(1).counters.sleeps;  // until it was kept awake
    for (std::size_t i = 0; i < runs; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // a worker spins for 50 us
      scheduler.run(graph, all, {});
    }
    scheduler.settle();
    return recorder.track(1).counters.sleeps - before;
  }
}

TEST(TasksStayAwake, KeepsWorkersFromSleepingBetweenRuns) {
  if (topology::available_threads() < 2) GTEST_SKIP() << "with more workers than processors, they always sleep";
  EXPECT_EQ(sleeps_of(true, 20), 0U);
  std::uint64_t without = 0;
  const base::Stopwatch watch;
  while (without == 0 && watch.seconds() < 60.0) without = sleeps_of(false, 20);
  EXPECT_GT(without, 0U) << "else the test above could not fail";
}

}  // namespace
}  // namespace kinds_relations_test
}  // namespace tacit::tasks
