// A Plummer sphere of bodies in equilibrium: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>

#include "tacit/solvers/sph/keys.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/bodies.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/equilibrium.hpp"

namespace tacit::sph {
namespace {

constexpr std::array plummer_keys{
    Key::integer("plummer.resolution", {2, 2048}, "As many particles as its cube.", "16"),
    Key::positive("plummer.radius", dim::length,
                  "Scale radius a: rho = 3 M / (4 pi a^3) (1 + r^2 / a^2)^(-5/2); half of the mass lies within 1.3 a.",
                  "1"),
    Key::positive("plummer.mass", dim::mass, "Mass M of the whole sphere.", "1"),
    Key::real("plummer.cut", config::above(1.0, 1000.0),
              "Radius beyond which there is nothing, in units of a: at 20, 0.4 % of M is missing.", "20"),
    Key::integer("plummer.seed", {0, 1000000}, "Of the random numbers.", "1"),
};

Setup read_plummer(const config::Parameters& p, const SphParameters& sph) {
  require_gravity(p, sph, "plummer");
  return Plummer{.resolution = p.integer("plummer.resolution"),
                 .radius = p.real("plummer.radius"),
                 .mass = p.real("plummer.mass"),
                 .cut = p.real("plummer.cut"),
                 .seed = static_cast<std::uint64_t>(p.integer("plummer.seed")),
                 .G = sph.gravity.G};
}

}  // namespace

const SetupEntry& plummer_entry() {
  static constexpr SetupEntry entry{
      .choice = {"plummer", "a star cluster at rest: bodies of a Plummer sphere in equilibrium (table [plummer])"},
      .title = "Set-up: Plummer sphere",
      .keys = plummer_keys,
      .read = &read_plummer,
      .least_dimension = 3,
      .boundary = Boundary::open};
  return entry;
}

std::uint64_t particle_count(const Plummer& plummer) {
  const auto n = static_cast<std::uint64_t>(plummer.resolution);
  return n * n * n;
}

InitialConditions make(const Plummer& plummer, const Share& share) {
  const double R = plummer.cut * plummer.radius;
  const std::uint64_t n = particle_count(plummer);
  const SphericalMass mass{SphericalMass::Profile::plummer, plummer.mass, plummer.radius};
  const SphereOfBodies sphere(mass, std::array{mass}, plummer.G, R, n, plummer.seed);
  InitialConditions bodies = empty_space("set-up plummer", 2.0 * R);
  const Rows rows = share.of(n);
  for (std::uint64_t row = rows.first; row < rows.end; ++row) {
    const auto [x, v] = sphere[row];
    add_body(bodies, row, base::Vec3{R, R, R} + x, v, sphere.body_mass());
  }
  return bodies;
}

}  // namespace tacit::sph
