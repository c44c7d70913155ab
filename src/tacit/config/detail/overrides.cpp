// Reads overrides and puts them in place of what the file says.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/config/detail/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tacit/base/text.hpp"
#include "tacit/config/detail/toml.hpp"

namespace tacit::config::detail {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_bare_text(std::string_view text) {
  return std::string_view("[{\"'").find(text.front()) == std::string_view::npos;
}

Entry text_entry(std::string_view name, std::string_view text, const std::string& source) {
  return {
      .name = std::string(name), .value = {.kind = Kind::text, .text = std::string(text)}, .where = {.file = source}};
}

void forget_place(Node& node) {
  node.line = node.column = 0;
  for (auto& item : node.items) forget_place(item);
}

/// The entries of "x = text", renamed to `name` and without places.
std::vector<Entry> parse_value(std::string_view name, std::string_view text, const std::string& source) {
  auto entries = parse_toml(fmt::format("x = {}", text), source);
  for (auto& entry : entries) {
    entry.name = std::string(name) + entry.name.substr(1);
    entry.where = {.file = source};
    forget_place(entry.value);
  }
  return entries;
}

std::vector<Entry> parse_override(const Override& given) {
  const std::string_view text = given.text;
  const auto equals = text.find('=');
  const auto name = trim(text.substr(0, equals));
  if (equals == text.npos || name.empty()) {
    throw Error({.file = given.option}, "", fmt::format("'{}' is not of the form key=value", base::printable(text)),
                "write --set sph.eta=1.3");
  }
  return parse_assignment(name, trim(text.substr(equals + 1)), given.option);
}

}  // namespace

std::vector<Entry> parse_assignment(std::string_view name, std::string_view text, const std::string& source) {
  const auto fail = [&](const std::string& message, const std::string& hint) {
    throw Error({.file = source}, base::printable(name), message, hint);
  };
  if (text.empty()) fail("has no value", fmt::format("write {}=VALUE; an empty text is '\"\"'", base::printable(name)));
  if (base::printable(text, text.size()) != text) fail("the value is not one line of UTF-8 text", "give one value");
  std::vector<Entry> entries;
  try {
    entries = parse_value(name, text, source);
  } catch (const Error& error) {
    const auto& problem = error.problems().front();
    if (!is_bare_text(text)) fail(fmt::format("'{}': {}", base::printable(text), problem.message), problem.hint);
    entries = {text_entry(name, text, source)};
  }
  entries.front().raw = text;
  return entries;
}

void apply_overrides(std::span<const Override> overrides, std::vector<Entry>& entries) {
  std::vector<Problem> problems;
  for (const Override& override : overrides) {
    try {
      auto given = parse_override(override);
      const std::string name = given.front().name;
      std::erase_if(entries, [&](const Entry& entry) { return is_within(entry.name, name); });
      std::ranges::move(given, std::back_inserter(entries));
    } catch (const Error& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw Error(std::move(problems));
}

}  // namespace tacit::config::detail
