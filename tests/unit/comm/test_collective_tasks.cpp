// Every collective as a task of a graph: none blocks, each ends when its call is over.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "mpi/collectives.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {
namespace collective_tasks {

using Words = std::vector<std::uint64_t>;
constexpr std::size_t kinds = 11;
constexpr std::uint64_t steps = 8;

/// One of each, and what is checked of it after a step.
class All {
 public:
  explicit All(Communicator& world)
      : own_(number(world.rank())),
        ranks_(world.size()),
        barrier(world),
        all_reduce(world, std::span(value_), std::span(sum_), std::plus<>()),
        reduce(world, root, std::span<const std::uint64_t>(value_), std::span(root_sum_), std::plus<>()),
        exact(world, 1),
        broadcast(world, root, std::span(told_)),
        all_gather(world, value_, std::span(all_)),
        view(world, 1),
        gather(world, root, value_, std::span(gathered_)),
        scatter(world, root, dealt_, std::span(part_)),
        exchange(world, 1),
        varying(world, Words(ranks_, 1)) {}

  /// Before a step.
  void fill(std::uint64_t step) {
    value_[0] = brought(own_, step);
    exact.clear();
    exact.add(0, static_cast<double>(value_[0]));
    if (own_ == 0) {
      told_[0] = step;
      for (std::size_t i = 0; i < ranks_; ++i) dealt_[i] = brought(i, step);
    }
    view.input()[0] = value_[0];
    for (std::size_t i = 0; i < ranks_; ++i) {
      exchange.input()[i] = value_[0] + 100 * i;
      varying.input()[i] = value_[0] + 100 * i;
    }
  }
  void check(std::uint64_t step) {
    Words expected;
    Words blocks;
    for (std::size_t i = 0; i < ranks_; ++i) {
      expected.push_back(brought(i, step));
      blocks.push_back(brought(i, step) + 100 * own_);
      EXPECT_EQ(view.block(RankId{static_cast<std::uint32_t>(i)})[0], brought(i, step));
    }
    const std::uint64_t total = std::accumulate(expected.begin(), expected.end(), std::uint64_t{0});
    EXPECT_EQ(sum_[0], total);
    EXPECT_EQ(root_sum_[0], own_ == 0 ? total : 0);
    EXPECT_EQ(exact.value(0), static_cast<double>(total));
    EXPECT_EQ(told_[0], step);
    EXPECT_EQ(all_, expected);
    EXPECT_EQ(gathered_, own_ == 0 ? expected : Words(ranks_));
    EXPECT_EQ(part_[0], brought(own_, step));
    EXPECT_EQ(Words(exchange.output().begin(), exchange.output().end()), blocks);
    EXPECT_EQ(Words(varying.output().begin(), varying.output().end()), blocks);
  }
  /// Calls `function` with each.
  void for_each(const std::function<void(std::string, std::function<void(base::Token)>)>& function) {
    const auto give = [&](const char* name, auto& collective) {
      function(name, [&collective](base::Token token) {
        collective.start();
        collective.await(token);
      });
    };
    give("barrier", barrier);
    give("all_reduce", all_reduce);
    give("reduce", reduce);
    give("exact_sums", exact);
    give("broadcast", broadcast);
    give("all_gather", all_gather);
    give("view", view);
    give("gather", gather);
    give("scatter", scatter);
    give("all_to_all", exchange);
    give("all_to_all_v", varying);
  }

 private:
  static constexpr RankId root{0};
  static std::uint64_t brought(std::size_t rank, std::uint64_t step) { return 1000 * step + 7 * rank + 1; }
  std::size_t own_;
  std::size_t ranks_;
  Words value_ = Words(1);
  Words sum_ = Words(1);
  Words root_sum_ = Words(1);
  Words told_ = Words(1);
  Words all_ = Words(ranks_);
  Words gathered_ = Words(ranks_);
  Words dealt_ = Words(ranks_);
  Words part_ = Words(1);

 public:
  Barrier barrier;
  AllReduce<std::uint64_t> all_reduce;
  Reduce<std::uint64_t> reduce;
  ExactSums exact;
  Broadcast<std::uint64_t> broadcast;
  AllGather<std::uint64_t> all_gather;
  AllGatherView<std::uint64_t> view;
  Gather<std::uint64_t> gather;
  Scatter<std::uint64_t> scatter;
  AllToAll<std::uint64_t> exchange;
  AllToAllV<std::uint64_t> varying;
};

void run_as_graph(Communicator& world, std::size_t threads) {
  All all(world);
  trace::Recorder recorder(threads);
  tasks::Scheduler scheduler(threads, recorder);
  scheduler.attach(world.completions());
  tasks::Graph graph;
  const auto filled = graph.add_datum();
  std::uint64_t step = 0;
  graph.add(graph.kind("fill"), tasks::writes(filled), [&](tasks::StepContext& /*step*/) { all.fill(step); });
  // All of them at once: none orders the others.
  std::vector<tasks::DatumId> ends;
  all.for_each([&](const std::string& name, std::function<void(base::Token)> begin) {
    ends.push_back(graph.add_datum());
    graph.add(
        graph.kind(name), tasks::reads(filled), tasks::writes(ends.back()),
        [&world, begin = std::move(begin)](tasks::StepContext& context) { begin(context.await(world.completions())); });
  });
  ASSERT_EQ(ends.size(), kinds);
  tasks::Activation everything = graph.activate_all();
  for (step = 1; step <= steps; ++step) {
    scheduler.run(graph, everything, {});
    all.check(step);
  }
  scheduler.settle();
  EXPECT_EQ(recorder.exposure().transfers, kinds * steps);
  scheduler.detach(world.completions());
  world.synchronise();
}

class CommCollectiveTasks : public ::testing::TestWithParam<const char*> {};

TEST_P(CommCollectiveTasks, AllAtOnce) {
  const auto nodes = conformance::nodes_of(GetParam(), 3);
  Options options = patient;
  options.nodes = nodes;
  for (const std::size_t threads : {1U, 2U}) {
    on_ranks(
        3, [threads](Communicator& world) { run_as_graph(world, threads); }, options);
  }
}

INSTANTIATE_TEST_SUITE_P(Nodes, CommCollectiveTasks, ::testing::Values("found", "001", "012"));

}  // namespace collective_tasks
}  // namespace tacit::comm::testing
