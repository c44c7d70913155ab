// Starts SWIFT on kh_64 and reads its speed off its own table of steps.
// SPDX-License-Identifier: Apache-2.0
#include "sph/swift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "sph/child.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {
namespace {

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

std::string in_capitals(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// Which column of the table of steps holds what; -1 where it is not named.
struct Columns {
  std::ptrdiff_t updates = -1;
  std::ptrdiff_t milliseconds = -1;
};

/// The head of the table is a comment that names the columns. One name has blanks in it, one stands for two columns:
/// the lowest and the highest bin.
Columns columns_of(std::string head) {
  const std::string with_blank = "Wall-clock time [";
  const std::string without = "Wall-clock[";
  if (const auto at = head.find(with_blank); at != std::string::npos) head.replace(at, with_blank.size(), without);
  std::istringstream words(head.substr(1));
  Columns columns;
  std::ptrdiff_t column = 0;
  for (std::string word; words >> word; ++column) {
    if (word == "Updates") columns.updates = column;
    if (word.starts_with(without)) columns.milliseconds = column;
    if (word == "Time-bins") ++column;
  }
  return columns;
}

/// The table of steps that was written last; its name depends on the version.
std::filesystem::path last_table(const std::filesystem::path& folder) {
  std::filesystem::path last;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with("timesteps")) continue;
    if (last.empty() || entry.last_write_time() > std::filesystem::last_write_time(last)) last = entry.path();
  }
  return last;
}

/// Updates per second of each step in which every particle took part.
std::vector<double> rates_in(const std::filesystem::path& file) {
  std::ifstream table(file);
  Columns columns;
  std::vector<std::pair<double, double>> steps;  // updates, seconds
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) {
      if (const Columns found = columns_of(line); found.updates >= 0 && found.milliseconds >= 0) columns = found;
      continue;
    }
    std::istringstream words(line);
    std::vector<double> values;
    for (double value = 0.0; words >> value;) values.push_back(value);
    const auto last = std::max(columns.updates, columns.milliseconds);
    if (std::min(columns.updates, columns.milliseconds) < 0 || std::ssize(values) <= last) continue;
    steps.emplace_back(values[static_cast<std::size_t>(columns.updates)],
                       1e-3 * values[static_cast<std::size_t>(columns.milliseconds)]);
  }
  double all = 0.0;
  for (const auto& [updates, seconds] : steps) all = std::max(all, updates);
  std::vector<double> rates;
  for (const auto& [updates, seconds] : steps) {
    if (updates == all && seconds > 0.0) rates.push_back(updates / seconds);
  }
  return rates;
}

}  // namespace

void add_swift(Session& session, Result& result, const std::string& scheme, std::size_t threads) {
  const auto program = variable("TACIT_SWIFT_" + in_capitals(scheme));
  const auto parameters = variable("TACIT_SWIFT_YML");
  if (!program || !parameters) return;
  const std::filesystem::path file = std::filesystem::absolute(*parameters);
  Child swift({*program, "--hydro", fmt::format("--threads={}", threads), "-n", "24", file.string()}, Output::nowhere,
              file.parent_path());
  swift.wait_for_end();
  const auto table = last_table(file.parent_path());
  const auto rates = rates_in(table);
  if (rates.empty()) throw base::SystemError(table.string(), "names no updates and times of SWIFT's steps");
  result.peers.emplace_back("SWIFT", summarise(rates).median / static_cast<double>(threads));
  session.add_peer("SWIFT " + scheme, *program);
}

void add_recorded_swift(Session& session) {
  struct Recorded {
    const char* name;
    double value;
  };
  constexpr std::array figures{Recorded{"kh64_gadget2_swift_recorded_updates_per_core_s", 0.71e6},
                               Recorded{"kh64_sphenix_swift_recorded_updates_per_core_s", 0.28e6}};
  for (const auto& [name, value] : figures) {
    session.add({.name = name, .unit = "/s", .better = Better::higher, .ours = summarise(std::vector<double>{value})});
  }
}

}  // namespace tacit::bench
