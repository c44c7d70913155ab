// Sod's shock tube.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tacit/solvers/sph/setups/lattice.hpp"
#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::sph {

InitialConditions make(const Sod& sod) {
  const std::int64_t n = sod.resolution;
  const double a =
      sod.length / static_cast<double>(n);  // cell on the left; twice that on the right: 1/8 of the density
  const double m = 0.5 * sod.rho_left * a * a * a;
  const double rho_right = sod.rho_left / 8.0;
  const double h = sod.eta * a * std::cbrt(0.5);
  InitialConditions gas;
  gas.source = "set-up sod";
  gas.box = {2.0 * sod.length, 0.5 * sod.length, 0.5 * sod.length};
  add_bcc_lattice(gas, {}, {n, n / 2, n / 2}, a, {m, sod.P_left / ((sod.gamma - 1.0) * sod.rho_left), h});
  add_bcc_lattice(gas, {sod.length, 0.0, 0.0}, {n / 2, n / 4, n / 4}, 2.0 * a,
                  {m, sod.P_right / ((sod.gamma - 1.0) * rho_right), 2.0 * h});
  return gas;
}

}  // namespace tacit::sph
