// Evrard's ball of cold gas: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "tacit/solvers/sph/keys.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"

namespace tacit::sph {
namespace {

constexpr std::array evrard_keys{
    Key::integer("evrard.resolution", {4, 2048},
                 "Body-centred cubic cells across the ball before it is stretched (two particles each): about as many "
                 "particles as its cube.",
                 "32"),
    Key::positive("evrard.radius", dim::length, "Radius R of the ball; its density is M / (2 pi R^2 r).", "1"),
    Key::positive("evrard.mass", dim::mass, "Mass M of the ball.", "1"),
    Key::real("evrard.heat", config::above(0, 100.0), "Specific internal energy in units of G M / R.", "0.05"),
};

Setup read_evrard(const config::Parameters& p, const SphParameters& sph) {
  const double R = p.real("evrard.radius");
  const double M = p.real("evrard.mass");
  return Evrard{.resolution = p.integer("evrard.resolution"),
                .radius = R,
                .mass = M,
                .u = p.real("evrard.heat") * gravitational_constant(p) * M / R,
                .eta = sph.smoothing.eta};
}

/// Of the lattice before it is stretched [length].
double cell_side(const Evrard& evrard) { return 2.0 * evrard.radius / static_cast<double>(evrard.resolution); }

}  // namespace

const SetupEntry& evrard_entry() {
  static constexpr SetupEntry entry{
      .choice = {"evrard",
                 "Evrard's ball of cold gas: it collapses with gravity.self, and expands without (table [evrard])"},
      .title = "Set-up: Evrard's ball",
      .keys = evrard_keys,
      .read = &read_evrard,
      .least_dimension = 3,
      .boundary = Boundary::open};
  return entry;
}

std::uint64_t particle_count(const Evrard& evrard) { return count_in_ball(evrard.radius, cell_side(evrard), 3); }

InitialConditions make(const Evrard& evrard, const Share& share) {
  const double R = evrard.radius;
  InitialConditions gas;
  gas.source = "set-up evrard";
  gas.box = {2.0 * R, 2.0 * R, 2.0 * R};
  const std::uint64_t n = particle_count(evrard);
  const double m = evrard.mass / static_cast<double>(n);
  const Rows rows = share.of(n);
  reserve(gas, rows.size());
  std::uint64_t row = 0;
  for_each_in_ball(R, cell_side(evrard), 3, [&](const base::Vec3& q) {
    if (!rows.contains(row++)) return;
    // Within q of the uniform ball lies (q/R)^3 of the mass, within r of this one (r/R)^2: r = R (q/R)^(3/2).
    const double stretch = std::sqrt(norm(q) / R);
    const double r = stretch * norm(q);
    const double rho = evrard.mass / (2.0 * std::numbers::pi * R * R * r);
    add_particle(gas, row - 1, base::Vec3{R, R, R} + stretch * q,
                 {.m = m, .u = evrard.u, .h = evrard.eta * std::cbrt(m / rho)});
  });
  return gas;
}

}  // namespace tacit::sph
