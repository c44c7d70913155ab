// The keys of md.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>

#include "tacit/solvers/md/cells.hpp"
#include "tacit/solvers/md/formats/turned_box.hpp"
#include "tacit/solvers/md/potentials/keys.hpp"

namespace tacit::md {
namespace {

using config::Choice;
using config::Key;
namespace dim = base::dimension;

constexpr std::array boundary_choices{
    Choice{"periodic", true, "what leaves at one side enters at the other"},
    Choice{"open", false, "beyond is empty space, which atoms may enter"},
};
constexpr std::array setup_choices{
    Choice{"lattice", &make_lattice, "a crystal (table [lattice])"},
    Choice{"file", &make_from_file, "atoms of a file in extended XYZ (key initial.file)"},
    Choice{"lammps", &make_from_lammps, "atoms of a data file of LAMMPS (key initial.file)"},
};
const std::array md_keys{
    units_key(),
    Key::text("md.elements", "Names of the types of atoms, in order, as \"Si C\". Without it those of the set-up."),
    Key::numbers("md.masses", "Mass of an atom of each type, in code units. Without it: 1.", config::positive),
    potential_key(),
    overlay_key(),
    Key::positive("md.dt", dim::time, "Time step.").required("0.005").changeable(),
    Key::non_negative(
        "md.skin", dim::length,
        "Neighbours are listed up to the cutoff and this; the lists are made again when an atom has moved "
        "by half of it.",
        "0.3"),
    Key::positive("md.xyz_every", dim::time,
                  "Interval of files in extended XYZ, with one at the begin and one at the end. Without it: none.")
        .changeable(),
    Key::positive(
        "md.dump_every", dim::time,
        "Interval of dumps in the format of LAMMPS, with one at the begin and one at the end. Without it: none.")
        .changeable(),
    Key::non_negative("md.rebalance",
                      "When lists are made, cells are divided among ranks again where the rank with most to do has "
                      "more than so many times the mean, and another division is better; 0: never. No bit of a result "
                      "depends on it.",
                      "1.1")
        .changeable(),
    Key::flag(
        "md.virials", false,
        "Snapshots have the virial of each atom, sum of r_ij f_ij: xx yy zz xy xz yz, as energies; terms of a pair "
        "are halved between its atoms.")
        .changeable(),
    Key::choice_list("md.boundary", boundary_choices,
                     "What is beyond the faces of the box across each edge; one for all. Without it what a file says, "
                     "else periodic."),
};
constexpr std::array initial_keys{
    Key::choice("initial.setup", setup_choices, "Built-in initial conditions.").required(),
    Key::existing_file("initial.file", "Atoms, box and optionally velocities: extended XYZ, or a data file of LAMMPS.")
        .with_example("atoms.xyz")
        .belongs_to("initial.setup", "file", "lammps")
        .changeable(),
};
constexpr std::array velocity_keys{
    Key::non_negative("velocities.temperature", dim::temperature,
                      "Temperature of random velocities, whose momenta add up to 0. Without it those of a file are "
                      "taken, else 0."),
    Key::seed("velocities.seed", "Seed of the velocities: each depends on it and the ID of the atom alone."),
};

void read_masses(const config::Parameters& p, MdParameters& result) {
  const std::size_t types = result.initial.elements.size();
  if (result.units.electronvolt != 0.0 && !p.has("md.masses") && result.initial.masses.empty()) {
    throw config::Error(p.where("md.masses"), "md.masses", "is missing: a mass of 1 is one of reduced units alone",
                        "give the mass of an atom of each type, for example masses = [28.0855] of silicon in g/mol");
  }
  result.masses = p.has("md.masses")              ? p.vector("md.masses")
                  : result.initial.masses.empty() ? std::vector<double>(types, 1.0)
                                                  : result.initial.masses;
  for (double& mass : result.masses) mass *= result.units.mass;
  if (result.masses.size() == types) return;
  throw config::Error(p.where("md.masses"), "md.masses",
                      fmt::format("has {} number(s) for {} type(s) of atoms ({})", result.masses.size(), types,
                                  fmt::join(result.initial.elements, " ")),
                      "give one mass for each type");
}

/// @throws config::Error where it contradicts the box
void read_boundary(const config::Parameters& p, Initial& initial) {
  Box& box = initial.atoms.box;
  if (p.has("md.boundary")) {
    const auto axes = p.choices("md.boundary", boundary_choices);
    if (axes.size() != 1 && axes.size() != 3) {
      throw config::Error(p.where("md.boundary"), "md.boundary",
                          fmt::format("has {} words, expected three, or one for all", axes.size()),
                          "for example [\"periodic\", \"periodic\", \"open\"]");
    }
    for (std::size_t axis = 0; axis < 3; ++axis) box.periodic[axis] = axes[axes.size() == 1 ? 0 : axis];
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!box.periodic[axis]) continue;
    box.cells_begin[axis] = 0.0;
    box.cells_extent[axis] = 1.0;
  }
  if (initial.is_turned) return straighten(initial.atoms);  // no tilt stands in the file
  const std::array<std::tuple<const char*, double, double>, 3> tilts{
      {{"xy", box.xy, box.size.x}, {"xz", box.xz, box.size.x}, {"yz", box.yz, box.size.y}}};
  for (const auto& [name, tilt, size] : tilts) {
    // Half of an edge, too, as files of few digits give it.
    if (std::abs(tilt) <= 0.5 * size * (1.0 + 1e-5)) continue;
    const double turns = std::round(box.yz / box.size.y);
    const double xz = box.xz - turns * box.xy;
    const auto reduced = [&box](double along) { return along - box.size.x * std::round(along / box.size.x); };
    throw config::Error(
        p.where("initial.file"), "initial.file",
        fmt::format("its box has the tilt {} = {:.6g}, more than half of the edge {:.6g}", name, tilt, size),
        fmt::format("the same crystal has the tilts xy = {:.9g}, xz = {:.9g}, yz = {:.9g}", reduced(box.xy),
                    reduced(xz), box.yz - turns * box.size.y));
  }
}

/// Across an open face nothing is crossed: such a count moved nothing but unwrapped positions.
void forget_images_along_open_axes(Initial& initial) {
  bool has_some = false;
  for (ImageCount& image : initial.atoms.image) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (initial.atoms.box.periodic[axis] || image[axis] == 0) continue;
      image[axis] = 0;
      has_some = true;
    }
  }
  if (has_some) initial.notes.push_back(initial.from + ": image flags along open axes are not used");
}

