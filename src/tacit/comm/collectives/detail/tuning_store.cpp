// Reads and writes files of measured ways.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/tuning_store.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"

namespace tacit::comm::detail {
namespace {

constexpr std::string_view first_line = "# tacit tunings 1: pattern, leaders, chunk [byte], what for";
constexpr std::array<std::pair<std::string_view, Pattern>, 2> patterns{
    {{"node_aware", Pattern::node_aware}, {"flat", Pattern::flat}}};

std::optional<Pattern> pattern_named(std::string_view name) {
  for (const auto& [known, pattern] : patterns) {
    if (known == name) return pattern;
  }
  return std::nullopt;
}

std::string_view name_of(Pattern pattern) {
  for (const auto& [name, known] : patterns) {
    if (known == pattern) return name;
  }
  return {};
}

/// @return  nothing: the line is not one of ours
std::optional<std::pair<std::string, Way>> parse_line(const std::string& line) {
  std::istringstream words(line);
  std::string pattern;
  std::string key;
  Way way;
  words >> pattern >> way.leaders >> way.chunk >> std::ws;
  std::getline(words, key);
  const auto known = pattern_named(pattern);
  // A stream reads "-1" as the largest number.
  if (!known || key.empty() || way.leaders == 0 || line.find(" -") < line.find(key)) return std::nullopt;
  way.pattern = *known;
  return std::pair(key, way);
}

}  // namespace

std::map<std::string, Way> parse_tunings(const std::string& text, const std::string& path) {
  std::map<std::string, Way> ways;
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != first_line) {
    throw base::FormatError(path + ":1", fmt::format("'{}' stands where a file of tunings begins with '{}'",
                                                     base::printable(line), first_line));
  }
  for (std::size_t number = 2; std::getline(lines, line); ++number) {
    auto entry = parse_line(line);
    if (!entry) {
      throw base::FormatError(
          fmt::format("{}:{}", path, number),
          fmt::format("'{}' is no pattern (node_aware or flat), leaders, chunk, and what for", base::printable(line)));
    }
    ways.insert_or_assign(std::move(entry->first), entry->second);
  }
  return ways;
}

std::string tunings_text(const std::map<std::string, Way>& ways) {
  std::string text = fmt::format("{}\n", first_line);
  for (const auto& [key, way] : ways) {
    text += fmt::format("{} {} {} {}\n", name_of(way.pattern), way.leaders, way.chunk, key);
  }
  return text;
}

TuningStore TuningStore::of_same_file() const {
  TuningStore store;
  store.name_file(file_);
  return store;
}

std::optional<Way> TuningStore::find(const std::string& key) const {
  const auto at = ways_.find(key);
  return at == ways_.end() ? std::nullopt : std::optional(at->second);
}

std::map<std::string, Way> TuningStore::in_file() const {
  if (!std::filesystem::exists(file_)) return {};
  std::ifstream stream(file_);
  if (!stream) throw base::SystemError(file_, "cannot read the tunings", errno);
  return parse_tunings({std::istreambuf_iterator<char>(stream), {}}, file_);
}

void TuningStore::read() {
  if (file_.empty() || is_read_) return;
  ways_.merge(in_file());
  is_read_ = true;
}

void TuningStore::write() {
  if (file_.empty()) return;
  std::map<std::string, Way> all = ways_;
  all.merge(in_file());  // of other runs
  const std::string partial = fmt::format("{}.{}.partial", file_, ::getpid());
  std::ofstream stream(partial);
  stream << tunings_text(all);
  stream.close();
  const bool is_written = stream.good() && std::rename(partial.c_str(), file_.c_str()) == 0;
  if (is_written) return;
  const int code = errno;
  static_cast<void>(std::remove(partial.c_str()));
  throw base::SystemError(file_, "cannot write the tunings", code);
}

}  // namespace tacit::comm::detail
