// Where a figure was measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/statistics.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {

/// The machine, the build and the moment; part of every result.
struct Machine {
  std::string host = {};
  std::string cpu = {};                          ///< model, as the kernel names it
  std::vector<topology::CpuId> processors = {};  ///< numbers of those that this process may use
  std::string compiler = {};
  std::string flags = {};
  std::string commit = {};
  std::string date = {};                    ///< of the begin, ISO 8601, UTC
  std::optional<Summary> flag_before = {};  ///< one-way time of a flag between the first two processors [ns]
  std::optional<Summary> flag_after = {};
  std::vector<std::pair<std::string, std::string>> peers = {};  ///< name and version
};

/// What is known before a benchmark, the first flag latency included.
[[nodiscard]] Machine describe_machine();

}  // namespace tacit::bench
