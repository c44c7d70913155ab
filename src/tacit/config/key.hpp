// Keys of the parameter file: types, ranges, choices, rules between keys, and short functions that make them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/units.hpp"

namespace tacit::config {

/// What a value in the file may be.
enum class Type {
  flag,  ///< true or false
  integer,
  real,      ///< a plain number; an integer is accepted
  quantity,  ///< a number in code units, or a string with a unit of the key's dimension: "10 Mpc"
  text,
  choice,      ///< one of the key's choices
  path,        ///< a file or directory, relative to the parameter file
  vector,      ///< three quantities: [1, 1, 0.5] or ["1 Mpc", ...]
  numbers,     ///< any number of plain numbers: [0.7, 7], or one without brackets
  quantities,  ///< likewise of quantities: ["1 kyr", 0.5]
  choices,     ///< likewise of the key's choices: ["zero", "wave"]
  formula,     ///< of x, y, z and constants: "1 + 0.1*sin(2*pi*x)", or a number
  constants    ///< a table of numbers, with or without units, whose names the user chooses
};

/// Allowed values of a number: lower <= value <= upper, or < where the bound is open.
struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool lower_open = false;
  bool upper_open = false;
};
inline constexpr Range any{};
inline constexpr Range positive{.lower = 0.0, .lower_open = true};
inline constexpr Range non_negative{.lower = 0.0};
[[nodiscard]] constexpr Range above(double lower, double upper = any.upper) {
  return {.lower = lower, .upper = upper, .lower_open = true};
}

/// One allowed value of a choice: how it is written, what it means to the program, a line of help. An array of these
/// makes the key (Key::choice) and reads it (Parameters::choice).
template <class Value>
struct Choice {
  std::string_view name;
  Value value;
  std::string_view help;
};
template <class Value>
Choice(std::string_view, Value, std::string_view) -> Choice<Value>;

struct ChoiceText {
  std::string_view name;
  std::string_view help;
};

/// Names and help of a table of choices, which must outlive it, whatever their values are.
class ChoiceTexts {
 public:
  constexpr ChoiceTexts() = default;
  /// @param table  an array, vector or span of Choice
  template <class Table>
  constexpr explicit ChoiceTexts(const Table& table)
      : table_(table.data()), size_(table.size()), read_([](const void* rows, std::size_t size) {
          std::vector<ChoiceText> texts;
          for (const auto& row : std::span(static_cast<const typename Table::value_type*>(rows), size)) {
            texts.push_back({row.name, row.help});
          }
          return texts;
        }) {}
  [[nodiscard]] std::vector<ChoiceText> all() const {
    return size_ == 0 ? std::vector<ChoiceText>() : read_(table_, size_);
  }

 private:
  const void* table_ = nullptr;
  std::size_t size_ = 0;
  std::vector<ChoiceText> (*read_)(const void*, std::size_t) = nullptr;
};

/// How a key without a value in the file is filled.
enum class Need {
  required,    ///< it is an error to leave it out
  optional,    ///< it may be left out and then has no value: ask has()
  has_default  ///< `default_value` is taken
};

/// What a key demands of another one; checked when the file is read.
struct Rule {
  enum class Kind : std::uint8_t {
    none,
    needs,       ///< the key changes nothing unless the other has one of the values
    belongs,     ///< likewise, and the other needs the key when it has one of them
    excludes,    ///< at most one of the two is given
    alternative  ///< exactly one of the two is given
  };
  Kind kind = Kind::none;
  std::string_view other = {};
  std::array<std::string_view, 3> values = {};  ///< of the other; none: any that is given and is not its default
};

/// Whether a run that continues from a checkpoint may have another value than the run that wrote it.
enum class OnRestart : std::uint8_t {
  fixed,       ///< it says what is computed, or the state depends on it
  may_change,  ///< it says how: how far, how accurately in time, with which resources, what is written
};

