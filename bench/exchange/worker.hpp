// A rank's scheduler with one worker, and what it did.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tacit/base/clock.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::bench {

/// Runs graphs on the calling thread and polls the messages of `world`.
class Worker {
 public:
  explicit Worker(comm::Communicator& world) : world_(&world), scheduler_(1, recorder_) {
    scheduler_.attach(world.completions());
  }
  ~Worker() { scheduler_.detach(world_->completions()); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void run(tasks::Graph& graph, tasks::Activation& activation, std::uint64_t step) {
    tasks::StepContext context;
    context.step = step;
    scheduler_.run(graph, activation, context);
  }
  /// The parts of the time of `runs` that go into polling between tasks, and into waiting without a task to run.
  struct Shares {
    double polling = 0.0;
    double waiting = 0.0;
  };
  template <class Runs>
  [[nodiscard]] Shares shares_of(Runs&& runs) {
    scheduler_.settle();
    const double polled_s = recorder_.seconds(0, trace::Category::poll);
    const double waited_s = recorder_.seconds(0, trace::Category::wait);
    const base::Stopwatch watch;
    runs();
    const double all_s = watch.seconds();
    scheduler_.settle();
    return {(recorder_.seconds(0, trace::Category::poll) - polled_s) / all_s,
            (recorder_.seconds(0, trace::Category::wait) - waited_s) / all_s};
  }

 private:
  comm::Communicator* world_;
  trace::Recorder recorder_{1, 64};
  tasks::Scheduler scheduler_;
};

}  // namespace tacit::bench
