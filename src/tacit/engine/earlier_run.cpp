// Moves earlier results aside, and cuts a log back to a checkpoint.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/earlier_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/io/log/set.hpp"
#include "tacit/io/output_directory.hpp"

namespace tacit::engine {
namespace {

namespace fs = std::filesystem;

bool is_result_of_a_run(const std::string& file, std::span<const Series> series) {
  constexpr std::array<std::string_view, 8> names{"parameters.toml", "statistics.csv", "summary.json", "trace.json",
                                                  "picture.png",     "restart.hdf5",   "failed.hdf5",  "history.png"};
  const auto is_of = [&file](std::string_view name, std::string_view suffix) {
    return file.starts_with(fmt::format("{}_", name)) && (file.ends_with(suffix) || file.ends_with(".png"));
  };
  constexpr std::string_view index = ".index";
  const std::string log = file.ends_with(index) ? file.substr(0, file.size() - index.size()) : file;
  // Parts have the begin and the suffix of their main file.
  return std::ranges::find(names, file) != names.end() || is_of("restart", ".hdf5") || is_of("snapshot", ".hdf5") ||
         is_of("spectra", ".hdf5") || is_of("tracers", ".hdf5") || io::LogName::of(log).has_value() ||
         std::ranges::any_of(series, [&](const Series& one) { return is_of(one.name, one.suffix); });
}

std::vector<fs::path> results_in(const fs::path& directory, std::span<const Series> series) {
  std::vector<fs::path> results;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.is_regular_file() && is_result_of_a_run(entry.path().filename().string(), series))
      results.push_back(entry.path());
  }
  return results;
}

/// What is being moved: the folder in the first line, a name in each of the others. It is there until all are.
constexpr std::string_view list_name = ".tacit.moving";

[[noreturn]] void fail_to_move(const fs::path& directory, const fs::filesystem_error& error) {
  throw base::SystemError(directory.string(), "the results of an earlier run cannot be moved aside",
                          error.code().value());
}

/// Whether the name is that of a part, "snapshot_0003.part02-1f3a9c20-5.hdf5".
bool is_part(const fs::path& file) { return file.filename().string().find(".part") != std::string::npos; }

/// Moves those that have not been moved.
void move_all(const fs::path& directory, const fs::path& target, std::span<const std::string> names) {
  fs::create_directory(target);
  for (const std::string& name : names) {
    if (fs::exists(fs::symlink_status(directory / name)) && !fs::exists(fs::symlink_status(target / name))) {
      fs::rename(directory / name, target / name);
    }
  }
  fs::remove(directory / list_name);
}

}  // namespace

std::string set_aside_earlier_run(const fs::path& directory, std::span<const Series> series) {
  try {
    auto results = results_in(directory, series);
    if (results.empty()) return {};
    // Parts first: one whose file is no longer beside it would look like one that never had any.
    std::ranges::stable_partition(results, is_part);
    int number = 1;
    while (fs::exists(directory / fmt::format("earlier-{}", number))) ++number;
    const std::string target = fmt::format("earlier-{}", number);
    std::vector<std::string> names;
    for (const fs::path& file : results) names.push_back(file.filename().string());
    io::write_atomically(directory / list_name, fmt::format("{}\n{}\n", target, fmt::join(names, "\n")));
    move_all(directory, directory / target, names);
    return (directory / target).string();
  } catch (const fs::filesystem_error& error) {
    fail_to_move(directory, error);
  }
}

std::string finish_moving_aside(const fs::path& directory) {
  std::ifstream list(directory / list_name);
  if (!list) return {};
  std::vector<std::string> names;
  std::string target;
  const auto is_name = [](const std::string& name) {
    return !name.empty() && name.find('/') == std::string::npos && name != "." && name != "..";
  };
  bool is_sound = static_cast<bool>(std::getline(list, target)) && is_name(target) && target.starts_with("earlier-");
  for (std::string name; std::getline(list, name);) {
    is_sound = is_sound && is_name(name);
    names.push_back(name);
  }
  if (!is_sound) {
    throw base::FormatError((directory / list_name).string(),
                            "is damaged: an earlier run was being moved to a folder earlier-N beside it when its "
                            "successor ended; move the rest of its files there, and remove this one");
  }
  try {
    move_all(directory, directory / target, names);
    return (directory / target).string();
  } catch (const fs::filesystem_error& error) {
    fail_to_move(directory, error);
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
