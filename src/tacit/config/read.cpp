// Checks a document against tables of keys: Document::read.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "tacit/config/detail/checks.hpp"
#include "tacit/config/detail/content.hpp"
#include "tacit/config/detail/convert.hpp"
#include "tacit/config/detail/describe.hpp"

namespace tacit::config {
namespace {

std::vector<const Key*> all_keys(std::span<const KeyTable> tables) {
  std::vector<const Key*> keys;
  std::set<std::string_view> names;
  for (const auto& table : tables) {
    for (const auto& key : table.keys) {
      keys.push_back(&key);
      TACIT_EXPECT(names.insert(key.name).second);
    }
  }
  return keys;
}

/// Converts values one after the other and gathers what is wrong.
class Reading {
 public:
  Reading(const std::string& file, std::span<const detail::Entry> entries) : file_(file), entries_(entries) {}

  [[nodiscard]] Parameters::Value value(const Key& key) {
    const auto known = std::ranges::find(unit_values_, key.name, &Parameters::Value::name);
    return known != unit_values_.end() ? *known : convert(key);
  }

  /// The code units, from the five keys of [units]; all other values are converted with them afterwards.
  [[nodiscard]] base::UnitSystem units(std::span<const Key* const> keys) {
    const std::size_t before = problems_.size();
    base::UnitSystem units;
    units.length_in_cgs = unit(keys, "units.length");
    units.mass_in_cgs = unit(keys, "units.mass");
    units.time_in_cgs = units.length_in_cgs / unit(keys, "units.velocity");
    units.temperature_in_cgs = unit(keys, "units.temperature");
    units.current_in_cgs = unit(keys, "units.current");
    const bool is_normal = std::isnormal(units.time_in_cgs);
    if (problems_.size() == before && !is_normal) report_time_unit();
    scales_.are_known = problems_.size() == before;
    if (scales_.are_known) scales_.units = units;
    return scales_.units;
  }

  void report(std::span<const Problem> problems) {
    problems_.insert(problems_.end(), problems.begin(), problems.end());
  }

  [[nodiscard]] bool has_problems() const noexcept { return !problems_.empty(); }

  [[nodiscard]] std::vector<std::string> notes() { return std::move(notes_); }

  /// The problems in the order of the file, then what is missing in it, then the overrides.
  [[nodiscard]] std::vector<Problem> sorted_problems() {
    const auto place = [this](const Problem& problem) {
      const bool is_in_file = problem.where.line > 0;
      const int group = is_in_file ? 0 : problem.where.file == file_ ? 1 : 2;
      return std::tuple(group, problem.where.line, problem.where.column);
    };
    std::ranges::stable_sort(problems_, {}, place);
    return std::move(problems_);
  }

 private:
  /// A table of constants is there where one of them is, on the command line as in the file.
  [[nodiscard]] Parameters::Value convert_constants(const Key& key) {
    Parameters::Value value{.name = std::string(key.name), .type = key.type, .where = {.file = file_}};
    for (const detail::Entry& entry : entries_) {
      if (!detail::is_within(entry.name, key.name)) continue;
      if (!value.is_given || value.where.line == 0) value.where = entry.where;
      value.is_given = true;
    }
    try {
      auto constants = detail::convert_constants(key.name, entries_, scales_);
      value.is_changed = !constants.empty();
      value.content = std::move(constants);
    } catch (const Error& error) {
      report(error.problems());
    }
    return value;
  }

  [[nodiscard]] Parameters::Value convert(const Key& key) {
    if (key.type == Type::constants) return convert_constants(key);
    const auto* entry = given(key);
    Parameters::Value value{.name = std::string(key.name),
                            .former_name = std::string(key.former_name),
                            .type = key.type,
                            .dimension = key.dimension};
    value.is_given = entry != nullptr;
    value.where = entry != nullptr ? entry->value_place(entry->value) : Location{.file = file_};
    value.is_verbatim = entry != nullptr && entry->value.is_verbatim;
    try {
      if (key.need == Need::has_default) value.content = detail::convert_default(key, scales_);
      if (entry != nullptr) {
        auto content = detail::convert(key, *entry, scales_);
        value.is_changed = content != value.content;
        value.content = std::move(content);
      }
      if (entry == nullptr && key.need == Need::required && !is_below_value(key.name)) report_missing(key);
    } catch (const Error& error) {
      report(error.problems());
    }
    return value;
  }

