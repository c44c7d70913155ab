// The keys that every run has: threads, units, time, output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/comm/rank.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/engine/conservation.hpp"
#include "tacit/io/log/policy.hpp"
#include "tacit/io/writers.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::engine {

[[nodiscard]] std::span<const config::KeyTable> key_tables();

/// Timeouts of the ranks of a run, and their transports; see comm::Options.
struct RankParameters {
  double deadline_s = 600.0;
  double stopped_s = 10.0;
  double silent_s = 10.0;
  std::optional<comm::ProviderId> transport;  ///< nothing: locality decides
  std::string routes;                         ///< a file, which goes before; empty: none
};

/// The continuous log.
struct LogParameters {
  bool is_on = false;
  io::LogPolicy policy;
  std::uint64_t room = 0;  ///< by which a rank's log grows [byte]
};

/// Which events trace.json holds.
enum class TraceDetail : std::uint8_t {
  readable,  ///< some 2 MB: the last steps event by event, short ones before them merged
  all,       ///< each one that the rings keep
};

/// Whether the end of a run says how near it came to the limits of its machine.
enum class PeakShareKind : std::uint8_t {
  automatic,  ///< where limits are kept, or the run was so long that it pays to measure them
  always,
  never,
};

/// Where and how a run works.
struct RunParameters {
  std::string name;
  std::filesystem::path directory;
  double checkpoint_every_s = 0.0;           ///< wall time; 0: only at the end
  std::uint64_t checkpoint_every_steps = 0;  ///< likewise
  std::size_t checkpoints = 2;               ///< that are kept
  std::optional<double> wall_limit_s;        ///< of the run
  DriftLimits drift;
  int compression = 1;
  io::Writers writers;
  std::optional<std::uint64_t> staging_memory;  ///< of output that waits to be written [byte]; 0: it is written at once
  LogParameters log;
  TraceDetail trace = TraceDetail::readable;
  bool double_precision = false;
  bool picture = true;
  bool fingerprint = true;  ///< of the state at the end
  std::size_t threads = 0;  ///< 0: as many as this process may use
  bool deterministic = false;
  bool pin = true;
  tasks::Polling polling = tasks::Polling::idle_workers;
  double poll_interval_s = 50e-6;
  double stall_timeout_s = 300.0;  ///< 0: never
  PeakShareKind peak_share = PeakShareKind::automatic;
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
  std::vector<double> snapshot_times;  ///< further ones, rising, all between begin and end
  double statistics_every = 0.0;
  std::optional<double> average_from = {};  ///< means of the columns of statistics.csv are taken from there on
};

/// @param conserved  what the solver conserves
/// @throws config::Error where a limit is given for something else
void require_conserved(const config::Parameters& parameters, const DriftLimits& limits,
                       std::span<const Quantity> conserved);

[[nodiscard]] RunParameters read_run_parameters(const config::Parameters& parameters);

/// @param start  time of the initial conditions [code time], taken where time.begin is not given
/// @throws config::Error where keys contradict each other (time.end before time.begin, ...)
[[nodiscard]] TimeParameters read_time_parameters(const config::Parameters& parameters, double start);

/// Reads output.snapshot_times into `time`, whose other members are known: those between its begin and its end.
/// @throws config::Error where they do not rise, or all lie outside
void read_snapshot_times(const config::Parameters& parameters, TimeParameters& time);

}  // namespace tacit::engine
