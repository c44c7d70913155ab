// What it costs to ask a source for completions while there is work.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <span>
#include <string_view>
#include <vector>

#include "micro/own.hpp"
#include "micro/tacit_graphs.hpp"

namespace tacit::bench {
namespace {

/// A source whose only operation ends when it is told to; it counts how often it was asked.
class Endless : public base::CompletionSource {
 public:
  Endless() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (event_ < 0) throw base::SystemError("eventfd", "cannot be made", errno);
  }
  Endless(const Endless&) = delete;
  Endless& operator=(const Endless&) = delete;
  ~Endless() override { ::close(event_); }

  [[nodiscard]] std::string_view name() const override { return "endless"; }
  std::size_t poll(std::span<base::Completion> completions) override {
    polls_.fetch_add(1, std::memory_order_relaxed);
    if (!is_over_.exchange(false, std::memory_order_acq_rel)) return 0;
    eventfd_t count = 0;
    static_cast<void>(::eventfd_read(event_, &count));  // nothing to read yet: the next poll reads it
    completions[0] = {.token = token_};
    return 1;
  }
  void post(base::Token token) noexcept { token_ = token; }
  [[nodiscard]] int descriptor() const override { return event_; }
  [[nodiscard]] bool arm() override { return !is_over_.load(std::memory_order_acquire); }
  void end() {
    is_over_.store(true, std::memory_order_release);
    if (::eventfd_write(event_, 1) != 0) throw base::SystemError("eventfd", "cannot be written", errno);
  }
  [[nodiscard]] std::uint64_t polls() const noexcept { return polls_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> polls_{0};
  std::atomic<bool> is_over_{false};
  int event_;
  base::Token token_ = base::Token::none;
};

/// The same tasks with and without an operation that is outstanding all the while.
class Polled {
 public:
  Polled(const tasks::SchedulerOptions& options, std::uint32_t tasks, double task_s) : own_(options) {
    if (task_s > 0.0) body_.spin(turns_for(task_s));
    without_ = independent_graph(body_, tasks);
    with_ = with_operation(tasks);
    own_.host().call([this] { own_.scheduler().attach(source_); });
  }
  ~Polled() {
    own_.host().call([this] { own_.scheduler().detach(source_); });
  }
  Polled(const Polled&) = delete;
  Polled& operator=(const Polled&) = delete;

  std::array<Contestant, 2> contestants() {
    return {own_.contestant("without", [this] { own_.scheduler().run(without_.graph, without_.all, {}); }),
            own_.contestant("with", [this] { own_.scheduler().run(with_.graph, with_.all, {}); })};
  }
  [[nodiscard]] std::uint64_t polls() const noexcept { return source_.polls(); }

 private:
  /// The first task posts the operation; the last one, which waits for all but the operation, ends it.
  ReadyGraph with_operation(std::uint32_t tasks) {
    tasks::Graph graph;
    const auto kind = graph.kind("task");
    graph.add(kind, tasks::writes(graph.add_datum()),
              [this](tasks::StepContext& step) { source_.post(step.await(source_)); }, {.cost = 1e6});
    std::vector<tasks::DatumId> data;
    for (std::uint32_t task = 0; task + 2 < tasks; ++task) {
      data.push_back(graph.add_datum());
      graph.add(kind, tasks::writes(data.back()), [this, task](tasks::StepContext& /*step*/) { body_(task); });
    }
    graph.add(kind, tasks::reads_all(data), [this](tasks::StepContext& /*step*/) { source_.end(); });
    tasks::Activation all = graph.activate_all();
    return {std::move(graph), std::move(all)};
  }

  Body body_;
  Endless source_;
  ReadyGraph without_;
  ReadyGraph with_;
  OwnScheduler own_;
};

struct Setting {
  const char* name;
  tasks::Polling polling;
};

constexpr std::array settings{Setting{"idle_workers", tasks::Polling::idle_workers},
                              Setting{"one_worker", tasks::Polling::one_worker},
                              Setting{"thread", tasks::Polling::thread}};

constexpr std::size_t workers = 2;

/// Empty tasks, polled between any two: the workers' time that goes into one call.
void measure_one_poll(Session& session, const Setting& setting, std::uint32_t tasks) {
  Polled polled({.workers = workers, .polling = setting.polling, .poll_interval_s = 0.0}, tasks, 0.0);
  auto runs = polled.contestants();
  const Repetitions times = repetitions(session.effort(), 4);
  const auto seconds = measure_in_turns(runs, times);
  // One more run for each sample, the untimed one.
  const auto all_runs = static_cast<double>(times.samples * (times.runs_per_sample + 1));
  const double polls = static_cast<double>(polled.polls()) / all_runs;
  std::vector<double> ns;
  for (std::size_t i = 0; i < seconds[0].size(); ++i) {
    ns.push_back((seconds[1][i] - seconds[0][i]) * static_cast<double>(workers) * 1e9 / polls);
  }
  session.add({.name = fmt::format("poll_{}_2t_ns", setting.name), .unit = "ns", .ours = summarise(std::move(ns))});
}

/// Polled as often as is usual: how much longer the tasks take while an operation is outstanding.
void measure_slowdown(Session& session, const Setting& setting, std::uint32_t tasks) {
  Polled polled({.workers = workers, .polling = setting.polling}, tasks, 1e-6);
  auto runs = polled.contestants();
  const auto seconds = measure_in_turns(runs, repetitions(session.effort(), 4));
  session.add({.name = fmt::format("poll_{}_slowdown", setting.name),
               .unit = "1",
               .ours = summarise(ratios(seconds[1], seconds[0]))});
}

}  // namespace

void measure_polling(Session& session) {
  const auto count = static_cast<std::uint32_t>(session.size(8192, 50));
  for (const Setting& setting : settings) {
    // A polling thread asks as often as it can, whatever the interval.
    if (setting.polling != tasks::Polling::thread) measure_one_poll(session, setting, count);
    measure_slowdown(session, setting, count);
  }
}

}  // namespace tacit::bench
