// Random velocities of a temperature.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "tacit/comm/communicator.hpp"
#include "tacit/solvers/md/atoms.hpp"

namespace tacit::md {

/// How many squares of momenta share the kinetic energy: the total momentum of several atoms is kept.
[[nodiscard]] inline double degrees_of_freedom(std::uint64_t atoms) noexcept {
  return 3.0 * static_cast<double>(atoms) - (atoms > 1 ? 3.0 : 0.0);
}

struct Thermal {
  double thermal_energy = 0.0;  ///< k_B T [energy]
  std::uint64_t seed = 1;
};

/// Draws velocities of Maxwell's distribution, each from (seed, ID) alone; then takes away the mean momentum and scales
/// all, so that the temperature is exact.
/// @param ranks  which share the atoms, and all call it; null: there are no others
void set_velocities(Configuration& atoms, std::span<const double> masses, const Thermal& thermal,
                    comm::Communicator* ranks = nullptr);

}  // namespace tacit::md
