// oneTBB as a contestant: flow graphs, task groups and parallel loops.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <oneapi/tbb/version.h>

#include <algorithm>
#include <deque>
#include <functional>

#include "framework/processors.hpp"
#include "peers/peers.hpp"

namespace tacit::bench {
namespace {

namespace flow = tbb::flow;
/// Each body runs as a task of its own.
using TaskNode = flow::continue_node<flow::continue_msg>;
/// Bodies run where their last predecessor ends, without a task: meant for short ones.
using LightNode = flow::continue_node<flow::continue_msg, flow::lightweight>;

/// Binds the threads of an arena as they enter it.
class Binder : public tbb::task_scheduler_observer {
 public:
  Binder(tbb::task_arena& arena, std::size_t workers) : tbb::task_scheduler_observer(arena), workers_(workers) {
    observe(true);
  }
  ~Binder() override { observe(false); }
  Binder(const Binder&) = delete;
  Binder& operator=(const Binder&) = delete;
  void on_scheduler_entry(bool /*is_worker*/) override {
    const int index = tbb::this_task_arena::current_thread_index();
    if (index >= 0) workers_.bind(static_cast<std::size_t>(index));
  }

 private:
  WorkerBinder workers_;
};

/// A flow graph whose nodes call the body.
template <class Node>
class FlowGraph {
 public:
  FlowGraph(const Body& body, std::uint32_t tasks, std::span<const Pair> order)
      : FlowGraph(tasks, order, [&body](std::uint32_t task) { body(task); }) {}

  template <class F>
  FlowGraph(std::uint32_t tasks, std::span<const Pair> order, const F& work) {
    std::vector<char> waits(tasks, 0);
    for (std::uint32_t task = 0; task < tasks; ++task) {
      nodes_.emplace_back(graph_, [work, task](const flow::continue_msg&) noexcept { work(task); });
    }
    for (const auto& [before, after] : order) {
      flow::make_edge(nodes_[before], nodes_[after]);
      waits[after] = 1;
    }
    for (std::uint32_t task = 0; task < tasks; ++task) {
      if (waits[task] == 0) roots_.push_back(&nodes_[task]);
    }
  }
  FlowGraph(const FlowGraph&) = delete;
  FlowGraph& operator=(const FlowGraph&) = delete;
  ~FlowGraph() = default;

  void run() {
    tbb::parallel_for(std::size_t{0}, roots_.size(),
                      [this](std::size_t i) { roots_[i]->try_put(flow::continue_msg{}); });
    graph_.wait_for_all();
  }

 private:
  flow::graph graph_;
  std::deque<Node> nodes_;
  std::vector<Node*> roots_;  // started by all workers: a third of the time that a broadcast_node before them takes
};

/// What is asked of graphs, with nodes of either sort.
template <class Node>
class GraphRuntime : public Runtime {
 public:
  explicit GraphRuntime(std::size_t workers)
      : control_(tbb::global_control::max_allowed_parallelism, workers),
        arena_(static_cast<int>(workers)),
        binder_(arena_, workers) {}

  Workload independent(const Body& body, std::uint32_t tasks) override { return graph(body, tasks, {}); }
  Workload stencil(const Body& body, Grid grid) override { return graph(body, grid.size(), stencil_order(grid)); }
  Workload wavefront(const Body& body, Grid grid) override { return graph(body, grid.size(), wavefront_order(grid)); }

 protected:
  template <class F>
  std::function<void()> in_arena(F function) {
    return [this, function] { arena_.execute(function); };
  }
  /// Makes a graph of `arguments` and runs it.
  template <class... Arguments>
  Workload kept(const Arguments&... arguments) {
    std::shared_ptr<FlowGraph<Node>> graph;
    arena_.execute([&] { graph = std::make_shared<FlowGraph<Node>>(arguments...); });
    return {in_arena([graph] { graph->run(); })};
  }

 private:
  Workload graph(const Body& body, std::uint32_t tasks, std::span<const Pair> order) {
    return kept(body, tasks, order);
  }

  tbb::global_control control_;
  tbb::task_arena arena_;
  Binder binder_;
};

/// A lock on a cache line of its own.
struct alignas(128) Lock {
  tbb::spin_mutex mutex;
};

void fib(const Body& body, std::uint32_t n) {
  if (n < 2) return;
  tbb::task_group group;
  group.run([&body, n] {
    body(n);
    fib(body, n - 1);
  });
  fib(body, n - 2);
  group.wait();
}

class OneTbb final : public GraphRuntime<TaskNode> {
 public:
  using GraphRuntime::GraphRuntime;

  Workload build_wavefront(const Body& body, Grid grid) override {
    const auto built = std::make_shared<std::unique_ptr<FlowGraph<TaskNode>>>();
    return {in_arena([built, &body, grid, order = wavefront_order(grid)] {
              *built = std::make_unique<FlowGraph<TaskNode>>(body, grid.size(), order);
            }),
            [built] { built->reset(); }};
  }

  Workload spawn(const Body& body, std::uint32_t tasks) override {
    return {in_arena([&body, tasks] {
      tbb::task_group group;
      for (std::uint32_t task = 0; task < tasks; ++task) group.run([&body, task] { body(task); });
      group.wait();
    })};
  }

  Workload fib(const Body& body, std::uint32_t n) override {
    return {in_arena([&body, n] { bench::fib(body, n); })};
  }

  /// Locked in ascending order, so there is no deadlock.
  Workload two_locks(const Body& body, std::span<const Pair> locks, std::uint32_t data) override {
    const auto mutexes = std::make_shared<std::vector<Lock>>(data);
    const auto work = [&body, locks, mutexes](std::uint32_t task) {
      const auto [low, high] = std::minmax(locks[task].first, locks[task].second);
      const tbb::spin_mutex::scoped_lock first((*mutexes)[low].mutex);
      const tbb::spin_mutex::scoped_lock second((*mutexes)[high].mutex);
      body(task);
    };
    return kept(static_cast<std::uint32_t>(locks.size()), std::span<const Pair>(), work);
  }

  Workload loop(const Body& body, LoopShape shape) override {
    const auto range = [shape] { return tbb::blocked_range<std::uint32_t>(0, shape.iterations, shape.chunk); };
    const auto work = [&body](const tbb::blocked_range<std::uint32_t>& part) {
      for (std::uint32_t i = part.begin(); i < part.end(); ++i) body(i);
    };
    if (shape.chunks == Chunks::fixed) {
      return {in_arena([range, work] { tbb::parallel_for(range(), work, tbb::static_partitioner()); })};
    }
    return {in_arena([range, work] { tbb::parallel_for(range(), work, tbb::simple_partitioner()); })};
  }
};

}  // namespace

namespace {

template <class Made>
RuntimeEntry entry(std::string_view name) {
  return {name, fmt::format("{}.{}", TBB_VERSION_MAJOR, TBB_VERSION_MINOR),
          [](std::size_t workers) -> std::unique_ptr<Runtime> { return std::make_unique<Made>(workers); }};
}

}  // namespace

std::optional<RuntimeEntry> onetbb() { return entry<OneTbb>("oneTBB"); }

std::optional<RuntimeEntry> onetbb_light() { return entry<GraphRuntime<LightNode>>("oneTBB light"); }

}  // namespace tacit::bench