/// One row of a table of keys. Everything about a key comes from here: validation, help, schema, reference, errors.
///
///     Key::positive("sph.h_max", dimension::length, "Largest smoothing length.", "1 Mpc")
struct Key {
  std::string_view name;  ///< with its table: "sph.kernel"
  Type type = Type::real;
  std::string_view help = {};
  Need need = Need::optional;
  std::string_view default_value = {};  ///< as one would write it in TOML, without quotes for text
  base::Dimension dimension = {};       ///< of a quantity or vector
  Range range = {};
  ChoiceTexts choices = {};
  std::string_view example = {};      ///< what to suggest where it is missing, as one would write it; else one in range
  std::string_view former_name = {};  ///< with its table; read with a note
  Rule rule = {};
  bool names_a_file = false;   ///< of a path: an existing regular file
  bool takes_integer = false;  ///< of a text: an integer without quotes is one, too
  OnRestart on_restart = OnRestart::fixed;

  // The kinds of keys that are common. One with an empty default has none.
  [[nodiscard]] static constexpr Key flag(std::string_view name, bool value, std::string_view help) {
    return Key{.name = name, .type = Type::flag, .help = help}.with_default(value ? "true" : "false");
  }
  [[nodiscard]] static constexpr Key integer(std::string_view name, const Range& range, std::string_view help,
                                             std::string_view default_value = {}) {
    return Key{.name = name, .type = Type::integer, .help = help, .range = range}.with_default(default_value);
  }
  /// 0 or more.
  [[nodiscard]] static constexpr Key count(std::string_view name, std::string_view help,
                                           std::string_view default_value = {}) {
    return integer(name, config::non_negative, help, default_value);
  }
  [[nodiscard]] static constexpr Key seed(std::string_view name, std::string_view help) {
    return count(name, help, "1");
  }
  [[nodiscard]] static constexpr Key real(std::string_view name, const Range& range, std::string_view help,
                                          std::string_view default_value = {}) {
    return Key{.name = name, .help = help, .range = range}.with_default(default_value);
  }
  [[nodiscard]] static constexpr Key positive(std::string_view name, std::string_view help,
                                              std::string_view default_value = {}) {
    return real(name, config::positive, help, default_value);
  }
  [[nodiscard]] static constexpr Key non_negative(std::string_view name, std::string_view help,
                                                  std::string_view default_value = {}) {
    return real(name, config::non_negative, help, default_value);
  }
  /// More than 0, at most 1.
  [[nodiscard]] static constexpr Key fraction(std::string_view name, std::string_view help,
                                              std::string_view default_value = {}) {
    return real(name, above(0.0, 1.0), help, default_value);
  }
  [[nodiscard]] static constexpr Key quantity(std::string_view name, const base::Dimension& dimension,
                                              std::string_view help, std::string_view default_value = {},
                                              const Range& range = any) {
    return Key{.name = name, .type = Type::quantity, .help = help, .dimension = dimension, .range = range}.with_default(
        default_value);
  }
  [[nodiscard]] static constexpr Key positive(std::string_view name, const base::Dimension& dimension,
                                              std::string_view help, std::string_view default_value = {}) {
    return quantity(name, dimension, help, default_value, config::positive);
  }
  [[nodiscard]] static constexpr Key non_negative(std::string_view name, const base::Dimension& dimension,
                                                  std::string_view help, std::string_view default_value = {}) {
    return quantity(name, dimension, help, default_value, config::non_negative);
  }
  [[nodiscard]] static constexpr Key vector(std::string_view name, const base::Dimension& dimension,
                                            std::string_view help, std::string_view default_value = {},
                                            const Range& range = any) {
    Key key = quantity(name, dimension, help, default_value, range);
    key.type = Type::vector;
    return key;
  }
  [[nodiscard]] static constexpr Key numbers(std::string_view name, std::string_view help, const Range& range = any) {
    return {.name = name, .type = Type::numbers, .help = help, .range = range};
  }
  /// Any number of quantities of one dimension.
  [[nodiscard]] static constexpr Key quantities(std::string_view name, const base::Dimension& dimension,
                                                std::string_view help, const Range& range = any) {
    return {.name = name, .type = Type::quantities, .help = help, .dimension = dimension, .range = range};
  }
  [[nodiscard]] static constexpr Key text(std::string_view name, std::string_view help) {
    return {.name = name, .type = Type::text, .help = help};
  }
  /// Of a place and of constants; see Formula.
  [[nodiscard]] static constexpr Key formula(std::string_view name, std::string_view help) {
    return {.name = name, .type = Type::formula, .help = help};
  }
  /// A table whose keys are the names of constants: `[initial.constants]`.
  [[nodiscard]] static constexpr Key constants(std::string_view name, std::string_view help) {
    return {.name = name, .type = Type::constants, .help = help};
  }
  /// Words, or a number of something, with quotes or without: "all", "4", 4.
  [[nodiscard]] static constexpr Key text_or_integer(std::string_view name, std::string_view help) {
    return {.name = name, .type = Type::text, .help = help, .takes_integer = true};
  }
  [[nodiscard]] static constexpr Key path(std::string_view name, std::string_view help) {
    return {.name = name, .type = Type::path, .help = help};
  }
  [[nodiscard]] static constexpr Key existing_file(std::string_view name, std::string_view help) {
    return {.name = name, .type = Type::path, .help = help, .names_a_file = true};
  }
  /// @param table  an array, vector or span of Choice, which must outlive the key
  template <class Table>
  [[nodiscard]] static constexpr Key choice(std::string_view name, const Table& table, std::string_view help) {
    return {.name = name, .type = Type::choice, .help = help, .choices = ChoiceTexts(table)};
  }
  template <class Table, class Value>
  [[nodiscard]] static constexpr Key choice(std::string_view name, const Table& table, const Value& value,
                                            std::string_view help) {
    for (const auto& row : table) {
      if (row.value == value) return choice(name, table, help).with_default(row.name);
    }
    throw base::PreconditionError("the default is not in the table of choices");
  }
  /// Any number of choices.
  template <class Table>
  [[nodiscard]] static constexpr Key choice_list(std::string_view name, const Table& table, std::string_view help) {
    Key key = choice(name, table, help);
    key.type = Type::choices;
    return key;
  }

