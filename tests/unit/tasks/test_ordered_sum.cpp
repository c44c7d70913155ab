// Conflicts::ordered gives sums of floating-point numbers the same bits on any number of workers.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "random_graph.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {
namespace ordered_sum_test {

/// Adds numbers of very different size into one sum, tasks created in a given order of their keys.
double ordered_sum(std::size_t workers, const std::vector<std::uint32_t>& keys) {
  Graph graph(Conflicts::ordered);
  const DatumId datum = graph.add_datum();
  double sum = 0.0;
  for (const std::uint32_t key : keys) {
    graph.add("add", commutes(datum),
              [&sum, key](StepContext&) {
                if (key % 7 == 0) std::this_thread::yield();
                sum += std::ldexp(base::uniform(1, key, 0) - 0.5, static_cast<int>(key % 60));
              },
              {.key = key});
  }
  trace::Recorder recorder(workers, 16);
  Scheduler scheduler(workers, recorder);
  scheduler.run(graph, graph.activate_all(), {});
  return sum;
}

TEST(TasksOrdered, SameBitsOnAnyWorkersAndInAnyOrderOfCreation) {
  std::vector<std::uint32_t> keys(500);
  std::iota(keys.begin(), keys.end(), 0U);
  const double expected = ordered_sum(1, keys);
  testing::Random random(5);
  for (int i = 0; i < (testing::under_tsan ? 3 : 20); ++i) {
    std::shuffle(keys.begin(), keys.end(), random);
    for (const std::size_t workers : {1U, 2U, 4U}) EXPECT_EQ(ordered_sum(workers, keys), expected);
  }
}

TEST(TasksOrdered, TheSumWouldShowAnotherOrder) {
  double forward = 0.0;
  double backward = 0.0;
  for (std::uint32_t key = 0; key < 500; ++key) {
    forward += std::ldexp(base::uniform(1, key, 0) - 0.5, static_cast<int>(key % 60));
    backward += std::ldexp(base::uniform(1, 499 - key, 0) - 0.5, static_cast<int>((499 - key) % 60));
  }
  EXPECT_NE(forward, backward);
}

}  // namespace ordered_sum_test
}  // namespace tacit::tasks
