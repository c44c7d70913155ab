// Reads a parameter file against the tables of its solver.
// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "quoted_text.hpp"
#include "tacit/solvers/registry.hpp"

namespace tacit::apps {

namespace {

/// --threads and --output win over --set.
std::vector<config::Override> overrides_of(const RunArguments& arguments) {
  std::vector<config::Override> overrides;
  for (const std::string& text : arguments.settings) overrides.push_back({text});
  if (!arguments.threads.empty()) overrides.push_back({"run.threads=" + arguments.threads, "--threads"});
  if (!arguments.output.empty()) {
    overrides.push_back({"output.directory=" + toml_text(arguments.output), "--output"});
  }
  return overrides;
}

/// Of a setting: "time.end" of "time.end = 2".
std::string_view key_of(std::string_view setting) {
  const std::string_view key = setting.substr(0, setting.find('='));
  return key.substr(0, key.find_last_not_of(' ') + 1);
}

}  // namespace

Input read_input(const RunArguments& arguments, const std::optional<std::string>& text) {
  const std::vector<config::Override> overrides = overrides_of(arguments);
  const config::Document document =
      text ? config::Document(*text, arguments.file, overrides) : config::Document(arguments.file, overrides);
  const engine::SolverEntry* solver = find_solver(document.choice(solver_key()));
  return {solver, document.read(tables_for(*solver, document))};
}

std::string continuing_command(const RunArguments& arguments, std::string_view raised) {
  std::string command = "tacit run " + shell_text(arguments.file.string());
  for (const std::string& setting : arguments.settings) {
    if (key_of(setting) != key_of(raised)) command += " --set " + shell_text(setting);
  }
  if (!raised.empty()) command += " --set " + shell_text(std::string(raised));
  if (!arguments.threads.empty()) command += " --threads " + shell_text(arguments.threads);
  if (!arguments.output.empty()) command += " --output " + shell_text(arguments.output);
  return command + " --restart";
}

}  // namespace tacit::apps
