// From the arguments of run and check to validated parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace tacit::apps
