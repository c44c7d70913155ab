// Two bodies on a Kepler orbit: keys and particles.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstdint>

#include "tacit/solvers/sph/keys.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/bodies.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"

namespace tacit::sph {
namespace {

constexpr std::array two_bodies_keys{
    Key::positive("two_bodies.mass", dim::mass, "Mass of the first body.", "0.5"),
    Key::positive("two_bodies.other_mass", dim::mass, "Mass of the second body.", "0.5"),
    Key::positive("two_bodies.axis", dim::length,
                  "Semi-major axis a of their relative orbit, whose period is 2 pi sqrt(a^3 / (G M)).", "1"),
    Key::real("two_bodies.eccentricity", {0.0, 0.999}, "Eccentricity; they begin farthest apart.", "0.5"),
};

Setup read_two_bodies(const config::Parameters& p, const SphParameters& sph) {
  require_gravity(p, sph, "two_bodies");
  return TwoBodies{.mass = p.real("two_bodies.mass"),
                   .other_mass = p.real("two_bodies.other_mass"),
                   .axis = p.real("two_bodies.axis"),
                   .eccentricity = p.real("two_bodies.eccentricity"),
                   .G = sph.gravity.G};
}

}  // namespace

const SetupEntry& two_bodies_entry() {
  static constexpr SetupEntry entry{.choice = {"two_bodies", "two bodies on a Kepler orbit (table [two_bodies])"},
                                    .title = "Set-up: two bodies",
                                    .keys = two_bodies_keys,
                                    .read = &read_two_bodies,
                                    .least_dimension = 3,
                                    .boundary = Boundary::open};
  return entry;
}

std::uint64_t particle_count(const TwoBodies& /*pair*/) { return 2; }

InitialConditions make(const TwoBodies& pair, const Share& share) {
  const double M = pair.mass + pair.other_mass;
  const double apart = pair.axis * (1.0 + pair.eccentricity);
  // vis viva: v^2 = G M (2 / r - 1 / a)
  const double speed = std::sqrt(pair.G * M * (2.0 / apart - 1.0 / pair.axis));
  InitialConditions bodies = empty_space("set-up two_bodies", 2.0 * apart);
  const base::Vec3 middle{apart, apart, apart};
  const Rows rows = share.of(2);
  if (rows.contains(0)) {
    const double part = pair.other_mass / M;
    add_body(bodies, 0, middle + base::Vec3{part * apart, 0.0, 0.0}, {0.0, part * speed, 0.0}, pair.mass);
  }
  if (rows.contains(1)) {
    const double part = -pair.mass / M;
    add_body(bodies, 1, middle + base::Vec3{part * apart, 0.0, 0.0}, {0.0, part * speed, 0.0}, pair.other_mass);
  }
  return bodies;
}

}  // namespace tacit::sph
