// What the trace adds to a task: the calls of a worker around nothing, with a time stamp for each and for blocks.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "micro/own.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/tasks/detail/stamps.hpp"

namespace tacit::bench {
namespace {

using tasks::detail::Stamps;

/// A track and the times of nodes, as a worker has them.
struct Traced {
  explicit Traced(std::size_t tasks) : seconds(tasks) {}
  trace::Recorder recorder{1};
  trace::Track& track = recorder.track(0);
  trace::KindId kind = recorder.kind("task");
  std::vector<float> seconds;
  std::int64_t mark = base::ticks();

  void close_single(Stamps& stamps, std::uint32_t task) {
    const std::int64_t now = base::ticks();
    track.record(stamps.close_single(mark, now, task));
    seconds[task] = static_cast<float>(now - mark);
    mark = now;
  }
  void close(Stamps& stamps) {
    const std::int64_t now = base::ticks();
    track.record(stamps.close(mark, now));
    for (const std::uint32_t node : stamps.take_nodes()) seconds[node] = static_cast<float>(now - mark);
    mark = now;
  }
};

/// @param cost_of_stamp  [ticks]; 0: everything is long beside it
Workload traced(std::size_t tasks, std::int64_t cost_of_stamp) {
  const auto kept = std::make_shared<Traced>(tasks);
  return {[kept, tasks, cost_of_stamp] {
    Stamps stamps(cost_of_stamp);
    kept->mark = base::ticks();
    for (std::uint32_t task = 0; task < tasks; ++task) {
      if (stamps.must_close_before(kept->kind)) kept->close(stamps);
      stamps.begin(kept->kind);
      asm volatile("" : : "r"(task) : "memory");
      if (stamps.is_single()) {
        kept->close_single(stamps, task);
      } else if (stamps.end(task, task)) {
        kept->close(stamps);
      }
    }
    if (stamps.is_open()) kept->close(stamps);
  }};
}

/// The same without a trace.
Workload bare(std::size_t tasks) {
  return {[tasks] {
    for (std::uint32_t task = 0; task < tasks; ++task) asm volatile("" : : "r"(task) : "memory");
  }};
}

Workload stamped(std::size_t times) {
  return {[times] {
    for (std::size_t i = 0; i < times; ++i) {
      const std::int64_t now = base::ticks();
      asm volatile("" : : "r"(now));
    }
  }};
}

/// Differences a_i - b_i.
std::vector<double> beyond(std::span<const double> a, std::span<const double> b) {
  std::vector<double> more(a.begin(), a.end());
  for (std::size_t i = 0; i < more.size(); ++i) more[i] -= b[i];
  return more;
}

}  // namespace

void measure_tracing(Session& session) {
  constexpr double beside_the_stamp_ns = 6.0;
  const std::size_t tasks = session.size(100'000, 100);
  tasks::HostThread host;
  std::vector<Contestant> them;
  them.push_back({"one stamp each", &host, traced(tasks, 0)});
  them.push_back({"blocks", &host, traced(tasks, std::numeric_limits<std::int32_t>::max())});
  them.push_back({"nothing", &host, bare(tasks)});
  them.push_back({"stamp", &host, stamped(tasks)});
  const auto seconds = measure_in_turns(them, repetitions(session.effort(), 4));
  const double scale = 1e9 / static_cast<double>(tasks);
  const double stamp_ns = summarise(scaled(beyond(seconds[3], seconds[2]), scale)).median;
  session.add({.name = "trace_task_ns",
               .unit = "ns",
               .ours = summarise(scaled(beyond(seconds[0], seconds[2]), scale)),
               .limit = stamp_ns + beside_the_stamp_ns,
               .limit_name = "stamp + 6"});
  session.add({.name = "trace_short_task_ns",
               .unit = "ns",
               .ours = summarise(scaled(beyond(seconds[1], seconds[2]), scale)),
               .limit = beside_the_stamp_ns});
}

}  // namespace tacit::bench
