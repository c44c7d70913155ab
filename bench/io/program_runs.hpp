// Runs of `tacit run` that are compared, and what they say of themselves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tacit::bench {

/// What is run; all its files go into one folder.
struct Case {
  std::filesystem::path folder;
  std::string parameters;  ///< text of a parameter file
  int ranks = 1;
  int threads = 1;
  int nodes = 0;  ///< emulated, with `ranks` on each; 0: this machine
};

/// What a run says in summary.json.
struct RunCost {
  double wall_s = 0.0;
  double output_exposed_s = 0.0;
  double output_share = 0.0;
  std::uint64_t steps = 0;
  std::uint64_t peak_memory_bytes = 0;  ///< of the rank with the most
};

/// Runs it to its end, with further settings, "key=value". The results stay in CASE.folder/out until the next run.
/// @throws base::SystemError if it fails
RunCost run_program(const Case& what, const std::vector<std::string>& settings = {});

}  // namespace tacit::bench
