// Atoms of files: extended XYZ, and data files of LAMMPS.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "tacit/base/checksum.hpp"
#include "tacit/solvers/md/formats/extended_xyz.hpp"
#include "tacit/solvers/md/formats/lammps.hpp"
#include "tacit/solvers/md/setups/setups.hpp"

namespace tacit::md {

Initial make_from_file(const config::Parameters& p, const Share& share) {
  const std::filesystem::path path = p.existing_file("initial.file");
  Initial result;
  result.elements = elements_or(p, {});
  XyzData data = read_extended_xyz(path, result.elements);
  result.atoms = std::move(data.atoms);
  result.masses = std::move(data.masses);
  result.time = data.time;
  if (!data.unused.empty()) {
    result.notes.push_back(
        fmt::format("{}: columns that are not used: {}", path.string(), fmt::join(data.unused, ", ")));
  }
  result.count = result.atoms.size();
  keep_share(result.atoms, share);
  result.from = path.string();
  result.checksum = base::file_checksum(path);
  return result;
}

Initial make_from_lammps(const config::Parameters& p, const Share& share) {
  const std::filesystem::path path = p.existing_file("initial.file");
  LammpsData data = read_lammps_data(path);
  Initial result;
  result.elements = elements_or(p, data.elements);
  if (result.elements.size() != data.elements.size()) {
    throw config::Error(p.where("md.elements"), "md.elements",
                        fmt::format("has {} name(s), but {} has {} type(s) of atoms", result.elements.size(),
                                    path.string(), data.elements.size()),
                        "name each type once, in their order");
  }
  result.atoms = std::move(data.atoms);
  result.count = result.atoms.size();
  keep_share(result.atoms, share);
  result.masses = std::move(data.masses);
  if (!data.unused.empty()) {
    result.notes.push_back(fmt::format("{}: not used: {}", path.string(), fmt::join(data.unused, ", ")));
  }
  result.from = path.string();
  result.checksum = base::file_checksum(path);
  return result;
}

}  // namespace tacit::md
