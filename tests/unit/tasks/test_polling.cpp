// Attaching and detaching of sources, and when the polling thread sleeps.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fake_source.hpp"
#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {
namespace polling_test {
namespace {

using testing::FakeSource;

constexpr auto none = FakeSource::Descriptor::none;
constexpr auto timer = FakeSource::Descriptor::timer;
constexpr int a_minute_ms = 60'000;

Task<> fetch(FakeSource& source) {
  co_await completion(source, [&](base::Token token) { source.post(token, 2e-4); });
}

TEST(CompletionUse, OnlyARunningTaskMayAwait) {
  FakeSource source;
  EXPECT_THROW(static_cast<void>(StepContext{}.await(source)), base::PreconditionError);
}

TEST(CompletionUse, AnAwaitedSourceCannotBeDetached) {
  trace::Recorder recorder(1, 16);
  Scheduler scheduler(1, recorder);
  FakeSource source;
  scheduler.attach(source);
  const Future<void> waiting = spawn(scheduler, fetch(source));
  scheduler.work_until([&] { return source.posted().size() == 1; });
  EXPECT_THROW(scheduler.detach(source), base::PreconditionError);
  waiting.get();
  scheduler.detach(source);
}

TEST(CompletionUse, PlacesOfDetachedSourcesAreUsedAgain) {
  trace::Recorder recorder(1, 16);
  Scheduler scheduler(1, recorder);
  std::vector<std::unique_ptr<FakeSource>> sources;
  for (int i = 0; i < 64; ++i) {
    sources.push_back(std::make_unique<FakeSource>());
    scheduler.attach(*sources.back());
  }
  FakeSource one_more;
  EXPECT_THROW(scheduler.attach(one_more), base::PreconditionError);
  for (int i = 0; i < 64; ++i) {
    scheduler.detach(*sources[static_cast<std::size_t>(i)]);
    scheduler.attach(one_more);
    spawn(scheduler, fetch(one_more)).get();
    scheduler.detach(one_more);
  }
}

/// What was cancelled may raise the descriptor when nothing is waited for any more.
TEST(PollingThread, SleepsThoughADescriptorIsRaisedThatNobodyWaitsFor) {
  trace::Recorder recorder(1, 16);
  FakeSource source("wire", timer);
  source.keep_cancelled();
  {
    Scheduler scheduler({.workers = 1, .polling = Polling::thread}, recorder);
    scheduler.attach(source);
    Graph graph;
    graph.add("exchange", {}, [&](StepContext& step) {
      source.post(step.await(source), 1e-3);
      throw std::runtime_error("bad");
    });
    EXPECT_THROW(scheduler.run(graph, graph.activate_all(), {}), std::runtime_error);
    pollfd raised{source.descriptor(), POLLIN, 0};
    EXPECT_EQ(::poll(&raised, 1, a_minute_ms), 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // in which it may go wrong
    scheduler.detach(source);
  }
  // At the start, after the post, and at the end, with one more each for a wake that comes early.
  EXPECT_LE(recorder.outside().counters.sleeps, 6U);
}

/// It asks some times without pause, then once after each sleep: with a descriptor until that is raised.
TEST(PollingThread, SleepsWhileAnOperationIsUnderWay) {
  constexpr std::size_t poller = 1;  // behind worker 0
  constexpr std::uint64_t without_pause = 200;
  for (const FakeSource::Descriptor descriptor : {timer, none}) {
    trace::Recorder recorder(1, 16);
    FakeSource source("wire", descriptor);
    {
      Scheduler scheduler({.workers = 1, .polling = Polling::thread}, recorder);
      scheduler.attach(source);
      Graph graph;
      graph.add("exchange", {}, [&](StepContext& step) {
        const base::Token token = step.await(source);
        source.post(token);
        while (descriptor == timer ? source.arms() == 0 : source.polls(poller) < without_pause + 20) {
          std::this_thread::yield();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // in which it may ask too often
        source.finish(token);
      });
      scheduler.run(graph, graph.activate_all(), {});
      scheduler.detach(source);
    }
    const trace::Counters& counters = recorder.outside().counters;
    EXPECT_EQ(counters.polls, source.polls(poller));
    EXPECT_GE(counters.sleeps, 1U);
    EXPECT_LE(counters.polls, without_pause + counters.sleeps);
    // Once more when it is raised, and after a wake that came late.
    if (descriptor == timer) {
      EXPECT_LE(counters.polls, without_pause + 5);
    }
    EXPECT_EQ(counters.completions, 1U);
  }
}

}  // namespace
}  // namespace polling_test
}  // namespace tacit::tasks
