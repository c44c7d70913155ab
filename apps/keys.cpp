// tacit keys: the tables of keys as help, documentation or schema.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "input.hpp"
#include "tacit/base/text.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/config/stored.hpp"
#include "tacit/config/terms.hpp"
#include "tacit/engine/field_table.hpp"
#include "tacit/solvers/registry.hpp"

namespace tacit::apps {
namespace {

[[noreturn]] void refuse(std::string_view argument, std::string message, std::string hint) {
  throw config::Error({"tacit keys", 0, 0}, std::string(argument), std::move(message), std::move(hint));
}

/// What a program without the solver knows of it: its own tables, as those of every run are there.
std::string description_of(const engine::SolverEntry& solver) {
  return config::store_tables({.name = std::string(solver.name),
                               .help = std::string(solver.help),
                               .axis = std::string(solver.axis.name),
                               .symbol = std::string(solver.axis.symbol),
                               .is_counted = solver.axis.is_counted()},
                              solver.tables());
}

std::string render(const engine::SolverEntry& solver, const KeysArguments& arguments) {
  const KeysFormat format = arguments.format;
  if (format == KeysFormat::description) return description_of(solver);
  if (format == KeysFormat::markdown) require_built(solver, arguments.words);  // whose fields are on the page, too
  const auto tables = tables_for(solver);
  const std::string title = fmt::format("Keys of the {} solver", solver.name);
  if (format == KeysFormat::schema) return config::keys_schema(title, tables);
  const std::string page = config::keys_markdown(title, tables);
  return solver.fields == nullptr ? page : page + engine::fields_markdown(solver.fields());
}

/// Of a short one, which is a part of many words, as a word of its own: "nu", "dt".
bool contains_word(std::string_view text, std::string_view word) {
  constexpr std::size_t short_word = 3;
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0; };
  if (word.empty()) return true;
  for (auto rest = text;;) {
    const auto found = std::ranges::search(rest, word, same);
    if (found.empty()) return false;
    const bool begins = found.begin() == text.begin() || !is_letter(static_cast<unsigned char>(*(found.begin() - 1)));
    const bool ends = found.end() == text.end() || !is_letter(static_cast<unsigned char>(*found.end()));
    if (word.size() > short_word || (begins && ends)) return true;
    rest = std::string_view(found.begin() + 1, text.end());
  }
}

bool is_asked_for(const config::Key& key, const KeysArguments& arguments) {
  if (!key.name.starts_with(arguments.section)) return false;
  return config::meaning_rank(arguments.word, key.name) > 0 || contains_word(key.name, arguments.word) ||
         contains_word(key.help, arguments.word) ||
         std::ranges::any_of(key.choices.all(), [&](const config::ChoiceText& choice) {
           return contains_word(choice.name, arguments.word) || contains_word(choice.help, arguments.word);
         });
}

/// Help on the keys that are asked for, under the titles of their tables; empty if there are none.
std::string help(const engine::SolverEntry& solver, const KeysArguments& arguments) {
  std::string text;
  for (const config::KeyTable& table : tables_for(solver)) {
    std::vector<config::Key> keys;
    std::ranges::copy_if(table.keys, std::back_inserter(keys),
                         [&](const config::Key& key) { return is_asked_for(key, arguments); });
    if (keys.empty()) continue;
    const config::KeyTable part{table.title, keys, table.on_restart};
    if (!text.empty()) text += '\n';
    text += config::keys_help({&part, 1});
  }
  return text;
}

/// "run", "time", "sph": the tables of the file.
std::vector<std::string_view> sections_of(const engine::SolverEntry& solver) {
  std::vector<std::string_view> names;
  for (const config::KeyTable& table : tables_for(solver)) {
    for (const config::Key& key : table.keys) {
      const auto dot = key.name.rfind('.');
      const auto section = dot == std::string_view::npos ? std::string_view() : key.name.substr(0, dot);
      if (!section.empty() && std::ranges::find(names, section) == names.end()) names.push_back(section);
    }
  }
  return names;
}

[[noreturn]] void refuse_nothing_found(const engine::SolverEntry& solver, const KeysArguments& arguments) {
  const auto sections = sections_of(solver);
  if (!arguments.word.empty()) {
    refuse("--search", fmt::format("no key says '{}'", base::printable(arguments.word)),
           fmt::format("'tacit keys {}' lists them all", solver.name));
  }
  const auto guess = config::closest(arguments.section, sections);
  refuse("SECTION", fmt::format("no key begins with '{}'", base::printable(arguments.section)),
         guess ? "did you mean '" + *guess + "'?" : fmt::format("sections: {}", fmt::join(sections, ", ")));
}

void require_solver(const std::string& name) {
  if (name.empty() || find_solver(name) != nullptr) return;
  std::vector<std::string_view> names;
  std::string hint;
  for (const auto* solver : solvers()) {
    names.push_back(solver->name);
    if (hint.empty() && std::ranges::count(sections_of(*solver), name) > 0) {
      hint = fmt::format("for a section: tacit keys {} {}", solver->name, name);
    }
  }
  const auto guess = config::closest(name, names);
  if (guess) hint = "did you mean '" + *guess + "'?";
  refuse("SOLVER", fmt::format("'{}' is not one of {}", base::printable(name), fmt::join(names, ", ")), hint);
}

}  // namespace

int keys(const KeysArguments& arguments) {
  require_solver(arguments.solver);
  std::string text;
  const engine::SolverEntry* last = solvers().front();
  for (const auto* solver : solvers()) {
    if (!arguments.solver.empty() && solver->name != arguments.solver) continue;
    last = solver;
    text += arguments.format == KeysFormat::terminal ? help(*solver, arguments) : render(*solver, arguments);
  }
  if (text.empty()) refuse_nothing_found(*last, arguments);
  fmt::print("{}", text);
  return success;
}

}  // namespace tacit::apps
