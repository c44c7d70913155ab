// What runs have measured, in memory and in tuning files: lines below one that names their format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace tacit::base {

/// The format of a tuning file, whose lines are "ANSWER KEY", and what is said of one that is damaged.
///
///     constexpr TuningFormat places{.first_line = "# places 1: x, what for",
///                                   .name = "a file of places",
///                                   .remedy = "; remove it",
///                                   .wrong_line = "is not a number and what it is for",
///                                   .cannot_read = "cannot read the places",
///                                   .cannot_write = "cannot write the places",
///                                   .takes_answer = [](std::istream& words) { return bool(words >> x); }};
struct TuningFormat {
  std::string_view first_line;
  std::string_view name;                ///< "'...' stands where `name` begins with '`first_line`'"
  std::string_view remedy = {};         ///< ends that message
  std::string_view wrong_line;          ///< "'...' `wrong_line`"
  std::string_view cannot_read;         ///< follows the path
  std::string_view cannot_write;        ///< likewise
  bool (*takes_answer)(std::istream&);  ///< reads an answer off a line; false: there is none. No number is below zero
};

/// Answers by their keys: what was measured by what it depends on.
using Tunings = std::map<std::string, std::string>;

/// @param path  for messages
/// @throws FormatError that names the line
[[nodiscard]] Tunings parse_tunings(const TuningFormat& format, const std::string& text, const std::string& path);
[[nodiscard]] std::string tunings_text(const TuningFormat& format, const Tunings& tunings);

class TuningCache {
 public:
  /// @param file  read when an answer is first wanted, and replaced whole when it is written; empty: none
  explicit TuningCache(std::filesystem::path file = {}) : file_(std::move(file)) {}
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

  /// Empty: there is none. A file that is not there is empty. @throws FormatError, SystemError
  [[nodiscard]] std::string find(const TuningFormat& format, const std::string& key);
  void keep(const std::string& key, const std::string& answer) { tunings_[key] = answer; }
  /// Writes all answers, those that other runs have added to the file included. @throws FormatError, SystemError
  void write(const TuningFormat& format) const;

  /// How often something was measured, because no answer was there.
  [[nodiscard]] std::uint64_t measured() const noexcept { return measured_; }
  void count_measurement() noexcept { ++measured_; }

 private:
  [[nodiscard]] Tunings in_file(const TuningFormat& format) const;
  std::filesystem::path file_;
  bool is_read_ = false;
  Tunings tunings_;
  std::uint64_t measured_ = 0;
};

}  // namespace tacit::base
