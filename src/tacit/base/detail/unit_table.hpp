// The units that a quantity may be written in, each in cgs, kelvin and ampere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <numbers>
#include <string_view>

#include "tacit/base/units.hpp"

namespace tacit::base::detail {

struct Unit {
  std::string_view name;
  double in_cgs;
  Dimension dimension;
};

// Fixed by definition: au, IAU 2012 resolution B2; pc = 648000/pi au and the nominal Sun, Earth and Jupiter (radii and
// G times mass), IAU 2015 resolutions B2 and B3; c, e, h and N_A, SI 2019. Measured: CODATA 2018, Tiesinga et al.
// (2021), Rev. Mod. Phys. 93, 025010.
inline constexpr double au_in_cm = 1.495978707e13;
inline constexpr double pc_in_cm = 648000.0 / std::numbers::pi * au_in_cm;
inline constexpr double julian_year_in_s = 365.25 * 86400.0;
inline constexpr double newton_constant_in_cgs = 6.67430e-8;
inline constexpr double light_speed_in_cgs = 2.99792458e10;
inline constexpr double ev_in_erg = 1.602176634e-12;
inline constexpr double hartree_in_erg = 4.3597447222071e-11;

namespace dimension {
using namespace base::dimension;
inline constexpr Dimension frequency{.time = -1};
inline constexpr Dimension force{.length = 1, .mass = 1, .time = -2};
inline constexpr Dimension power{.length = 2, .mass = 1, .time = -3};
inline constexpr Dimension current{.current = 1};
inline constexpr Dimension charge{.time = 1, .current = 1};
inline constexpr Dimension voltage{.length = 2, .mass = 1, .time = -3, .current = -1};
inline constexpr Dimension magnetic_field{.mass = 1, .time = -2, .current = -1};
}  // namespace dimension

inline constexpr auto units = std::to_array<Unit>({
    {"fm", 1e-13, dimension::length},
    {"pm", 1e-10, dimension::length},
    {"angstrom", 1e-8, dimension::length},
    {"Angstrom", 1e-8, dimension::length},
    {"bohr", 5.29177210903e-9, dimension::length},
    {"nm", 1e-7, dimension::length},
    {"um", 1e-4, dimension::length},
    {"mm", 0.1, dimension::length},
    {"cm", 1.0, dimension::length},
    {"dm", 10.0, dimension::length},
    {"m", 100.0, dimension::length},
    {"km", 1e5, dimension::length},
    {"Rearth", 6.3781e8, dimension::length},
    {"Rjup", 7.1492e9, dimension::length},
    {"Rsun", 6.957e10, dimension::length},
    {"AU", au_in_cm, dimension::length},
    {"au", au_in_cm, dimension::length},
    {"ly", light_speed_in_cgs* julian_year_in_s, dimension::length},
    {"pc", pc_in_cm, dimension::length},
    {"kpc", 1e3 * pc_in_cm, dimension::length},
    {"Mpc", 1e6 * pc_in_cm, dimension::length},
    {"Gpc", 1e9 * pc_in_cm, dimension::length},

    {"Da", 1.66053906660e-24, dimension::mass},
    {"ng", 1e-9, dimension::mass},
    {"ug", 1e-6, dimension::mass},
    {"mg", 1e-3, dimension::mass},
    {"g", 1.0, dimension::mass},
    {"kg", 1e3, dimension::mass},
    {"t", 1e6, dimension::mass},
    {"Mearth", 3.986004e20 / newton_constant_in_cgs, dimension::mass},
    {"Mjup", 1.2668653e23 / newton_constant_in_cgs, dimension::mass},
    {"Msun", 1.3271244e26 / newton_constant_in_cgs, dimension::mass},

    {"fs", 1e-15, dimension::time},
    {"ps", 1e-12, dimension::time},
    {"ns", 1e-9, dimension::time},
    {"us", 1e-6, dimension::time},
    {"ms", 1e-3, dimension::time},
    {"s", 1.0, dimension::time},
    {"min", 60.0, dimension::time},
    {"h", 3600.0, dimension::time},
    {"hour", 3600.0, dimension::time},
    {"day", 86400.0, dimension::time},
    {"yr", julian_year_in_s, dimension::time},
    {"kyr", 1e3 * julian_year_in_s, dimension::time},
    {"Myr", 1e6 * julian_year_in_s, dimension::time},
    {"Gyr", 1e9 * julian_year_in_s, dimension::time},

    {"nK", 1e-9, dimension::temperature},
    {"uK", 1e-6, dimension::temperature},
    {"mK", 1e-3, dimension::temperature},
    {"K", 1.0, dimension::temperature},
    {"kK", 1e3, dimension::temperature},
    {"MK", 1e6, dimension::temperature},

    {"mA", 1e-3, dimension::current},
    {"A", 1.0, dimension::current},
    {"kA", 1e3, dimension::current},
    {"MA", 1e6, dimension::current},

    {"c", light_speed_in_cgs, dimension::velocity},
    {"Hz", 1.0, dimension::frequency},
    {"kHz", 1e3, dimension::frequency},
    {"MHz", 1e6, dimension::frequency},
    {"GHz", 1e9, dimension::frequency},

    {"meV", 1e-3 * ev_in_erg, dimension::energy},
    {"eV", ev_in_erg, dimension::energy},
    {"keV", 1e3 * ev_in_erg, dimension::energy},
    {"MeV", 1e6 * ev_in_erg, dimension::energy},
    {"GeV", 1e9 * ev_in_erg, dimension::energy},
    {"Ry", 0.5 * hartree_in_erg, dimension::energy},
    {"hartree", hartree_in_erg, dimension::energy},
    {"erg", 1.0, dimension::energy},
    {"J", 1e7, dimension::energy},
    {"kJ", 1e10, dimension::energy},
    {"MJ", 1e13, dimension::energy},
    {"kcal", 4.184e10, dimension::energy},

    {"dyn", 1.0, dimension::force},
    {"uN", 0.1, dimension::force},
    {"mN", 1e2, dimension::force},
    {"N", 1e5, dimension::force},
    {"kN", 1e8, dimension::force},
    {"W", 1e7, dimension::power},
    {"kW", 1e10, dimension::power},
    {"MW", 1e13, dimension::power},
    {"GW", 1e16, dimension::power},
    {"Lsun", 3.828e33, dimension::power},

    {"Pa", 10.0, dimension::pressure},
    {"hPa", 1e3, dimension::pressure},
    {"kPa", 1e4, dimension::pressure},
    {"MPa", 1e7, dimension::pressure},
    {"GPa", 1e10, dimension::pressure},
    {"mbar", 1e3, dimension::pressure},
    {"bar", 1e6, dimension::pressure},
    {"kbar", 1e9, dimension::pressure},
    {"Mbar", 1e12, dimension::pressure},
    {"atm", 1.01325e6, dimension::pressure},

    {"C", 1.0, dimension::charge},
    {"mV", 1e4, dimension::voltage},
    {"V", 1e7, dimension::voltage},
    {"kV", 1e10, dimension::voltage},
    {"T", 1e3, dimension::magnetic_field},
    {"G", 0.1, dimension::magnetic_field},
    {"mG", 1e-4, dimension::magnetic_field},
    {"uG", 1e-7, dimension::magnetic_field},
    {"nG", 1e-10, dimension::magnetic_field},

    {"mol", 6.02214076e23, dimension::none},
    {"rad", 1.0, dimension::none},
    {"deg", std::numbers::pi / 180.0, dimension::none},
});

}  // namespace tacit::base::detail
