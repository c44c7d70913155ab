// Systems of units: what numbers of a parameter file mean, and the constants that go with them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "tacit/config/parameters.hpp"

namespace tacit::md {

/// Constants of a system of units. In the equations energy is mass length^2 / time^2: a mass that is given in another
/// unit is multiplied by `mass`.
struct Units {
  double boltzmann = 1.0;           ///< k_B [energy / temperature]
  double mass = 1.0;                ///< of a mass as it is given [mass]
  double pressure = 1.0;            ///< what energy / length^3 is in the unit of pressures
  double electronvolt = 0.0;        ///< [energy]; 0: energies are reduced
  double angstrom = 0.0;            ///< [length]; likewise
  double coulomb = 1.0;             ///< energy of two charges as they are given, times their distance [energy length]
  double coulomb_of_protons = 0.0;  ///< of two protons [energy length]; 0: energies are reduced
};

/// ASE's unit of momentum, in which its files have them: sqrt(u eV) [mass length / time].
/// @pre units.electronvolt > 0
[[nodiscard]] double momentum_of_ase(const Units& units);

/// What the keys of [units] are where md.units has that value and the file does not give them, as (key, value). Empty:
/// nothing but their defaults.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> implied_units(std::string_view system);

/// Of the key md.units.
/// @throws config::Error where [units] says something else
[[nodiscard]] Units read_units(const config::Parameters& parameters);
[[nodiscard]] config::Key units_key();

}  // namespace tacit::md
