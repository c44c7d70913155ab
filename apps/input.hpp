// From the arguments of run and check to validated parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "commands.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/engine/solver.hpp"

namespace tacit::apps {

struct Input {
  const engine::SolverEntry* solver;
  config::Parameters parameters;
};

/// @throws config::Error, base::SystemError
[[nodiscard]] Input read_input(const RunArguments& arguments);

/// The command that continues the run of these arguments: the same one with --restart, each word as a shell reads it.
/// What starts several ranks is for the user to put before it.
[[nodiscard]] std::string continuing_command(const RunArguments& arguments);

}  // namespace tacit::apps
