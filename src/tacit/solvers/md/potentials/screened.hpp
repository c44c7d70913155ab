// Damped Coulomb potentials and nuclear repulsion: their keys, and what acts between atoms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/md/interaction.hpp"
#include "tacit/solvers/md/units.hpp"

namespace tacit::md {

/// Coulomb's potential, damped and shifted so that energy and force end at the cutoff. Each atom also has the energy of
/// its own charge, -(e + 2 alpha / sqrt(pi)) q^2 / 2, of the charge that is thought on the sphere around it.
/// @see kernels::DampedCoulomb; Fennell & Gezelter (2006), J. Chem. Phys. 124, 234104
struct DampedCoulombParameters {
  std::vector<double> charges = {};  ///< by type [charge]
  double alpha = 0.0;                ///< [1/length]
  double cutoff = 0.0;               ///< [length]
  double coulomb = 1.0;              ///< energy of two charges of 1 times their distance [energy length]
};

/// The repulsion of nuclei behind the screen of their electrons.
/// @see kernels::UniversalRepulsion
struct UniversalRepulsionParameters {
  std::vector<double> atomic_numbers = {};  ///< by type; 0: none acts
  double inner = 0.0;                       ///< from where on it is switched off [length]
  double cutoff = 0.0;                      ///< [length]
  double coulomb = 1.0;                     ///< e^2 / (4 pi eps0) [energy length]
  double angstrom = 1.0;                    ///< [length]
};

[[nodiscard]] std::unique_ptr<Interaction> make_damped_coulomb(const DampedCoulombParameters& parameters);
[[nodiscard]] std::unique_ptr<Interaction> make_universal_repulsion(const UniversalRepulsionParameters& parameters);

[[nodiscard]] std::span<const config::Key> coulomb_keys();
[[nodiscard]] std::span<const config::Key> zbl_keys();
/// @throws config::Error where keys are missing or there is not one number for each type
[[nodiscard]] DampedCoulombParameters read_damped_coulomb(const config::Parameters& parameters, const Units& units,
                                                          std::span<const std::string> elements);
[[nodiscard]] UniversalRepulsionParameters read_universal_repulsion(const config::Parameters& parameters,
                                                                    const Units& units,
                                                                    std::span<const std::string> elements);

}  // namespace tacit::md
