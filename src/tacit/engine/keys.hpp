// The keys that every run has: threads, units, time, output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "tacit/config/parameters.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::engine {

[[nodiscard]] std::span<const config::KeyTable> key_tables();

/// Timeouts of the ranks of a run, and their transports; see comm::Options.
struct RankParameters {
  double deadline_s = 600.0;
  double stopped_s = 10.0;
  double silent_s = 10.0;
  std::string routes;  ///< a file; empty: locality decides
};

/// Where and how a run works.
struct RunParameters {
  std::string name;
  std::filesystem::path directory;
  double checkpoint_every_s = 0.0;  ///< wall time; 0: only at the end
  int compression = 4;
  bool double_precision = false;
  bool picture = true;
  std::size_t threads = 0;  ///< 0: as many as this process may use
  bool deterministic = false;
  bool pin = true;
  tasks::Polling polling = tasks::Polling::idle_workers;
  double poll_interval_s = 50e-6;
  double stall_timeout_s = 300.0;  ///< 0: never
  RankParameters ranks;
};

/// When a run steps and writes, in code units.
struct TimeParameters {
  double begin = 0.0;
  double end = 0.0;
  double dt_max = 0.0;  ///< infinite when not given
  double dt_min = 0.0;
  std::uint64_t max_steps = 0;  ///< the largest integer when not given
  double snapshot_every = 0.0;
  double statistics_every = 0.0;
};

[[nodiscard]] RunParameters read_run_parameters(const config::Parameters& parameters);

/// @param start  time of the initial conditions [code time], taken where time.begin is not given
/// @throws config::Error where keys contradict each other (time.end before time.begin, ...)
[[nodiscard]] TimeParameters read_time_parameters(const config::Parameters& parameters, double start);

}  // namespace tacit::engine
