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
/// The state of a thermostat or minimiser ("Ensemble"), or of what does work ("Work"); empty: there is none.
void save_state(io::FileWriter& file, const char* of, std::span<const double> state);
[[nodiscard]] std::vector<double> load_state(const io::FileReader& file, const char* of);
/// The box that the atoms are in, and the one for which lists were made, where it changes.
void save_boxes(io::FileWriter& file, const Box& now, const Box& of_lists);
/// Those of a checkpoint, first the present one. @throws base::FormatError if it has none, or they are no boxes
[[nodiscard]] std::pair<Box, Box> load_boxes(const io::FileReader& file, const Box& like);
/// A share of the atoms.
/// @throws base::FormatError if it does not fit the parameters or is damaged
[[nodiscard]] Configuration load_atoms(const io::FileReader& file, const MdParameters& parameters, const Share& share);

}  // namespace tacit::md
