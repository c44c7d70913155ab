// Puts stars in equilibrium into the domain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/amr/binaries/equilibrium.hpp"
#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {

/// What the units of an equilibrium are, and the gas around.
struct StarScales {
  double G = 1.0;
  double mass = 1.0;
  double length = 1.0;
  double ambient = 1e-5;  ///< density and pressure around, over the largest of a star
};

/// @throws config::Error where the run has no gravity, or gas that lets stars collapse   @param key  of the set-up
void require_gravity(const config::Parameters& p, const char* setup, double gamma);

/// The stars around the middle of the domain, in gas that turns with them. Species: each star, and the gas around.
/// @param length_key  that they are scaled by  @throws config::Error if they meet a side
[[nodiscard]] Initial initial_of(const config::Parameters& p, const std::shared_ptr<const Equilibrium>& stars,
                                 const StarScales& scales, const Domain& domain, const char* length_key);

}  // namespace tacit::amr
