// From the arguments of run and check to validated parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "commands.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/engine/solver.hpp"

namespace tacit::apps {

struct Input {
  const engine::SolverEntry* solver;
  config::Parameters parameters;
};

/// @param text  of the parameters, if they are in no file: then the file of the arguments is but a name for it
/// @throws config::Error, base::SystemError
[[nodiscard]] Input read_input(const RunArguments& arguments, const std::optional<std::string>& text = {});

/// Returns where this program can compute with the solver. One that was built without it (TACIT_SOLVERS) knows its keys
/// and no more: ./tacit is asked to build it and to begin again, if it has started us and may build here.
/// @param words  the command and what follows it; empty: nothing begins again
/// @throws base::Error that names the command which builds the solver
void require_built(const engine::SolverEntry& solver, std::span<const std::string> words);

/// The command that continues the run of these arguments: the same one with --restart, each word as a shell reads it.
/// What starts several ranks is for the user to put before it.
/// @param raised  a setting, "time.max_steps=66", that takes the place of those of its key; empty: none
[[nodiscard]] std::string continuing_command(const RunArguments& arguments, std::string_view raised = {});

}  // namespace tacit::apps
