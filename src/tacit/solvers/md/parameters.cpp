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

#include "tacit/base/checksum.hpp"
#include "tacit/solvers/md/cells.hpp"
#include "tacit/solvers/md/formats/tersoff_file.hpp"
#include "tacit/solvers/md/formats/turned_box.hpp"
#include "tacit/solvers/md/potentials/keys.hpp"
#include "tacit/solvers/md/setups/tersoff_sets.hpp"

namespace tacit::md {
namespace {

using config::Choice;
using config::Key;
using kernels::Truncation;
namespace dim = base::dimension;

constexpr std::array potential_choices{
    Choice{"lennard_jones", Potential::lennard_jones, "Lennard-Jones 12-6 (table [lennard_jones])"},
    Choice{"tersoff", Potential::tersoff, "the bond-order potential of Tersoff (table [tersoff])"},
    Choice{"stillinger_weber", Potential::stillinger_weber,
           "the potential of Stillinger and Weber, of pairs and angles (table [stillinger_weber])"},
    Choice{"eam", Potential::eam, "embedded atoms, for metals (table [eam])"},
    Choice{"morse", Potential::morse, "that of Morse, of pairs (table [morse])"},
    Choice{"buckingham", Potential::buckingham, "that of Buckingham, of pairs (table [buckingham])"},
};
constexpr std::array tersoff_choices{
    Choice{"si_1988", TersoffSet::si_1988, "silicon, Tersoff, Phys. Rev. B 37, 6991 (1988)"},
    Choice{"si_1989", TersoffSet::si_1989, "silicon, Tersoff, Phys. Rev. B 39, 5566 (1989)"},
    Choice{"sic_1989", TersoffSet::sic_1989, "silicon, carbon, and both together, from the same paper"},
};
constexpr std::array boundary_choices{
    Choice{"periodic", true, "what leaves at one side enters at the other"},
    Choice{"open", false, "beyond is empty space, which atoms may enter"},
};
constexpr std::array mixing_choices{
    Choice{"geometric", Mixing::geometric, "epsilon, sigma and cutoff are roots of products"},
    Choice{"arithmetic", Mixing::arithmetic,
           "epsilon is a root of a product, sigma and cutoff are means (Lorentz, Berthelot)"},
    Choice{"sixthpower", Mixing::sixthpower, "by sixth powers of sigma (Waldman, Hagler)"},
};
constexpr std::array truncation_choices{
    Choice{"cut", Truncation::cut, "the energy of a pair jumps to 0 at the cutoff"},
    Choice{"shifted", Truncation::shifted, "shifted, so that the energy ends at 0; the same forces"},
    Choice{"force_shifted", Truncation::force_shifted, "energy and force end at 0"},
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
    Key::choice("md.potential", potential_choices, Potential::lennard_jones, "What acts between atoms."),
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
constexpr std::array lennard_jones_keys{
    Key::positive("lennard_jones.epsilon", dim::energy, "Depth of the potential.", "1"),
    Key::positive("lennard_jones.sigma", dim::length, "Distance at which it is 0.", "1"),
    Key::positive("lennard_jones.cutoff", dim::length, "Distance beyond which no pair acts.", "2.5"),
    Key::text("lennard_jones.pairs",
              "Numbers of pairs of types, in code units, separated by commas: \"Ar Kr 1.1 1.05 2.5\" are two elements, "
              "epsilon, sigma and cutoff. An element that is not named with itself has the three keys above."),
    Key::choice("lennard_jones.mixing", mixing_choices, Mixing::geometric,
                "How the numbers of pairs that lennard_jones.pairs does not name follow from those of their elements."),
    Key::choice("lennard_jones.truncation", truncation_choices, Truncation::cut, "How it ends at the cutoff."),
    Key::flag("lennard_jones.tail", false,
              "Adds what pairs beyond the cutoff would give to energy and pressure, were atoms spread evenly there.")
        .needs("lennard_jones.truncation", "cut"),
};
constexpr std::array tersoff_keys{
    Key::choice("tersoff.parameters", tersoff_choices, "A set of parameters that is built in."),
    Key::existing_file("tersoff.file", "Parameters in the format of LAMMPS, in eV and Angstrom, in place of a set.")
        .excludes("tersoff.parameters"),
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

LennardJonesParameters read_lennard_jones(const config::Parameters& p, const std::vector<std::string>& elements) {
  const LennardJonesTypes alike{.epsilon = p.real("lennard_jones.epsilon"),
                                .sigma = p.real("lennard_jones.sigma"),
                                .cutoff = p.real("lennard_jones.cutoff")};
  LennardJonesParameters result{.types = elements.size()};
  try {
    result.pairs = mixed_pairs(p.has("lennard_jones.pairs") ? p.text("lennard_jones.pairs") : "", elements, alike,
                               p.choice("lennard_jones.mixing", mixing_choices));
  } catch (const base::Error& error) {
    throw config::Error(p.where("lennard_jones.pairs"), "lennard_jones.pairs", error.what(),
                        "for example \"Ar Ar 1.0 1.0 2.5, Ar Kr 1.1 1.05 2.6\"");
  }
  result.truncation = p.choice("lennard_jones.truncation", truncation_choices);
  result.has_tail = p.flag("lennard_jones.tail");
  return result;
}

kernels::TersoffTable read_tersoff(const config::Parameters& p, const MdParameters& md) {
  const FileScale scale = file_scale(p, md.units, "Tersoff's potential");
  if (p.has("tersoff.file")) return read_tersoff_file(p.existing_file("tersoff.file"), md.initial.elements, scale);
  if (!p.has("tersoff.parameters")) {
    throw config::Error(p.where("tersoff.parameters"), "tersoff.parameters", "is missing, and so is tersoff.file",
                        "write 'parameters = \"si_1988\"' in [tersoff], or name a file");
  }
  const TersoffSet set = p.choice("tersoff.parameters", tersoff_choices);
  return parse_tersoff(tersoff_text(set), "the set " + p.text("tersoff.parameters"), md.initial.elements, scale);
}

/// Those whose numbers are in files.
void read_potential(const config::Parameters& p, MdParameters& md) {
  if (md.potential == Potential::stillinger_weber) return read_stillinger_weber(p, md);
  if (md.potential == Potential::eam) return read_eam(p, md);
  if (md.potential == Potential::morse || md.potential == Potential::buckingham) {
    const auto kind = md.potential == Potential::morse ? ExponentialKind::morse : ExponentialKind::buckingham;
    md.exponential = read_exponential(p, kind, md.initial.elements);
  }
  if (md.potential != Potential::tersoff) return;
  md.tersoff = read_tersoff(p, md);
  if (p.has("tersoff.file")) md.potential_checksum = base::file_checksum(p.existing_file("tersoff.file"));
}

/// @throws config::Error where neighbours would lie too many boxes away
void check_reach(const config::Parameters& p, const MdParameters& md) {
  const double reach = make_interaction(md)->cutoff() + md.skin;
  if (CellGrid::fits(md.initial.atoms.box, reach)) return;
  const base::Vec3& size = md.initial.atoms.box.size;
  const char* key = md.potential == Potential::lennard_jones ? "lennard_jones.cutoff" : "md.potential";
  throw config::Error(
      p.where(key), key,
      fmt::format("with md.skin it reaches {:.6g} far, over more than {} boxes of {:.6g} x {:.6g} x {:.6g}", reach,
                  CellGrid::most_layers, size.x, size.y, size.z),
      "a shorter cutoff, or more atoms");
}

}  // namespace

std::span<const config::KeyTable> key_tables() {
  static const std::array<config::KeyTable, 16> tables{{{"Molecular dynamics", md_keys},
                                                        {"Lennard-Jones potential", lennard_jones_keys},
                                                        {"Tersoff's potential", tersoff_keys},
                                                        {"Potential of Stillinger and Weber", stillinger_weber_keys()},
                                                        {"Embedded atoms", eam_keys()},
                                                        {"Potential of Morse", morse_keys()},
                                                        {"Potential of Buckingham", buckingham_keys()},
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
  const char* key = md.barostat ? "barostat.pressures" : "strain.rates";
  const auto refuse = [&](const char* what, const char* hint) { throw config::Error(p.where(key), key, what, hint); };
  if (md.minimizer)
    refuse("does not go with minimize.method", "the box of a minimisation stays: remove one of the two");
  if (md.barostat && md.groups.act()) {
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
  result.potential = p.choice("md.potential", potential_choices);
  read_potential(p, result);
  read_masses(p, result);
  if (result.potential == Potential::lennard_jones) {
    result.lennard_jones = read_lennard_jones(p, result.initial.elements);
    if (result.lennard_jones.has_tail && !std::ranges::all_of(result.initial.atoms.box.periodic, std::identity{})) {
      throw config::Error(p.where("lennard_jones.tail"), "lennard_jones.tail",
                          "is for atoms that fill space evenly, but a face of the box is open", "write false");
    }
  }
  check_reach(p, result);
  if (p.has("velocities.temperature")) {
    result.thermal = {.thermal_energy = result.units.boltzmann * p.real("velocities.temperature"),
                      .seed = p.count("velocities.seed")};
  }
  result.groups =
      read_groups(p, result.initial.elements, result.initial.atoms.box, std::exchange(result.initial.held, {}));
  result.minimizer = read_minimizer(p, result.dt, result.skin);
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

std::unique_ptr<Interaction> make_interaction(const MdParameters& md) {
  switch (md.potential) {
    case Potential::tersoff:
      return make_tersoff(md.tersoff);
    case Potential::stillinger_weber:
      return make_stillinger_weber(md.stillinger_weber);
    case Potential::eam:
      return make_embedded_atoms(md.embedded);
    case Potential::morse:
    case Potential::buckingham:
      return make_exponential(md.exponential);
    case Potential::lennard_jones:
      break;
  }
  return make_lennard_jones(md.lennard_jones);
}

}  // namespace tacit::md
