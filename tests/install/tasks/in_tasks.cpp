// A graph, a future, a loop and the report of what they did, on two threads.
// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>
#include <span>
#include <vector>

#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/future.hpp"
#include "tacit/tasks/graph.hpp"
#include "tacit/tasks/parallel_for.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/tasks/task_group.hpp"
#include "tacit/tasks/when.hpp"
#include "tacit/topology/cpus.hpp"
#include "tacit/trace/report.hpp"

int main() {
  using namespace tacit;
  using namespace tacit::tasks;
  try {
    trace::Recorder recorder(2);
    Scheduler scheduler(2, recorder);
    std::vector<double> memory(100);
    parallel_for(scheduler, 0, memory.size(), [&memory](std::size_t i) { memory[i] = 1.0; });

    Graph graph;
    auto u = graph.add_data<std::span<double>>();
    u.bind(memory);
    double sum = 0.0;
    graph.add("double", writes(u), [&u](StepContext& step) {
      for (double& value : step.write(u)) value *= 2.0;
    });
    graph.add("sum", reads(u), [&u, &sum](StepContext& step) {
      for (const double value : step.read(u)) sum += value;
    });
    Activation all = graph.activate_all();
    StepContext step;
    scheduler.run(graph, all, step);

    const bool is_right = spawn(scheduler, [&sum] { return sum == 200.0; }).get();
    scheduler.settle();
    const bool is_seen = trace::make_report(recorder, 1.0).workers.size() == 2;
    return is_right && is_seen && topology::available_threads() > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
