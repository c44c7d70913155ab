// The Sedov explosion: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/particles/domain.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"
#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::sph {
namespace {

constexpr std::array sedov_keys{
    Key::integer("sedov.resolution", {4, 2048}, "Particles along each side of the box.", "32"),
    Key::positive("sedov.box", dim::length, "Side of the box.", "1"),
    Key::positive("sedov.density", dim::density, "Density of the gas.", "1"),
    Key::positive("sedov.pressure", dim::pressure, "Pressure outside the explosion.", "1e-6"),
    Key::positive("sedov.energy", dim::energy, "Energy of the explosion.", "1"),
    Key::real("sedov.jitter", {0.0, 1.0},
              "Random displacement from the lattice, peak to peak, in units of its spacing.", "0.1"),
};

Setup read_sedov(const config::Parameters& p, const SphParameters& sph) {
  return Sedov{.resolution = p.integer("sedov.resolution"),
               .box = p.real("sedov.box"),
               .rho = p.real("sedov.density"),
               .P = p.real("sedov.pressure"),
               .energy = p.real("sedov.energy"),
               .jitter = p.real("sedov.jitter"),
               .gamma = sph.gamma,
               .eta = sph.smoothing.eta,
               .dimension = sph.dimension};
}

/// Moves every particle by up to `reach`/2 along each axis, keyed by ID.
void jitter_positions(InitialConditions& gas, double reach) {
  constexpr std::uint64_t seed = 1;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const auto moved = [&](double value, std::uint64_t axis, double length) {
      return particles::wrap(value + reach * (base::uniform(seed, gas.id[i], axis) - 0.5), 0.0, length);
    };
    gas.x[i] = moved(gas.x[i], 0, gas.box.x);
    if (gas.dimension > 1) gas.y[i] = moved(gas.y[i], 1, gas.box.y);
    if (gas.dimension > 2) gas.z[i] = moved(gas.z[i], 2, gas.box.z);
  }
}

/// Shares `energy` among the particles within `radius` of the centre by the weight of a cubic spline.
void put_energy(InitialConditions& gas, double energy, double radius) {
  std::vector<double> weight(gas.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    base::Vec3 d{gas.x[i] - 0.5 * gas.box.x, 0.0, 0.0};
    if (gas.dimension > 1) d.y = gas.y[i] - 0.5 * gas.box.y;
    if (gas.dimension > 2) d.z = gas.z[i] - 0.5 * gas.box.z;
    weight[i] = kernels::CubicSpline::w(norm(d) / radius);
    sum += weight[i];
  }
  for (std::size_t i = 0; i < gas.size(); ++i) gas.u[i] += energy * weight[i] / (sum * gas.m[i]);
}

}  // namespace

const SetupEntry& sedov_entry() {
  static constexpr SetupEntry entry{{"sedov", "a point explosion in a uniform gas (table [sedov])"},
                                    "Set-up: Sedov explosion",
                                    sedov_keys,
                                    &read_sedov};
  return entry;
}

std::uint64_t particle_count(const Sedov& sedov) {
  const auto n = static_cast<std::uint64_t>(sedov.resolution);
  return n * (sedov.dimension > 1 ? n : 1) * (sedov.dimension > 2 ? n : 1);
}

InitialConditions make(const Sedov& sedov) {
  const std::int64_t n = sedov.resolution;
  const double spacing = sedov.box / static_cast<double>(n);
  InitialConditions gas;
  gas.source = "set-up sedov";
  gas.dimension = sedov.dimension;
  gas.box = {sedov.box, sedov.box, sedov.box};
  add_cubic_lattice(gas, {}, {n, sedov.dimension > 1 ? n : 1, sedov.dimension > 2 ? n : 1}, spacing,
                    {.m = sedov.rho * std::pow(spacing, sedov.dimension),
                     .u = sedov.P / ((sedov.gamma - 1.0) * sedov.rho),
                     .h = sedov.eta * spacing});
  jitter_positions(gas, sedov.jitter * spacing);
  put_energy(gas, sedov.energy, 2.0 * spacing);
  return gas;
}

}  // namespace tacit::sph
