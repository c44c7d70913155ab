// Takes turns.
// SPDX-License-Identifier: Apache-2.0
#include "comm/turns.hpp"

#include "tacit/base/clock.hpp"

namespace tacit::bench {

double time_of(PingPong& contestant, std::size_t trips) {
  contestant.run(1 + trips / 10);
  const base::Stopwatch watch;
  contestant.run(trips);
  return watch.seconds() / (contestant.times_per_trip() * static_cast<double>(trips));
}

Times take_turns(const Plan& plan, const Contestants& contestants, std::size_t trips) {
  Times seconds(contestants.size());
  const std::size_t samples = plan.size(31, 3);
  for (std::size_t sample = 0; sample <= samples; ++sample) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      if (contestants[i].second == nullptr) continue;
      const double one = time_of(*contestants[i].second, trips);
      if (sample > 0) seconds[i].push_back(one);
    }
  }
  return seconds;
}

double median_of(const std::vector<double>& seconds, double factor) {
  return summarise(scaled(seconds, factor)).median;
}

Result figure(const Contestants& contestants, const Times& seconds, std::string name, std::string unit, double factor,
              std::size_t ours) {
  Result result{.name = std::move(name), .unit = std::move(unit), .ours = summarise(scaled(seconds[ours], factor))};
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    if (contestants[i].first.starts_with("MPI") && !seconds[i].empty()) {
      result.peers.emplace_back(contestants[i].first, median_of(seconds[i], factor));
    }
  }
  return result;
}

std::size_t faster(const Times& seconds, std::size_t one, std::size_t other) {
  if (seconds[other].empty()) return one;
  if (seconds[one].empty()) return other;
  return median_of(seconds[one], 1.0) <= median_of(seconds[other], 1.0) ? one : other;
}

void add_ratio(const Plan& plan, std::string name, std::vector<double> values, Better better, double limit,
               double flag_ns) {
  plan.add({.name = std::move(name),
            .unit = "1",
            .better = better,
            .ours = summarise(std::move(values)),
            .limit = limit,
            .flag_ns = flag_ns});
}

}  // namespace tacit::bench
