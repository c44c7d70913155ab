// Sod's shock tube.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tacit/solvers/sph/setups/lattice.hpp"
#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::sph {

namespace {

/// The cells of the left state, their side, and how many particles each holds; the right state fills as much space.
struct Cells {
  std::int64_t n = 0;
  double side = 0.0;
  double particles = 1.0;
};

Cells left_cells(const Sod& sod) {
  return {sod.resolution, sod.length / static_cast<double>(sod.resolution), sod.dimension == 1 ? 1.0 : 2.0};
}

void add_left(InitialConditions& gas, const Cells& cells, const LatticeGas& common) {
  if (gas.dimension == 1) return add_cubic_lattice(gas, {}, {cells.n, 1, 1}, cells.side, common);
  add_bcc_lattice(gas, {}, {cells.n, cells.n / 2, gas.dimension == 3 ? cells.n / 2 : 1}, cells.side, common);
}

/// An eighth of the left density: cells eight times as long; four times as large with one particle in place of two;
/// eight times as large with two.
void add_right(InitialConditions& gas, const Cells& left, double from, const LatticeGas& common) {
  const base::Vec3 corner{from, 0.0, 0.0};
  const std::int64_t half = left.n / 2;
  if (gas.dimension == 1) return add_cubic_lattice(gas, corner, {left.n / 8, 1, 1}, 8.0 * left.side, common);
  if (gas.dimension == 2) return add_cubic_lattice(gas, corner, {half, half / 2, 1}, 2.0 * left.side, common);
  add_bcc_lattice(gas, corner, {half, half / 2, half / 2}, 2.0 * left.side, common);
}

}  // namespace

InitialConditions make(const Sod& sod) {
  const Cells left = left_cells(sod);
  const double rho_right = sod.rho_left / 8.0;
  const double m = sod.rho_left * std::pow(left.side, sod.dimension) / left.particles;
  const auto state = [&](double rho, double P) {
    return LatticeGas{m, P / ((sod.gamma - 1.0) * rho), sod.eta * std::pow(m / rho, 1.0 / sod.dimension)};
  };
  InitialConditions gas;
  gas.dimension = sod.dimension;
  gas.source = "set-up sod";
  const double width = sod.dimension == 1 ? 2.0 : 0.5;
  gas.box = {2.0 * sod.length, width * sod.length, (sod.dimension == 3 ? 0.5 : 2.0) * sod.length};
  add_left(gas, left, state(sod.rho_left, sod.P_left));
  add_right(gas, left, sod.length, state(rho_right, sod.P_right));
  return gas;
}

}  // namespace tacit::sph