  /// What the user gave, under the key's name or its former one; the command line wins over the file.
  [[nodiscard]] const detail::Entry* given(const Key& key) {
    const auto* now = find(key.name);
    const auto* old = key.former_name.empty() ? nullptr : find(key.former_name);
    if (old == nullptr) return now;
    const bool is_override = is_on_command_line(old->where);
    if (now != nullptr && is_override == is_on_command_line(now->where)) {
      problems_.push_back({old->where, old->name, fmt::format("is the old name of {}, which is given too", key.name),
                           "remove this line"});
    }
    if (now != nullptr && !is_override) return now;
    notes_.emplace_back(
        Error(old->where, old->name, fmt::format("is the old name of {}; write that", key.name)).what());
    return old;
  }

  [[nodiscard]] const detail::Entry* find(std::string_view name) const {
    const auto entry = std::ranges::find(entries_, name, &detail::Entry::name);
    return entry == entries_.end() ? nullptr : &*entry;
  }

  double unit(std::span<const Key* const> keys, std::string_view name) {
    const auto key = std::ranges::find(keys, name, &Key::name);
    TACIT_EXPECT(key != keys.end() && (*key)->type == Type::quantity);
    if (key == keys.end()) return 1.0;
    unit_values_.push_back(convert(**key));
    const auto* number = std::get_if<double>(&unit_values_.back().content);
    return number != nullptr ? *number : 1.0;
  }

  /// Whether a table that should hold the key is a plain value, which is reported elsewhere.
  [[nodiscard]] bool is_below_value(std::string_view name) const {
    return std::ranges::any_of(entries_, [name](const detail::Entry& entry) {
      return entry.value.kind != detail::Kind::table && detail::is_within(name, entry.name);
    });
  }

  void report_missing(const Key& key) {
    Problem problem;
    problem.where.file = file_;
    problem.key = key.name;
    problem.message = "is missing; expected " + detail::expectation(key);
    problem.hint = detail::example(key);
    problems_.push_back(std::move(problem));
  }

  void report_time_unit() {
    const auto* entry = find("units.velocity");
    const Location where = entry != nullptr ? entry->value_place(entry->value) : Location{.file = file_};
    problems_.push_back({where, "units.velocity",
                         "the unit of time, length/velocity, is too large or too small a number",
                         "choose other [units]"});
  }

  std::string file_;
  std::span<const detail::Entry> entries_;
  detail::Scales scales_;
  std::vector<Parameters::Value> unit_values_;  // read before the others
  std::vector<Problem> problems_;
  std::vector<std::string> notes_;
};

}  // namespace

Parameters Document::read(std::span<const KeyTable> tables) const {
  const auto keys = all_keys(tables);
  Reading reading(content_->file.string(), content_->entries);
  reading.report(detail::unknown_names(content_->entries, keys));
  Parameters parameters;
  parameters.file_ = content_->file;
  parameters.units_ = reading.units(keys);
  for (const auto& table : tables) {
    for (const auto& key : table.keys) {
      parameters.values_.push_back(reading.value(key));
      parameters.values_.back().may_change = table.may_change(key);
    }
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool excludes = keys[i]->rule.kind == Rule::Kind::excludes;
    parameters.values_[i].is_replaced = excludes && parameters.is_given(keys[i]->rule.other);
  }
  parameters.notes_ = reading.notes();
  if (!reading.has_problems()) reading.report(detail::broken_rules(keys, parameters.values_, parameters));
  if (reading.has_problems()) throw Error(reading.sorted_problems());
  return parameters;
}

}  // namespace tacit::config
