// Tasks that threads prepare in batches give the graph that they would give one by one.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/tasks/batch.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::tasks::batch_test {
namespace {

constexpr std::uint32_t count = 60;

std::string dot(const Graph& graph, const Activation& activation) {
  std::ostringstream out;
  graph.write_dot(out, activation);
  return out.str();
}

/// Some data, one of them a part of another.
std::vector<DatumId> add_data(Graph& graph) {
  std::vector<DatumId> data;
  for (int i = 0; i < 9; ++i) data.push_back(graph.add_datum());
  data.push_back(graph.add_datum(data[2]));
  return data;
}

/// What the k-th task touches; some name a datum twice, or a datum and its part.
Accesses accesses_of(std::uint32_t k, const std::vector<DatumId>& data) {
  Accesses accesses;
  for (std::uint32_t i = 0; i < 1 + k % 4; ++i) {
    const auto mode = static_cast<AccessMode>((k / 2 + i) % 3);
    accesses.emplace_back(data[(k * k + 3 * i) % data.size()], mode);
  }
  if (k % 5 == 0) accesses.emplace_back(data.back(), AccessMode::read);
  return accesses;
}

}  // namespace

TEST(Batch, GivesTheGraphOfTasksAddedOneByOne) {
  for (const Conflicts conflicts : {Conflicts::any_order, Conflicts::ordered}) {
    Graph expected(conflicts);
    const auto data = add_data(expected);
    const TaskKind kind = expected.kind("work");
    for (std::uint32_t k = 0; k < count; ++k) expected.add(kind, accesses_of(k, data), [](StepContext&) {}, {.key = k});

    Graph graph(conflicts);
    static_cast<void>(add_data(graph));
    static_cast<void>(graph.kind("work"));
    graph.add(kind, accesses_of(0, data), [](StepContext&) {});
    std::vector<Batch> batches;
    for (int b = 0; b < 3; ++b) batches.emplace_back(graph);
    std::vector<std::thread> threads;
    for (std::uint32_t b = 0; b < 3; ++b) {
      threads.emplace_back([&, b] {
        for (std::uint32_t k = 1 + 20 * b; k < std::min(21 + 20 * b, count); ++k) {
          batches[b].add(kind, accesses_of(k, data), [](StepContext&) {}, {.key = k});
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(graph.size(), 1U);
    for (std::uint32_t b = 0; b < 3; ++b) {
      EXPECT_EQ(static_cast<std::uint32_t>(graph.add(std::move(batches[b]))), 1 + 20 * b);
    }
    EXPECT_EQ(graph.size(), count);
    EXPECT_EQ(dot(graph, graph.activate_all()), dot(expected, expected.activate_all()));
  }
}

TEST(Batch, HandsOverWhatItsTasksHold) {
  const auto held = std::make_shared<int>(0);
  {
    Graph graph;
    const DatumId datum = graph.add_datum();
    const TaskKind kind = graph.kind("count");
    const Accesses write{{datum, AccessMode::write}};
    Batch batch(graph);
    for (int k = 0; k < 3; ++k) batch.add(kind, write, [held](StepContext&) { ++*held; });
    graph.add(std::move(batch));
    graph.add(kind, write, [held](StepContext&) { ++*held; });
    Batch dropped(graph);
    dropped.add(kind, write, [held](StepContext&) { *held = -100; });
    EXPECT_EQ(held.use_count(), 6);
    trace::Recorder recorder(1, 16);
    Scheduler scheduler(1, recorder);
    scheduler.run(graph, graph.activate_all(), StepContext{});
    EXPECT_EQ(*held, 4);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Batch, RefusesWhatTheGraphRefuses) {
  Graph graph;
  const TaskKind kind = graph.kind("work");
  Batch batch(graph);
  const Accesses unknown{{static_cast<DatumId>(7), AccessMode::read}};
  EXPECT_THROW(batch.add(kind, unknown, [](StepContext&) {}), base::PreconditionError);
  EXPECT_THROW(batch.add(kind, Accesses{}, [](StepContext&) {}, {.cost = -1.0}), base::PreconditionError);
  EXPECT_EQ(batch.size(), 0U);
}

TEST(Batch, ActivationsMayBeMadeAtOnce) {
  Graph graph;
  const auto data = add_data(graph);
  const TaskKind kind = graph.kind("work");
  std::vector<TaskId> odd;
  for (std::uint32_t k = 0; k < count; ++k) {
    const TaskId task = graph.add(kind, accesses_of(k, data), [](StepContext&) {}, {.key = k});
    if (k % 2 == 1) odd.push_back(task);
  }
  const std::string expected = dot(graph, graph.activate_all());
  const std::string expected_odd = dot(graph, graph.activate(odd));
  Activation all;
  Activation some;
  std::thread other([&] { some = graph.activate(odd); });
  all = graph.activate_all();
  other.join();
  EXPECT_EQ(dot(graph, all), expected);
  EXPECT_EQ(dot(graph, some), expected_odd);
}

}  // namespace tacit::tasks::batch_test
