// Sod's shock tube: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"
#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::sph {
namespace {

constexpr std::array sod_keys{
    Key::integer("sod.resolution", {8, 1024},
                 "Body-centred cubic cells per unit length on the left (two particles each); a multiple of 4.", "40"),
    Key::positive("sod.length", dim::length,
                  "Half the length of the box (2 x 0.5 x 0.5 of these); the left state fills its first half.", "1"),
    Key::positive("sod.rho_left", dim::density,
                  "Density on the left; on the right it is 1/8 of this, with equal particle masses.", "1"),
    Key::positive("sod.P_left", dim::pressure, "Pressure on the left.", "1"),
    Key::positive("sod.P_right", dim::pressure, "Pressure on the right.", "0.1"),
};

Setup read_sod(const config::Parameters& p, const SphParameters& sph) {
  const std::int64_t unit = sph.dimension == 1 ? 8 : 4;
  if (const auto n = p.integer("sod.resolution"); n % unit != 0) {
    throw config::Error(p.where("sod.resolution"), "sod.resolution", fmt::format("{} is not a multiple of {}", n, unit),
                        fmt::format("write {}; the sparse side has {}", n - n % unit + unit,
                                    sph.dimension == 1 ? "an eighth as many particles"
                                                       : "half as many cells per length, a quarter across"));
  }
  return Sod{.resolution = p.integer("sod.resolution"),
             .length = p.real("sod.length"),
             .rho_left = p.real("sod.rho_left"),
             .P_left = p.real("sod.P_left"),
             .P_right = p.real("sod.P_right"),
             .gamma = sph.gamma,
             .eta = sph.smoothing.eta,
             .dimension = sph.dimension};
}

/// The cells of the left state, their side, and how many particles each holds; the right state fills as much space.
struct Cells {
  std::int64_t n = 0;
  double side = 0.0;
  double particles = 1.0;
};

Cells left_cells(const Sod& sod) {
  return {sod.resolution, sod.length / static_cast<double>(sod.resolution), sod.dimension == 1 ? 1.0 : 2.0};
}

std::vector<CubicLattice> left_of(const Cells& cells, int dimension) {
  if (dimension == 1) return {CubicLattice{.corner = {}, .shape = {cells.n, 1, 1}, .a = cells.side, .dimension = 1}};
  const auto halves = bcc_lattice({.corner = {},
                                   .shape = {cells.n, cells.n / 2, dimension == 3 ? cells.n / 2 : 1},
                                   .a = cells.side,
                                   .dimension = dimension});
  return {halves.begin(), halves.end()};
}

/// An eighth of the left density: cells eight times as long; four times as large with one particle in place of two;
/// eight times as large with two.
std::vector<CubicLattice> right_of(const Cells& left, double from, int dimension) {
  const std::int64_t half = left.n / 2;
  CubicLattice cells{.corner = {from, 0.0, 0.0}, .dimension = dimension};
  cells.shape = dimension == 1 ? std::array<std::int64_t, 3>{left.n / 8, 1, 1}
                               : std::array<std::int64_t, 3>{half, half / 2, dimension == 3 ? half / 2 : 1};
  cells.a = (dimension == 1 ? 8.0 : 2.0) * left.side;
  if (dimension < 3) return {cells};
  const auto halves = bcc_lattice(cells);
  return {halves.begin(), halves.end()};
}

}  // namespace

const SetupEntry& sod_entry() {
  static constexpr SetupEntry entry{
      {"sod", "a shock tube between two uniform states (table [sod])"}, "Set-up: Sod shock tube", sod_keys, &read_sod};
  return entry;
}

std::uint64_t particle_count(const Sod& sod) {
  const auto n = static_cast<std::uint64_t>(sod.resolution);
  if (sod.dimension == 1) return n + n / 8;
  if (sod.dimension == 2) return n * n + n * n / 8;
  // Two particles per cubic cell: n x n/2 x n/2 cells on the left, an eighth of that on the right.
  return 2 * (n * (n / 2) * (n / 2) + (n / 2) * (n / 4) * (n / 4));
}

InitialConditions make(const Sod& sod, const Share& share) {
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
  const Rows rows = share.of(particle_count(sod));
  reserve(gas, rows.size());
  std::uint64_t begin = 0;
  for (const CubicLattice& lattice : left_of(left, sod.dimension)) {
    begin = add_lattice(gas, rows, begin, lattice, state(sod.rho_left, sod.P_left));
  }
  for (const CubicLattice& lattice : right_of(left, sod.length, sod.dimension)) {
    begin = add_lattice(gas, rows, begin, lattice, state(rho_right, sod.P_right));
  }
  return gas;
}

}  // namespace tacit::sph
