// Finds unknown names and guesses what was meant.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/text.hpp"
#include "tacit/config/detail/checks.hpp"
#include "tacit/config/detail/convert.hpp"
#include "tacit/config/terms.hpp"

namespace tacit::config::detail {
namespace {

std::string_view parent(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot == name.npos ? std::string_view() : name.substr(0, dot);
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// The names that may stand in a file: keys, and the tables that they imply; and the tables that this one has.
struct Names {
  std::set<std::string_view> keys;
  std::set<std::string_view> former;
  std::set<std::string_view> tables;
  std::set<std::string_view> open;  // tables whose keys the user names
  std::set<std::string_view> in_file;

  Names(std::span<const Key* const> all, std::span<const Entry> entries) {
    for (const auto& entry : entries) in_file.insert(parent(entry.name));
    for (const auto* key : all) {
      keys.insert(key->name);
      if (key->type == Type::constants) open.insert(key->name);
      if (!key->former_name.empty()) former.insert(key->former_name);
      for (const auto name : {key->name, key->former_name}) {
        for (auto table = parent(name); !table.empty(); table = parent(table)) tables.insert(table);
      }
    }
  }
};

/// The keys that mean what the word does in other programs: those of its table before others, the best ones, at most
/// three. One table has a key for it, or several do: "dns.cells" is dns.points alone.
std::vector<std::string_view> of_same_meaning(std::string_view name, const Names& names) {
  struct Found {
    bool is_elsewhere;
    int rank;
    std::string_view key;
  };
  std::vector<Found> found;
  for (const auto key : names.keys) {
    if (const int rank = meaning_rank(name, key); rank > 0) found.push_back({parent(key) != parent(name), rank, key});
  }
  if (found.empty()) return {};
  const auto order = [](const Found& one) { return std::pair(one.is_elsewhere, one.rank); };
  std::ranges::stable_sort(found, {}, order);
  std::vector<std::string_view> best;
  for (const Found& one : found) {
    if (order(one) == order(found.front()) && best.size() < 3) best.push_back(one.key);
  }
  return best;
}

/// The key that was probably meant: right but in another table, near in spelling.
std::string guess_key(std::string_view name, const Names& names) {
  std::string_view elsewhere;
  for (const auto key : names.keys) {
    if (last_part(key) != last_part(name) || parent(name).empty()) continue;
    if (elsewhere.empty() || names.in_file.contains(parent(key))) elsewhere = key;
  }
  if (!elsewhere.empty()) return std::string(elsewhere);
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

/// A table is meant where a key has its name: md.thermostat.
std::string guess_table(std::string_view name, const Names& names) {
  for (const auto table : names.tables) {
    if (last_part(table) == last_part(name)) return std::string(table);
  }
  return {};
}

std::string did_you_mean(const std::string& guess, std::string_view what) {
  return guess.empty() ? std::string() : fmt::format("did you mean {}'{}'?", what, guess);
}

/// A key of that word in another table comes first, then what the word means, then what it is spelt like.
std::string hint_for_key(std::string_view name, const Names& names) {
  const bool is_elsewhere =
      std::ranges::any_of(names.keys, [&](std::string_view key) { return last_part(key) == last_part(name); });
  if (!is_elsewhere) {
    if (const auto table = guess_table(name, names); !table.empty())
      return fmt::format("did you mean the table [{}]? 'tacit keys' lists its keys", table);
    if (const auto meant = of_same_meaning(name, names); !meant.empty())
      return fmt::format("did you mean '{}'?", fmt::join(meant, "' or '"));
  }
  return did_you_mean(guess_key(name, names), "");
}

Problem unknown_key(const Entry& entry, const Names& names) {
  return {entry.where, base::printable(entry.name), "is not a key of this file", hint_for_key(entry.name, names)};
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
  const Names names(keys, entries);
  std::vector<Problem> problems;
  std::string wrong;  // the last name reported; its own entries follow it at once
  for (const auto& entry : entries) {
    if (!wrong.empty() && is_within(entry.name, wrong)) continue;
    wrong.clear();
    if (std::ranges::any_of(names.open, [&](std::string_view table) { return is_within(entry.name, table); })) continue;
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
