// Figures of `tacit bench tasks` that have no peers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/benchmark.hpp"
#include "framework/measure.hpp"
#include "tacit/tasks/host_thread.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::bench {

/// A scheduler of ours on a thread of its own, which is worker 0.
class OwnScheduler {
 public:
  explicit OwnScheduler(const tasks::SchedulerOptions& options);
  ~OwnScheduler();
  OwnScheduler(const OwnScheduler&) = delete;
  OwnScheduler& operator=(const OwnScheduler&) = delete;

  [[nodiscard]] tasks::HostThread& host() noexcept { return host_; }
  /// To be used on the host's thread.
  [[nodiscard]] tasks::Scheduler& scheduler() noexcept { return *scheduler_; }
  [[nodiscard]] trace::Recorder& recorder() noexcept { return recorder_; }
  /// `run`, to be timed there.
  [[nodiscard]] Contestant contestant(std::string name, std::function<void()> run) {
    return {std::move(name), &host_, {std::move(run)}};
  }

 private:
  tasks::HostThread host_;
  trace::Recorder recorder_;
  std::unique_ptr<tasks::Scheduler> scheduler_;
};

/// inactive_task_ns, inactive_task_by_kind_ns: what a task costs that is not activated.
void measure_inactive(Session& session);
/// then_link_2t_ns, await_2t_ns, await_deep_2t_ns, reschedule_2t_ns: futures and coroutines.
void measure_coroutines(Session& session);
/// poll_*: asking a source for completions.
void measure_polling(Session& session);
/// trace_task_ns, trace_short_task_ns: what the trace adds to a task.
void measure_tracing(Session& session);
/// ticks_ns: reading the counter, beside the steady clock.
void measure_ticks(Session& session);

}  // namespace tacit::bench
