// A shear layer: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"

namespace tacit::sph {
namespace {

constexpr std::array kelvin_helmholtz_keys{
    Key::integer("kelvin_helmholtz.resolution", {8, 4096},
                 "Particles along x; in three dimensions the slab is a quarter as deep, but at least 8.", "32"),
    Key::positive("kelvin_helmholtz.box", dim::length, "Side of the box along x and y.", "1"),
    Key::positive("kelvin_helmholtz.density", dim::density, "Density outside the layer.", "1"),
    Key::real("kelvin_helmholtz.density_ratio", {1.0, 100.0},
              "Density of the layer, the middle half of the box, over that.", "2"),
    Key::positive("kelvin_helmholtz.pressure", dim::pressure, "Pressure everywhere.", "2.5"),
    Key::positive("kelvin_helmholtz.shear", dim::velocity,
                  "Difference of the velocities along x: half of it outside, minus half in the layer.", "1"),
    Key::positive("kelvin_helmholtz.amplitude", dim::velocity, "Largest velocity along y of the seed, a sine along x.",
                  "0.01"),
    Key::integer("kelvin_helmholtz.modes", {1, 64}, "Waves of the seed along x.", "2"),
    Key::real("kelvin_helmholtz.smoothing", {0.0, 0.1},
              "Width of the exponential transitions of density and velocity over the side of the box; 0: jumps, "
              "with which the growth never converges.",
              "0.025"),
};

Setup read_kelvin_helmholtz(const config::Parameters& p, const SphParameters& sph) {
  return KelvinHelmholtz{.resolution = p.integer("kelvin_helmholtz.resolution"),
                         .box = p.real("kelvin_helmholtz.box"),
                         .rho = p.real("kelvin_helmholtz.density"),
                         .contrast = p.real("kelvin_helmholtz.density_ratio"),
                         .P = p.real("kelvin_helmholtz.pressure"),
                         .shear = p.real("kelvin_helmholtz.shear"),
                         .amplitude = p.real("kelvin_helmholtz.amplitude"),
                         .modes = p.integer("kelvin_helmholtz.modes"),
                         .smoothing = p.real("kelvin_helmholtz.smoothing"),
                         .gamma = sph.gamma,
                         .eta = sph.smoothing.eta,
                         .dimension = sph.dimension};
}

/// A quantity at height y (in boxes) that goes from `outer` to `inner` at y = 1/4 and back at 3/4:
///
///     inner + (outer - inner) e^(-q/l) / 2 within the layer,  outer - (outer - inner) e^(-q/l) / 2 outside,
///
/// q being the distance from the nearer of the two.
double profile(const KelvinHelmholtz& shear, double y, double outer, double inner) {
  const double q = 0.25 - std::abs(y - 0.5);  // positive within
  const double share = shear.smoothing > 0.0 ? 0.5 * std::exp(-std::abs(q) / shear.smoothing) : 0.0;
  return q > 0.0 ? inner + (outer - inner) * share : outer - (outer - inner) * share;
}

/// Integral of the density over 0 ... y <= 1/2, in units of the outer density.
double column(const KelvinHelmholtz& shear, double y) {
  const double l = shear.smoothing;
  const double half_jump = 0.5 * (1.0 - shear.contrast) * l;
  const auto decay = [&](double q) { return l > 0.0 ? std::exp(-q / l) : 0.0; };
  if (y <= 0.25) return y - half_jump * (decay(0.25 - y) - decay(0.25));
  return 0.25 + shear.contrast * (y - 0.25) + half_jump * (decay(0.25) - decay(y - 0.25));
}

/// The height below which half a column holds `mass`.
double height_of(const KelvinHelmholtz& shear, double mass) {
  double low = 0.0;
  double high = 0.5;
  for (int halving = 0; halving < 54; ++halving) {  // to the last bit of a double
    const double middle = 0.5 * (low + high);
    (column(shear, middle) < mass ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Layers at equal shares of the mass, so that all particles weigh the same. Their number is such that the lattice is
/// hexagonal (body-centred) at the mean of both densities; as a multiple of 6 it lets none straddle a jump of 1 to 2.
Layers layers_of(const KelvinHelmholtz& shear) {
  const std::int64_t n = shear.resolution;
  const double ideal =
      (shear.dimension == 3 ? 2.0 : std::sqrt(4.0 / 3.0)) * 0.5 * (1.0 + shear.contrast) / std::sqrt(shear.contrast);
  const std::int64_t count = 6 * std::max(std::lround(ideal * static_cast<double>(n) / 6.0), 1L);
  Layers layers{.along_x = n, .along_z = slab_depth(n, shear.dimension), .spacing = shear.box / static_cast<double>(n)};
  layers.y.resize(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < layers.y.size() / 2; ++k) {
    const double share = (static_cast<double>(k) + 0.5) / static_cast<double>(count);
    const double y = shear.box * height_of(shear, share * 2.0 * column(shear, 0.5));
    layers.y[k] = y;
    layers.y[layers.y.size() - 1 - k] = shear.box - y;
  }
  return layers;
}

}  // namespace

const SetupEntry& kelvin_helmholtz_entry() {
  static constexpr SetupEntry entry{
      .choice = {"kelvin_helmholtz", "two streams with a wave on their border (table [kelvin_helmholtz])"},
      .title = "Set-up: Kelvin-Helmholtz instability",
      .keys = kelvin_helmholtz_keys,
      .read = &read_kelvin_helmholtz,
      .least_dimension = 2,
      .boundary = Boundary::periodic};
  return entry;
}

std::uint64_t particle_count(const KelvinHelmholtz& shear) { return layers_of(shear).size(); }

InitialConditions make(const KelvinHelmholtz& shear, const Share& share) {
  const Layers layers = layers_of(shear);
  InitialConditions gas;
  gas.source = "set-up kelvin_helmholtz";
  gas.dimension = shear.dimension;
  const double depth = shear.dimension == 3 ? static_cast<double>(layers.along_z) * layers.spacing : shear.box;
  gas.box = {shear.box, shear.box, depth};
  const double volume = shear.box * shear.box * (shear.dimension == 3 ? depth : 1.0);
  const double m = 2.0 * column(shear, 0.5) * shear.rho * volume / static_cast<double>(layers.size());
  const double k = 2.0 * std::numbers::pi * static_cast<double>(shear.modes) / shear.box;
  const Rows rows = share.of(layers.size());
  reserve(gas, rows.size());
  for (std::uint64_t row = rows.first; row < rows.end; ++row) {
    const base::Vec3 at = layers.at(row);
    const double rho = profile(shear, at.y / shear.box, shear.rho, shear.contrast * shear.rho);
    add_particle(gas, row, at,
                 {.m = m,
                  .u = shear.P / ((shear.gamma - 1.0) * rho),
                  .h = shear.eta * std::pow(m / rho, 1.0 / shear.dimension)});
    gas.vx.back() = profile(shear, at.y / shear.box, 0.5 * shear.shear, -0.5 * shear.shear);
    gas.vy.back() = shear.amplitude * std::sin(k * at.x);
  }
  return gas;
}

}  // namespace tacit::sph
