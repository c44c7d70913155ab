// Times contestants side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "framework/benchmark.hpp"
#include "tacit/tasks/host_thread.hpp"

namespace tacit::bench {

/// A workload in the form of one contestant, made ready. Empty if the contestant cannot express it.
struct Workload {
  std::function<void()> run;           ///< does it once; timed
  std::function<void()> prepare = {};  ///< before each run, if there is anything to do; not timed
};

struct Contestant {
  std::string name;
  tasks::HostThread* host = nullptr;
  Workload workload;
};

/// How often to measure.
struct Repetitions {
  std::size_t samples = 11;  ///< of each contestant; 7 to 15 give a median that one disturbance cannot move
  std::size_t runs_per_sample = 1;
  double pause_s = 0.01;  ///< before each sample, so that the workers of the one before fall asleep
};

[[nodiscard]] Repetitions repetitions(Effort effort, std::size_t runs_per_sample);

/// Seconds of one run, for each contestant and sample: result[contestant][sample]. The contestants take turns; each
/// first runs once untimed, which wakes its workers and warms its memory.
[[nodiscard]] std::vector<std::vector<double>> measure_in_turns(std::span<Contestant> contestants,
                                                                const Repetitions& repetitions);

}  // namespace tacit::bench
