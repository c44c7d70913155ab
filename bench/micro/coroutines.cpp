// What futures and coroutines cost.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <utility>

#include "micro/own.hpp"
#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/future.hpp"

namespace tacit::bench {
namespace {

using tasks::Future;
using tasks::Scheduler;
using tasks::Task;

/// promise -> then -> then ... -> wait
void run_then_chain(Scheduler& scheduler, std::size_t links) {
  tasks::Promise<std::uint64_t> begin(scheduler);
  Future<std::uint64_t> end = begin.future();
  for (std::size_t i = 0; i < links; ++i) {
    end = std::move(end).then([](std::uint64_t value) { return value + 1; });
  }
  begin.set_value(0U);
  if (end.get() != links) throw base::Error("a chain of futures lost a link");
}

Task<std::uint64_t> one() { co_return 1; }

/// Makes, awaits and ends a coroutine, again and again.
Task<std::uint64_t> await_many(std::size_t times) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < times; ++i) sum += co_await one();
  co_return sum;
}

/// A chain of coroutines, each of which awaits the next.
Task<std::uint64_t> await_deep(std::size_t depth) {
  if (depth == 0) co_return 0;  // g++ 12 evaluates an await in a conditional expression in any case
  co_return 1 + co_await await_deep(depth - 1);
}

/// Goes through the scheduler's queue again and again.
Task<std::uint64_t> reschedule(Scheduler& scheduler, std::size_t times) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < times; ++i) {
    co_await tasks::on(scheduler);
    ++count;
  }
  co_return count;
}

void expect(Future<std::uint64_t> sum, std::size_t wanted) {
  if (sum.get() != wanted) throw base::Error("a coroutine lost a step");
}

}  // namespace

void measure_coroutines(Session& session) {
  const std::size_t count = session.size(20'000, 100);
  OwnScheduler own({.workers = 2});
  std::vector<Contestant> runs;
  runs.push_back(own.contestant("then_link_2t_ns", [&] { run_then_chain(own.scheduler(), count); }));
  runs.push_back(
      own.contestant("await_2t_ns", [&] { expect(tasks::spawn(own.scheduler(), await_many(count)), count); }));
  runs.push_back(
      own.contestant("await_deep_2t_ns", [&] { expect(tasks::spawn(own.scheduler(), await_deep(count)), count); }));
  runs.push_back(own.contestant(
      "reschedule_2t_ns", [&] { expect(tasks::spawn(own.scheduler(), reschedule(own.scheduler(), count)), count); }));
  const auto seconds = measure_in_turns(runs, repetitions(session.effort(), 4));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    session.add(
        {.name = runs[i].name, .unit = "ns", .ours = summarise(scaled(seconds[i], 1e9 / static_cast<double>(count)))});
  }
}

}  // namespace tacit::bench
