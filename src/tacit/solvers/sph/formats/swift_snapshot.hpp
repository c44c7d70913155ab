// Snapshots in SWIFT's layout, which swiftsimio, yt and pynbody read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/units.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/sph/cosmology/cosmology.hpp"
#include "tacit/solvers/sph/formats/top_cells.hpp"
#include "tacit/solvers/sph/other_particles.hpp"
#include "tacit/solvers/sph/particle_values.hpp"

namespace tacit::sph {

/// One dataset of a type of particles.
struct SnapshotField {
  std::string_view name;         ///< SWIFT's name: "Densities"
  std::string_view description;  ///< goes to the attribute Description
  base::Dimension dimension;     ///< gives the U_x exponents and the conversion to cgs
  io::Number type = io::Number::float32;
  ParticleValues values;  ///< asked for while they are written
  int a_power = 0;        ///< of the scale factor that makes them physical, in a box that expands
};

/// The particles of one type: group PartType<type>.
struct SnapshotKind {
  std::size_t type = 0;
  std::span<const std::uint64_t> ids;
  ParticleValues positions;  ///< 3 numbers of each particle; of a periodic box in [0, box)
  std::span<const SnapshotField> fields;
  /// Of several ranks: of this one's particles, as `share` takes them.
  std::span<const ParticleBlock> blocks;
};

struct SnapshotHeader {
  std::string run_name;
  std::string solver;
  double time = 0.0;                   ///< [time]; of a box that expands, since a = 0
  std::optional<Cosmology> cosmology;  ///< of such a box
  double a = 1.0;                      ///< its scale factor
  std::uint64_t step = 0;
  base::Vec3 box;
  bool is_box_only_shown = false;  ///< made for pictures: the run has none
  bool periodic = true;
  int dimension = 3;
  base::UnitSystem units;
  std::string equation_of_state = "Ideal gas";
  double gamma = 5.0 / 3.0;
  double kernel_gamma = 1.825742;  ///< support radius over h
  std::string kernel_name;
  double eta = 1.2348;
  std::string parameters;                                       ///< the parameter file as used, stored whole
  std::vector<std::pair<std::string, std::string>> provenance;  ///< commit, compiler, host, input and its hash, ...
  /// Further numbers of the scheme for the group HydroScheme, in SWIFT's words: "CFL parameter", "Alpha viscosity", ...
  std::vector<std::pair<std::string, double>> scheme;
};

/// Writes positions, IDs and fields of each type, and all that is known of what is carried along, so that the particles
/// of one top-level cell are contiguous (Cells group).
///
/// @param kinds  the gas first, whether there is any or not; of others, types of which no rank has any are left out
/// @param others  carried along, of other types
/// @param loop    of the threads that sort the particles
/// @param ranks   that write the file; null: this one alone
/// @throws base::SystemError; nothing is left under the file's name then
std::uint64_t write_swift_snapshot(io::FileWriter file, const SnapshotHeader& header,
                                   std::span<const SnapshotKind> kinds, const OtherParticles& others, const Loop& loop,
                                   comm::Communicator* ranks);

/// The same for gas alone.
///
/// Several ranks write it together: within a top-level cell their particles come by the keys of their blocks. All have
/// the others.
///
/// @param positions  3 numbers of each particle; of a periodic box in [0, box)
/// @param loop       of the threads that sort the gas
/// @param ranks      that write the file; null: this one alone
/// @param blocks     of several ranks: of this one's particles, as `share` takes them
/// @return           bytes written, as io::FileWriter::commit says
/// @throws base::SystemError; nothing is left under the file's name then
/// Memory: 6 bytes per particle and a few MB; on several ranks also those of the longest field.
std::uint64_t write_swift_snapshot(io::FileWriter file, const SnapshotHeader& header,
                                   std::span<const std::uint64_t> ids, const ParticleValues& positions,
                                   std::span<const SnapshotField> fields, const OtherParticles& others = {},
                                   const Loop& loop = loop_in_turn, comm::Communicator* ranks = nullptr,
                                   std::span<const ParticleBlock> blocks = {});

}  // namespace tacit::sph
