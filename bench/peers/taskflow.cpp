// Taskflow as a contestant: its graphs, and asynchronous tasks below a running one. The caller sleeps, as its executor
// has all the workers.
// SPDX-License-Identifier: Apache-2.0
#include <taskflow/algorithm/for_each.hpp>
#include <taskflow/taskflow.hpp>

#include <functional>

#include "framework/processors.hpp"
#include "peers/peers.hpp"

namespace tacit::bench {
namespace {

/// Binds the workers as they start.
class Binder : public tf::WorkerInterface {
 public:
  explicit Binder(std::size_t workers) : workers_(workers) {}
  void scheduler_prologue(tf::Worker& worker) override { workers_.bind(worker.id()); }
  void scheduler_epilogue(tf::Worker& /*worker*/, std::exception_ptr /*error*/) override {}

 private:
  WorkerBinder workers_;
};

void fill(tf::Taskflow& graph, const Body& body, std::uint32_t tasks, std::span<const Pair> order) {
  std::vector<tf::Task> nodes;
  nodes.reserve(tasks);
  for (std::uint32_t task = 0; task < tasks; ++task) {
    nodes.push_back(graph.emplace([&body, task] { body(task); }));
  }
  for (const auto& [before, after] : order) nodes[before].precede(nodes[after]);
}

void fib(const Body& body, std::uint32_t n, tf::Runtime& runtime) {
  if (n < 2) return;
  runtime.silent_async([&body, n](tf::Runtime& below) {
    body(n);
    fib(body, n - 1, below);
  });
  fib(body, n - 2, runtime);
  runtime.corun_all();
}

class TaskflowRuntime : public Runtime {
 public:
  explicit TaskflowRuntime(std::size_t workers) : executor_(workers, std::make_shared<Binder>(workers)) {}

  Workload independent(const Body& body, std::uint32_t tasks) override { return graph(body, tasks, {}); }
  Workload stencil(const Body& body, Grid grid) override { return graph(body, grid.size(), stencil_order(grid)); }
  Workload wavefront(const Body& body, Grid grid) override { return graph(body, grid.size(), wavefront_order(grid)); }

  Workload build_wavefront(const Body& body, Grid grid) override {
    const auto built = std::make_shared<std::unique_ptr<tf::Taskflow>>();
    return {[built, &body, grid, order = wavefront_order(grid)] {
              *built = std::make_unique<tf::Taskflow>();
              fill(**built, body, grid.size(), order);
            },
            [built] { built->reset(); }};
  }

  Workload spawn(const Body& body, std::uint32_t tasks) override {
    return from_one_task([&body, tasks](tf::Runtime& runtime) {
      for (std::uint32_t task = 0; task < tasks; ++task) runtime.silent_async([&body, task] { body(task); });
      runtime.corun_all();
    });
  }
  Workload fib(const Body& body, std::uint32_t n) override {
    return from_one_task([&body, n](tf::Runtime& runtime) { bench::fib(body, n, runtime); });
  }

  Workload loop(const Body& body, LoopShape shape) override {
    const auto graph = std::make_shared<tf::Taskflow>();
    const auto work = [&body](std::uint32_t i) { body(i); };
    if (shape.chunks == Chunks::fixed) {
      graph->for_each_index(0U, shape.iterations, 1U, work, tf::StaticPartitioner(shape.chunk));
    } else {
      graph->for_each_index(0U, shape.iterations, 1U, work, tf::DynamicPartitioner(shape.chunk));
    }
    return {[this, graph] { executor_.run(*graph).wait(); }};
  }

 private:
  Workload graph(const Body& body, std::uint32_t tasks, std::span<const Pair> order) {
    const auto graph = std::make_shared<tf::Taskflow>();
    fill(*graph, body, tasks, order);
    return {[this, graph] { executor_.run(*graph).wait(); }};
  }
  template <class F>
  Workload from_one_task(F function) {
    const auto graph = std::make_shared<tf::Taskflow>();
    graph->emplace(function);
    return {[this, graph] { executor_.run(*graph).wait(); }};
  }

  tf::Executor executor_;
};

}  // namespace

std::optional<RuntimeEntry> taskflow() {
  return RuntimeEntry{"Taskflow", tf::version(), [](std::size_t workers) -> std::unique_ptr<Runtime> {
                        return std::make_unique<TaskflowRuntime>(workers);
                      }};
}

}  // namespace tacit::bench
