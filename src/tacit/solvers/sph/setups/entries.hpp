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

struct SphParameters;

/// One value of initial.setup with its own table of keys.
struct SetupEntry {
  config::Choice choice;   ///< its name, which its table has too, and a line of help
  std::string_view title;  ///< of its table
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

/// A key that has a default and must be positive.
[[nodiscard]] constexpr config::Key positive_quantity(std::string_view name, std::string_view help,
                                                      std::string_view default_value,
                                                      const base::Dimension& dimension) {
  return {.name = name,
          .type = config::Type::quantity,
          .help = help,
          .need = config::Need::has_default,
          .default_value = default_value,
          .dimension = dimension,
          .range = config::positive};
}

/// A plain number that has a default.
[[nodiscard]] constexpr config::Key plain_number(std::string_view name, std::string_view help,
                                                 std::string_view default_value, const config::Range& range) {
  return {.name = name,
          .type = config::Type::real,
          .help = help,
          .need = config::Need::has_default,
          .default_value = default_value,
          .range = range};
}

/// How finely a set-up samples its gas.
[[nodiscard]] constexpr config::Key whole_number(std::string_view name, std::string_view help,
                                                 std::string_view default_value, const config::Range& range) {
  return {.name = name,
          .type = config::Type::integer,
          .help = help,
          .need = config::Need::has_default,
          .default_value = default_value,
          .range = range};
}

}  // namespace tacit::sph
