// tacit keys: the tables of keys as help, documentation or schema.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "commands.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/solvers/registry.hpp"

namespace tacit::apps {
namespace {

std::string render(const engine::SolverEntry& solver, KeysFormat format) {
  const auto tables = tables_for(solver);
  const std::string title = fmt::format("Keys of the {} solver", solver.name);
  switch (format) {
    case KeysFormat::markdown:
      return config::keys_markdown(title, tables);
    case KeysFormat::schema:
      return config::keys_schema(title, tables);
    case KeysFormat::terminal:
      break;
  }
  return config::keys_help(tables);
}

}  // namespace

int keys(const std::string& name, KeysFormat format) {
  if (!name.empty() && find_solver(name) == nullptr) {
    std::vector<std::string_view> names;
    for (const auto* solver : solvers()) names.push_back(solver->name);
    const auto hint = config::closest(name, names);
    throw config::Error({"tacit keys", 0, 0}, "SOLVER",
                        fmt::format("'{}' is not one of {}", name, fmt::join(names, ", ")),
                        hint ? "did you mean '" + *hint + "'?" : "");
  }
  for (const auto* solver : solvers()) {
    if (name.empty() || solver->name == name) fmt::print("{}", render(*solver, format));
  }
  return success;
}

}  // namespace tacit::apps
