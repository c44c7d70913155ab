// Opens the logs of a run, and joins what they say of an element.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/log/set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/io/log/interpolate.hpp"

namespace tacit::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view log_begin = "output";
constexpr std::string_view log_end = ".log";

/// The number that follows some letters, which go with it; nothing if they or it are not there.
std::optional<std::uint64_t> take_number(std::string_view& text, std::string_view letters) {
  if (!text.starts_with(letters)) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + letters.size(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The logs of a directory by step and rank.
std::vector<std::pair<LogName, fs::path>> logs_in(const fs::path& directory) {
  std::vector<std::pair<LogName, fs::path>> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory, none)) {
    const auto name = LogName::of(entry.path());
    if (name && entry.is_regular_file(none)) found.emplace_back(*name, entry.path());
  }
  std::ranges::sort(found, {}, [](const auto& one) { return std::tuple(one.first.step, one.first.rank); });
  return found;
}

}  // namespace

std::string LogName::text() const {
  std::string name(log_begin);
  if (step > 0) name += fmt::format("_{:06}", step);
  if (ranks != 1) name += fmt::format(".{}of{}", rank, ranks);
  return name + std::string(log_end);
}

std::optional<LogName> LogName::of(const fs::path& path) {
  const std::string file = path.filename().string();
  std::string_view rest = file;
  if (!rest.starts_with(log_begin) || !rest.ends_with(log_end)) return std::nullopt;
  rest.remove_prefix(log_begin.size());
  rest.remove_suffix(std::min(log_end.size(), rest.size()));
  LogName name;
  if (const auto step = take_number(rest, "_")) name.step = *step;
  if (const auto rank = take_number(rest, ".")) name.rank = *rank;
  if (const auto ranks = take_number(rest, "of")) name.ranks = *ranks;
  return name.text() == file ? std::optional(name) : std::nullopt;
}

LogSet::LogSet(const fs::path& directory, Damage damage) {
  if (fs::is_directory(directory)) {
    open(directory, damage);
  } else {
    parts_.emplace_back().logs.push_back(std::make_unique<LogReader>(directory, damage));
  }
  for (Part& part : parts_) part.begin = part.logs.front()->begin().value_or(std::numeric_limits<double>::lowest());
}

void LogSet::open(const fs::path& directory, Damage damage) {
  for (const auto& [name, path] : logs_in(directory)) {
    if (parts_.empty() || parts_.back().name.step != name.step) {
      require_all_ranks(directory);
      parts_.emplace_back().name = name;
    }
    require_next_rank(directory, name);
    parts_.back().logs.push_back(std::make_unique<LogReader>(path, damage));
    require_same_fields(path);
  }
  require_all_ranks(directory);
  if (parts_.empty()) throw base::FormatError(directory.string(), "has no continuous log (output.log)");
}

void LogSet::require_next_rank(const fs::path& directory, const LogName& found) const {
  LogName next = parts_.back().name;
  next.rank = parts_.back().logs.size();
  if (found.text() == next.text()) return;
  throw base::FormatError(directory.string(), fmt::format("has {}, but not {}", found.text(), next.text()));
}

void LogSet::require_all_ranks(const fs::path& directory) const {
  if (parts_.empty() || parts_.back().logs.size() == parts_.back().name.ranks) return;
  LogName next = parts_.back().name;
  next.rank = parts_.back().logs.size();
  throw base::FormatError(directory.string(), fmt::format("a log of the run is missing: {}", next.text()));
}

void LogSet::require_same_fields(const fs::path& path) const {
  if (parts_.back().logs.back()->schema() == schema()) return;
  throw base::FormatError(path.string(), "has other fields than the first log of the run: read it alone");
}

std::vector<const LogReader*> LogSet::logs() const {
  std::vector<const LogReader*> all;
  for (const Part& part : parts_) {
    for (const auto& log : part.logs) all.push_back(log.get());
  }
  return all;
}

std::optional<double> LogSet::complete() const {
  std::optional<double> least;
  for (const auto& log : parts_.back().logs) {
    const auto mark = log->complete();
    if (!mark) return std::nullopt;
    least = std::min(least.value_or(mark->time), mark->time);
  }
  return least;
}

/// The last part that has begun by then.
const LogSet::Part& LogSet::part_at(double time) const {
  const Part* found = &parts_.front();
  for (const Part& part : parts_) {
    if (part.begin <= time) found = &part;
  }
  return *found;
}

LogTable LogSet::state(double time) const {
  const Part& part = part_at(time);
  if (part.logs.size() == 1) return part.logs.front()->state(time);
  struct Found {
    std::uint64_t id;
    LogReader::Around around;
  };
  std::vector<Found> all;
  for (const auto& log : part.logs) {
    const auto mark = log->complete();
    if (!mark || !(time <= mark->time)) return log->state(time);  // which says why there is none
    for (const auto& entry : log->index_.entries()) all.push_back({entry.id, log->around(entry, time)});
  }
  std::ranges::stable_sort(all, {}, &Found::id);
  const LogSchema& fields = schema();
  const auto time_of = [&fields](const LogReader::Place& place) { return place.record.time(fields); };
  LogTable table = detail::empty_table(fields);
  for (auto first = all.begin(); first != all.end();) {
    LogReader::Around joined = first->around;
    auto next = first + 1;
    for (; next != all.end() && next->id == first->id; ++next) {
      const auto& [before, after] = next->around;
      if (before && (!joined.before || time_of(*joined.before) < time_of(*before))) joined.before = before;
      if (after && (!joined.after || time_of(*after) < time_of(*joined.after))) joined.after = after;
    }
    first = next;
    if (!joined.before || joined.before->record.kind() == detail::RecordKind::removed) continue;
    detail::append_state(table, fields, layout_of(fields), joined.before->record,
                         joined.after ? &joined.after->record : nullptr, time);
  }
  return table;
}

LogTable LogSet::trajectory(std::uint64_t id) const {
  const LogSchema& fields = schema();
  std::vector<detail::RecordView> records;
  for (const LogReader* log : logs()) {
    const std::size_t before = records.size();
    const auto last = log->index_.last_of(id);
    for (auto place = last ? log->last_of({id, *last}) : std::nullopt; place; place = log->previous_of(*place)) {
      records.push_back(place->record);
    }
    std::reverse(records.begin() + static_cast<std::ptrdiff_t>(before), records.end());
  }
  std::ranges::stable_sort(records, {}, [&fields](const detail::RecordView& record) { return record.time(fields); });
  LogTable table = detail::empty_table(fields);
  for (const auto& record : records) detail::append_record(table, fields, layout_of(fields), record);
  return table;
}

}  // namespace tacit::io
