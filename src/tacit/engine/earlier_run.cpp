// Moves earlier results aside, and cuts a log back to a checkpoint.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/earlier_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/io/output_directory.hpp"

namespace tacit::engine {
namespace {

namespace fs = std::filesystem;

bool is_result_of_a_run(const std::string& name) {
  constexpr std::array<std::string_view, 7> names{"parameters.toml", "statistics.csv", "summary.json", "trace.json",
                                                  "picture.png",     "restart.hdf5",   "history.png"};
  constexpr std::array<std::string_view, 3> numbered{"snapshot_", "spectra_", "tracers_"};
  const bool has_number =
      std::ranges::any_of(numbered, [&](std::string_view start) { return name.starts_with(start); });
  return std::ranges::find(names, name) != names.end() ||
         (has_number && (name.ends_with(".hdf5") || name.ends_with(".png")));
}

std::vector<fs::path> results_in(const fs::path& directory) {
  std::vector<fs::path> results;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.is_regular_file() && is_result_of_a_run(entry.path().filename().string()))
      results.push_back(entry.path());
  }
  return results;
}

}  // namespace

std::string set_aside_earlier_run(const fs::path& directory) {
  try {
    const auto results = results_in(directory);
    if (results.empty()) return {};
    int number = 1;
    while (fs::exists(directory / fmt::format("earlier-{}", number))) ++number;
    const fs::path target = directory / fmt::format("earlier-{}", number);
    fs::create_directory(target);
    for (const auto& file : results) fs::rename(file, target / file.filename());
    return target.string();
  } catch (const fs::filesystem_error& error) {
    throw base::SystemError(directory.string(), "the results of an earlier run cannot be moved aside",
                            error.code().value());
  }
}

void keep_statistics_until(const fs::path& path, std::uint64_t step) {
  std::ifstream file(path);
  if (!file) throw base::SystemError(path.string(), "is needed to continue the run, but cannot be read", errno);
  std::string kept;
  std::string line;
  bool is_header = true;
  while (std::getline(file, line)) {
    std::uint64_t line_step = 0;
    if (!is_header) {
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), line_step);
      static_cast<void>(end);
      if (error != std::errc{})
        throw base::FormatError(path.string(), "line '" + line + "' does not begin with a step");
    }
    if (line_step <= step) kept += line + '\n';
    is_header = false;
  }
  io::write_atomically(path, kept);
}

}  // namespace tacit::engine
