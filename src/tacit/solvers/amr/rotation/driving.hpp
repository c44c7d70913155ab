// Angular momentum that is taken from the gas, and gas seen from a frame that turns faster or slower.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/kernels/gas.hpp"
#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {

/// Sums over the cells of a leaf of what is added to them, per time or at once.
struct Turned {
  double momentum_x = 0.0;
  double momentum_y = 0.0;
  double energy = 0.0;            ///< with the potential one of the centrifugal force
  double angular_momentum = 0.0;  ///< along z, in a frame at rest, around the middle of the domain
  Turned& operator+=(const Turned& other) noexcept;
  friend Turned operator*(double factor, const Turned& of) noexcept;
};

/// Adds the force that takes a part of the angular momentum l of each cell, along its way around z, and the work that
/// this does in a frame that turns with Omega:
///
///     d(rho v)/dt = ... - rate l / R^2 (-y, x)        dE/dt = ... + v f        l = rho (x v_y - y v_x) + rho Omega R^2
///
/// with x, y and R from the middle of the domain: so all gas together loses this part of its angular momentum per time.
/// @param part   of l per time [1/time]   @param Omega  [1/time]
/// @param U      of the cells of the leaf   @param rate  of it, added to
/// @return       rates of the sums
Turned add_driving(double part, double Omega, const Domain& domain, const mesh::Node& leaf,
                   kernels::Variables<const double> U, kernels::Variables<double> rate);

/// Has the cells of a leaf seen from a frame that turns with Omega + by in place of Omega: velocities change by
/// -by cross x, and energies as these. @return what that adds to the sums
Turned turn_frame(double Omega, double by, const Domain& domain, const mesh::Node& leaf, std::size_t cells,
                  kernels::Variables<double> U);

}  // namespace tacit::amr
