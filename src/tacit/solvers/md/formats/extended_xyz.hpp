// Extended XYZ: a line with the number of atoms, one that describes box and columns, and a line for each atom.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/solvers/md/atoms.hpp"

namespace tacit::md {

/// What a frame says.
struct XyzData {
  Configuration atoms;
  std::vector<double> masses = {};       ///< by type; empty: the file has none
  std::optional<double> time = {};       ///< of the frame [time]
  std::vector<base::Vec3> momenta = {};  ///< as ASE writes them, in sqrt(u eV); empty: the file has none
  std::vector<std::uint64_t> held = {};  ///< IDs of atoms that its move_mask says do not move
  bool is_turned = false;                ///< whether its box had edges in other directions, and so were positions
  std::vector<std::string> unused = {};  ///< columns that mean nothing here
};

/// Reads a frame: Lattice, Origin, pbc and Time, whose names may be written large or small, and of Properties species,
/// pos, velo (or vel, velocity, velocities), momenta, id, mass (or masses) and move_mask. Atoms without id are numbered
/// from 1. A box whose edges point anywhere is turned, with positions, velocities and momenta. What is given twice, and
/// what follows the atoms are refused.
///
/// @param elements  names of the types; where there are none they are taken from the file, in order of appearance
/// @throws base::SystemError if it cannot be read; base::FormatError with the line, what is wrong and what to do
[[nodiscard]] XyzData read_extended_xyz(const std::filesystem::path& path, std::vector<std::string>& elements);

/// What a frame says beside its atoms.
struct FrameText {
  double time = 0.0;
  std::uint64_t step = 0;
  bool has_momenta = false;  ///< beside velocities, which ASE does not take for such; and masses
};

/// The first two lines of a frame.
[[nodiscard]] std::string extended_xyz_header(const Box& box, std::size_t atoms, const FrameText& text);
/// As ASE has it.
struct Momentum {
  base::Vec3 p;       ///< [sqrt(u eV)]
  double mass = 0.0;  ///< [u]
};
/// The line of an atom, with numbers that read back as they are. @param momentum  if the head says so
void append_extended_xyz(std::string& to, const std::string& element, std::uint64_t id, const base::Vec3& x,
                         const base::Vec3& v, const std::optional<Momentum>& momentum = std::nullopt);

}  // namespace tacit::md
