// Reads a parameter file against the tables of its solver.
// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "launch_environment.hpp"
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

void require_built(const engine::SolverEntry& solver, std::span<const std::string> words) {
  if (solver.make != nullptr) return;
  const char* const launcher = std::getenv("TACIT_BUILDS_FOR_US");
  if (launcher != nullptr && !words.empty() && !may_have_ranks()) {
    std::vector<std::string> command{launcher, "__with", std::string(solver.name)};
    command.insert(command.end(), words.begin(), words.end());
    std::vector<char*> pointers;
    for (std::string& word : command) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    std::fflush(nullptr);
    ::execv(launcher, pointers.data());  // returns where there is no such file any more
  }
  throw base::Error(
      fmt::format("this program was built without the solver {0}, to which the file belongs\n"
                  "  hint: run './tacit build {0}' first, outside of any parallel launcher",
                  solver.name));
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
