// Tests of graphs that are made of futures only: a wavefront and random ones, against serial execution.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/under_sanitizer.hpp"
#include "tacit/base/error.hpp"
#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/future.hpp"
#include "tacit/tasks/when.hpp"

namespace tacit::tasks::future_graph_tests {

namespace {  // g++ warns of coroutines with linkage that await unnamed types

using Number = std::uint64_t;

/// Depends on the order of its arguments, so that swapped or repeated inputs show.
Number mix(Number a, Number b) { return (a ^ (b + 0x9e3779b97f4a7c15U)) * 0xff51afd7ed558ccdU + (a >> 29U); }

Number serial_wavefront(std::size_t n) {
  std::vector<std::vector<Number>> cell(n + 1, std::vector<Number>(n + 1, 1));
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = 1; j <= n; ++j) cell[i][j] = mix(cell[i - 1][j], cell[i][j - 1]);
  }
  return cell[n][n];
}

TEST(FutureGraph, WavefrontEqualsSerial) {
  constexpr std::size_t n = testing::under_tsan ? 12 : 60;
  for (const std::size_t workers : {1U, 2U, 4U}) {
    trace::Recorder recorder(workers);
    Scheduler scheduler(workers, recorder);
    std::vector<std::vector<Future<Number>>> cell(n + 1,
                                                  std::vector<Future<Number>>(n + 1, make_ready(scheduler, Number{1})));
    for (std::size_t i = 1; i <= n; ++i) {
      for (std::size_t j = 1; j <= n; ++j) cell[i][j] = dataflow(scheduler, mix, cell[i - 1][j], cell[i][j - 1]);
    }
    EXPECT_EQ(cell[n][n].get(), serial_wavefront(n)) << workers << " workers";
  }
}

/// A node of a random graph: how it gets its value from earlier nodes.
struct Node {
  enum class Way : std::uint8_t { start, then, dataflow, when_all, later, coroutine, fails };
  Way way = Way::start;
  std::vector<std::size_t> inputs;
};
using Way = Node::Way;

std::vector<Node> random_graph(std::mt19937_64& random) {
  std::vector<Node> nodes(1 + random() % 40);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    nodes[i].way = static_cast<Way>(random() % (random() % 8 == 0 ? 7 : 6));
    const std::size_t inputs = nodes[i].way == Way::when_all ? random() % 6 : nodes[i].way == Way::dataflow ? 2 : 1;
    for (std::size_t k = 0; k < inputs; ++k) nodes[i].inputs.push_back(random() % i);
  }
  return nodes;
}

/// A value, or the number of the node whose error came here.
struct Outcome {
  Number value = 0;
  std::size_t failed = SIZE_MAX;
  bool operator==(const Outcome&) const = default;
};

Number start_value(std::size_t i) { return 1000003 * i + 17; }

std::vector<Outcome> serial(const std::vector<Node>& nodes) {
  std::vector<Outcome> out(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    out[i].value = start_value(i);
    for (const std::size_t input : nodes[i].inputs) {
      out[i].value = mix(out[i].value, out[input].value);
      if (out[i].failed == SIZE_MAX) out[i].failed = out[input].failed;
    }
    if (nodes[i].way == Way::fails && out[i].failed == SIZE_MAX) out[i].failed = i;
    if (out[i].failed != SIZE_MAX) out[i].value = 0;
  }
  return out;
}

Task<Number> mix_later(Number start, Future<Number> input) {
  const Number value = co_await input;
  co_return mix(start, value);
}

Future<Number> add_node(Scheduler& scheduler, const Node& node, std::size_t i, std::vector<Future<Number>>& made) {
  const Number start = start_value(i);
  const auto input = [&](std::size_t k) -> Future<Number>& { return made[node.inputs[k]]; };
  const auto mix_one = [start](Number value) { return mix(start, value); };
  switch (node.way) {
    case Way::start:
      if (node.inputs.empty()) return spawn(scheduler, [start] { return start; });
      return input(0).then(mix_one);
    case Way::then:
      return Future<Number>(input(0)).then(mix_one);
    case Way::dataflow:
      return dataflow(
          scheduler, [start](Number a, const Number& b) { return mix(mix(start, a), b); }, input(0), input(1));
    case Way::when_all: {
      std::vector<Future<Number>> all;
      for (std::size_t k = 0; k < node.inputs.size(); ++k) all.push_back(input(k));
      return when_all(scheduler, std::move(all)).then([start](const std::vector<Number>& values) {
        Number value = start;
        for (const Number other : values) value = mix(value, other);
        return value;
      });
    }
    case Way::later:
      return input(0).then([&scheduler, mix_one](Number value) {
        return spawn(scheduler, [mix_one, value] { return mix_one(value); });
      });
    case Way::coroutine:
      return spawn(scheduler, mix_later(start, input(0)));
    case Way::fails:
      return input(0).then([i](Number) -> Number { throw base::Error(std::to_string(i)); });
  }
  return {};
}

Outcome outcome_of(const Future<Number>& future) {
  try {
    return {.value = future.get()};
  } catch (const base::Error& error) {
    return {.failed = std::stoul(error.what())};
  }
}

TEST(FutureGraph, RandomGraphsEqualSerial) {
  // Errors are thrown again for each reader, about 2 us each: these counts take a second or two.
  constexpr int graphs = testing::under_tsan ? 40 : 2000;
  for (const std::size_t workers : {1U, 2U, 4U}) {
    trace::Recorder recorder(workers);
    Scheduler scheduler(workers, recorder);
    std::mt19937_64 random(7 + workers);
    for (int graph = 0; graph < graphs; ++graph) {
      const std::vector<Node> nodes = random_graph(random);
      const std::vector<Outcome> expected = serial(nodes);
      std::vector<Future<Number>> made;
      for (std::size_t i = 0; i < nodes.size(); ++i) made.push_back(add_node(scheduler, nodes[i], i, made));
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        ASSERT_EQ(outcome_of(made[i]), expected[i]) << "graph " << graph << " node " << i << " workers " << workers;
      }
    }
  }
}

}  // namespace

}  // namespace tacit::tasks::future_graph_tests
