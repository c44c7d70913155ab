// Atoms of files: extended XYZ, and data files of LAMMPS.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "tacit/base/checksum.hpp"
#include "tacit/base/error.hpp"
#include "tacit/solvers/md/formats/extended_xyz.hpp"
#include "tacit/solvers/md/formats/lammps.hpp"
#include "tacit/solvers/md/setups/setups.hpp"
#include "tacit/solvers/md/units.hpp"

namespace tacit::md {

namespace {

/// Velocities from momenta as ASE writes them; where the file has both, they have to agree.
/// @throws config::Error where the units of the run are no physical ones; base::FormatError with what does not agree
void take_momenta(const config::Parameters& p, const std::filesystem::path& path, std::size_t types, XyzData& data) {
  const Units units = read_units(p);
  if (units.electronvolt == 0.0) {
    throw config::Error(p.where("initial.file"), "initial.file",
                        fmt::format("'{}' has momenta, as ASE writes them, in units of its own", path.string()),
                        "set md.units = \"metal\", for example; or write velocities in reduced units as velo");
  }
  const std::vector<double> masses = p.has("md.masses") ? p.vector("md.masses") : data.masses;
  if (masses.size() != types) return;  // which is said of the masses
  std::vector<base::Vec3>& v = data.atoms.v;
  const bool has_velocities = !v.empty();
  v.resize(data.momenta.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    const base::Vec3 other = (momentum_of_ase(units) / (units.mass * masses[data.atoms.type[i]])) * data.momenta[i];
    constexpr double rounding = 1e-4;  // of few digits, and of constants of other years
    if (has_velocities && norm(v[i] - other) > rounding * (norm(v[i]) + norm(other))) {
      throw base::FormatError(path.string(), fmt::format("atom {}: its momentum is not its velocity times its mass: "
                                                         "remove one of the columns, or correct md.masses and md.units",
                                                         data.atoms.id[i]));
    }
    if (!has_velocities) v[i] = other;
  }
}

/// Cells go as far as atoms do, but for a few that are far from all others: an open box may be smaller than its atoms,
/// all of which would be in the cells at its faces.
void spread_cells(Configuration& atoms) {
  Box& box = atoms.box;
  const std::size_t few = atoms.size() / 200;
  std::vector<double> along(atoms.size());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < along.size(); ++i) along[i] = box.fraction(atoms.x[i])[axis];
    const auto low = along.begin() + static_cast<std::ptrdiff_t>(few);
    const auto high = along.end() - 1 - static_cast<std::ptrdiff_t>(few);
    std::nth_element(along.begin(), low, along.end());
    box.cells_begin[axis] = std::min(0.0, *low);
    std::nth_element(along.begin(), high, along.end());
    box.cells_extent[axis] = std::max(1.0, *high) - box.cells_begin[axis];
  }
}

void note_turn(const std::filesystem::path& path, Initial& result) {
  result.notes.push_back(
      fmt::format("{}: the edges of its box point anywhere: box, atoms and velocities are turned, so that the first "
                  "edge lies along x and the second in the plane of x and y; so they are in all files of the run",
                  path.string()));
}

}  // namespace

Initial make_from_file(const config::Parameters& p, const Share& share) {
  const std::filesystem::path path = p.existing_file("initial.file");
  Initial result;
  result.elements = elements_or(p, {});
  XyzData data = read_extended_xyz(path, result.elements);
  if (!data.momenta.empty()) take_momenta(p, path, result.elements.size(), data);
  result.atoms = std::move(data.atoms);
  result.masses = std::move(data.masses);
  result.held = std::move(data.held);
  if (!result.held.empty()) {
    result.notes.push_back(
        fmt::format("{}: move_mask holds {} of {} atoms: they are the group 'move_mask', and stay "
                    "where they are unless groups.moving names it",
                    path.string(), result.held.size(), result.atoms.size()));
  }
  result.is_turned = data.is_turned;
  result.time = data.time;
  if (result.is_turned) note_turn(path, result);
  if (!data.unused.empty()) {
    result.notes.push_back(
        fmt::format("{}: columns that are not used: {}", path.string(), fmt::join(data.unused, ", ")));
  }
  result.count = result.atoms.size();
  spread_cells(result.atoms);
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
  spread_cells(result.atoms);
  keep_share(result.atoms, share);
  result.masses = std::move(data.masses);
  result.is_turned = data.is_turned;
  if (result.is_turned) note_turn(path, result);
  if (!data.unused.empty()) {
    result.notes.push_back(fmt::format("{}: not used: {}", path.string(), fmt::join(data.unused, ", ")));
  }
  result.from = path.string();
  result.checksum = base::file_checksum(path);
  return result;
}

}  // namespace tacit::md
