// Noh's implosion: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"

namespace tacit::sph {
namespace {

constexpr std::array noh_keys{
    Key::integer("noh.resolution", {4, 2048},
                 "Body-centred cubic cells across the ball (two particles each): about as many particles as its cube.",
                 "32"),
    Key::positive("noh.radius", dim::length,
                  "Radius of the ball; the shock meets its edge at 3/4 of radius over speed.", "1"),
    Key::positive("noh.density", dim::density, "Density of the gas.", "1"),
    Key::positive("noh.pressure", dim::pressure, "Pressure of the gas, small against density times speed squared.",
                  "1e-6"),
    Key::positive("noh.speed", dim::velocity, "Speed of all gas towards the centre.", "1"),
};

Setup read_noh(const config::Parameters& p, const SphParameters& sph) {
  return Noh{.resolution = p.integer("noh.resolution"),
             .radius = p.real("noh.radius"),
             .rho = p.real("noh.density"),
             .P = p.real("noh.pressure"),
             .speed = p.real("noh.speed"),
             .gamma = sph.gamma,
             .eta = sph.smoothing.eta,
             .dimension = sph.dimension};
}

double cell_side(const Noh& noh) { return 2.0 * noh.radius / static_cast<double>(noh.resolution); }

}  // namespace

const SetupEntry& noh_entry() {
  static constexpr SetupEntry entry{.choice = {"noh", "cold gas that collapses onto its centre (table [noh])"},
                                    .title = "Set-up: Noh implosion",
                                    .keys = noh_keys,
                                    .read = &read_noh,
                                    .boundary = Boundary::open};
  return entry;
}

std::uint64_t particle_count(const Noh& noh) { return count_in_ball(noh.radius, cell_side(noh), noh.dimension); }

InitialConditions make(const Noh& noh, const Share& share) {
  InitialConditions gas;
  gas.source = "set-up noh";
  gas.dimension = noh.dimension;
  gas.box = {2.0 * noh.radius, 2.0 * noh.radius, 2.0 * noh.radius};
  const double m = 0.5 * noh.rho * std::pow(cell_side(noh), noh.dimension);
  const LatticeGas common{
      .m = m, .u = noh.P / ((noh.gamma - 1.0) * noh.rho), .h = noh.eta * std::pow(m / noh.rho, 1.0 / noh.dimension)};
  base::Vec3 centre{};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(noh.dimension); ++axis) centre[axis] = noh.radius;
  const Rows rows = share.of(particle_count(noh));
  reserve(gas, rows.size());
  std::uint64_t row = 0;
  for_each_in_ball(noh.radius, cell_side(noh), noh.dimension, [&](const base::Vec3& d) {
    if (!rows.contains(row++)) return;
    add_particle(gas, row - 1, centre + d, common);
    const base::Vec3 v = (-noh.speed / norm(d)) * d;  // no place of the lattice is its centre
    gas.vx.back() = v.x;
    gas.vy.back() = v.y;
    gas.vz.back() = v.z;
  });
  return gas;
}

}  // namespace tacit::sph
