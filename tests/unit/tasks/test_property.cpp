// Random graphs and activations on several workers against their serial execution.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "random_graph.hpp"
#include "tacit/tasks/detail/data_tree.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {
namespace property_test {

using namespace testing;

constexpr int cases = under_tsan ? 150 : 3000;

bool conflicting(const Plan& plan, const Access& a, const Access& b) {
  const bool compatible = a.mode == b.mode && a.mode != AccessMode::write;
  return plan.related(a.datum, b.datum) && !compatible;
}

std::vector<Accesses> merged(const Plan& plan, const std::vector<TaskId>& part) {
  std::vector<Accesses> all;
  for (const TaskId task : part) {
    all.push_back(detail::merge_accesses(plan.tasks[static_cast<std::size_t>(task)].accesses, plan.parents));
  }
  return all;
}

/// The definition: earlier before later wherever two accesses conflict.
Order demanded_order(const Plan& plan, const std::vector<Accesses>& tasks) {
  Order order(tasks.size(), std::vector<bool>(tasks.size(), false));
  for (std::size_t a = 0; a < tasks.size(); ++a) {
    for (std::size_t b = a + 1; b < tasks.size(); ++b) {
      for (const Access& x : tasks[a]) {
        for (const Access& y : tasks[b]) {
          if (conflicting(plan, x, y)) order[a][b] = true;
        }
      }
    }
  }
  return order;
}

/// Whether an access between tasks a < b, conflicting with commutes on the smaller of two data, separates them.
bool separated(const Plan& plan, const std::vector<Accesses>& tasks, std::size_t a, std::size_t b, DatumId smaller) {
  for (std::size_t i = a + 1; i < b; ++i) {
    for (const Access& access : tasks[i]) {
      if (access.mode != AccessMode::commute && plan.related(access.datum, smaller)) return true;
    }
  }
  return false;
}

/// Pairs (a < b) that commute on related data with nothing in between.
std::vector<std::pair<std::size_t, std::size_t>> commuting_pairs(const Plan& plan, const std::vector<Accesses>& tasks) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < tasks.size(); ++a) {
    for (std::size_t b = a + 1; b < tasks.size(); ++b) {
      for (const Access& x : tasks[a]) {
        for (const Access& y : tasks[b]) {
          if (x.mode != AccessMode::commute || y.mode != x.mode || !plan.related(x.datum, y.datum)) continue;
          const DatumId smaller = plan.contains(x.datum, y.datum) ? y.datum : x.datum;
          if (!separated(plan, tasks, a, b, smaller)) pairs.emplace_back(a, b);
        }
      }
    }
  }
  return pairs;
}

TaskFunction no_work(std::size_t) {
  return [](StepContext&) {};
}

TEST(TasksProperty, EdgesAreExactlyTheClosureOfConflictingPairs) {
  Random random(11);
  for (int i = 0; i < cases; ++i) {
    const Plan plan = random_plan(random, 8, 24);
    const std::vector<TaskId> part = random_part(random, plan);
    const Graph graph = make_graph(plan, Conflicts::any_order, no_work);
    Order expected = demanded_order(plan, merged(plan, part));
    close_transitively(expected);
    ASSERT_EQ(drawn_order(graph, graph.activate(part)), expected) << "case " << i;
  }
}

TEST(TasksProperty, OrderedFollowsKeysUnlessOtherAccessesForbid) {
  Random random(12);
  int contradictions = 0;
  for (int i = 0; i < cases; ++i) {
    const Plan plan = random_plan(random, 6, 20);
    const std::vector<TaskId> part = random_part(random, plan);
    const std::vector<Accesses> tasks = merged(plan, part);
    const Graph graph = make_graph(plan, Conflicts::ordered, no_work);
    const Order drawn = drawn_order(graph, graph.activate(part));
    const auto pairs = commuting_pairs(plan, tasks);
    Order demanded = demanded_order(plan, tasks);
    Order expected = demanded;
    const auto place = [&](std::size_t t) {
      const Plan::Task& task = plan.tasks[static_cast<std::size_t>(part[t])];
      return std::tuple(task.key, std::string(kind_names[task.kind]), t);
    };
    for (const auto& [a, b] : pairs) {
      if (place(a) < place(b)) {
        expected[a][b] = true;
      } else {
        expected[b][a] = true;
      }
    }
    close_transitively(expected);
    ASSERT_FALSE(is_cyclic(drawn)) << "case " << i;
    if (!is_cyclic(expected)) {
      ASSERT_EQ(drawn, expected) << "case " << i;
      continue;
    }
    ++contradictions;
    close_transitively(demanded);
    for (std::size_t a = 0; a < tasks.size(); ++a) {
      for (std::size_t b = 0; b < tasks.size(); ++b) ASSERT_TRUE(!demanded[a][b] || drawn[a][b]) << "case " << i;
    }
    for (const auto& [a, b] : pairs) ASSERT_TRUE(drawn[a][b] || drawn[b][a]) << "case " << i;
  }
  EXPECT_GT(contradictions, 0) << "the fallback was never tried";
}

