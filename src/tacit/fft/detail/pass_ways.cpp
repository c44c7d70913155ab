// Reads and writes the file of measured ways of passes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/detail/pass_ways.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"

namespace tacit::fft {
namespace {

constexpr std::string_view first_line = "# tacit passes 1: ranks of a row, of a column, chunks, groups, what for";

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
  if (file.empty() || !std::filesystem::exists(file)) return {};
  std::ifstream stream(file);
  if (!stream) throw base::SystemError(file.string(), "cannot read the ways of passes", errno);
  return parse_pass_ways({std::istreambuf_iterator<char>(stream), {}}, file.string());
}

}  // namespace

std::map<std::string, PassWay> parse_pass_ways(const std::string& text, const std::string& path) {
  std::map<std::string, PassWay> ways;
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != first_line) {
    throw base::FormatError(path + ":1", fmt::format("'{}' stands where a file of passes begins with '{}'; remove it",
                                                     base::printable(line), first_line));
  }
  for (std::size_t number = 2; std::getline(lines, line); ++number) {
    auto entry = parse_line(line);
    if (!entry) {
      throw base::FormatError(fmt::format("{}:{}", path, number),
                              fmt::format("'{}' is not four numbers (ranks of a row, of a column, chunks, groups) and "
                                          "what they are for; remove the line",
                                          base::printable(line)));
    }
    ways.insert_or_assign(std::move(entry->first), entry->second);
  }
  return ways;
}

std::string pass_ways_text(const std::map<std::string, PassWay>& ways) {
  std::string text = fmt::format("{}\n", first_line);
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
  const std::string partial = fmt::format("{}.{}.partial", file.string(), ::getpid());
  std::ofstream stream(partial);
  stream << pass_ways_text(all);
  stream.close();
  if (stream.good() && std::rename(partial.c_str(), file.c_str()) == 0) return;
  const int code = errno;
  static_cast<void>(std::remove(partial.c_str()));
  throw base::SystemError(file.string(), "cannot write the ways of passes; name another file, or none", code);
}

}  // namespace detail
}  // namespace tacit::fft
