// Atoms in checkpoints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "tacit/io/file.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/file_rows.hpp"
#include "tacit/solvers/md/parameters.hpp"

namespace tacit::md {

/// All that a run goes on from, by rising ID; so the same on any number of ranks and threads. All ranks call it.
void save_atoms(io::FileWriter& file, const Atoms& atoms, const FileRows& rows, const MdParameters& parameters);
/// The state of a thermostat or minimiser; empty: there is none.
void save_ensemble(io::FileWriter& file, std::span<const double> state);
[[nodiscard]] std::vector<double> load_ensemble(const io::FileReader& file);
/// A share of the atoms.
/// @throws base::FormatError if it does not fit the parameters or is damaged
[[nodiscard]] Configuration load_atoms(const io::FileReader& file, const MdParameters& parameters, const Share& share);

}  // namespace tacit::md
