// Finds unknown names and guesses what was meant.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tacit/base/text.hpp"
#include "tacit/config/detail/checks.hpp"
#include "tacit/config/detail/convert.hpp"

namespace tacit::config::detail {
namespace {

std::string_view parent(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot == name.npos ? std::string_view() : name.substr(0, dot);
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// The names that may stand in a file: keys, and the tables that they imply.
struct Names {
  std::set<std::string_view> keys;
  std::set<std::string_view> former;
  std::set<std::string_view> tables;

  explicit Names(std::span<const Key* const> all) {
    for (const auto* key : all) {
      keys.insert(key->name);
      if (!key->former_name.empty()) former.insert(key->former_name);
      for (const auto name : {key->name, key->former_name}) {
        for (auto table = parent(name); !table.empty(); table = parent(table)) tables.insert(table);
      }
    }
  }
};

/// The key that was probably meant: near in spelling, or right but in another table.
std::string guess_key(std::string_view name, const Names& names) {
  for (const auto key : names.keys) {
    if (last_part(key) == last_part(name) && !parent(name).empty()) return std::string(key);
  }
  std::vector<std::string_view> siblings;
  for (const auto key : names.keys) {
    if (parent(key) == parent(name)) siblings.push_back(last_part(key));
  }
  if (const auto sibling = base::closest(last_part(name), siblings)) {
    return parent(name).empty() ? *sibling : fmt::format("{}.{}", parent(name), *sibling);
  }
  const std::vector<std::string_view> all(names.keys.begin(), names.keys.end());
  if (const auto key = base::closest(name, all)) return *key;
  std::vector<std::string_view> last_parts;
  for (const auto key : all) last_parts.push_back(last_part(key));
  const auto part = base::closest(last_part(name), last_parts);
  return part ? std::string(*std::ranges::find(all, *part, last_part)) : std::string();
}

std::string did_you_mean(const std::string& guess, std::string_view what) {
  return guess.empty() ? std::string() : fmt::format("did you mean {}'{}'?", what, guess);
}

Problem unknown_key(const Entry& entry, const Names& names) {
  return {entry.where, base::printable(entry.name), "is not a key of this file",
          did_you_mean(guess_key(entry.name, names), "")};
}

Problem unknown_table(const Entry& entry, const Names& names) {
  std::vector<std::string_view> all(names.tables.begin(), names.tables.end());
  std::erase_if(all, [&entry](std::string_view table) { return is_within(entry.name, table); });
  const auto table = base::closest(entry.name, all);
  const std::string hint = table ? did_you_mean(*table, "the table ") : did_you_mean(guess_key(entry.name, names), "");
  return {entry.where, base::printable(entry.name), "is not a table of this file", hint};
}

}  // namespace

std::vector<Problem> unknown_names(std::span<const Entry> entries, std::span<const Key* const> keys) {
  const Names names(keys);
  std::vector<Problem> problems;
  std::string wrong;  // the last name reported; its own entries follow it at once
  for (const auto& entry : entries) {
    if (!wrong.empty() && is_within(entry.name, wrong)) continue;
    wrong.clear();
    const bool is_table = entry.value.kind == Kind::table;
    if (names.keys.contains(entry.name) || names.former.contains(entry.name)) {
      if (is_table) wrong = entry.name;  // the conversion says that a value is expected
    } else if (names.tables.contains(entry.name)) {
      if (is_table) continue;
      wrong = entry.name;
      problems.push_back({entry.value_place(entry.value), entry.name, "expected a table, " + found(entry.value),
                          fmt::format("write its keys below a line [{}]", entry.name)});
    } else {
      wrong = entry.name;
      problems.push_back(is_table ? unknown_table(entry, names) : unknown_key(entry, names));
    }
  }
  return problems;
}

}  // namespace tacit::config::detail
