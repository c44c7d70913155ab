// How a wrong input is printed.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacit/base/text.hpp"
#include "tacit/config/parameters.hpp"

namespace tacit::config {
namespace {

constexpr std::size_t most_printed = 20;

/// "run.toml:14:14: sph.kernel: message\n  hint: ...", each part only where there is one.
std::string to_text(const Problem& problem) {
  std::string text = problem.where.file;
  if (problem.where.line > 0) text += fmt::format(":{}:{}", problem.where.line, problem.where.column);
  if (!problem.key.empty()) text += ": " + problem.key;
  text += ": " + problem.message;
  if (!problem.hint.empty()) text += "\n  hint: " + problem.hint;
  return text;
}

std::string to_text(std::span<const Problem> problems) {
  std::string text;
  for (const auto& problem : problems.first(std::min(problems.size(), most_printed))) {
    if (!text.empty()) text += '\n';
    text += to_text(problem);
  }
  if (problems.size() > most_printed) text += fmt::format("\n... and {} more", problems.size() - most_printed);
  return text;
}

}  // namespace

Error::Error(std::vector<Problem> problems) : base::Error(to_text(problems)), problems_(std::move(problems)) {}

Error::Error(Location where, std::string key, std::string message, std::string hint)
    : Error(std::vector<Problem>{{std::move(where), std::move(key), std::move(message), std::move(hint)}}) {}

bool is_on_command_line(const Location& location) { return location.line == 0 && location.file.starts_with("--"); }

std::optional<std::string> closest(std::string_view word, std::span<const std::string_view> candidates) {
  return base::closest(word, candidates);
}

}  // namespace tacit::config
