// The set-ups as parameter files see them: names, tables of keys and readers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::sph {

using config::Key;
namespace dim = base::dimension;

struct SphParameters;

/// One value of initial.setup with its own table of keys.
struct SetupEntry {
  config::ChoiceText choice;  ///< its name, which its table has too, and a line of help
  std::string_view title;     ///< of its table
  std::span<const config::Key> keys;
  /// @param sph  what is known already: dimension, gamma, eta, boundary, equation of state, potential
  /// @throws config::Error where keys contradict each other
  Setup (*read)(const config::Parameters& p, const SphParameters& sph);
  int least_dimension = 1;                ///< in fewer it has no meaning
  std::optional<Boundary> boundary = {};  ///< the only one that it makes sense with, if there is such
};

/// All set-ups, in the order of the reference.
[[nodiscard]] std::span<const SetupEntry> setup_entries();

/// Of each set-up, in its own file.
[[nodiscard]] const SetupEntry& sedov_entry();
[[nodiscard]] const SetupEntry& sod_entry();
[[nodiscard]] const SetupEntry& noh_entry();
[[nodiscard]] const SetupEntry& gresho_entry();
[[nodiscard]] const SetupEntry& kelvin_helmholtz_entry();
[[nodiscard]] const SetupEntry& square_entry();
[[nodiscard]] const SetupEntry& blob_entry();
[[nodiscard]] const SetupEntry& evrard_entry();
[[nodiscard]] const SetupEntry& nfw_gas_entry();
[[nodiscard]] const SetupEntry& plummer_entry();
[[nodiscard]] const SetupEntry& hernquist_entry();
[[nodiscard]] const SetupEntry& two_spheres_entry();
[[nodiscard]] const SetupEntry& disc_galaxy_entry();
[[nodiscard]] const SetupEntry& two_bodies_entry();
[[nodiscard]] const SetupEntry& cold_sphere_entry();
[[nodiscard]] const SetupEntry& pancake_entry();
[[nodiscard]] const SetupEntry& cosmological_entry();

}  // namespace tacit::sph
