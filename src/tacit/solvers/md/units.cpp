// The constants of systems of units.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace tacit::md {
namespace {

using config::Choice;

enum class System : std::uint8_t { lj, metal, real, si, physical };
constexpr std::array system_choices{
    Choice{"lj", System::lj, "reduced units: the Boltzmann constant is 1, numbers have no units"},
    Choice{"metal", System::metal, "Angstrom, ps, eV, g/mol, K, bar, with the constants of LAMMPS"},
    Choice{"real", System::real, "Angstrom, fs, kcal/mol, g/mol, K, atm, likewise"},
    Choice{"si", System::si, "m, s, J, kg, K, Pa, likewise"},
    Choice{"physical", System::physical, "the code units of [units], with the Boltzmann constant of CODATA 2018"},
};

constexpr double erg_per_electronvolt = 1.602176634e-12;
constexpr double cm_per_angstrom = 1e-8;
constexpr double erg_per_kelvin = 1.380649e-16;
constexpr double coulomb_in_metal = 14.399645;       // of two protons, eV Angstrom
constexpr double coulomb_of_codata = 14.3996454784;  // likewise, 2018

/// What [units] has to say, so that "2 fs" in the parameter file is what it says, too.
struct CodeUnits {
  std::string_view length, mass, velocity;
  double length_in_cgs, mass_in_cgs, time_in_cgs;
};
using Setting = std::pair<std::string_view, std::string_view>;
constexpr std::array<Setting, 3> settings_of(const CodeUnits& units) {
  return {{{"units.length", units.length}, {"units.mass", units.mass}, {"units.velocity", units.velocity}}};
}
// The masses are those of the units of energy over the squares of velocities.
constexpr CodeUnits metal_units{"1 Angstrom", "1.602176634e-20 g", "1e4 cm/s", 1e-8, 1.602176634e-20, 1e-12};
constexpr CodeUnits real_units{"1 Angstrom", "6.947695457e-28 g", "1e7 cm/s", 1e-8, 6.947695457e-28, 1e-15};
constexpr CodeUnits si_units{"1 m", "1 kg", "1 m/s", 1e2, 1e3, 1.0};

void require(const config::Parameters& p, const CodeUnits& wanted) {
  const base::UnitSystem& now = p.units();
  const auto is_near = [](double a, double b) { return std::abs(a - b) <= 1e-5 * b; };
  if (is_near(now.length_in_cgs, wanted.length_in_cgs) && is_near(now.mass_in_cgs, wanted.mass_in_cgs) &&
      is_near(now.time_in_cgs, wanted.time_in_cgs) && now.temperature_in_cgs == 1.0) {
    return;
  }
  throw config::Error(p.where("md.units"), "md.units",
                      fmt::format("is \"{}\", but [units] has other ones", p.text("md.units")),
                      fmt::format("leave [units] out, or write length = \"{}\", mass = \"{}\", velocity = \"{}\"",
                                  wanted.length, wanted.mass, wanted.velocity));
}

}  // namespace

std::span<const Setting> implied_units(std::string_view system) {
  static constexpr auto metal = settings_of(metal_units), real = settings_of(real_units), si = settings_of(si_units);
  if (system == "metal") return metal;
  if (system == "real") return real;
  if (system == "si") return si;
  return {};
}

config::Key units_key() {
  return config::Key::choice("md.units", system_choices, System::lj,
                             "Units of all numbers. Those of [units] that the file does not give follow from it.");
}

/// The constants of LAMMPS are those of its release of 2021; see its documentation of the command `units`.
Units read_units(const config::Parameters& p) {
  switch (p.choice("md.units", system_choices)) {
    case System::lj:
      return {};
    case System::metal:
      require(p, metal_units);
      return {.boltzmann = 8.617343e-5,
              .mass = 1.0364269e-4,
              .pressure = 1.6021765e6,
              .electronvolt = 1.0,
              .angstrom = 1.0,
              .coulomb = coulomb_in_metal,
              .coulomb_of_protons = coulomb_in_metal};
    case System::real:
      require(p, real_units);
      return {.boltzmann = 0.0019872067,
              .mass = 48.88821291 * 48.88821291,
              .pressure = 68568.415,
              .electronvolt = 23.060549,
              .angstrom = 1.0,
              .coulomb = 332.06371,
              .coulomb_of_protons = 332.06371};
    case System::si:
      require(p, si_units);
      return {.boltzmann = 1.3806504e-23,
              .electronvolt = 1.6021765e-19,
              .angstrom = 1e-10,
              .coulomb = 8.9876e9,
              .coulomb_of_protons = coulomb_in_metal * 1.6021765e-19 * 1e-10};
    case System::physical:
      break;
  }
  const base::UnitSystem& code = p.units();
  const double energy = code.in_cgs(base::dimension::energy);
  const double electronvolt = erg_per_electronvolt / energy;
  const double angstrom = cm_per_angstrom / code.length_in_cgs;
  return {.boltzmann = erg_per_kelvin / energy * code.temperature_in_cgs,
          .electronvolt = electronvolt,
          .angstrom = angstrom,
          .coulomb = coulomb_of_codata * electronvolt * angstrom,
          .coulomb_of_protons = coulomb_of_codata * electronvolt * angstrom};
}

double momentum_of_ase(const Units& units) { return std::sqrt(units.mass * units.electronvolt); }

}  // namespace tacit::md
