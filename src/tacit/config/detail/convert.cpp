// Checks one value: type, unit, range, choice.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/config/detail/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tacit/base/text.hpp"
#include "tacit/config/detail/describe.hpp"
#include "tacit/config/detail/overrides.hpp"

namespace tacit::config::detail {
namespace {

constexpr std::size_t axes = 3;

bool is_list(Type type) {
  return type == Type::vector || type == Type::numbers || type == Type::quantities || type == Type::choices;
}

bool takes_text(Type type) {
  return type == Type::text || type == Type::choice || type == Type::path || type == Type::formula;
}

/// Converts the value of one entry; every member throws Error where something is wrong.
class Converter {
 public:
  Converter(const Key& key, const Entry& entry, const Scales& scales) : key_(key), entry_(entry), scales_(scales) {}

  [[nodiscard]] Parameters::Value::Content convert() const {
    const Node& node = entry_.value;
    switch (key_.type) {
      case Type::flag:
        return to_flag(node);
      case Type::integer:
        return to_integer(node);
      case Type::real:
        return to_real(node);
      case Type::quantity:
        return to_quantity(node);
      case Type::vector:
        return to_vector(node);
      case Type::numbers:
        return to_list<double>(node, [this](const Node& item) { return to_real(item); });
      case Type::quantities:
        return to_list<double>(node, [this](const Node& item) { return to_quantity(item); });
      case Type::choice:
        return to_choice(node);
      case Type::choices:
        return to_list<std::string>(node, [this](const Node& item) { return to_choice(item); });
      case Type::formula:
        return to_formula(node);
      case Type::constants:  // by convert_constants
      case Type::text:
      case Type::path:
        break;
    }
    return to_text(node);
  }

 private:
  [[noreturn]] void fail(const Node& node, std::string message, std::string hint = {}) const {
    throw Error(entry_.value_place(node), std::string(key_.name), std::move(message), std::move(hint));
  }
  /// Also where one value is wanted: how it is written.
  [[noreturn]] void fail_type(const Node& node, std::string hint = {}) const {
    if (hint.empty() && !is_list(key_.type) && node.kind == Kind::array) {
      const std::string value = is_good_integer(node.items)      ? fmt::format("{}", node.items.front().integer)
                                : key_.need == Need::has_default ? detail::default_text(key_)
                                                                 : detail::example_value(key_);
      hint = fmt::format("it takes one value, as in   {} = {}", key_.name.substr(key_.name.rfind('.') + 1), value);
    }
    fail(node, fmt::format("expected {}, {}", expectation(key_), found(node)), std::move(hint));
  }

  /// Whether a key of numbers takes the first of these.
  [[nodiscard]] bool is_good_integer(const std::vector<Node>& items) const {
    const bool is_number = key_.type == Type::integer || key_.type == Type::real || key_.type == Type::quantity;
    if (!is_number || items.empty() || items.front().kind != Kind::integer) return false;
    const auto value = static_cast<double>(items.front().integer);
    return value > key_.range.lower && value < key_.range.upper;
  }

  [[nodiscard]] bool to_flag(const Node& node) const {
    if (node.kind == Kind::flag) return node.flag;
    const bool is_quoted = node.kind == Kind::text && (node.text == "true" || node.text == "false");
    fail_type(node, is_quoted ? "remove the quotes" : "");
  }

  [[nodiscard]] std::int64_t to_integer(const Node& node) const {
    if (node.kind == Kind::real && std::abs(node.real) < 1e15 && std::trunc(node.real) == node.real) {
      fail_type(node, fmt::format("write {:.0f}", node.real));
    }
    if (node.kind != Kind::integer) fail_type(node, number_hint(node));
    check_range(node, static_cast<double>(node.integer), fmt::format("{}", node.integer));
    return node.integer;
  }

  [[nodiscard]] double to_real(const Node& node) const {
    if (!node.is_number()) fail_type(node, number_hint(node));
    const double value = plain_number(node);
    check_range(node, value, shown(node));
    return value;
  }

  [[nodiscard]] double plain_number(const Node& node) const {
    const double value = node.kind == Kind::integer ? static_cast<double>(node.integer) : node.real;
    if (!std::isfinite(value)) fail(node, fmt::format("{} is not a finite number", shown(node)));
    return value;
  }

  [[nodiscard]] double to_quantity(const Node& node) const {
    if (node.kind == Kind::text) return to_quantity_with_unit(node);
    if (!node.is_number()) fail_type(node);
    const double value = plain_number(node);
    check_range(node, value, shown(node));
    return value;
  }

  [[nodiscard]] double to_quantity_with_unit(const Node& node) const {
    const base::Quantity quantity = parse(node);
    if (quantity.dimension != key_.dimension) fail_dimension(node, quantity.dimension);
    const double scale = is_unit_key(key_.name) ? 1.0 : scales_.units.in_cgs(key_.dimension);
    const double value = quantity.value / scale;
    const std::string text = fmt::format("'{}'", base::printable(node.text));
    if (!std::isfinite(value) || (value == 0.0 && quantity.value != 0.0)) {
      fail(node, text + " is too large or too small a number in code units", "choose other [units]");
    }
    const bool is_plain = value == quantity.value;
    if (scales_.are_known) {
      check_range(node, value, is_plain ? text : fmt::format("{}, {} in code units", text, value));
    }
    return value;
  }

  [[nodiscard]] base::Quantity parse(const Node& node) const {
    try {
      return base::parse_quantity(node.text);
    } catch (const base::UnitError& error) {
      fail(node, error.message(), error.hint());
    }
  }

