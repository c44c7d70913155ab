// What is expected to follow by way of other ranks: never an order, and a level only where it is active.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "properties.hpp"
#include "random_graph.hpp"
#include "tacit/base/error.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::tasks {
namespace property_relations_test {
namespace {

using namespace testing;

/// Each task is in at most one relation: those of a shuffled list are dealt out, some left over.
void relate_at_random(Random& random, Graph& graph) {
  std::vector<TaskId> left;
  for (std::size_t i = 0; i < graph.size(); ++i) left.push_back(static_cast<TaskId>(i));
  std::ranges::shuffle(left, random);
  while (left.size() > 1) {
    const std::size_t count = std::min(left.size(), 1 + draw(random, 4));
    std::vector<TaskId> some(left.end() - static_cast<std::ptrdiff_t>(count), left.end());
    left.resize(left.size() - count);
    std::ranges::sort(some);
    if (draw(random, 4) != 0) graph.expect_after({some.data(), count - 1}, some.back());
  }
}

TEST(TasksPropertyRelations, DemandNoOrderAndChangeNoResult) {
  trace::Recorder recorder(2, 64);
  Scheduler scheduler(2, recorder);
  for_all(40, {.quick = 1500, .all = 10'000}, [&](Random& random) {
    const Plan plan = random_plan(random, 8, 24);
    const std::vector<TaskId> part = random_part(random, plan);
    Model serial(plan);
    for (const TaskId task : part) serial.run(static_cast<std::size_t>(task));
    Model model(plan);
    Graph graph = make_graph(plan, Conflicts::any_order, [&model](std::size_t i) -> TaskFunction {
      return [&model, i](StepContext&) { model.run(i); };
    });
    const Order without = drawn_order(graph, graph.activate(part));
    relate_at_random(random, graph);
    Activation activation = graph.activate(part);
    ASSERT_EQ(drawn_order(graph, activation), without);
    for (int turn = 0; turn < 1 + static_cast<int>(draw(random, 2)); ++turn) {
      if (turn > 0) {
        for (const TaskId task : part) serial.run(static_cast<std::size_t>(task));
      }
      scheduler.run(graph, activation, {});
      ASSERT_EQ(model.difference(serial), "");
    }
  });
}

/// The names of tasks in the order in which one worker takes them: the most urgent first.
class OneWorker {
 public:
  TaskId add(const char* name, const Accesses& accesses, double cost) {
    return graph.add(name, accesses, [this, name](StepContext&) { order.emplace_back(name); }, {.cost = cost});
  }
  std::vector<std::string> run(const std::vector<TaskId>& part) {
    order.clear();
    Activation activation = graph.activate(part);
    scheduler.run(graph, activation, {});
    return order;
  }
  Graph graph;

 private:
  trace::Recorder recorder{1, 64};
  Scheduler scheduler{1, recorder};
  std::vector<std::string> order;
};

// What follows one question makes another one urgent only by way of the answer.
TEST(TasksRelations, QuestionsAloneDoNotMakeEachOtherUrgent) {
  OneWorker on;
  const DatumId rim = on.graph.add_datum();
  const DatumId ghosts = on.graph.add_datum();
  const TaskId work = on.add("work", {}, 5.0);
  const std::array ask{on.add("ask", {}, 0.1), on.add("ask too", writes(rim), 0.1)};
  const TaskId next = on.add("next", reads(rim), 10.0);
  const TaskId answer = on.add("answer", writes(ghosts), 0.1);
  const TaskId use = on.add("use", reads(ghosts), 20.0);
  on.graph.expect_after(ask, answer);
  const std::vector<std::string> alone = on.run({work, ask[0], ask[1], next});
  EXPECT_EQ(alone, (std::vector<std::string>{"ask too", "next", "work", "ask"}));
  const std::vector<std::string> all = on.run({work, ask[0], ask[1], next, answer, use});
  EXPECT_LT(std::ranges::find(all, "ask"), std::ranges::find(all, "work"));
}

// A call that is refused leaves no relation behind.
TEST(TasksRelations, ARefusedRelationChangesNothing) {
  OneWorker on;
  const DatumId ghosts = on.graph.add_datum();
  const TaskId ask = on.add("ask", {}, 0.1);
  const TaskId work = on.add("work", {}, 5.0);
  const TaskId answer = on.add("answer", writes(ghosts), 0.1);
  const TaskId use = on.add("use", reads(ghosts), 10.0);
  const TaskId late = on.add("late", {}, 0.1);
  const std::vector<TaskId> all{ask, work, answer, use, late};
  const std::vector<std::string> before = on.run(all);
  EXPECT_THROW(on.graph.expect_after(std::array{ask, late}, answer), base::PreconditionError);
  EXPECT_EQ(on.run(all), before);
}

}  // namespace
}  // namespace property_relations_test
}  // namespace tacit::tasks
