// Initial conditions in the GADGET / SWIFT HDF5 layout (gas).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "tacit/base/units.hpp"
#include "tacit/solvers/sph/gas.hpp"

namespace tacit::sph {

struct GadgetOptions {
  base::UnitSystem units{};                ///< the run's code units, to which everything is converted
  Boundary boundary = Boundary::periodic;  ///< unless open, particles must lie in [0, box]; periodic: box is 0
  std::optional<int> dimension{};          ///< what the run insists on; else Header/Dimension, or 3
  double gamma = 5.0 / 3.0;                ///< for files that give Entropies instead of internal energies
};

/// Reads PartType0 of `path`: initial conditions (InternalEnergy, SmoothingLength) or a snapshot of SWIFT or Tacit
/// (InternalEnergies, SmoothingLengths).
///
/// float32 or float64; a Units group converts to the run's units, without one the file is in code units. Masses may
/// come from the dataset or from MassTable. IDs are made (1 .. N) where the file has none.
///
/// @throws base::FormatError naming file, dataset, first bad particle (index and ID), value and what was expected:
///         missing group or dataset, sizes that do not match the header, NaN or infinity, masses <= 0, internal
///         energies < 0, smoothing lengths <= 0, another dimension than the run's, positions or velocities that are not
///         0 along an axis that the run does not use, particles outside a periodic box, duplicate IDs, multi-file sets
///         (named as not supported yet)
[[nodiscard]] InitialConditions read_gadget(const std::filesystem::path& path, const GadgetOptions& options);

}  // namespace tacit::sph
