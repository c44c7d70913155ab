// Runs activated graphs on a fixed set of workers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "tacit/tasks/graph.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::tasks {

/// How many threads this process may use: the affinity mask and the cgroup's CPU quota, at least 1.
[[nodiscard]] std::size_t available_threads();

/// Workers that run tasks; the calling thread is worker 0. Runs one activation at a time.
class Scheduler {
 public:
  /// @param workers   threads, the caller included; >= 1
  /// @param recorder  gets one event per task; must have at least `workers` lanes; must outlive the scheduler
  Scheduler(std::size_t workers, trace::Recorder& recorder);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  [[nodiscard]] std::size_t workers() const noexcept;

  /// Runs every task of `activation` and returns when the last is done.
  ///
  /// @param step  copied for each worker
  /// @throws what a task threw, with "in task density[12]" added where it derives from base::Error; the tasks that
  ///         had not started are dropped, those that run finish first. The scheduler can be used again.
  void run(Graph& graph, const Activation& activation, const StepContext& step);

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace tacit::tasks
