// How near a run came to the limits of its machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/engine/across_ranks.hpp"
#include "tacit/engine/keys.hpp"
#include "tacit/engine/speed_limits.hpp"
#include "tacit/engine/update_cost.hpp"

namespace tacit::comm {
class Communicator;
}

namespace tacit::engine {

/// What a run reached, of all of its threads together.
struct PeakShare {
  enum class Limit : std::uint8_t { arithmetic, memory };
  double share = 0.0;               ///< the least time of the updates over the time that they took
  Limit limit = Limit::arithmetic;  ///< which makes the least time
  double flops_per_s = 0.0;         ///< reached, in both precisions
  double flops_limit = 0.0;         ///< the most in this mixture of precisions
  double bytes_per_s = 0.0;         ///< reached
  double bytes_limit = 0.0;         ///< the most
};

/// The least time of an update on a machine [s]: of its arithmetic or of its memory, whichever is longer.
///
///     t = max(flops / limits.flops + single_flops / limits.single_flops, bytes / limits.bandwidth)
[[nodiscard]] double least_time(const UpdateCost& cost, const SpeedLimits& limits);

/// share = updates_per_s least_time(cost, limits).
/// @param updates_per_s  of all threads together, in steps  @pre limits are known
[[nodiscard]] PeakShare peak_share_of(const UpdateCost& cost, double updates_per_s, const SpeedLimits& limits);

/// "37.0 % of the memory's 33.1 GB/s, 1.2 % of 85.0 Gflop/s"
[[nodiscard]] std::string to_text(const PeakShare& share);

/// Knows the limits of the machine of a run, or measures them.
class MachineLimits {
 public:
  /// Made before workers bind the thread that calls; no other rank is asked.
  /// @param workers  of this rank
  /// @param file     in which limits are kept
  MachineLimits(const RunParameters& run, comm::Communicator& ranks, std::size_t workers,
                std::filesystem::path file = limits_file());

  /// Those of all ranks together: what is kept, or what is measured now, while nothing else runs. All ranks call it,
  /// and hear the same. @param is_worth_it  it may be measured, where that is not forbidden (of the first rank)
  [[nodiscard]] std::optional<SpeedLimits> find(bool is_worth_it);

 private:
  [[nodiscard]] SpeedLimits measure();

  PeakShareKind kind_;
  comm::Communicator& ranks_;
  MeasuringThreads threads_;
  ProcessorUse use_;
  std::filesystem::path file_;
};

}  // namespace tacit::engine
