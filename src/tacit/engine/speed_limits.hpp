// How fast the processors and the memory of this machine are at most: measured in a part of a second, and kept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tacit/topology/cpus.hpp"

namespace tacit::engine {

/// What threads do at most, all of them together and at once.
struct SpeedLimits {
  double flops = 0.0;         ///< operations in double precision [1/s]
  double single_flops = 0.0;  ///< in single precision [1/s]
  double bandwidth = 0.0;     ///< of memory [byte/s], as `Triad` counts them

  /// Whether all have been measured.
  [[nodiscard]] bool are_known() const noexcept { return flops > 0.0 && single_flops > 0.0 && bandwidth > 0.0; }
};

/// The threads of this process that measure, beside those of others on its node.
struct MeasuringThreads {
  std::size_t count = 1;
  std::vector<topology::CpuId> cpus = {};  ///< one for each thread; empty: the kernel places them
  std::size_t of_node = 1;                 ///< threads of all processes that measure at once here, these included
};

/// Multiplications and additions in registers, in the widest packs of this processor.
/// @return  0 where threads cannot be started
/// Cost: 0.1 s
[[nodiscard]] double measure_flops(const MeasuringThreads& threads);
[[nodiscard]] double measure_single_flops(const MeasuringThreads& threads);
/// The triad, over arrays that are larger than the last cache, but take no more than a quarter of the free memory.
/// @return  0 where there is no memory for it, or threads cannot be started
/// Cost: 0.2 to 0.6 s
[[nodiscard]] double measure_bandwidth(const MeasuringThreads& threads);

/// What was measured is kept in a file by this: host, processor, instruction set, version and threads. Where one of
/// them is another, what the file says does not count.
/// @param threads  of all ranks
[[nodiscard]] std::string key_of_limits(std::size_t threads, std::size_t nodes);
/// `limits` in the folder $TACIT_CACHE, $XDG_CACHE_HOME/tacit or ~/.cache/tacit: the first of them that is set, and an
/// absolute path; empty: none is.
[[nodiscard]] std::filesystem::path limits_file();
/// What the file has of the key. A file that cannot be read, or is no such file, has nothing.
[[nodiscard]] std::optional<SpeedLimits> find_limits(const std::filesystem::path& file, const std::string& key);
/// Adds it to the file, which is made where it is not there, and replaced where it is no such file. Where it cannot
/// be written nothing is kept: a run does not fail for that.
void keep_limits(const std::filesystem::path& file, const std::string& key, const SpeedLimits& limits);

}  // namespace tacit::engine
