// The commands of the command line; each returns the exit code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tacit::apps {

/// What the exit code says. 3 belongs to the launcher: packages are missing.
enum ExitCode : int {
  success = 0,
  numerics_failed = 1,  ///< the simulation itself failed
  bad_input = 2,        ///< usage, parameter file or initial conditions
  machine_failed = 4,   ///< files, memory, processes
  bug = 5,
};

/// What `run` and `check` are given.
struct RunArguments {
  std::filesystem::path file;
  std::vector<std::string> overrides;  ///< key=value, from --set, --threads and --output
  bool restart = false;
};

int run(const RunArguments& arguments);
int check(const RunArguments& arguments);

enum class KeysFormat { terminal, markdown, schema };
/// Prints the keys of a solver, or of all.
/// @param solver  its name, or empty for all
int keys(const std::string& solver, KeysFormat format);

int info(const std::filesystem::path& path);

enum class TraceFormat { terminal, json };
/// Prints the sums of a run's time line.
/// @param path  the directory of the run, or a trace.json
int trace(const std::filesystem::path& path, TraceFormat format);

/// Replaces this process by the Python that draws. @param arguments  passed on as they are
int plot(const std::vector<std::string>& arguments);

}  // namespace tacit::apps
