// Ranks that wait asleep.
// SPDX-License-Identifier: Apache-2.0
#include "comm/crew.hpp"

#include <chrono>
#include <thread>

#include "tacit/base/clock.hpp"

namespace tacit::bench {

template <class Reduction>
double Crew::combine(Reduction& reduction, double mine) {
  using namespace std::chrono_literals;
  value_ = mine;
  reduction.start();
  while (!reduction.test()) std::this_thread::sleep_for(100us);
  return value_;
}

double Crew::largest(double mine) { return combine(largest_, mine); }

double Crew::sum(double mine) { return combine(sum_, mine); }

double Crew::time(Takes who, const std::function<void()>& run) {
  double seconds = 0.0;
  static_cast<void>(largest(0.0));  // who sleeps until here has not begun
  if (who == Takes::all_ranks) begin_.run();
  if (who == Takes::all_ranks || is_first()) {
    const base::Stopwatch watch;
    run();
    seconds = watch.seconds();
  }
  return largest(seconds);
}

Times take_turns(Crew& crew, std::span<const TimedWay> ways, std::size_t samples) {
  Times seconds(ways.size());
  for (std::size_t sample = 0; sample <= samples; ++sample) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const double one = crew.time(ways[i].takes, ways[i].run) / static_cast<double>(ways[i].count);
      if (sample > 0) seconds[i].push_back(one);
    }
  }
  return seconds;
}

}  // namespace tacit::bench
