// The keys of md.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tacit/solvers/md/cells.hpp"
#include "tacit/solvers/md/velocities.hpp"

namespace tacit::md {
namespace {

using config::Choice;
using config::Key;
using kernels::Truncation;
namespace dim = base::dimension;

enum class Units : std::uint8_t { lj, physical };
constexpr std::array units_choices{
    Choice{"lj", Units::lj, "reduced units: the Boltzmann constant is 1, numbers have no units"},
    Choice{"physical", Units::physical, "the code units of [units], with the Boltzmann constant of CODATA 2018"},
};
enum class Potential : std::uint8_t { lennard_jones };
constexpr std::array potential_choices{
    Choice{"lennard_jones", Potential::lennard_jones, "Lennard-Jones 12-6 (table [lennard_jones])"},
};
constexpr std::array truncation_choices{
    Choice{"cut", Truncation::cut, "the energy of a pair jumps to 0 at the cutoff"},
    Choice{"shifted", Truncation::shifted, "shifted, so that the energy ends at 0; the same forces"},
    Choice{"force_shifted", Truncation::force_shifted, "energy and force end at 0"},
};
constexpr std::array setup_choices{
    Choice{"lattice", &make_lattice, "a crystal (table [lattice])"},
    Choice{"file", &make_from_file, "atoms of a file in extended XYZ (key initial.file)"},
};
constexpr std::array md_keys{
    Key::choice("md.units", units_choices, Units::lj, "Units of all numbers."),
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
                  "Interval of files in extended XYZ. Without it one at the begin and one at the end.")
        .changeable(),
};
constexpr std::array lennard_jones_keys{
    Key::positive("lennard_jones.epsilon", dim::energy, "Depth of the potential.", "1"),
    Key::positive("lennard_jones.sigma", dim::length, "Distance at which it is 0.", "1"),
    Key::positive("lennard_jones.cutoff", dim::length, "Distance beyond which no pair acts.", "2.5"),
    Key::choice("lennard_jones.truncation", truncation_choices, Truncation::cut, "How it ends at the cutoff."),
    Key::flag("lennard_jones.tail", false,
              "Adds what pairs beyond the cutoff would give to energy and pressure, were atoms spread evenly there.")
        .needs("lennard_jones.truncation", "cut"),
};
constexpr std::array initial_keys{
    Key::choice("initial.setup", setup_choices, "Built-in initial conditions.").required(),
    Key::existing_file("initial.file", "Atoms, box and optionally velocities in extended XYZ.")
        .with_example("atoms.xyz")
        .belongs_to("initial.setup", "file")
        .changeable(),
};
constexpr std::array velocity_keys{
    Key::non_negative("velocities.temperature", dim::temperature,
                      "Temperature of random velocities, whose momenta add up to 0. Without it those of a file are "
                      "taken, else 0."),
    Key::seed("velocities.seed", "Seed of the velocities: each depends on it and the ID of the atom alone."),
};

/// k_B [energy / temperature] in code units.
double boltzmann_in(const base::UnitSystem& units) {
  constexpr double boltzmann_in_cgs = 1.380649e-16;  // erg / K, exact since 2019
  return boltzmann_in_cgs / units.in_cgs({.length = 2, .mass = 1, .time = -2, .temperature = -1});
}

void read_masses(const config::Parameters& p, MdParameters& result) {
  const std::size_t types = result.initial.elements.size();
  result.masses = p.has("md.masses") ? p.vector("md.masses") : std::vector<double>(types, 1.0);
  if (result.masses.size() == types) return;
  throw config::Error(p.where("md.masses"), "md.masses",
                      fmt::format("has {} number(s), but there are {} types of atoms ({})", result.masses.size(), types,
                                  fmt::join(result.initial.elements, " ")),
                      "give one mass for each type");
}

LennardJonesParameters read_lennard_jones(const config::Parameters& p, std::size_t types) {
  LennardJonesParameters result{.types = types};
  const LennardJonesTypes alike{.epsilon = p.real("lennard_jones.epsilon"),
                                .sigma = p.real("lennard_jones.sigma"),
                                .cutoff = p.real("lennard_jones.cutoff")};
  result.pairs.assign(types * types, alike);
  result.truncation = p.choice("lennard_jones.truncation", truncation_choices);
  result.has_tail = p.flag("lennard_jones.tail");
  return result;
}

/// @throws config::Error where neighbours would lie too many boxes away
void check_reach(const config::Parameters& p, const MdParameters& result) {
  const double reach = result.lennard_jones.pairs.front().cutoff + result.skin;
  if (CellGrid::fits(result.initial.atoms.box, reach)) return;
  const base::Vec3& size = result.initial.atoms.box.size;
  throw config::Error(
      p.where("lennard_jones.cutoff"), "lennard_jones.cutoff",
      fmt::format("with md.skin it reaches {:.6g} far, over more than {} boxes of {:.6g} x {:.6g} x {:.6g}", reach,
                  CellGrid::most_layers, size.x, size.y, size.z),
      "a shorter cutoff, or more atoms");
}

}  // namespace

std::span<const config::KeyTable> key_tables() {
  static const std::array<config::KeyTable, 5> tables{{{"Molecular dynamics", md_keys},
                                                       {"Lennard-Jones potential", lennard_jones_keys},
                                                       {"Initial conditions", initial_keys},
                                                       {"Set-up: lattice", lattice_keys()},
                                                       {"Velocities", velocity_keys}}};
  return tables;
}

MdParameters read_parameters(const config::Parameters& p) {
  MdParameters result;
  result.begin = p.real_or("time.begin", 0.0);
  result.dt = p.real("md.dt");
  if (const double dt_min = p.real("time.dt_min"); result.dt < dt_min) {
    throw config::Error(p.where("md.dt"), "md.dt", fmt::format("is shorter than time.dt_min = {:.6g}", dt_min),
                        "change one of the two");
  }
  result.skin = p.real("md.skin");
  if (p.choice("md.units", units_choices) == Units::physical) result.boltzmann = boltzmann_in(p.units());
  if (p.has("md.xyz_every")) result.xyz_every = p.real("md.xyz_every");
  result.initial = p.choice("initial.setup", setup_choices)(p);
  read_masses(p, result);
  result.lennard_jones = read_lennard_jones(p, result.initial.elements.size());
  check_reach(p, result);
  if (p.has("velocities.temperature")) {
    set_velocities(
        result.initial.atoms, result.masses,
        {.thermal_energy = result.boltzmann * p.real("velocities.temperature"), .seed = p.count("velocities.seed")});
  }
  return result;
}

}  // namespace tacit::md
