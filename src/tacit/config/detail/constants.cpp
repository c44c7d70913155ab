// A table whose keys are constants of the user: names and numbers.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacit/base/text.hpp"
#include "tacit/config/detail/convert.hpp"

namespace tacit::config::detail {
namespace {

bool is_word(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || is_digit(c); });
}

[[noreturn]] void fail(const Entry& entry, std::string message, std::string hint = {}) {
  throw Error(entry.value_place(entry.value), base::printable(entry.name), std::move(message), std::move(hint));
}

/// A plain number is one in code units, whatever it is of; a text has a number and a unit.
double number_of(const Entry& entry, const Scales& scales) {
  const Node& node = entry.value;
  double value = node.real;
  if (node.kind == Kind::text) {
    try {
      const base::Quantity quantity = base::parse_quantity(node.text);
      value = quantity.value / scales.units.in_cgs(quantity.dimension);
    } catch (const base::UnitError& error) {
      fail(entry, error.message(), error.hint());
    }
  } else if (!node.is_number()) {
    fail(entry, "expected a number, or one with a unit, " + found(node), "write 2.5, or \"2.5 km/s\"");
  }
  if (!std::isfinite(value)) fail(entry, fmt::format("{} is not a finite number", value));
  return value;
}

}  // namespace

std::map<std::string, double> convert_constants(std::string_view table, std::span<const Entry> entries,
                                                const Scales& scales) {
  std::map<std::string, double> constants;
  std::vector<Problem> problems;
  std::string wrong;  // the last name reported; its own entries follow it at once
  for (const Entry& entry : entries) {
    if (!is_within(entry.name, table) || (!wrong.empty() && is_within(entry.name, wrong))) continue;
    try {
      if (entry.name == table) {
        if (entry.value.kind == Kind::table) continue;
        fail(entry, "expected a table, " + found(entry.value),
             fmt::format("write 'name = number' below a line [{}]", table));
      }
      const std::string name = entry.name.substr(table.size() + 1);
      if (!is_word(name)) {
        throw Error(entry.where, base::printable(entry.name), "is not a name of a constant",
                    "letters, digits and '_', and no digit first");
      }
      constants[name] = number_of(entry, scales);
    } catch (const Error& error) {
      wrong = entry.name;
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw Error(std::move(problems));
  return constants;
}

}  // namespace tacit::config::detail