/// @throws config::Error where neighbours would lie too many boxes away
void check_reach(const config::Parameters& p, const MdParameters& md) {
  const double reach = make_interaction(md)->cutoff() + md.skin;
  if (CellGrid::fits(md.initial.atoms.box, reach)) return;
  const base::Vec3& size = md.initial.atoms.box.size;
  const bool has_charges = md.potential == Potential::coulomb || std::ranges::count(md.overlay, Potential::coulomb) > 0;
  const char* key = has_charges && md.coulomb.cutoff + md.skin == reach ? "coulomb.cutoff"
                    : md.potential == Potential::lennard_jones          ? "lennard_jones.cutoff"
                                                                        : "md.potential";
  throw config::Error(
      p.where(key), key,
      fmt::format("with md.skin it reaches {:.6g} far, over more than {} boxes of {:.6g} x {:.6g} x {:.6g}", reach,
                  CellGrid::most_layers, size.x, size.y, size.z),
      "a shorter cutoff, or more atoms");
}

}  // namespace

std::span<const config::KeyTable> key_tables() {
  static const std::array<config::KeyTable, 19> tables{{{"Molecular dynamics", md_keys},
                                                        {"Lennard-Jones potential", lennard_jones_keys()},
                                                        {"Tersoff's potential", tersoff_keys()},
                                                        {"Potential of Stillinger and Weber", stillinger_weber_keys()},
                                                        {"Embedded atoms", eam_keys()},
                                                        {"Potential of Morse", morse_keys()},
                                                        {"Potential of Buckingham", buckingham_keys()},
                                                        {"Coulomb's potential, damped", coulomb_keys()},
                                                        {"Repulsion of nuclei", zbl_keys()},
                                                        {"Tables of pairs", table_keys()},
                                                        {"Initial conditions", initial_keys},
                                                        {"Set-up: lattice", lattice_keys()},
                                                        {"Velocities", velocity_keys},
                                                        {"Groups of atoms", groups_keys()},
                                                        {"Thermostat", thermostat_keys()},
                                                        {"Barostat", barostat_keys()},
                                                        {"Strain", strain_keys()},
                                                        {"Minimisation", minimizer_keys()},
                                                        {"Analysis", analysis_keys()}}};
  return tables;
}

