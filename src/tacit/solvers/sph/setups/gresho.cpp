// The vortex of Gresho & Chan: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <numbers>

#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"

namespace tacit::sph {
namespace {

constexpr std::array gresho_keys{
    Key::integer("gresho.resolution", {8, 4096},
                 "Particles along x; in three dimensions the slab is a quarter as deep, but at least 8.", "32"),
    Key::positive("gresho.box", dim::length, "Side of the box along x and y.", "1"),
    Key::positive("gresho.density", dim::density, "Density of the gas.", "1"),
    Key::positive("gresho.pressure", dim::pressure, "Pressure at the axis; it sets the Mach number of the flow.", "5"),
    Key::positive("gresho.speed", dim::velocity, "Largest speed, at a fifth of the box from the axis.", "1"),
};

Setup read_gresho(const config::Parameters& p, const SphParameters& sph) {
  return Gresho{.resolution = p.integer("gresho.resolution"),
                .box = p.real("gresho.box"),
                .rho = p.real("gresho.density"),
                .P = p.real("gresho.pressure"),
                .speed = p.real("gresho.speed"),
                .gamma = sph.gamma,
                .eta = sph.smoothing.eta,
                .dimension = sph.dimension};
}

/// Nearly hexagonal in the plane, nearly face-centred in space: as even a number of layers allows.
Layers layers_of(const Gresho& gresho) {
  const std::int64_t n = gresho.resolution;
  const double ideal = gresho.dimension == 3 ? std::sqrt(2.0) : std::sqrt(4.0 / 3.0);
  const std::int64_t count = 2 * std::lround(0.5 * ideal * static_cast<double>(n));
  Layers layers{.along_x = n,
                .along_z = slab_depth(n, gresho.dimension),
                .spacing = gresho.box / static_cast<double>(n),
                .y = {}};
  for (std::int64_t k = 0; k < count; ++k) {
    layers.y.push_back(gresho.box * (static_cast<double>(k) + 0.5) / static_cast<double>(count));
  }
  return layers;
}

/// Speed and pressure at x times the radius of the fastest ring, in units of the largest speed v and of rho v^2.
///
///     v = x         P = P_0 + x^2/2                          x < 1
///     v = 2 - x     P = P_0 + x^2/2 - 4 x + 4 + 4 ln x       x < 2
///     v = 0         P = P_0 + 4 ln 2 - 2
struct Ring {
  double v = 0.0;
  double P = 0.0;  ///< beyond that at the axis
};

Ring ring(double x) {
  if (x < 1.0) return {x, 0.5 * x * x};
  if (x < 2.0) return {2.0 - x, 0.5 * x * x - 4.0 * x + 4.0 + 4.0 * std::log(x)};
  return {0.0, 4.0 * std::numbers::ln2 - 2.0};
}

}  // namespace

const SetupEntry& gresho_entry() {
  static constexpr SetupEntry entry{.choice = {"gresho", "a vortex that should stay as it is (table [gresho])"},
                                    .title = "Set-up: Gresho-Chan vortex",
                                    .keys = gresho_keys,
                                    .read = &read_gresho,
                                    .least_dimension = 2,
                                    .boundary = Boundary::periodic};
  return entry;
}

std::uint64_t particle_count(const Gresho& gresho) { return layers_of(gresho).size(); }

InitialConditions make(const Gresho& gresho, const Share& share) {
  const Layers layers = layers_of(gresho);
  InitialConditions gas;
  gas.source = "set-up gresho";
  gas.dimension = gresho.dimension;
  const double depth = gresho.dimension == 3 ? static_cast<double>(layers.along_z) * layers.spacing : gresho.box;
  gas.box = {gresho.box, gresho.box, depth};
  const double volume = gresho.box * gresho.box * (gresho.dimension == 3 ? depth : 1.0);
  const double part = volume / static_cast<double>(layers.size());
  const Rows rows = share.of(layers.size());
  reserve(gas, rows.size());
  for (std::uint64_t row = rows.first; row < rows.end; ++row) {
    const base::Vec3 at = layers.at(row);
    const double dx = at.x - 0.5 * gresho.box;
    const double dy = at.y - 0.5 * gresho.box;
    const double r = std::hypot(dx, dy);
    const Ring local = ring(r / (0.2 * gresho.box));
    const double P = gresho.P + gresho.rho * gresho.speed * gresho.speed * local.P;
    add_particle(gas, row, at,
                 {.m = gresho.rho * part,
                  .u = P / ((gresho.gamma - 1.0) * gresho.rho),
                  .h = gresho.eta * std::pow(part, 1.0 / gresho.dimension)});
    if (r == 0.0) continue;
    gas.vx.back() = -gresho.speed * local.v * dy / r;
    gas.vy.back() = gresho.speed * local.v * dx / r;
  }
  return gas;
}

}  // namespace tacit::sph
