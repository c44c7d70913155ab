// The one list of solvers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
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

/// The same for a file, whose keys may say what others are where it does not give them: md.units does, of [units].
[[nodiscard]] std::vector<config::KeyTable> tables_for(const engine::SolverEntry& solver,
                                                       const config::Document& document);

/// What a file in a format of a solver's field says of itself, to be printed.
/// @return nothing if it is in none of those   @throws base::SystemError; base::FormatError, what is wrong with it
[[nodiscard]] std::optional<std::string> describe_file(const std::filesystem::path& path);

/// Reads such a file, one that has checksums of its own, for what is wrong with it; leaves others alone.
/// @throws base::SystemError; base::FormatError, what is wrong with it
void require_sound_file(const std::filesystem::path& path);

}  // namespace tacit
