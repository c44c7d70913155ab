// Files of LAMMPS: data files, from which atoms are read, and dumps of atoms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/solvers/md/atoms.hpp"

namespace tacit::md {

/// What a data file says.
struct LammpsData {
  Configuration atoms;
  std::vector<std::string> elements;  ///< labels of the types; else of the comments behind the masses; else numbers
  std::vector<double> masses;         ///< by type; empty: the file has none
  bool is_turned = false;             ///< whether its edges had other directions, and so were positions and velocities
  std::vector<std::string> unused;    ///< sections and columns that mean nothing here
};

/// Reads a data file: the box with its tilt, or by its edges (avec, bvec, cvec, abc origin), which is then turned with
/// all that it holds; Atom Type Labels, Masses, Atoms (atomic or charge, with image flags or without), Velocities.
/// Charges and coefficients of potentials are not used.
/// @throws base::SystemError if it cannot be read; base::FormatError with the line, what is wrong and what to do
[[nodiscard]] LammpsData read_lammps_data(const std::filesystem::path& path);

/// The head of a dump; `first_columns` are followed by lines of atoms.
[[nodiscard]] std::string lammps_dump_header(const Box& box, std::size_t atoms, std::uint64_t step);
/// What a dump says of an atom.
struct AtomLine {
  std::uint64_t id = 0;
  std::uint32_t type = 0;
  std::string_view element = {};
  double mass = 0.0;  ///< as the file of the run gives it: g/mol in physical units
  base::Vec3 x;
  ImageCount image{};
  base::Vec3 v;
  base::Vec3 f;
};
/// A line: id type element mass x y z ix iy iz vx vy vz fx fy fz.
void append_lammps_dump(std::string& to, const AtomLine& atom);

}  // namespace tacit::md