namespace {

void read_changes_of_box(const config::Parameters& p, MdParameters& md) {
  md.barostat = read_barostat(p, md.units, md.initial.atoms.box, md.dt);
  md.strain = read_strain(p, md.initial.atoms.box);
  if (!md.changes_box()) return;
  const char* key = md.barostat ? "barostat.pressures" : md.strain ? "strain.rates" : "minimize.pressure";
  const auto refuse = [&](const char* what, const char* hint) { throw config::Error(p.where(key), key, what, hint); };
  if (md.minimizer && (md.barostat || md.strain)) {
    refuse("does not go with minimize.method", "remove one of the two; minimize.pressure relaxes the box, too");
  }
  if (!md.strain && md.groups.act()) {
    refuse("does not go with groups that are frozen, moved or pulled", "they have no pressure: remove one of the two");
  }
}

}  // namespace

MdParameters read_parameters(const config::Parameters& p, const Share& share) {
  MdParameters result;
  result.dt = p.real("md.dt");
  if (const double dt_min = p.real("time.dt_min"); result.dt < dt_min) {
    throw config::Error(p.where("md.dt"), "md.dt", fmt::format("is shorter than time.dt_min = {:.6g}", dt_min),
                        "change one of the two");
  }
  result.skin = p.real("md.skin");
  result.rebalance = p.real("md.rebalance");
  result.has_virials = p.flag("md.virials");
  result.units = read_units(p);
  if (p.has("md.xyz_every")) result.xyz_every = p.real("md.xyz_every");
  if (p.has("md.dump_every")) result.dump_every = p.real("md.dump_every");
  result.initial = p.choice("initial.setup", setup_choices)(p, share);
  result.begin = p.real_or("time.begin", result.initial.time.value_or(0.0));
  read_boundary(p, result.initial);
  forget_images_along_open_axes(result.initial);
  read_potentials(p, result);
  read_masses(p, result);
  check_reach(p, result);
  if (p.has("velocities.temperature")) {
    result.thermal = {.thermal_energy = result.units.boltzmann * p.real("velocities.temperature"),
                      .seed = p.count("velocities.seed")};
  }
  result.groups =
      read_groups(p, result.initial.elements, result.initial.atoms.box, std::exchange(result.initial.held, {}));
  result.minimizer =
      read_minimizer(p, result.units, result.initial.atoms.box, result.initial.count, result.dt, result.skin);
  result.thermostat = read_thermostat(p, result.units.boltzmann, result.dt);
  if (result.thermostat) {
    result.thermostat->group = result.groups.heated;
    result.thermostat->held = result.groups.held_mask();
  }
  read_changes_of_box(p, result);
  if (result.minimizer) {
    result.minimizer->held = result.groups.held_mask();
    if (result.groups.do_work()) {
      const char* key = result.groups.pulled.empty() ? "groups.moving" : "groups.pulled";
      throw config::Error(p.where(key), key, "does not go with minimize.method",
                          "atoms go downhill there, by the forces of the potential alone: remove one of the two");
    }
  }
  result.analysis = read_analysis(p, result, make_interaction(result)->cutoff());
  return result;
}

}  // namespace tacit::md
