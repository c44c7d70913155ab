// Random graphs and activations on several workers against their serial execution.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "properties.hpp"
#include "random_graph.hpp"
#include "tacit/tasks/detail/data_tree.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {
namespace property_test {

using namespace testing;

constexpr Cases edges_cases{.quick = 3000, .all = 20'000};
constexpr Cases any_order_cases{.quick = 3000, .all = 25'000};
constexpr Cases ordered_cases{.quick = 1500, .all = 15'000};

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

/// The order that a plan demands of the tasks of a part.
Order expected_order(const Plan& plan, const std::vector<TaskId>& part) {
  Order expected = demanded_order(plan, merged(plan, part));
  close_transitively(expected);
  return expected;
}

/// The order that the graph of a plan has.
Order drawn_order_of(const Plan& plan, Conflicts conflicts, const std::vector<TaskId>& part) {
  const Graph graph = make_graph(plan, conflicts, no_work);
  return drawn_order(graph, graph.activate(part));
}

TEST(TasksProperty, EdgesAreExactlyTheClosureOfConflictingPairs) {
  for_all(11, edges_cases, [](Random& random) {
    const Plan plan = random_plan(random, 8, 24);
    const std::vector<TaskId> part = random_part(random, plan);
    ASSERT_EQ(drawn_order_of(plan, Conflicts::any_order, part), expected_order(plan, part));
  });
}

TEST(TasksPropertyMutant, AnAccessLessGivesOtherEdges) {
  int noticed = 0;
  for_all(12, {.quick = 200, .all = 200}, [&](Random& random) {
    const Plan plan = random_plan(random, 8, 24);
    const std::vector<TaskId> part = random_part(random, plan);
    const Plan mutant = with_one_access_less(random, plan);
    noticed += drawn_order_of(mutant, Conflicts::any_order, part) != expected_order(plan, part) ? 1 : 0;
  });
  EXPECT_GT(noticed, 0);
}

/// What a graph with ordered conflicts must have: an order that follows the keys of commuting tasks, or, where that is
/// impossible, at least all that is demanded and some order of each commuting pair.
struct KeyOrder {
  Order expected;
  Order demanded;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  bool is_contradiction = false;
};

KeyOrder key_order(const Plan& plan, const std::vector<TaskId>& part) {
  const std::vector<Accesses> tasks = merged(plan, part);
  KeyOrder keys{.expected = demanded_order(plan, tasks),
                .demanded = expected_order(plan, part),
                .pairs = commuting_pairs(plan, tasks)};
  const auto place = [&](std::size_t t) {
    const Plan::Task& task = plan.tasks[static_cast<std::size_t>(part[t])];
    return std::tuple(task.key, std::string(kind_names[task.kind]), t);
  };
  for (const auto& [a, b] : keys.pairs) {
    if (place(a) < place(b)) {
      keys.expected[a][b] = true;
    } else {
      keys.expected[b][a] = true;
    }
  }
  close_transitively(keys.expected);
  keys.is_contradiction = is_cyclic(keys.expected);
  return keys;
}

bool fulfils(const Order& drawn, const KeyOrder& keys) {
  if (is_cyclic(drawn)) return false;
  if (!keys.is_contradiction) return drawn == keys.expected;
  for (std::size_t a = 0; a < drawn.size(); ++a) {
    for (std::size_t b = 0; b < drawn.size(); ++b) {
      if (keys.demanded[a][b] && !drawn[a][b]) return false;
    }
  }
  return std::ranges::all_of(
      keys.pairs, [&](const auto& pair) { return drawn[pair.first][pair.second] || drawn[pair.second][pair.first]; });
}

TEST(TasksProperty, OrderedFollowsKeysUnlessOtherAccessesForbid) {
  int contradictions = 0;
  for_all(13, edges_cases, [&](Random& random) {
    const Plan plan = random_plan(random, 6, 20);
    const std::vector<TaskId> part = random_part(random, plan);
    const KeyOrder keys = key_order(plan, part);
    ASSERT_TRUE(fulfils(drawn_order_of(plan, Conflicts::ordered, part), keys));
    contradictions += keys.is_contradiction ? 1 : 0;
  });
  EXPECT_GT(contradictions, 0) << "the fallback was never tried";
}

TEST(TasksPropertyMutant, AnotherKeyGivesAnotherOrder) {
  int noticed = 0;
  for_all(14, {.quick = 200, .all = 200}, [&](Random& random) {
    const Plan plan = random_plan(random, 6, 20);
    const std::vector<TaskId> part = random_part(random, plan);
    Plan mutant = plan;
    for (Plan::Task& task : mutant.tasks) task.key = 6 - task.key;
    noticed += fulfils(drawn_order_of(mutant, Conflicts::ordered, part), key_order(plan, part)) ? 0 : 1;
  });
  EXPECT_GT(noticed, 0);
}

/// Runs the graph of `made` with the work of `plan`, again and again.
class Trial {
 public:
  Trial(const Plan& plan, const Plan& made, Conflicts conflicts, const std::vector<TaskId>& part)
      : plan_(&plan),
        serial_(plan),
        graph_(
            make_graph(made, conflicts, [this](std::size_t t) { return [this, t](StepContext&) { now_->run(t); }; })),
        activation_(graph_.activate(part)) {
    for (const TaskId task : part) serial_.run(static_cast<std::size_t>(task));
  }
  /// What one run does to the memory that it should not.
  std::string difference_on(Scheduler& scheduler) {
    Model model(*plan_);
    now_ = &model;
    scheduler.run(graph_, activation_, {});
    return model.difference(serial_);
  }

 private:
  const Plan* plan_;
  Model serial_;
  Model* now_ = nullptr;
  Graph graph_;
  Activation activation_;
};

void compare_with_serial(std::uint64_t property, Conflicts conflicts, const Cases& cases) {
  trace::Recorder of_one(1, 16);
  trace::Recorder of_two(2, 16);
  trace::Recorder of_four(4, 16);
  Scheduler one(1, of_one);
  Scheduler two(2, of_two);
  Scheduler four(4, of_four);
  for_all(property, cases, [&](Random& random) {
    const Plan plan = random_plan(random, 8, 32);
    Trial trial(plan, plan, conflicts, random_part(random, plan));
    for (Scheduler* scheduler : {&one, &two, &four}) {
      ASSERT_EQ(trial.difference_on(*scheduler), "") << "on " << scheduler->workers() << " workers";
    }
  });
}

TEST(TasksProperty, AnyOrderGivesWhatSerialExecutionGives) {
  compare_with_serial(15, Conflicts::any_order, any_order_cases);
}

TEST(TasksProperty, OrderedGivesWhatSerialExecutionGives) {
  compare_with_serial(16, Conflicts::ordered, ordered_cases);
}

/// On one worker, so that no sanitizer sees a race: the order alone is wrong.
TEST(TasksPropertyMutant, AnAccessLessGivesAnotherResult) {
  trace::Recorder recorder(1, 16);
  Scheduler one(1, recorder);
  for (const Conflicts conflicts : {Conflicts::any_order, Conflicts::ordered}) {
    int noticed = 0;
    for_all(17, {.quick = 200, .all = 200}, [&](Random& random) {
      const Plan plan = random_plan(random, 8, 32);
      const Plan mutant = with_one_access_less(random, plan);
      Trial trial(plan, mutant, conflicts, random_part(random, plan));
      noticed += trial.difference_on(one).empty() ? 0 : 1;
    });
    EXPECT_GT(noticed, 0);
  }
}

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
