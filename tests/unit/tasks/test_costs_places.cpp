// What decides who runs what and when: measured costs, the critical path, and where data live.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {
namespace costs_places_test {
namespace {

void spin(double seconds) {
  const base::Stopwatch watch;
  while (watch.seconds() < seconds) {
  }
}

// ---- costs ---------------------------------------------------------------------------------------------------------

/// Two chains; the declared costs favour the one that takes less time, however long other programs stretch it.
class LearnedCosts : public ::testing::Test {
 protected:
  LearnedCosts() {
    const DatumId fast = graph.add_datum();
    const DatumId slow = graph.add_datum();
    add("fast", fast, 9.0, false);
    add("fast", fast, 9.0, false);
    add("slow", slow, 1.0, false);
    add("slow", slow, 1.0, true);  // its cost decides on the one before it too
  }
  void add(const std::string& name, DatumId datum, double cost, bool takes_longest) {
    graph.add(name, writes(datum),
              [this, name, takes_longest](StepContext&) {
                order.push_back(name);
                if (takes_longest) outlast();
              },
              {.cost = cost});
  }
  /// Takes many times as long as the fast chain has by the times that the scheduler has measured.
  void outlast() {
    const std::int64_t begin = base::ticks();
    std::int64_t fast = 0;
    for (const trace::Event& event : recorder.track(0).events()) {
      if (recorder.name(event.kind) == "fast") fast += event.end - event.begin;
    }
    while (base::ticks() - begin < 20 * fast) {
    }
  }
  std::vector<std::string> order_of(Activation& activation) {
    order.clear();
    scheduler.run(graph, activation, {});
    return order;
  }
  using Order = std::vector<std::string>;
  trace::Recorder recorder{1, 64};
  Scheduler scheduler{1, recorder};
  Graph graph;
  Order order;
};

TEST_F(LearnedCosts, ChangeTheOrderOfLaterActivations) {
  Activation before = graph.activate_all();
  EXPECT_EQ(order_of(before), (Order{"fast", "fast", "slow", "slow"}));
  graph.learn_costs(before);
  EXPECT_EQ(order_of(before), (Order{"fast", "fast", "slow", "slow"})) << "made with the costs of then";
  Activation after = graph.activate_all();
  const Order learned = order_of(after);
  // Once "slow" is through, all that is left has next to no cost; before, it has all.
  EXPECT_EQ(learned[0], "slow");
  EXPECT_EQ(learned[1], "slow");
}

TEST_F(LearnedCosts, OfAPartLeaveTheOthersAsTheyWere) {
  const TaskKind kinds[] = {graph.kind("fast")};
  Activation part = graph.activate(kinds);
  EXPECT_EQ(order_of(part), (Order{"fast", "fast"}));
  graph.learn_costs(part);  // microseconds, beside a declared cost of 1
  Activation all = graph.activate_all();
  EXPECT_EQ(order_of(all)[0], "slow");
}

TEST_F(LearnedCosts, NeedARun) {
  EXPECT_THROW(graph.learn_costs(graph.activate_all()), base::PreconditionError);
  Activation all = graph.activate_all();
  scheduler.run(graph, all, {});
  graph.learn_costs(all);
  const TaskKind kinds[] = {graph.kind("fast")};
  graph.activate(kinds, all);
  EXPECT_THROW(graph.learn_costs(all), base::PreconditionError);
}

/// A run of "a", then "b" twice, and "c" beside all of it, which take about so long [s].
struct Chains {
  double a = 0.0;
  double b[2] = {};
  double c = 0.0;
};

/// @param seconds  receives what the scheduler has measured: of "a", of each "b", of "c"
trace::CriticalPath path_of_a_run(trace::Recorder& recorder, const Chains& chains, std::array<double, 4>& seconds) {
  {
    Scheduler scheduler(2, recorder);
    Graph graph;
    const DatumId x = graph.add_datum();
    graph.add("a", writes(x), [&](StepContext&) { spin(chains.a); }, {.key = 0});
    graph.add("b", reads(x), [&](StepContext&) { spin(chains.b[0]); }, {.key = 1});
    graph.add("b", reads(x), [&](StepContext&) { spin(chains.b[1]); }, {.key = 2});
    graph.add("c", {}, [&](StepContext&) { spin(chains.c); }, {.key = 3});
    scheduler.run(graph, graph.activate_all(), {});
  }
  for (std::size_t worker = 0; worker < 2; ++worker) {
    for (const trace::Event& event : recorder.track(worker).events()) {
      if (recorder.category(event.kind) != trace::Category::task) continue;
      seconds.at(event.key) = recorder.scale().seconds(event.end - event.begin);
    }
  }
  return recorder.critical_path();
}

/// Whatever the tasks have taken, on whatever machine: the chain that took longest by the times of the trace.
TEST(CriticalPath, IsTheLongestChainByMeasuredTimes) {
  const double ns_per_tick = base::TickScale().ns_per_tick();
  for (const Chains& chains : {Chains{.a = 0.4e-3, .b = {0.6e-3, 0.2e-3}, .c = 0.8e-3},
                               Chains{.a = 0.4e-3, .b = {0.1e-3, 0.5e-3}, .c = 0.1e-3},
                               Chains{.a = 0.1e-3, .b = {0.1e-3, 0.1e-3}, .c = 1e-3}}) {
    trace::Recorder recorder(2, 64, base::TickScale(base::ticks(), ns_per_tick));
    std::array<double, 4> seconds{};
    const trace::CriticalPath path = path_of_a_run(recorder, chains, seconds);
    const auto [a, b, other_b, c] = seconds;
    const double chain_s = a + std::max(b, other_b);
    EXPECT_EQ(path.runs, 1U);
    constexpr double of_floats = 1e-6;  // times of tasks have seven digits
    EXPECT_NEAR(path.work_s, a + b + other_b + c, of_floats * path.work_s);
    EXPECT_NEAR(path.length_s, std::max(chain_s, c), of_floats * path.length_s);
    if (std::abs(chain_s - c) < of_floats * c) continue;  // then either is right
    std::vector<std::pair<std::string, double>> expected{{"a", a}, {"b", std::max(b, other_b)}};
    if (c > chain_s) expected = {{"c", c}};
    ASSERT_EQ(path.by_kind.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(recorder.name(path.by_kind[i].first), expected[i].first);
      EXPECT_NEAR(path.by_kind[i].second, expected[i].second, of_floats * expected[i].second);
    }
  }
}

// ---- places --------------------------------------------------------------------------------------------------------

/// One task per worker at its place; they wait for each other, so each worker has one.
/// @return  how many did not run at home; nothing if there was a theft
std::optional<int> away_from_home(std::uint32_t workers) {
  trace::Recorder recorder(workers, 64);
  std::atomic<std::uint32_t> inside = 0;
  std::atomic<int> away = 0;
  Graph graph;
  for (std::uint32_t i = 0; i < workers; ++i) {
    const DatumId datum = graph.add_datum();
    const std::uint32_t home = workers - 1 - i;  // not what creation would give
    graph.set_place(datum, (home + 0.5) / workers);
    graph.add("meet", writes(datum), [&, home](StepContext& step) {
      away += step.worker() == home ? 0 : 1;
      ++inside;
      while (inside < workers) std::this_thread::yield();
    });
  }
  {  // the counters are at rest only when the workers have ended
    Scheduler scheduler(workers, recorder);
    scheduler.run(graph, graph.activate_all(), {});
  }
  if (recorder.counters().stolen > 0) return std::nullopt;
  return away.load();
}

TEST(Places, RootsRunAtHomeUnlessStolen) {
  for (const std::uint32_t workers : {1U, 2U, 3U}) {
    int undisturbed = 0;
    for (int i = 0; i < 500 && undisturbed < 10; ++i) {
      const std::optional<int> away = away_from_home(workers);
      if (!away) continue;
      ++undisturbed;
      ASSERT_EQ(*away, 0) << workers << " workers";
    }
    EXPECT_GT(undisturbed, 0) << workers << " workers: nothing was tested";
  }
}

/// Whoever does not run at home has been stolen.
TEST(Places, OnlyTheftTakesTasksAway) {
  constexpr std::uint32_t workers = 2;
  trace::Recorder recorder(workers, 1U << 10U);
  std::atomic<std::uint64_t> away = 0;
  constexpr std::uint32_t cells = 20;
  constexpr std::uint32_t steps = 30;
  {
    Scheduler scheduler(workers, recorder);
    Graph graph;
    std::vector<DatumId> x;
    for (std::uint32_t c = 0; c < cells; ++c) {
      x.push_back(graph.add_datum());
      graph.set_place(x.back(), (c + 0.5) / cells);
    }
    for (int stage = 0; stage < 4; ++stage) {
      for (std::uint32_t c = 0; c < cells; ++c) {
        graph.add("stage", reads(x[(c + 1) % cells]) + writes(x[c]), [&, c](StepContext& step) {
          away += step.worker() == c * workers / cells ? 0 : 1;
          spin(20e-6);
        });
      }
    }
    Activation all = graph.activate_all();
    for (std::uint32_t i = 0; i < steps; ++i) scheduler.run(graph, all, {});
  }
  EXPECT_LE(away, recorder.counters().stolen);
  EXPECT_EQ(recorder.counters().tasks, 4U * cells * steps);
}

TEST(Places, MustBeOfADatumAndBelowOne) {
  Graph graph;
  const DatumId datum = graph.add_datum();
#if defined(TACIT_CHECKS) || !defined(NDEBUG)
  EXPECT_THROW(graph.set_place(datum, 1.0), base::PreconditionError);
  EXPECT_THROW(graph.set_place(datum, -0.1), base::PreconditionError);
  EXPECT_THROW(graph.set_place(DatumId{7}, 0.5), base::PreconditionError);
#endif
  graph.set_place(datum, std::nextafter(1.0, 0.0));
  // As a float the largest place is 1: it must still have a home.
  graph.add("last", writes(datum), [](StepContext&) {});
  trace::Recorder recorder(3, 16);
  {
    Scheduler scheduler(3, recorder);
    scheduler.run(graph, graph.activate_all(), {});
  }
  EXPECT_EQ(recorder.counters().tasks, 1U);
}

/// Data without a place among others that have one, and data made after the first place was given.
TEST(Places, MayBeGivenToSomeOnly) {
  trace::Recorder recorder(2, 64);
  Scheduler scheduler(2, recorder);
  Graph graph;
  std::atomic<int> runs = 0;
  const DatumId placed = graph.add_datum();
  graph.set_place(placed, 0.75);
  const DatumId later = graph.add_datum();
  for (int i = 0; i < 3; ++i) {
    graph.add("placed", writes(placed), [&](StepContext&) { ++runs; });
    graph.add("both", reads(placed) + writes(later), [&](StepContext&) { ++runs; });
    graph.add("later", writes(later), [&](StepContext&) { ++runs; });
    graph.add("nothing", {}, [&](StepContext&) { ++runs; });
  }
  scheduler.run(graph, graph.activate_all(), {});
  EXPECT_EQ(runs, 12);
}

}  // namespace
}  // namespace costs_places_test
}  // namespace tacit::tasks
