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
#include <iterator>
#include <optional>
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
         std::ranges::any_of(series,
                             [&](const Series& one) { return !one.suffix.empty() && is_of(one.name, one.suffix); });
}

/// Whether a folder is one of a series of folders, "plt_000120".
bool is_folder_of_series(const std::string& folder, std::span<const Series> series) {
  return std::ranges::any_of(series, [&](const Series& one) {
    if (!one.suffix.empty() || !folder.starts_with(one.name + "_")) return false;
    const std::string_view number = std::string_view(folder).substr(one.name.size() + 1);
    return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  });
}

std::vector<fs::path> results_in(const fs::path& directory, std::span<const Series> series) {
  std::vector<fs::path> results;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    const bool is_result = entry.is_directory() ? is_folder_of_series(name, series)
                                                : entry.is_regular_file() && is_result_of_a_run(name, series);
    if (is_result) results.push_back(entry.path());
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

namespace {

bool is_text(std::string_view line) {
  return std::ranges::none_of(line, [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

/// The step with which a line begins.
std::optional<std::uint64_t> step_of_line(std::string_view line) {
  std::uint64_t step = 0;
  const char* const end_of_line = line.data() + line.size();
  const auto [end, error] = std::from_chars(line.data(), end_of_line, step);
  const bool begins_well = error == std::errc{} && end != end_of_line && *end == ',';
  return begins_well ? std::optional(step) : std::nullopt;
}

bool is_header(std::string_view line) { return line.starts_with("step,") && is_text(line); }

}  // namespace

KeptStatistics keep_statistics_until(const fs::path& path, std::uint64_t step, std::optional<std::uint64_t> last) {
  std::error_code none;
  std::ifstream file(path, std::ios::binary);
  const bool is_there = fs::exists(fs::symlink_status(path, none));
  if (is_there && (!file || !fs::is_regular_file(path, none))) {
    throw base::SystemError(path.string(), "is needed to continue the run, but cannot be read",
                            fs::is_directory(path, none) ? EISDIR : errno);
  }
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  KeptStatistics kept;
  std::string_view rest = all;
  std::size_t bytes = 0;  // that are kept
  std::ptrdiff_t commas = 0;
  std::optional<std::uint64_t> latest;
  bool is_whole = true;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    const auto found = kept.has_header ? step_of_line(line) : std::nullopt;
    if (found && *found > step) break;  // computed again, whatever it is
    const bool has_all = std::ranges::count(line, ',') == commas && is_text(line);
    is_whole =
        end != std::string_view::npos && (kept.has_header ? found && found >= latest && has_all : is_header(line));
    if (!is_whole) break;
    if (!kept.has_header) commas = std::ranges::count(line, ',');
    kept.has_header = true;
    if (found) latest = found;
    bytes += end + 1;
    rest.remove_prefix(end + 1);
  }
  const std::string up_to = latest ? fmt::format("the line of step {}", *latest) : "its begin";
  if (!is_whole) {
    kept.note = fmt::format("{} has no whole line behind {}: cut back to there", path.string(), up_to);
  } else if (all.empty()) {
    kept.note = fmt::format("{} is {}: begun again", path.string(), fs::exists(path, none) ? "empty" : "missing");
  }
  if (last && latest < last) {
    if (kept.note.empty()) kept.note = fmt::format("{} ends with {}", path.string(), up_to);
    kept.note += fmt::format("; lines up to step {} are lost", *last);
  }
  io::write_atomically(path, std::string_view(all).substr(0, bytes));
  return kept;
}

}  // namespace tacit::engine
