// The words for types, ranges and examples.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/config/detail/describe.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "tacit/config/detail/toml.hpp"

namespace tacit::config::detail {
namespace {

/// The name of a dimension without its article: "length".
std::string noun(const base::Dimension& dimension) {
  const std::string name = base::describe(dimension);
  if (name.starts_with("an ")) return name.substr(3);
  return name.starts_with("a ") ? name.substr(2) : name;
}

struct TypeWords {
  std::string_view expected;  ///< in messages
  std::string_view name;
};

TypeWords words_of(Type type) {
  constexpr std::array<TypeWords, 13> words{{{"true or false", "true or false"},
                                             {"an integer", "integer"},
                                             {"a number", "number"},
                                             {"a quantity", "quantity"},
                                             {"a text", "text"},
                                             {"one of", "choice"},
                                             {"a path", "path"},
                                             {"three quantities", "three quantities"},
                                             {"one number or several", "numbers"},
                                             {"one quantity or several", "quantities"},
                                             {"one or several of", "choices"},
                                             {"a formula", "formula"},
                                             {"a table of numbers", "table of numbers"}}};
  static_assert(static_cast<std::size_t>(Type::constants) == words.size() - 1);
  return words.at(static_cast<std::size_t>(type));
}

/// " (length)" of a type that has units.
std::string dimension_text(const Key& key) { return has_dimension(key.type) ? " (" + noun(key.dimension) + ")" : ""; }

std::string bound_text(double bound) { return fmt::format("{}", bound); }

bool is_text(Type type) {
  return type == Type::text || type == Type::choice || type == Type::path || type == Type::formula;
}

/// A number inside the range, as simple as possible.
double typical_value(const Range& range) {
  const bool above = range.lower_open ? 1.0 > range.lower : 1.0 >= range.lower;
  const bool below = range.upper_open ? 1.0 < range.upper : 1.0 <= range.upper;
  if (above && below) return 1.0;
  if (!std::isfinite(range.lower)) return range.upper_open ? range.upper - 1.0 : range.upper;
  if (!range.lower_open) return range.lower;
  return std::isfinite(range.upper) ? 0.5 * (range.lower + range.upper) : range.lower + 1.0;
}

std::string first_choice(const Key& key) {
  const auto choices = key.choices.all();
  return choices.empty() ? "\"...\"" : toml_string(choices.front().name);
}

}  // namespace

bool has_dimension(Type type) { return type == Type::quantity || type == Type::vector || type == Type::quantities; }

std::string example_value(const Key& key) {
  if (!key.example.empty()) return is_text(key.type) ? toml_string(key.example) : std::string(key.example);
  const double number = typical_value(key.range);
  switch (key.type) {
    case Type::flag:
      return "true";
    case Type::integer:
      return fmt::format("{:.0f}", std::ceil(number));
    case Type::text:
      return "\"...\"";
    case Type::choice:
      return first_choice(key);
    case Type::path:
      return "\"file.hdf5\"";
    case Type::vector:
      return fmt::format("[{0}, {0}, {0}]", number_text(number));
    case Type::numbers:
    case Type::quantities:
      return fmt::format("[{}]", number_text(number));
    case Type::formula:
      return "\"1 + 0.1*sin(2*pi*x)\"";
    case Type::constants:
      return "{a = 1.0}";
    case Type::choices:
      return fmt::format("[{}]", first_choice(key));
    case Type::real:
    case Type::quantity:
      break;
  }
  return number_text(number);
}

std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  // "1" would be read as an integer, and "-0" would lose its sign by that.
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string range_text(const Range& range) {
  const bool has_lower = std::isfinite(range.lower);
  const bool has_upper = std::isfinite(range.upper);
  const std::string_view upper = range.upper_open ? "<" : "<=";
  if (has_lower && has_upper) {
    return fmt::format("{} {} value {} {}", bound_text(range.lower), range.lower_open ? "<" : "<=", upper,
                       bound_text(range.upper));
  }
  if (has_lower) return fmt::format("value {} {}", range.lower_open ? ">" : ">=", bound_text(range.lower));
  return has_upper ? fmt::format("value {} {}", upper, bound_text(range.upper)) : std::string();
}

std::string bounds_text(const Range& range) {
  std::string text;
  if (std::isfinite(range.lower)) text = fmt::format("{} {}", range.lower_open ? ">" : ">=", bound_text(range.lower));
  if (!std::isfinite(range.upper)) return text;
  if (!text.empty()) text += " and ";
  return text + fmt::format("{} {}", range.upper_open ? "<" : "<=", bound_text(range.upper));
}

std::string choices_text(const Key& key) {
  std::string text;
  for (const auto& choice : key.choices.all()) text.append(text.empty() ? "" : ", ").append(choice.name);
  return text;
}

std::string expectation(const Key& key) {
  if (key.takes_integer) return "a text or an integer";
  const std::string text(words_of(key.type).expected);
  const bool has_choices = key.type == Type::choice || key.type == Type::choices;
  return has_choices ? text + ' ' + choices_text(key) : text + dimension_text(key);
}

std::string type_text(const Key& key) {
  return key.takes_integer ? "text or integer" : std::string(words_of(key.type).name) + dimension_text(key);
}

std::string condition_text(const Rule& rule) {
  std::string text(rule.other);
  for (const auto value : rule.values) {
    if (value.empty()) break;
    const std::string_view quote = value == "true" || value == "false" ? "" : "\"";
    text += fmt::format("{}{}{}{}", value == rule.values.front() ? " = " : " or ", quote, value, quote);
  }
  return text;
}

std::string meaning(const Key& key) {
  std::string text(key.help);
  const Rule& rule = key.rule;
  const bool is_condition = rule.kind == Rule::Kind::needs || rule.kind == Rule::Kind::belongs;
  if (is_condition) text += fmt::format(" Only with {}.", condition_text(rule));
  if (rule.kind == Rule::Kind::excludes) text += fmt::format(" Not beside {}.", rule.other);
  if (rule.kind == Rule::Kind::alternative) text += fmt::format(" Either this or {}.", rule.other);
  if (!key.former_name.empty()) text += fmt::format(" Formerly {}.", key.former_name);
  return text;
}

std::string default_text(const Key& key) {
  const std::string text(key.default_value);
  const bool has_unit = key.type == Type::quantity && text.find_first_not_of("+-.0123456789eE") != std::string::npos;
  return is_text(key.type) || has_unit ? toml_string(text) : text;
}

std::string quantity_hint(const Key& key) {
  if (key.dimension == base::dimension::none) return "remove the unit";
  return fmt::format("write {}, as in \"{} {}\"", base::describe(key.dimension), number_text(typical_value(key.range)),
                     base::cgs_symbol(key.dimension));
}

std::string example(const Key& key) {
  const auto dot = key.name.rfind('.');
  const bool is_top = dot == std::string_view::npos;
  std::string text = fmt::format("write '{} = {}' {}", is_top ? key.name : key.name.substr(dot + 1), example_value(key),
                                 is_top ? "at the top of the file" : fmt::format("in [{}]", key.name.substr(0, dot)));
  if (key.type == Type::quantity && key.dimension != base::dimension::none) {
    text +=
        fmt::format(" (code units), or with a unit: \"{} {}\"", example_value(key), base::cgs_symbol(key.dimension));
  }
  return text;
}

}  // namespace tacit::config::detail
