// The parameter file: its values, read against tables of keys.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/units.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/config/key.hpp"

namespace tacit::config {

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

/// The validated values, defaults filled in, quantities in code units (the units.* keys: in cgs).
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
  [[nodiscard]] double real_or(std::string_view key, double otherwise) const {
    return has(key) ? real(key) : otherwise;
  }
  /// An integer whose range begins at 0 or above.
  [[nodiscard]] std::uint64_t count(std::string_view key) const { return static_cast<std::uint64_t>(integer(key)); }
  /// Three quantities in code units, or the numbers of a list.
  [[nodiscard]] std::vector<double> vector(std::string_view key) const;
  [[nodiscard]] base::Vec3 vec3(std::string_view key) const;
  /// A text, a formula or the name of a choice.
  [[nodiscard]] const std::string& text(std::string_view key) const;
  /// The names of choices.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  /// The numbers of a table of constants in code units, by name.
  [[nodiscard]] const std::map<std::string, double>& constants(std::string_view key) const;
  /// What a choice means.
  /// @param table  of which the key was made
  template <class Table>
  [[nodiscard]] auto choice(std::string_view key, const Table& table) const {
    return value_of(text(key), table);
  }
  template <class Table>
  [[nodiscard]] auto choices(std::string_view key, const Table& table) const {
    std::vector<decltype(table[0].value)> values;
    for (const std::string& name : texts(key)) values.push_back(value_of(name, table));
    return values;
  }
  /// A path, made relative to the parameter file's folder; an absolute one is kept; one from the command line is
  /// relative to the working directory.
  [[nodiscard]] std::filesystem::path path(std::string_view key) const;
  /// The same of a file that must be there; whether it is a good one is for its reader to say.
  /// @throws Error naming key and file: it does not exist, is a link to nothing, or a directory
  [[nodiscard]] std::filesystem::path existing_file(std::string_view key) const;
  /// The keys of files and folders that have a value.
  [[nodiscard]] std::vector<std::string> paths() const;

  /// Whether the key has a value (from the file, an override or a default).
  [[nodiscard]] bool has(std::string_view key) const;
  /// Whether the user gave the value.
  [[nodiscard]] bool is_given(std::string_view key) const;
  /// Where the value came from, for errors that only the solver can find.
  [[nodiscard]] Location where(std::string_view key) const;
  /// Where a character of a text or formula stands; of a text that is not written letter by letter in one line, where
  /// that begins. @param character  from 0
  [[nodiscard]] Location where_in(std::string_view key, std::size_t character) const;

  [[nodiscard]] const base::UnitSystem& units() const noexcept { return units_; }
  /// The parameter file as the user named it, and the tables it was read against.
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

  /// A parameter file in TOML that gives the same run: all keys with their values, code units for quantities, absolute
  /// paths, and a comment where a value is the default.
  [[nodiscard]] std::string as_used() const;

  /// A key that has another value than in an earlier run.
  struct Change {
    std::string key;
    std::string then;  ///< as one would write it in TOML; empty: it had none
    std::string now;
  };
  /// Keys whose tables do not let them change on a restart, and which have changed.
  /// @param used  what as_used() said of the earlier run; keys that it does not know had their default
  /// @throws Error, which names `source` as the file, if it is not TOML
  [[nodiscard]] std::vector<Change> changes_since(std::string_view used, const std::string& source) const;

  /// One line for each key that the user gave under a former name.
  [[nodiscard]] std::span<const std::string> notes() const noexcept { return notes_; }

 private:
  friend class Document;
  Parameters();
  [[nodiscard]] const Value& find(std::string_view key) const;
  [[nodiscard]] std::string text_of(const Value& value) const;

  template <class Table>
  static auto value_of(std::string_view name, const Table& table) {
    const auto row = std::ranges::find(table, name, [](const auto& choice) { return choice.name; });
    if (row == std::ranges::end(table))
      throw base::PreconditionError("a choice was read with another table of choices");
    return row->value;
  }

  std::filesystem::path file_;
  base::UnitSystem units_;
  std::vector<Value> values_;
  std::vector<std::string> notes_;
};

/// A parameter file, parsed but not yet checked against tables.
class Document {
 public:
  /// @param overrides  the last one of a key wins
  /// @throws base::SystemError if the file cannot be read; Error if it is larger than 1 MB or not TOML, or if an
  ///         override cannot be read
  Document(const std::filesystem::path& file, std::span<const Override> overrides);
  /// The same of a text that is in no file.
  /// @param name  that messages give in place of a file; its folder is where relative paths begin
  Document(std::string_view text, const std::filesystem::path& name, std::span<const Override> overrides);

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