  [[noreturn]] void fail_dimension(const Node& node, const base::Dimension& is) const {
    const std::string wanted = base::describe(key_.dimension);
    const std::string text = base::printable(node.text);
    if (is == base::dimension::none) {
      fail(node, fmt::format("'{}' has no unit, expected {}", text, wanted),
           fmt::format("without quotes it is in code units; with a unit it is \"{} {}\"", text,
                       base::cgs_symbol(key_.dimension)));
    }
    const bool has_hubble = text.find("/h") != text.npos || text.find("h^") != text.npos;
    fail(node, fmt::format("'{}' is {}, expected {}", text, base::describe(is), wanted),
         has_hubble ? "h is the hour; for Hubble units divide the number by h yourself" : quantity_hint(key_));
  }

  [[nodiscard]] std::vector<double> to_vector(const Node& node) const {
    if (node.kind != Kind::array) fail_type(node, "write [1.0, 1.0, 1.0]");
    if (node.items.size() != axes) {
      fail(node, fmt::format("expected {}, found {} elements", expectation(key_), node.items.size()));
    }
    return to_list<double>(node, [this](const Node& item) { return to_quantity(item); });
  }

  /// One value may stand without brackets.
  template <class Value, class Convert>
  [[nodiscard]] std::vector<Value> to_list(const Node& node, const Convert& convert) const {
    if (node.kind != Kind::array) return {convert(node)};
    std::vector<Value> values;
    for (const auto& item : node.items) values.push_back(convert(item));
    return values;
  }

  [[nodiscard]] std::string to_text(const Node& node) const {
    if (key_.takes_integer && node.kind == Kind::integer) return fmt::format("{}", node.integer);
    if (node.kind != Kind::text) {
      fail_type(node, node.kind == Kind::array || node.kind == Kind::table ? "" : "put it in quotes");
    }
    if (node.text.find('\0') != std::string::npos) fail(node, "holds a zero character");
    if (key_.type == Type::path && node.text.empty()) fail(node, "expected a path, found an empty text");
    return node.text;
  }

  /// A number stands for itself.
  [[nodiscard]] std::string to_formula(const Node& node) const {
    if (node.is_number()) return number_text(plain_number(node));
    if (node.kind != Kind::text) fail_type(node, "write \"1 + 0.1*sin(2*pi*x)\"");
    return node.text;
  }

  [[nodiscard]] std::string to_choice(const Node& node) const {
    std::string text = to_text(node);
    std::vector<std::string_view> names;
    for (const auto& choice : key_.choices.all()) names.push_back(choice.name);
    if (std::ranges::find(names, text) != names.end()) return text;
    const auto guess = base::closest(text, names);
    fail(node, fmt::format("'{}' is not one of {}", base::printable(text), choices_text(key_)),
         guess ? "did you mean '" + *guess + "'?" : "");
  }

  void check_range(const Node& node, double value, const std::string& as_text) const {
    const Range& range = is_unit_key(key_.name) ? positive : key_.range;
    const bool is_above = range.lower_open ? value > range.lower : value >= range.lower;
    const bool is_below = range.upper_open ? value < range.upper : value <= range.upper;
    if (!is_above || !is_below) fail(node, fmt::format("must be {} (got {})", bounds_text(range), as_text));
  }

  /// A number the way messages show it; a text in quotes.
  static std::string shown(const Node& node) {
    return node.kind == Kind::integer ? fmt::format("{}", node.integer) : fmt::format("{}", node.real);
  }

  /// What to do about a text or a word where a plain number should be.
  [[nodiscard]] std::string number_hint(const Node& node) const {
    if (node.kind != Kind::text) return {};
    try {
      const bool is_plain = base::parse_quantity(node.text).dimension == base::dimension::none;
      return is_plain ? "remove the quotes" : "this number has no unit";
    } catch (const base::UnitError&) {
      return key_.type == Type::numbers ? "write [1.0, 1.0]" : "";
    }
  }

  const Key& key_;
  const Entry& entry_;
  const Scales& scales_;
};

}  // namespace

std::string found(const Node& node) {
  constexpr std::array names{"", "an integer", "a number", "a text", "a date or time", "an array", "a table"};
  if (node.kind == Kind::flag) return node.flag ? "found true" : "found false";
  return std::string("found ") + names.at(static_cast<std::size_t>(node.kind));
}

Parameters::Value::Content convert(const Key& key, const Entry& entry, const Scales& scales) {
  const bool is_typed_text = !entry.raw.empty() && takes_text(key.type) && entry.value.kind != Kind::text &&
                             entry.value.kind != Kind::array && entry.value.kind != Kind::table;
  if (!is_typed_text) return Converter(key, entry, scales).convert();
  // On the command line the shell has eaten the quotes: 2026-01-01 or true is as good a text as any.
  Entry as_text = entry;
  as_text.value.kind = Kind::text;
  as_text.value.text = entry.raw;
  return Converter(key, as_text, scales).convert();
}

Parameters::Value::Content convert_default(const Key& key, const Scales& scales) {
  if (key.type == Type::text) return std::string(key.default_value);  // which may be empty
  try {
    return convert(key, parse_assignment(key.name, key.default_value, "default").front(), scales);
  } catch (const Error& error) {
    throw base::PreconditionError(fmt::format("the table of keys is wrong: {}", error.what()));
  }
}

}  // namespace tacit::config::detail
