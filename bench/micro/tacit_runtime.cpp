// Runs the workloads on our scheduler.
// SPDX-License-Identifier: Apache-2.0
#include "micro/tacit_runtime.hpp"

#include <optional>
#include <utility>

#include "micro/tacit_graphs.hpp"
#include "tacit/base/provenance.hpp"
#include "tacit/tasks/future.hpp"
#include "tacit/tasks/parallel_for.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/tasks/task_group.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::bench {
namespace {

void fib(tasks::Scheduler& scheduler, const Body& body, std::uint32_t n, const tasks::JobOptions& options) {
  if (n < 2) return;
  const auto work = [&scheduler, &body, n, &options] {
    body(n);
    fib(scheduler, body, n - 1, options);
  };
  const tasks::Future<void> below = tasks::spawn(scheduler, work, options);
  fib(scheduler, body, n - 2, options);
  below.wait();
}

class TacitRuntime : public Runtime {
 public:
  explicit TacitRuntime(std::size_t workers) : recorder_(workers), scheduler_(workers, recorder_) {}

  Workload independent(const Body& body, std::uint32_t tasks) override {
    return reused(independent_graph(body, tasks));
  }
  Workload stencil(const Body& body, Grid grid) override { return reused(stencil_graph(body, grid)); }
  Workload wavefront(const Body& body, Grid grid) override { return reused(wavefront_graph(body, grid)); }
  Workload two_locks(const Body& body, std::span<const Pair> locks, std::uint32_t data) override {
    return reused(locking_graph(body, locks, data));
  }
  Workload build_wavefront(const Body& body, Grid grid) override {
    const auto built = std::make_shared<std::optional<ReadyGraph>>();
    return {[built, &body, grid] { built->emplace(wavefront_graph(body, grid)); }, [built] { built->reset(); }};
  }
  Workload spawn(const Body& body, std::uint32_t tasks) override {
    return {[this, &body, tasks] {
      const auto spawn_all = [this, &body, tasks] {
        tasks::TaskGroup group(scheduler_, job_);
        for (std::uint32_t task = 0; task < tasks; ++task) group.run([&body, task] { body(task); });
        group.wait();
      };
      tasks::spawn(scheduler_, spawn_all, job_).wait();
    }};
  }
  Workload fib(const Body& body, std::uint32_t n) override {
    return {[this, &body, n] { bench::fib(scheduler_, body, n, job_); }};
  }
  Workload loop(const Body& body, LoopShape shape) override {
    const tasks::LoopOptions options{
        .schedule = shape.chunks == Chunks::fixed ? tasks::Schedule::fixed : tasks::Schedule::dynamic,
        .chunk = shape.chunk,
        .job = job_};
    return {[this, &body, options, iterations = shape.iterations] {
      tasks::parallel_for(
          scheduler_, 0, iterations, [&body](std::size_t i) { body(static_cast<std::uint32_t>(i)); }, options);
    }};
  }

 private:
  Workload reused(ReadyGraph graph) {
    const auto kept = std::make_shared<ReadyGraph>(std::move(graph));
    return {[this, kept] { scheduler_.run(kept->graph, kept->all, {}); }};
  }

  trace::Recorder recorder_;
  tasks::JobOptions job_{.kind = recorder_.kind("job")};
  tasks::Scheduler scheduler_;
};

}  // namespace

RuntimeEntry tacit_runtime() {
  return {"Tacit", base::provenance().version,
          [](std::size_t workers) -> std::unique_ptr<Runtime> { return std::make_unique<TacitRuntime>(workers); }};
}

}  // namespace tacit::bench
