// Reads tables and JSON, and compares them value by value.
// SPDX-License-Identifier: Apache-2.0
#include "diff_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"

namespace tacit::apps {
namespace {

namespace fs = std::filesystem;

std::ifstream open_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw base::SystemError(path.string(), "cannot be opened for reading", errno);
  return file;
}

std::optional<double> number_in(std::string_view text) {
  double value = 0.0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_close(std::string_view a, std::string_view b, const std::optional<io::Tolerance>& tolerance) {
  if (a == b) return true;
  const auto x = number_in(a);
  const auto y = number_in(b);
  return tolerance && x && y && tolerance->allows(*x, *y);
}

/// By column, from top to bottom.
struct Table {
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> columns;
  std::size_t rows = 0;
};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::size_t begin = 0;
  for (std::size_t end = line.find(','); end != std::string::npos; end = line.find(',', begin)) {
    fields.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  fields.push_back(line.substr(begin));
  return fields;
}

Table read_table(const fs::path& path) {
  std::ifstream file = open_text(path);
  Table table;
  std::string line;
  if (!std::getline(file, line)) return table;
  table.names = fields_of(line);
  for (; std::getline(file, line); ++table.rows) {
    std::vector<std::string> fields = fields_of(line);
    if (fields.size() != table.names.size()) {
      throw base::FormatError(path.string(), fmt::format("line {} has {} columns, expected {}", table.rows + 2,
                                                         fields.size(), table.names.size()));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) table.columns[table.names[i]].push_back(std::move(fields[i]));
  }
  return table;
}

void add_number(io::Tally& tally, std::uint64_t at, const std::string& a, const std::string& b) {
  if (tally.differing++ == 0) {
    tally.first = at;
    tally.values = fmt::format("{} and {}", base::printable(a, 30), base::printable(b, 30));
  }
  constexpr double unknown = std::numeric_limits<double>::infinity();
  const auto x = number_in(a);
  const auto y = number_in(b);
  const bool are_finite = x && y && std::isfinite(*x) && std::isfinite(*y);
  const double apart = are_finite ? std::abs(*x - *y) : unknown;
  const double larger = are_finite ? std::max(std::abs(*x), std::abs(*y)) : 1.0;
  tally.largest_absolute = std::max(tally.largest_absolute, apart);
  tally.largest_relative = std::max(tally.largest_relative, larger > 0.0 ? apart / larger : 0.0);
}

void compare_columns(const std::string& name, const Table& a, const Table& b, const DiffOptions& options,
                     io::Comparison& found) {
  ++found.arrays;
  const std::size_t rows = std::min(a.rows, b.rows);
  const auto tolerance = options.tolerance_of(name);
  io::Tally tally;
  tally.numbers = rows;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string& x = a.columns.at(name)[row];
    const std::string& y = b.columns.at(name)[row];
    if (!is_close(x, y, tolerance)) add_number(tally, row, x, y);
  }
  if (tally.differing > 0) found.differences.push_back({name, "", std::move(tally), {rows}});
}

bool has_column(const Table& table, const std::string& name) {
  return std::ranges::find(table.names, name) != table.names.end();
}

/// By path: "/conserved/mass/start".
using Flat = std::map<std::string, nlohmann::json>;

Flat read_json(const fs::path& path, const DiffOptions& options) {
  std::ifstream file = open_text(path);
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  if (json.is_discarded() || !json.is_object()) throw base::FormatError(path.string(), "is not an object of JSON");
  Flat flat;
  for (const auto& [name, value] : json.items()) {
    if (options.leaves_out_column(name)) continue;
    nlohmann::json one = nlohmann::json::object();
    one[name] = value;
    const nlohmann::json leaves = one.flatten();
    for (const auto& [place, leaf] : leaves.items()) flat[place.substr(1)] = leaf;
  }
  return flat;
}

}  // namespace

io::Comparison compare_tables(const fs::path& a, const fs::path& b, const DiffOptions& options) {
  const Table first = read_table(a);
  const Table second = read_table(b);
  io::Comparison found;
  if (first.rows != second.rows) {
    found.differences.push_back({.name = "", .what = fmt::format("has {} and {} rows", first.rows, second.rows)});
  }
  for (const std::string& name : first.names) {
    if (options.leaves_out_column(name)) continue;
    if (has_column(second, name)) {
      if (std::min(first.rows, second.rows) > 0) compare_columns(name, first, second, options, found);
    } else {
      found.differences.push_back({.name = name, .what = "is only in the first"});
    }
  }
  for (const std::string& name : second.names) {
    if (options.leaves_out_column(name) || has_column(first, name)) continue;
    found.differences.push_back({.name = name, .what = "is only in the second"});
  }
  return found;
}

io::Comparison compare_json(const fs::path& a, const fs::path& b, const DiffOptions& options) {
  const Flat first = read_json(a, options);
  const Flat second = read_json(b, options);
  io::Comparison found;
  for (const auto& [name, value] : first) {
    const auto other = second.find(name);
    if (other == second.end()) {
      found.differences.push_back({.name = name, .what = "is only in the first"});
      continue;
    }
    ++found.attributes;
    const std::string x = value.dump();
    const std::string y = other->second.dump();
    if (is_close(x, y, options.tolerance_of(name))) continue;
    found.differences.push_back(
        {.name = name, .what = fmt::format("is {} and {}", base::printable(x), base::printable(y))});
  }
  for (const auto& [name, value] : second) {
    if (!first.contains(name)) found.differences.push_back({.name = name, .what = "is only in the second"});
  }
  return found;
}

io::Comparison compare_bytes(const fs::path& a, const fs::path& b) {
  std::ifstream first = open_text(a);
  std::ifstream second = open_text(b);
  io::Comparison found{.arrays = 1};
  std::array<char, 65536> x{};
  std::array<char, 65536> y{};
  for (std::uint64_t at = 0; first && second; at += x.size()) {
    first.read(x.data(), x.size());
    second.read(y.data(), y.size());
    const std::string_view in_x(x.data(), static_cast<std::size_t>(first.gcount()));
    const std::string_view in_y(y.data(), static_cast<std::size_t>(second.gcount()));
    if (in_x == in_y) continue;
    const auto same = std::ranges::mismatch(in_x, in_y).in1 - in_x.begin();
    found.differences.push_back(
        {.name = "", .what = fmt::format("differs from byte {} on", at + static_cast<std::uint64_t>(same))});
    break;
  }
  return found;
}

}  // namespace tacit::apps