void compare_with_serial(std::uint64_t seed, Conflicts conflicts, int count) {
  Random random(seed);
  trace::Recorder recorder(4, 16);
  Scheduler one(1, recorder);
  Scheduler two(2, recorder);
  Scheduler four(4, recorder);
  for (int i = 0; i < count; ++i) {
    const Plan plan = random_plan(random, 8, 32);
    const std::vector<TaskId> part = random_part(random, plan);
    Model serial(plan);
    for (const TaskId task : part) serial.run(static_cast<std::size_t>(task));
    Model* target = nullptr;
    Graph graph =
        make_graph(plan, conflicts, [&](std::size_t t) { return [&target, t](StepContext&) { target->run(t); }; });
    Activation activation = graph.activate(part);
    for (Scheduler* scheduler : {&one, &two, &four}) {
      Model parallel(plan);
      target = &parallel;
      scheduler->run(graph, activation, {});
      ASSERT_EQ(parallel.difference(serial), "") << "case " << i << " on " << scheduler->workers() << " workers";
    }
  }
}

TEST(TasksProperty, AnyOrderGivesWhatSerialExecutionGives) { compare_with_serial(13, Conflicts::any_order, cases); }

TEST(TasksProperty, OrderedGivesWhatSerialExecutionGives) { compare_with_serial(14, Conflicts::ordered, cases / 2); }

/// A plan of two tasks on one datum.
Plan two_tasks(AccessMode first, AccessMode second) {
  Plan plan;
  plan.parents = {DatumId::none};
  plan.tasks = {{.accesses = {{DatumId{0}, first}}}, {.accesses = {{DatumId{0}, second}}}};
  return plan;
}

std::string difference_of_swapped(const Plan& plan) {
  Model serial(plan);
  serial.run(0);
  serial.run(1);
  Model swapped(plan);
  swapped.run(1);
  swapped.run(0);
  return swapped.difference(serial);
}

TEST(TasksPropertyChecker, NoticesEveryWrongOrder) {
  using enum AccessMode;
  EXPECT_EQ(difference_of_swapped(two_tasks(write, write)), "final content");
  EXPECT_EQ(difference_of_swapped(two_tasks(write, read)), "what a task has read");
  EXPECT_EQ(difference_of_swapped(two_tasks(read, write)), "what a task has read");
  EXPECT_EQ(difference_of_swapped(two_tasks(commute, read)), "what a task has read");
  EXPECT_EQ(difference_of_swapped(two_tasks(commute, write)), "final content");
  EXPECT_EQ(difference_of_swapped(two_tasks(write, commute)), "final content");
  EXPECT_EQ(difference_of_swapped(two_tasks(read, read)), "");
  EXPECT_EQ(difference_of_swapped(two_tasks(commute, commute)), "");
}

TEST(TasksPropertyChecker, NoticesOverlapsAndMissingTasks) {
  const Plan plan = two_tasks(AccessMode::commute, AccessMode::commute);
  const Model fresh(plan);
  for (const AccessMode inside : {AccessMode::read, AccessMode::write, AccessMode::commute}) {
    for (const AccessMode next : {AccessMode::read, AccessMode::write, AccessMode::commute}) {
      Model model(plan);
      model.enter(0, inside);
      model.enter(0, next);
      const bool harmless = inside == AccessMode::read && next == AccessMode::read;
      EXPECT_EQ(model.difference(fresh), harmless ? "" : "overlapping accesses");
    }
  }
  Model serial(plan);
  serial.run(0);
  EXPECT_EQ(fresh.difference(serial), "number of tasks");
}

}  // namespace property_test
}  // namespace tacit::tasks
