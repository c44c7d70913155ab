// Reads keys that hold a number for each axis of a lattice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/qcd/division.hpp"
#include "tacit/solvers/qcd/lattice.hpp"

namespace tacit::qcd {

/// Four whole numbers of sites: x, y, z, t. @throws config::Error
[[nodiscard]] Coordinates read_coordinates(const config::Parameters& parameters, const char* key, const char* example);

/// Extents of a key, or those of a file, where the key is not needed.
/// @param gauge_file  empty: there is none
/// @throws config::Error if both say something else, or neither says anything; what reading the file's header throws
[[nodiscard]] Extents read_extents(const config::Parameters& parameters, const char* key,
                                   const std::filesystem::path& gauge_file);

/// @throws config::Error if they are not whole
[[nodiscard]] RanksPerAxis read_ranks(const config::Parameters& parameters, const char* key);

/// @param table  of the keys extents and ranks   @param count  ranks of the run
/// @throws config::Error if the lattice cannot be divided so
void require_division(const config::Parameters& parameters, const std::string& table, const Extents& extents,
                      const RanksPerAxis& along, std::size_t count);

}  // namespace tacit::qcd
