// Initial conditions in the GADGET / SWIFT HDF5 layout: gas, and what is carried along.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "tacit/base/units.hpp"
#include "tacit/solvers/sph/cosmology/cosmology.hpp"
#include "tacit/solvers/sph/gas.hpp"

namespace tacit::sph {

/// What the velocities of files of expanding boxes are.
enum class FileVelocities : std::uint8_t {
  automatic,  ///< what an array says of itself; peculiar where the file has SWIFT's header, else GADGET's
  peculiar,   ///< a dx/dt
  gadget,     ///< sqrt(a) dx/dt
};

struct GadgetOptions {
  base::UnitSystem units{};                  ///< the run's code units, to which everything is converted
  Boundary boundary = Boundary::periodic;    ///< reflecting: particles must lie in [0, box]; periodic: they are wrapped
  std::optional<int> dimension{};            ///< what the run insists on; else Header/Dimension, or 3
  double gamma = 5.0 / 3.0;                  ///< for files that give Entropies instead of internal energies
  bool has_gravity = false;                  ///< whether particles of the types 0 to 5 attract and move
  bool h_factors = false;                    ///< whether lengths, masses and times of the file are per h
  std::optional<double> hubble_parameter{};  ///< h, where Header/HubbleParam is not to be used
  std::optional<Cosmology> cosmology{};      ///< of a box that expands
  double begin = 0.0;                        ///< scale factor where the run insists on one, else 0
  FileVelocities velocities = FileVelocities::automatic;  ///< of a box that expands
};

/// The first file of a set whose names have `path` in common ("name" of name.0.hdf5, ...); none if there is something
/// at `path` itself, or no such set.
[[nodiscard]] std::optional<std::filesystem::path> first_of_set(const std::filesystem::path& path);

/// Reads `path`, and the other files of its set: initial conditions (InternalEnergy, SmoothingLength) or a snapshot of
/// SWIFT or Tacit (InternalEnergies, SmoothingLengths).
///
/// float32 or float64; a Units group converts to the run's units, without one the file is in code units. Masses may
/// come from the dataset or from MassTable. IDs are made (1 .. N, through all types) where the file has none. With
/// gravity of their own, particles of the types 1 to 5 attract and move: their positions, velocities, masses and IDs
/// are read, and other datasets named (InitialConditions::left_out). Without, other types are taken along with all
/// their numbers (InitialConditions::others).
///
/// @throws base::FormatError naming file, dataset, first bad particle (index and ID), value and what was expected:
///         missing file of a set, group or dataset, sizes that do not match the header, NaN or infinity, masses <= 0,
///         internal energies < 0, smoothing lengths <= 0, another dimension than the run's, positions or velocities
///         that are not 0 along an axis that the run does not use, particles outside a reflecting box or more than a
///         box length outside a periodic one, duplicate IDs, also among types; with gravity, types that it does not
///         know Of several ranks only those throw that find something in what they read, duplicate IDs included.
[[nodiscard]] InitialConditions read_gadget(const std::filesystem::path& path, const GadgetOptions& options,
                                            const Share& share = {});

/// What the headers of a set say of its particles, in the units of the run.
struct GadgetOutline {
  std::uint64_t particles = 0;  ///< that move: the gas, and with gravity of their own others
  double carried_bytes = 0.0;   ///< of all other particles
  int dimension = 3;
  base::Vec3 box;     ///< [length]
  double time = 0.0;  ///< [time]
};

/// Reads nothing that grows with the number of particles.
/// @throws base::FormatError as read_gadget does, where headers and shapes are wrong
[[nodiscard]] GadgetOutline read_gadget_outline(const std::filesystem::path& path, const GadgetOptions& options);

}  // namespace tacit::sph
