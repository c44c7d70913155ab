// Initial conditions in the GADGET / SWIFT HDF5 layout: gas, and what is carried along.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "tacit/base/units.hpp"
#include "tacit/solvers/sph/gas.hpp"

namespace tacit::sph {

struct GadgetOptions {
  base::UnitSystem units{};                  ///< the run's code units, to which everything is converted
  Boundary boundary = Boundary::periodic;    ///< reflecting: particles must lie in [0, box]; periodic: they are wrapped
  std::optional<int> dimension{};            ///< what the run insists on; else Header/Dimension, or 3
  double gamma = 5.0 / 3.0;                  ///< for files that give Entropies instead of internal energies
  bool h_factors = false;                    ///< whether lengths, masses and times of the file are per h
  std::optional<double> hubble_parameter{};  ///< h, where Header/HubbleParam is not to be used
};

/// Whether `path` is a file, or what the names of a set of files have in common ("name" of name.0.hdf5, ...).
[[nodiscard]] bool is_initial_file(const std::filesystem::path& path);

/// Reads `path`, and the other files of its set: initial conditions (InternalEnergy, SmoothingLength) or a snapshot of
/// SWIFT or Tacit (InternalEnergies, SmoothingLengths).
///
/// float32 or float64; a Units group converts to the run's units, without one the file is in code units. Masses may
/// come from the dataset or from MassTable. IDs are made (1 .. N) where the file has none. Particles of other types
/// are taken along with all their numbers (InitialConditions::others).
///
/// @throws base::FormatError naming file, dataset, first bad particle (index and ID), value and what was expected:
///         missing file of a set, group or dataset, sizes that do not match the header, NaN or infinity, masses <= 0,
///         internal energies < 0, smoothing lengths <= 0, another dimension than the run's, positions or velocities
///         that are not 0 along an axis that the run does not use, particles outside a reflecting box or more than a
///         box length outside a periodic one, duplicate IDs
[[nodiscard]] InitialConditions read_gadget(const std::filesystem::path& path, const GadgetOptions& options);

}  // namespace tacit::sph
