// Takes samples of each contestant in turn.
// SPDX-License-Identifier: Apache-2.0
#include "framework/measure.hpp"

#include <chrono>
#include <thread>

#include "tacit/base/clock.hpp"

namespace tacit::bench {
namespace {

double time_one_run(const Workload& workload) {
  if (workload.prepare) workload.prepare();
  const base::Stopwatch watch;
  workload.run();
  return watch.seconds();
}

double take_sample(const Contestant& contestant, std::size_t runs) {
  double seconds = 0.0;
  contestant.host->call([&] {
    time_one_run(contestant.workload);
    for (std::size_t i = 0; i < runs; ++i) seconds += time_one_run(contestant.workload);
  });
  return seconds / static_cast<double>(runs);
}

}  // namespace

Repetitions repetitions(Effort effort, std::size_t runs_per_sample) {
  if (effort == Effort::quick) return {.samples = 2, .runs_per_sample = 1, .pause_s = 0.0};
  return {.runs_per_sample = runs_per_sample};
}

std::vector<std::vector<double>> measure_in_turns(std::span<Contestant> contestants, const Repetitions& repetitions) {
  std::vector<std::vector<double>> seconds(contestants.size());
  for (std::size_t sample = 0; sample < repetitions.samples; ++sample) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      std::this_thread::sleep_for(std::chrono::duration<double>(repetitions.pause_s));
      seconds[i].push_back(take_sample(contestants[i], repetitions.runs_per_sample));
    }
  }
  return seconds;
}

}  // namespace tacit::bench
