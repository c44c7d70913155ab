// Reads and writes the file of measured ways of passes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/detail/pass_ways.hpp"

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <utility>

#include "tacit/base/kept_lines.hpp"

namespace tacit::fft {
namespace {

constexpr base::KeptLines format{
    .first_line = "# tacit passes 1: ranks of a row, of a column, chunks, groups, what for",
    .name = "a file of passes",
    .remedy = "; remove it",
    .wrong_line =
        "is not four numbers (ranks of a row, of a column, chunks, groups) and what they are for; remove "
        "the line",
    .cannot_read = "cannot read the ways of passes",
    .cannot_write = "cannot write the ways of passes; name another file, or none"};

/// @return  nothing: the line is not one of ours
std::optional<std::pair<std::string, PassWay>> parse_line(const std::string& line) {
  std::istringstream words(line);
  PassWay way;
  std::string key;
  words >> way.grid.row_size >> way.grid.column_size >> way.division.chunks >> way.division.groups >> std::ws;
  std::getline(words, key);
  // A stream reads "-1" as the largest number. What was measured names a grid; messages may be left to be chosen.
  if (key.empty() || way.grid.ranks() == 0 || line.front() == '-' || line.find(" -") < line.find(key)) {
    return std::nullopt;
  }
  return std::pair(key, way);
}

std::map<std::string, PassWay> in_file(const std::filesystem::path& file) {
  const auto text = base::read_kept(format, file);
  return text ? parse_pass_ways(*text, file.string()) : std::map<std::string, PassWay>();
}

}  // namespace

std::map<std::string, PassWay> parse_pass_ways(const std::string& text, const std::string& path) {
  std::map<std::string, PassWay> ways;
  base::parse_kept(format, text, path, [&ways](const std::string& line) {
    auto entry = parse_line(line);
    if (entry) ways.insert_or_assign(std::move(entry->first), entry->second);
    return entry.has_value();
  });
  return ways;
}

std::string pass_ways_text(const std::map<std::string, PassWay>& ways) {
  std::string text = fmt::format("{}\n", format.first_line);
  for (const auto& [key, way] : ways) text += fmt::format("{} {}\n", detail::words_of(way), key);
  return text;
}

namespace detail {

std::string words_of(const PassWay& way) {
  return fmt::format("{} {} {} {}", way.grid.row_size, way.grid.column_size, way.division.chunks, way.division.groups);
}

PassWay pass_way_of(const std::string& words) {
  std::istringstream stream(words);
  PassWay way;
  stream >> way.grid.row_size >> way.grid.column_size >> way.division.chunks >> way.division.groups;
  return way;
}

std::string find_pass_way(const std::filesystem::path& file, const std::string& key) {
  const auto ways = in_file(file);
  const auto at = ways.find(key);
  return at == ways.end() ? std::string() : words_of(at->second);
}

void keep_pass_way(const std::filesystem::path& file, const std::string& key, const PassWay& way) {
  if (file.empty()) return;
  auto all = in_file(file);  // of other runs, too
  all.insert_or_assign(key, way);
  base::write_kept(format, file, pass_ways_text(all));
}

}  // namespace detail
}  // namespace tacit::fft
