// The square in pressure equilibrium: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"

namespace tacit::sph {
namespace {

constexpr std::array square_keys{
    Key::integer("square.resolution", {8, 4096},
                 "Cells along x, a multiple of 4, with one particle each, in the square four; in three dimensions the "
                 "slab is a quarter as deep, but at least 8.",
                 "32"),
    Key::positive("square.box", dim::length, "Side of the box along x and y; that of the square is half of it.", "1"),
    Key::positive("square.density", dim::density,
                  "Density around the square; in it four times as much, of equal particles.", "1"),
    Key::positive("square.pressure", dim::pressure, "Pressure everywhere.", "2.5"),
};

Setup read_square(const config::Parameters& p, const SphParameters& sph) {
  if (const auto n = p.integer("square.resolution"); n % 4 != 0) {
    throw config::Error(p.where("square.resolution"), "square.resolution", fmt::format("{} is not a multiple of 4", n),
                        fmt::format("write {}; the sides of the square lie between cells", n - n % 4 + 4));
  }
  return Square{.resolution = p.integer("square.resolution"),
                .box = p.real("square.box"),
                .rho = p.real("square.density"),
                .P = p.real("square.pressure"),
                .gamma = sph.gamma,
                .eta = sph.smoothing.eta,
                .dimension = sph.dimension};
}

constexpr std::array<base::Vec3, 1> one_per_cell{{{0.5, 0.5, 0.5}}};
/// A square lattice of half the side, or a face-centred cubic one.
constexpr std::array<base::Vec3, 4> four_per_square{
    {{0.25, 0.25, 0.0}, {0.25, 0.75, 0.0}, {0.75, 0.25, 0.0}, {0.75, 0.75, 0.0}}};
constexpr std::array<base::Vec3, 4> four_per_cube{
    {{0.25, 0.25, 0.25}, {0.25, 0.75, 0.75}, {0.75, 0.25, 0.75}, {0.75, 0.75, 0.25}}};

}  // namespace

const SetupEntry& square_entry() {
  static constexpr SetupEntry entry{.choice = {"square", "a dense square that should stay one (table [square])"},
                                    .title = "Set-up: square in pressure equilibrium",
                                    .keys = square_keys,
                                    .read = &read_square,
                                    .least_dimension = 2,
                                    .boundary = Boundary::periodic};
  return entry;
}

std::uint64_t particle_count(const Square& square) {
  const auto n = static_cast<std::uint64_t>(square.resolution);
  // A quarter of the cells holds four: n^2 (3/4 + 4/4) per layer.
  return n * n / 4 * 7 * static_cast<std::uint64_t>(slab_depth(square.resolution, square.dimension));
}

InitialConditions make(const Square& square, const Share& share) {
  const std::int64_t n = square.resolution;
  const std::int64_t depth = slab_depth(n, square.dimension);
  const double side = square.box / static_cast<double>(n);
  const bool is_slab = square.dimension == 3;
  InitialConditions gas;
  gas.source = "set-up square";
  gas.dimension = square.dimension;
  gas.box = {square.box, square.box, is_slab ? static_cast<double>(depth) * side : square.box};
  const double m = square.rho * std::pow(side, square.dimension);
  const auto state = [&](double rho) {
    return LatticeGas{m, square.P / ((square.gamma - 1.0) * rho),
                      square.eta * std::pow(m / rho, 1.0 / square.dimension)};
  };
  const LatticeGas thin = state(square.rho);
  const LatticeGas dense = state(4.0 * square.rho);
  const auto is_in_square = [&](std::int64_t i) { return 4 * i >= n && 4 * i < 3 * n; };
  const Rows rows = share.of(particle_count(square));
  reserve(gas, rows.size());
  std::uint64_t begin = 0;  // of each column
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const bool is_dense = is_in_square(i) && is_in_square(j);
      const std::span<const base::Vec3> within = !is_dense ? std::span<const base::Vec3>(one_per_cell)
                                                 : is_slab ? four_per_cube
                                                           : four_per_square;
      const std::uint64_t in_column = within.size() * static_cast<std::uint64_t>(depth);
      const Rows held = rows.among(begin, in_column);
      for (std::uint64_t row = held.first; row < held.end; ++row) {
        const std::uint64_t k = (row - begin) / within.size();
        const base::Vec3 cell{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
        base::Vec3 at = side * (cell + within[(row - begin) % within.size()]);
        if (!is_slab) at.z = 0.0;
        add_particle(gas, row, at, is_dense ? dense : thin);
      }
      begin += in_column;
    }
  }
  return gas;
}

}  // namespace tacit::sph