  /// @param suggestion  what the message that it is missing suggests
  [[nodiscard]] constexpr Key required(std::string_view suggestion = {}) const {
    Key key = with_example(suggestion);
    key.need = Need::required;
    return key;
  }
  [[nodiscard]] constexpr Key with_example(std::string_view suggestion) const {
    Key key = *this;
    key.example = suggestion;
    return key;
  }
  [[nodiscard]] constexpr Key formerly(std::string_view old_name) const {
    Key key = *this;
    key.former_name = old_name;
    return key;
  }
  /// An error where the key is given, with another value than its default, unless `other` has one of the values.
  template <class... Values>
  [[nodiscard]] constexpr Key needs(std::string_view other, Values... values) const {
    return with_rule({Rule::Kind::needs, other, {values...}});
  }
  /// Given if `other` has one of the values, and only then.
  template <class... Values>
  [[nodiscard]] constexpr Key belongs_to(std::string_view other, Values... values) const {
    return with_rule({Rule::Kind::belongs, other, {values...}});
  }
  [[nodiscard]] constexpr Key excludes(std::string_view other) const {
    return with_rule({Rule::Kind::excludes, other});
  }
  /// Another value may be given on a restart.
  [[nodiscard]] constexpr Key changeable() const {
    Key key = *this;
    key.on_restart = OnRestart::may_change;
    return key;
  }
  /// One of the two must be given, and not both.
  [[nodiscard]] constexpr Key alternative_to(std::string_view other) const {
    return with_rule({Rule::Kind::alternative, other});
  }

  [[nodiscard]] constexpr Key with_default(std::string_view value) const {
    Key key = *this;
    if (!value.empty()) key.need = Need::has_default;
    key.default_value = value;
    return key;
  }
  [[nodiscard]] constexpr Key with_rule(const Rule& set) const {
    Key key = *this;
    key.rule = set;
    return key;
  }
};

/// Keys that belong together, in the order in which they are shown.
struct KeyTable {
  std::string_view title;  ///< "Smoothed-particle hydrodynamics"
  std::span<const Key> keys;
  OnRestart on_restart = OnRestart::fixed;  ///< may_change: all of its keys may, whatever they say

  [[nodiscard]] constexpr bool may_change(const Key& key) const noexcept {
    return on_restart == OnRestart::may_change || key.on_restart == OnRestart::may_change;
  }
};

}  // namespace tacit::config
