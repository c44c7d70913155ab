// Reads values of machine files, with units.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/machine/detail/table_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "tacit/base/text.hpp"
#include "tacit/placement/machine/hostlist.hpp"

namespace tacit::placement::detail {
namespace {

struct Unit {
  std::string_view name;
  double value;
};
constexpr auto speed_units = std::to_array<Unit>({{"B/s", 1.0},
                                                  {"kB/s", 1e3},
                                                  {"MB/s", 1e6},
                                                  {"GB/s", 1e9},
                                                  {"TB/s", 1e12},
                                                  {"Mbit/s", 1e6 / 8.0},
                                                  {"Gbit/s", 1e9 / 8.0},
                                                  {"Tbit/s", 1e12 / 8.0}});
constexpr auto time_units = std::to_array<Unit>({{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}});

std::string names_of(std::span<const Unit> units) {
  std::vector<std::string_view> names;
  for (const Unit& unit : units) names.push_back(unit.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "9.6 GB/s" in base units; nothing if it is not a number and one of the units.
std::optional<double> with_unit(std::string_view text, std::span<const Unit> units) {
  double number = 0.0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto unit = std::ranges::find(units, text, &Unit::name);
  if (unit == units.end()) return std::nullopt;
  return number * unit->value;
}

std::string shown(const config::Node& value) {
  switch (value.kind) {
    case config::Node::Kind::text:
      return fmt::format("'{}'", base::printable(value.text));
    case config::Node::Kind::flag:
      return value.flag ? "true" : "false";
    case config::Node::Kind::integer:
      return std::to_string(value.integer);
    case config::Node::Kind::real:
      return fmt::format("{}", value.real);
    case config::Node::Kind::array:
      return "a list";
    case config::Node::Kind::table:
      return "a table";
    case config::Node::Kind::date:
      return "a date";
    case config::Node::Kind::nothing:
      break;
  }
  return "nothing";
}

}  // namespace

TableReader::TableReader(const config::Tree& file, const config::Node& table, std::string name,
                         std::span<const std::string_view> known)
    : file_(&file), table_(&table), name_(std::move(name)) {
  if (table.kind != config::Node::Kind::table) throw error(table, fmt::format("{}; expected a table", shown(table)));
  for (const config::Node& item : table.items) {
    if (std::ranges::find(known, item.name) != known.end()) continue;
    const auto guess = base::closest(item.name, known);
    throw file.error(item, fmt::format("'{}' is not a key here; {}", base::printable(full_name(item.name)),
                                       guess ? fmt::format("did you mean '{}'?", *guess)
                                             : fmt::format("known are {}", fmt::join(known, ", "))));
  }
}

std::string TableReader::full_name(std::string_view key) const {
  return name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key);
}

base::FormatError TableReader::error(const config::Node& at, const std::string& what) const {
  const std::string key = at.name.empty() || at.name == name_ ? name_ : full_name(base::printable(at.name));
  return file_->error(at, key.empty() ? what : fmt::format("{}: {}", key, what));
}

const config::Node& TableReader::need(std::string_view key) const {
  if (const config::Node* found = find(key)) return *found;
  throw file_->error(*table_, fmt::format("'{}' is missing", full_name(key)));
}

const std::vector<config::Node>& TableReader::list(std::string_view key, std::size_t size) const {
  const config::Node& value = need(key);
  if (value.kind != config::Node::Kind::array) throw error(value, fmt::format("{}; expected a list", shown(value)));
  if (size != 0 && value.items.size() != size) {
    throw error(value, fmt::format("has {} values; expected {}", value.items.size(), size));
  }
  return value.items;
}

std::uint32_t TableReader::count_of(const config::Node& value) const {
  if (value.kind != config::Node::Kind::integer || value.integer < 1 || value.integer > most_parts) {
    throw error(value, fmt::format("{}; expected a whole number from 1 to {}", shown(value), most_parts));
  }
  return static_cast<std::uint32_t>(value.integer);
}

std::uint32_t TableReader::count(std::string_view key, std::optional<std::uint32_t> fallback) const {
  if (fallback && find(key) == nullptr) return *fallback;
  return count_of(need(key));
}

double TableReader::bandwidth_of(const config::Node& value) const {
  std::optional<double> speed;
  if (value.is_number()) speed = value.real;
  if (value.kind == config::Node::Kind::text) speed = with_unit(value.text, speed_units);
  if (!speed || !std::isfinite(*speed) || *speed <= 0.0) {
    throw error(value, fmt::format("{}; expected a speed above 0 as in \"9.6 GB/s\", in one of {}, or bytes per second",
                                   shown(value), names_of(speed_units)));
  }
  return *speed;
}

double TableReader::bandwidth(std::string_view key, std::optional<double> fallback) const {
  if (fallback && find(key) == nullptr) return *fallback;
  return bandwidth_of(need(key));
}

double TableReader::seconds(std::string_view key, double fallback) const {
  const config::Node* value = find(key);
  if (value == nullptr) return fallback;
  std::optional<double> time;
  if (value->is_number()) time = value->real;
  if (value->kind == config::Node::Kind::text) time = with_unit(value->text, time_units);
  if (!time || !std::isfinite(*time) || *time < 0.0) {
    throw error(*value,
                fmt::format("{}; expected a time as in \"1.5 us\", in one of {}", shown(*value), names_of(time_units)));
  }
  return *time;
}

double TableReader::number(std::string_view key, double lower, double upper, double fallback) const {
  const config::Node* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_number() || !(value->real >= lower && value->real < upper)) {
    throw error(*value, fmt::format("{}; expected a number >= {} and < {}", shown(*value), lower, upper));
  }
  return value->real;
}

std::string TableReader::text_of(const config::Node& value) const {
  // A YAML name may look like a number; what was written is kept in its text.
  const bool was_written = !value.text.empty() && value.items.empty();
  if (value.kind != config::Node::Kind::text && !was_written) {
    throw error(value, fmt::format("{}; expected a text", shown(value)));
  }
  return value.text;
}

std::string TableReader::text(std::string_view key, std::optional<std::string> fallback) const {
  if (fallback && find(key) == nullptr) return *fallback;
  return text_of(need(key));
}

std::size_t TableReader::choice_of(const config::Node& value, std::span<const std::string_view> words) const {
  const std::string word = text_of(value);
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) {
    const auto guess = base::closest(word, words);
    throw error(value, fmt::format("'{}' is not one of {}{}", base::printable(word), fmt::join(words, ", "),
                                   guess ? fmt::format("; did you mean '{}'?", *guess) : ""));
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::size_t TableReader::choice(std::string_view key, std::span<const std::string_view> words,
                                std::size_t fallback) const {
  const config::Node* value = find(key);
  return value == nullptr ? fallback : choice_of(*value, words);
}

std::vector<std::string> TableReader::hosts(std::string_view key) const {
  const config::Node* value = find(key);
  if (value == nullptr) return {};
  std::vector<std::string> names;
  const auto add = [&](const config::Node& expression) {
    try {
      const auto some = expand_hostlist(text_of(expression));
      if (names.size() + some.size() > most_hosts) throw HostlistError("names too many nodes");
      names.insert(names.end(), some.begin(), some.end());
    } catch (const HostlistError& problem) {
      throw error(expression, problem.what());
    }
  };
  if (value->kind == config::Node::Kind::array) {
    for (const config::Node& item : value->items) add(item);
  } else {
    add(*value);
  }
  return names;
}

}  // namespace tacit::placement::detail
