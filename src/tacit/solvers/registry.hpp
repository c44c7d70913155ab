// The one list of solvers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/engine/solver.hpp"

namespace tacit {

/// Every solver of this build.
[[nodiscard]] std::span<const engine::SolverEntry* const> solvers();

/// @return the solver of that name, or null
[[nodiscard]] const engine::SolverEntry* find_solver(std::string_view name);

/// The key `solver` itself, whose choices are the names of all solvers.
[[nodiscard]] const config::Key& solver_key();

/// All tables of a parameter file for `solver`: the key `solver`, the general tables, the solver's own.
[[nodiscard]] std::vector<config::KeyTable> tables_for(const engine::SolverEntry& solver);

}  // namespace tacit
