// What tacit diff compares, and how exactly.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "commands.hpp"
#include "tacit/io/compare.hpp"

namespace tacit::apps {

class DiffOptions {
 public:
  /// @throws config::Error if a tolerance is not [FIELD=]X with X >= 0
  explicit DiffOptions(const DiffArguments& arguments);

  /// That of an array, by its last name or whole name, or of a column; nothing: every bit counts.
  [[nodiscard]] std::optional<io::Tolerance> tolerance_of(const std::string& name) const;
  /// Whether a group or attribute of a file says when, where, by whom or how it was made, and so is not compared.
  [[nodiscard]] bool leaves_out(const std::string& name) const;
  /// Likewise of a file in the directory of a run.
  [[nodiscard]] bool leaves_out_file(std::string_view name) const;
  /// Likewise of a column of a table, or of what is at the top of summary.json.
  [[nodiscard]] bool leaves_out_column(std::string_view name) const;

 private:
  struct OfField {
    std::optional<double> relative = std::nullopt;
    std::optional<double> absolute = std::nullopt;
  };
  void read(std::string_view option, const std::string& text, std::optional<double> OfField::*member);

  bool compares_all_;
  OfField of_all_;
  std::map<std::string, OfField, std::less<>> of_field_;
};

}  // namespace tacit::apps
