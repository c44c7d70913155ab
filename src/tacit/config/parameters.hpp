// The parameter file: tables of keys, and the values read against them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
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
  choice,   ///< one of the key's choices
  path,     ///< a file or directory, relative to the parameter file
  vector,   ///< three quantities: [1, 1, 0.5] or ["1 Mpc", ...]
  numbers,  ///< as many plain numbers as one likes: [0.7, 7], or one without brackets
  choices   ///< likewise of the key's choices: ["zero", "wave"]
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

/// One allowed value of a choice, with a line of help.
struct Choice {
  std::string_view name;
  std::string_view help;
};

/// How a key without a value in the file is filled.
enum class Need {
  required,    ///< it is an error to leave it out
  optional,    ///< it may be left out and then has no value: ask is_set()
  has_default  ///< `default_value` is taken
};

/// One row of a table of keys. Everything about a key comes from here: validation, help, schema, reference, errors.
struct Key {
  std::string_view name;  ///< with its table: "sph.kernel"
  Type type = Type::real;
  std::string_view help = {};
  Need need = Need::optional;
  std::string_view default_value = {};  ///< as one would write it in TOML, without quotes for text
  base::Dimension dimension = {};       ///< of a quantity or vector
  Range range = {};
  std::span<const Choice> choices = {};
  std::string_view example = {};  ///< what to suggest for a required key, as one would write it; else one in its range
};

/// Keys that belong together, in the order in which they are shown.
struct KeyTable {
  std::string_view title;  ///< "Smoothed-particle hydrodynamics"
  std::span<const Key> keys;
};

/// Where a value stands: a place in the file or a --set on the command line.
struct Location {
  std::string file;  ///< as the user named it; of an override the option: "--set"
  int line = 0;      ///< from 1; 0: no place (a missing key, an override)
  int column = 0;
};

/// Whether the value comes from an option, not from the file.
[[nodiscard]] bool is_on_command_line(const Location& location);

/// A key and its value from the command line.
struct Override {
  std::string text;              ///< "key=value"; the value is TOML, or a bare word taken as text
  std::string option = "--set";  ///< that gave it: the place that messages name
};

/// One thing that is wrong with the input. Printed as "file:line:column: key: message\n  hint: ...".
struct Problem {
  Location where;
  std::string key;
  std::string message;
  std::string hint;
};

/// The input is wrong; carries every problem that was found, in the order of the file.
class Error : public base::Error {
 public:
  explicit Error(std::vector<Problem> problems);
  Error(Location where, std::string key, std::string message, std::string hint = {});
  [[nodiscard]] std::span<const Problem> problems() const noexcept { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// The validated values, defaults filled in, quantities in code units (units.length and its kin: in cgs).
///
/// The typed readers throw base::PreconditionError when the key is not in the tables, has another type or no value:
/// that is a bug of the caller, not of the input.
class Parameters {
 public:
  struct Value;  // defined in detail/

  Parameters(const Parameters&);
  Parameters& operator=(const Parameters&);
  Parameters(Parameters&&) noexcept;
  Parameters& operator=(Parameters&&) noexcept;
  ~Parameters();

  [[nodiscard]] bool flag(std::string_view key) const;
  [[nodiscard]] std::int64_t integer(std::string_view key) const;
  /// A real, or a quantity in code units; of units.length and the other units.* keys the value in cgs.
  [[nodiscard]] double real(std::string_view key) const;
  /// Three quantities in code units, or the numbers of a list.
  [[nodiscard]] std::vector<double> vector(std::string_view key) const;
  /// A text or the name of a choice.
  [[nodiscard]] const std::string& text(std::string_view key) const;
  /// The names of choices.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  /// A path, made relative to the parameter file's folder; an absolute one is kept; one from the command line is
  /// relative to the working directory.
  [[nodiscard]] std::filesystem::path path(std::string_view key) const;

  /// Whether the key has a value (from the file, an override or a default).
  [[nodiscard]] bool has(std::string_view key) const;
  /// Whether the user gave the value.
  [[nodiscard]] bool is_given(std::string_view key) const;
  /// Where the value came from, for errors that only the solver can find.
  [[nodiscard]] Location where(std::string_view key) const;

  [[nodiscard]] const base::UnitSystem& units() const noexcept { return units_; }
  /// The parameter file as the user named it, and the tables it was read against.
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

  /// A parameter file in TOML that gives this very run again: all keys with their values, code units for quantities,
  /// absolute paths, and a comment where a value is the default.
  [[nodiscard]] std::string as_used() const;

 private:
  friend class Document;
  Parameters();
  [[nodiscard]] const Value& find(std::string_view key) const;

  std::filesystem::path file_;
  base::UnitSystem units_;
  std::vector<Value> values_;
};

/// A parameter file, parsed but not yet checked against tables.
class Document {
 public:
  /// @param overrides  the last one of a key wins
  /// @throws base::SystemError if the file cannot be read; Error if it is larger than 1 MB or not TOML, or if an
  ///         override cannot be read
  Document(const std::filesystem::path& file, std::span<const Override> overrides);

  /// The choice that decides which tables apply (the key `solver`), read before the others; its default if not given.
  /// @throws Error if it is missing, no text, or not among the key's choices
  [[nodiscard]] std::string choice(const Key& key) const;

  /// Checks everything and fills in defaults. The keys units.length, units.mass, units.velocity, units.temperature,
  /// units.current must be in the tables: they set the code units in which all other quantities are returned.
  /// @throws Error with every problem
  [[nodiscard]] Parameters read(std::span<const KeyTable> tables) const;

  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

/// The candidate closest to `word`, or nothing if none is close; see base::closest.
[[nodiscard]] std::optional<std::string> closest(std::string_view word, std::span<const std::string_view> candidates);

/// A page of help for a terminal: one key per paragraph with type, unit, range, default, choices.
[[nodiscard]] std::string keys_help(std::span<const KeyTable> tables);
/// The same as a Markdown page (docs/reference).
[[nodiscard]] std::string keys_markdown(std::string_view title, std::span<const KeyTable> tables);
/// A JSON Schema (draft 2020-12) of the file, for editors.
[[nodiscard]] std::string keys_schema(std::string_view title, std::span<const KeyTable> tables);

}  // namespace tacit::config
