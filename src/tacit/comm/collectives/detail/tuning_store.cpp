// Reads and writes files of measured ways.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/tuning_store.hpp"

#include <fmt/format.h>

#include <array>
#include <sstream>
#include <string_view>
#include <utility>

#include "tacit/base/kept_lines.hpp"

namespace tacit::comm::detail {
namespace {

constexpr base::KeptLines format{
    .first_line = "# tacit tunings 1: pattern, leaders, chunk [byte], who copies, what for",
    .name = "a file of tunings",
    .wrong_line =
        "is no pattern (node_aware or flat), leaders, chunk, who copies (by_size, by_receiver or by_sender), "
        "and what for",
    .cannot_read = "cannot read the tunings",
    .cannot_write = "cannot write the tunings"};
constexpr std::array<std::pair<std::string_view, Pattern>, 2> patterns{
    {{"node_aware", Pattern::node_aware}, {"flat", Pattern::flat}}};

constexpr std::array<std::pair<std::string_view, Copying>, 3> copyings{
    {{"by_size", Copying::by_size}, {"by_receiver", Copying::by_receiver}, {"by_sender", Copying::by_sender}}};

template <class Table>
[[nodiscard]] auto value_named(const Table& table, std::string_view name) {
  using Value = decltype(table[0].second);
  for (const auto& [known, value] : table) {
    if (known == name) return std::optional<Value>(value);
  }
  return std::optional<Value>();
}

template <class Table, class Value>
[[nodiscard]] std::string_view name_of(const Table& table, Value value) {
  for (const auto& [name, known] : table) {
    if (known == value) return name;
  }
  return {};
}

/// @return  nothing: the line is not one of ours
std::optional<std::pair<std::string, Algorithm>> parse_line(const std::string& line) {
  std::istringstream words(line);
  std::string pattern;
  std::string copying;
  std::string key;
  Algorithm way;
  words >> pattern >> way.leaders >> way.chunk >> copying >> std::ws;
  std::getline(words, key);
  const auto known = value_named(patterns, pattern);
  const auto copier = value_named(copyings, copying);
  // A stream reads "-1" as the largest number.
  if (!known || !copier || key.empty() || way.leaders == 0 || line.find(" -") < line.find(key)) return std::nullopt;
  way.pattern = *known;
  way.copying = *copier;
  return std::pair(key, way);
}

}  // namespace

std::map<std::string, Algorithm> parse_tunings(const std::string& text, const std::string& path) {
  std::map<std::string, Algorithm> ways;
  base::parse_kept(format, text, path, [&ways](const std::string& line) {
    auto entry = parse_line(line);
    if (entry) ways.insert_or_assign(std::move(entry->first), entry->second);
    return entry.has_value();
  });
  return ways;
}

std::string tunings_text(const std::map<std::string, Algorithm>& ways) {
  std::string text = fmt::format("{}\n", format.first_line);
  for (const auto& [key, way] : ways) {
    text += fmt::format("{} {} {} {} {}\n", name_of(patterns, way.pattern), way.leaders, way.chunk,
                        name_of(copyings, way.copying), key);
  }
  return text;
}

TuningStore TuningStore::of_same_file() const {
  TuningStore store;
  store.name_file(file_);
  return store;
}

std::optional<Algorithm> TuningStore::find(const std::string& key) const {
  const auto at = ways_.find(key);
  return at == ways_.end() ? std::nullopt : std::optional(at->second);
}

std::map<std::string, Algorithm> TuningStore::in_file() const {
  const auto text = base::read_kept(format, file_);
  return text ? parse_tunings(*text, file_) : std::map<std::string, Algorithm>();
}

void TuningStore::read() {
  if (file_.empty() || is_read_) return;
  ways_.merge(in_file());
  is_read_ = true;
}

void TuningStore::write() {
  if (file_.empty()) return;
  std::map<std::string, Algorithm> all = ways_;
  all.merge(in_file());  // of other runs
  base::write_kept(format, file_, tunings_text(all));
}

}  // namespace tacit::comm::detail
