// Launches from tasks and coroutines: many at random, the bits of the plain loop each time, and never a standstill.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <string>

#include "running_slots.hpp"
#include "tacit/tasks/coroutine.hpp"

namespace tacit::gpu {
namespace launches_test {
namespace {

using testing::Devices;
using testing::need_of;
using testing::Problem;
using testing::Workers;

std::vector<Problem> problems_of(std::size_t count, std::uint64_t seed) {
  std::vector<Problem> problems;
  problems.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    problems.emplace_back(1 + static_cast<std::size_t>(base::uniform(seed, i, 1) * 100.0), seed + i);
  }
  return problems;
}

void expect_solved(const std::vector<Problem>& problems) {
  std::size_t solved = 0;
  for (const Problem& problem : problems) solved += problem.is_solved() ? 1 : 0;
  EXPECT_EQ(solved, problems.size());
}

struct Case {
  Fallback fallback;
  std::size_t slots;
  std::size_t devices;
  std::size_t workers;
  tasks::Polling polling;
};

/// Devices with delays and failures, of which all but the last are lost at some time.
Devices failing_devices(const Case& of, std::uint64_t seed, std::size_t launches) {
  std::vector<HostDeviceOptions> devices;
  for (std::size_t d = 0; d < of.devices; ++d) {
    HostDeviceOptions one;
    one.memory_bytes = std::size_t{1} << 20U;
    one.threads = 1 + d % 2;
    one.random_delay_s = 50e-6 * static_cast<double>(d);
    one.failing_share = 0.05;
    one.order = d % 2 == 0 ? PhaseOrder::forward : PhaseOrder::backward;
    if (d + 1 < of.devices) one.lost_at = launches / (2 * of.devices);
    one.seed = seed + d;
    devices.push_back(one);
  }
  return {std::move(devices), {.slots = of.slots, .fallback = of.fallback, .poisons = true}};
}

TEST(GpuLaunches, ManyAtRandomWithDelaysAndFailures) {
  const std::size_t in_all = std::getenv("TACIT_TEST_FULL") != nullptr ? 100'000 : 10'000;
  std::vector<Case> cases;
  for (const Fallback fallback : {Fallback::always, Fallback::never, Fallback::predicted}) {
    for (const std::size_t slots : {1U, 5U, 128U}) {
      cases.push_back(
          {fallback, slots, 1 + cases.size() % 3, 1 + cases.size() % 4, static_cast<tasks::Polling>(cases.size() % 3)});
    }
  }
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const std::size_t count = in_all / cases.size() + 1;
    const std::uint64_t seed = 1000 * (c + 1);
    Devices on = failing_devices(cases[c], seed, count);
    auto problems = problems_of(count, seed);
    Workers workers(*on.slots, {.workers = cases[c].workers, .polling = cases[c].polling});
    const LaunchKind kind = on.slots->kind("mirror");
    tasks::Graph graph;
    for (std::size_t i = 0; i < count; ++i) {
      testing::add_problem(graph, *on.slots, kind, problems[i], static_cast<std::uint32_t>(i), true);
    }
    workers.run(graph);
    expect_solved(problems);
    const LaunchCounts counts = on.slots->counts();
    EXPECT_EQ(counts.launched + counts.on_cpu, count) << c;
    EXPECT_EQ(counts.rescued, counts.failed) << c;
    EXPECT_GT(counts.launched, 0U) << c;
    if (cases[c].fallback == Fallback::never) {
      EXPECT_EQ(counts.on_cpu, 0U) << c;
    }
    EXPECT_EQ(on.slots->waiting(), 0U);
  }
}

TEST(GpuLaunches, FollowEachOtherInOrder) {
  // Each launch reads what the one before has copied out.
  constexpr std::size_t n = 33;
  for (const std::size_t workers : {1U, 2U}) {
    Devices on({{.memory_bytes = std::size_t{1} << 16U, .random_delay_s = 100e-6}}, {.slots = 4, .poisons = true});
    Workers run(*on.slots, workers);
    const LaunchKind kind = on.slots->kind("mirror");
    std::vector<double> x = testing::random_numbers(n, 1);
    std::vector<double> expected = x;
    std::vector<double> other(n);
    tasks::Graph graph;
    const tasks::DatumId datum = graph.add_datum();
    for (int i = 0; i < 50; ++i) {
      graph.add("step", tasks::writes(datum), [&](tasks::StepContext& step) {
        auto launch = on.slots->acquire(kind, need_of(n));
        launch.post(step.await(*on.slots),
                    [&](Program& program) { testing::record_mirror(program, 1.1, x, std::span<double>(x)); });
      });
      testing::mirror_plainly(1.1, expected, other);
      expected = other;
    }
    run.run(graph);
    EXPECT_EQ(x, expected);
  }
}

tasks::Task<> solve(Slots& slots, LaunchKind kind, Problem& problem) {
  const Need need = need_of(problem.x.size());
  if (auto launch = slots.acquire(kind, need)) {
    co_await tasks::completion(slots, [&](base::Token token) { launch.post(token, problem.record()); });
  } else {
    slots.run_on_cpu(kind, need.work, [&] { problem.compute(); });
  }
}

TEST(GpuLaunches, ResumeCoroutines) {
  for (const Fallback fallback : {Fallback::always, Fallback::never, Fallback::predicted}) {
    Devices on({{.memory_bytes = std::size_t{1} << 18U, .random_delay_s = 50e-6}}, {.slots = 8, .fallback = fallback});
    Workers workers(*on.slots, 2);
    const LaunchKind kind = on.slots->kind("mirror");
    auto problems = problems_of(500, 77);
    std::vector<tasks::Future<void>> ends;
    for (Problem& problem : problems) ends.push_back(tasks::spawn(workers.scheduler, solve(*on.slots, kind, problem)));
    for (const auto& end : ends) end.get();
    expect_solved(problems);
  }
}

/// What ends a run of one task with a launch.
std::string end_of(Devices& on, double stall_timeout_s = 0.0) {
  Workers workers(*on.slots, {.workers = 1, .stall_timeout_s = stall_timeout_s});
  const LaunchKind kind = on.slots->kind("mirror");
  Problem problem(20, 1);
  tasks::Graph graph;
  testing::add_problem(graph, *on.slots, kind, problem, 3);
  try {
    workers.run(graph);
  } catch (const base::Error& error) {
    return std::regex_replace(error.what(), std::regex("posted [0-9]+\\.[0-9] s ago"), "posted T ago");
  }
  return "no error";
}

TEST(GpuLaunches, AreNoCommunication) {
  for (const auto polling : {tasks::Polling::idle_workers, tasks::Polling::thread}) {
    Devices on({{.memory_bytes = std::size_t{1} << 18U, .delay_s = 1e-3}}, {.slots = 8});
    Workers workers(*on.slots, {.workers = 2, .polling = polling});
    const LaunchKind kind = on.slots->kind("mirror");
    auto problems = problems_of(100, 5);
    tasks::Graph graph;
    for (std::uint32_t i = 0; i < problems.size(); ++i) testing::add_problem(graph, *on.slots, kind, problems[i], i);
    workers.run(graph);
    workers.scheduler.settle();
    EXPECT_GT(on.slots->counts().launched, 0U);
    const trace::Exposure exposure = workers.recorder.exposure();
    EXPECT_EQ(exposure.exposed_s, 0.0);
    EXPECT_EQ(exposure.transfers, 0U);
    const auto seconds = [&](trace::Category category) {
      return workers.recorder.seconds(0, category) + workers.recorder.seconds(1, category);
    };
    EXPECT_GT(seconds(trace::Category::idle), 0.0);  // for the device
  }
}

TEST(GpuLaunches, AFailureEndsTheRunWithItsReason) {
  Devices on({{.memory_bytes = std::size_t{1} << 16U, .fails_at = 0}}, {.slots = 2});
  EXPECT_EQ(end_of(on), "launch slots: device 0: launch of 'mirror': a kernel failed\n  in task solve[3]");
  EXPECT_EQ(end_of(on), "no error");
}

TEST(GpuLaunches, ADeviceThatHangsIsNamed) {
  Devices on({{.memory_bytes = std::size_t{1} << 16U}}, {.slots = 2});
  on.devices[0]->hold();
  EXPECT_EQ(end_of(on, 0.1),
            "nothing has happened for 0.1 s\n"
            "  task solve[3] waits for launch of 'mirror' in slot 0 of device 0 on launch slots, posted T ago\n"
            "  0 of 1 tasks have ended");
  on.devices[0]->release();
  EXPECT_EQ(end_of(on), "no error");
}

}  // namespace
}  // namespace launches_test
}  // namespace tacit::gpu
