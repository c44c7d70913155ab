// Makes and ends a scheduler on its own thread; times the clocks.
// SPDX-License-Identifier: Apache-2.0
#include "micro/own.hpp"

#include <algorithm>

#include "tacit/base/clock.hpp"
#include "tacit/base/ticks.hpp"

namespace tacit::bench {

OwnScheduler::OwnScheduler(const tasks::SchedulerOptions& options) : recorder_(options.workers) {
  host_.call([&] { scheduler_ = std::make_unique<tasks::Scheduler>(options, recorder_); });
}

OwnScheduler::~OwnScheduler() {
  host_.call([this] { scheduler_.reset(); });
}

namespace {

/// Reads a clock `times` times; the readings are kept by the processor's registers only.
template <class Clock>
Workload reading(Clock clock, std::size_t times) {
  return {[clock, times] {
    for (std::size_t i = 0; i < times; ++i) {
      const std::int64_t now = clock();
      asm volatile("" : : "r"(now));
    }
  }};
}

}  // namespace

void measure_ticks(Session& session) {
  const std::size_t times = session.size(100'000, 100);
  tasks::HostThread host;
  std::vector<Contestant> clocks;
  clocks.push_back({"ticks", &host, reading([] { return base::ticks(); }, times)});
  clocks.push_back({"steady clock", &host, reading([] { return base::now_ns(); }, times)});
  const auto seconds = measure_in_turns(clocks, repetitions(session.effort(), 4));
  const double scale = 1e9 / static_cast<double>(times);
  Result result{.name = "ticks_ns", .unit = "ns", .ours = summarise(scaled(seconds[0], scale))};
  result.peers.emplace_back(clocks[1].name, summarise(scaled(seconds[1], scale)).median);
  session.add(std::move(result));
}

}  // namespace tacit::bench
