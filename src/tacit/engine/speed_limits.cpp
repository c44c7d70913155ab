// Threads that measure, all at once.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/speed_limits.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <cstdint>
#include <memory>
#include <new>
#include <system_error>
#include <thread>

#include "tacit/base/clock.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/base/memory.hpp"
#include "tacit/engine/peak.hpp"
#include "tacit/engine/triad.hpp"

namespace tacit::engine {
namespace {

constexpr std::size_t rounds = 4;  // the best of which counts: others may have taken the processor
constexpr double round_s = 0.015;

/// What all threads did per second, in the best round: at the same time, for they share memory, caches and heat.
/// @param make  makes what a thread does again and again, in that thread; each call says how much it has done
template <class Make>
double best_rate(const MeasuringThreads& threads, const Make& make) {
  std::vector<std::array<double, rounds>> rates(threads.count, std::array<double, rounds>{});
  std::barrier begin(static_cast<std::ptrdiff_t>(threads.count));
  const auto measure = [&](std::size_t thread) {
    std::optional<topology::Binding> binding;
    try {
      if (thread < threads.cpus.size()) binding.emplace(threads.cpus[thread]);
      auto work = make();
      work();  // memory is there, and clocks are up
      for (double& rate : rates[thread]) {
        begin.arrive_and_wait();
        const base::Stopwatch watch;
        double done = 0.0;
        do done += work();
        while (watch.seconds() < round_s);
        rate = done / watch.seconds();
      }
    } catch (const std::bad_alloc&) {  // only before the first round
      begin.arrive_and_drop();
    }
  };
  std::vector<std::jthread> team;
  team.reserve(threads.count);
  try {
    for (std::size_t thread = 0; thread < threads.count; ++thread) team.emplace_back(measure, thread);
  } catch (const std::system_error&) {  // those that run do not wait for those that never will
    for (std::size_t thread = team.size(); thread < threads.count; ++thread) begin.arrive_and_drop();
  }
  for (std::jthread& thread : team) thread.join();
  double best = 0.0;
  for (std::size_t round = 0; round < rounds; ++round) {
    double sum = 0.0;
    for (const auto& rate : rates) {
      if (rate[round] == 0.0) return 0.0;  // a thread could not
      sum += rate[round];
    }
    best = std::max(best, sum);
  }
  return best;
}

double best_rate_of(PeakLoop loop, const MeasuringThreads& threads) {
  return best_rate(threads, [loop] {
    return [loop] {
      constexpr std::size_t repetitions = 20'000;  // some 30 us
      return loop(repetitions);
    };
  });
}

/// Numbers in each array of a thread: all arrays of all threads together are larger than the last cache. Some machines
/// name a cache of which they have but a part: it is followed up to a point.
std::size_t triad_size(std::size_t threads) {
  constexpr std::uint64_t mib = std::uint64_t{1} << 20U;
  long cache = 0;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  const std::uint64_t together = std::clamp(2 * static_cast<std::uint64_t>(std::max(cache, 0L)), 96 * mib, 640 * mib);
  const std::uint64_t most = base::free_memory().value_or(4 * together) / 4;
  const std::uint64_t each = std::min(std::max(together / threads, 24 * mib), most / threads);
  return static_cast<std::size_t>(each / (3 * sizeof(double)));
}

}  // namespace

double measure_flops(const MeasuringThreads& threads) {
  return best_rate_of(peak_loops(base::best_instruction_set()).of_double, threads);
}

double measure_single_flops(const MeasuringThreads& threads) {
  return best_rate_of(peak_loops(base::best_instruction_set()).of_float, threads);
}

double measure_bandwidth(const MeasuringThreads& threads) {
  const std::size_t size = triad_size(std::max(threads.of_node, threads.count));
  return best_rate(threads, [size] {
    return [triad = std::make_unique<Triad>(size)] {
      triad->run();
      return triad->bytes();
    };
  });
}

}  // namespace tacit::engine
