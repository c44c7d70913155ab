// A Hernquist sphere of bodies in equilibrium: its keys and its particles.
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

constexpr std::array hernquist_keys{
    Key::integer("hernquist.resolution", {2, 2048}, "As many particles as its cube.", "16"),
    Key::positive("hernquist.radius", dim::length,
                  "Scale radius a: rho = M a / (2 pi r (r + a)^3); half of the mass lies within 2.4 a.", "1"),
    Key::positive("hernquist.mass", dim::mass, "Mass M of the whole sphere.", "1"),
    Key::real("hernquist.cut", config::above(1.0, 1000.0),
              "Radius beyond which there is nothing, in units of a: at 50, 3.9 % of M is missing.", "50"),
    Key::integer("hernquist.seed", {0, 1000000}, "Of the random numbers.", "1"),
};

Setup read_hernquist(const config::Parameters& p, const SphParameters& sph) {
  require_gravity(p, sph, "hernquist");
  return Hernquist{.resolution = p.integer("hernquist.resolution"),
                   .radius = p.real("hernquist.radius"),
                   .mass = p.real("hernquist.mass"),
                   .cut = p.real("hernquist.cut"),
                   .seed = static_cast<std::uint64_t>(p.integer("hernquist.seed")),
                   .G = sph.gravity.G};
}

}  // namespace

const SetupEntry& hernquist_entry() {
  static constexpr SetupEntry entry{
      .choice = {"hernquist",
                 "a galaxy's halo or bulge at rest: bodies of a Hernquist sphere in equilibrium (table [hernquist])"},
      .title = "Set-up: Hernquist sphere",
      .keys = hernquist_keys,
      .read = &read_hernquist,
      .least_dimension = 3,
      .boundary = Boundary::open};
  return entry;
}

std::uint64_t particle_count(const Hernquist& hernquist) {
  const auto n = static_cast<std::uint64_t>(hernquist.resolution);
  return n * n * n;
}

InitialConditions make(const Hernquist& hernquist, const Share& share) {
  const double R = hernquist.cut * hernquist.radius;
  const std::uint64_t n = particle_count(hernquist);
  const SphericalMass mass{SphericalMass::Profile::hernquist, hernquist.mass, hernquist.radius};
  const SphereOfBodies sphere(mass, std::array{mass}, hernquist.G, R, n, hernquist.seed);
  InitialConditions bodies = empty_space("set-up hernquist", 2.0 * R);
  const Rows rows = share.of(n);
  for (std::uint64_t row = rows.first; row < rows.end; ++row) {
    const auto [x, v] = sphere[row];
    add_body(bodies, row, base::Vec3{R, R, R} + x, v, sphere.body_mass());
  }
  return bodies;
}

}  // namespace tacit::sph
