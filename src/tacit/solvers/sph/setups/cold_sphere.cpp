// A uniform ball of bodies at rest, which collapses: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>

#include "tacit/solvers/sph/keys.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/bodies.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"

namespace tacit::sph {
namespace {

constexpr std::array cold_sphere_keys{
    Key::integer("cold_sphere.resolution", {4, 2048},
                 "Body-centred cubic cells across the ball (two particles each): about as many particles as its cube.",
                 "16"),
    Key::positive("cold_sphere.radius", dim::length, "Radius R of the ball.", "1"),
    Key::positive("cold_sphere.mass", dim::mass,
                  "Mass M of the ball; it falls freely for a time of pi sqrt(R^3 / (8 G M)).", "1"),
};

Setup read_cold_sphere(const config::Parameters& p, const SphParameters& sph) {
  require_gravity(p, sph, "cold_sphere");
  return ColdSphere{.resolution = p.integer("cold_sphere.resolution"),
                    .radius = p.real("cold_sphere.radius"),
                    .mass = p.real("cold_sphere.mass")};
}

/// Of the lattice [length].
double cell_side(const ColdSphere& ball) { return 2.0 * ball.radius / static_cast<double>(ball.resolution); }

}  // namespace

const SetupEntry& cold_sphere_entry() {
  static constexpr SetupEntry entry{
      .choice = {"cold_sphere", "a uniform ball of bodies at rest, which collapses (table [cold_sphere])"},
      .title = "Set-up: cold sphere",
      .keys = cold_sphere_keys,
      .read = &read_cold_sphere,
      .least_dimension = 3,
      .boundary = Boundary::open};
  return entry;
}

std::uint64_t particle_count(const ColdSphere& ball) { return count_in_ball(ball.radius, cell_side(ball), 3); }

InitialConditions make(const ColdSphere& ball, const Share& share) {
  const double R = ball.radius;
  InitialConditions bodies = empty_space("set-up cold_sphere", 2.0 * R);
  const std::uint64_t n = particle_count(ball);
  const Rows rows = share.of(n);
  std::uint64_t row = 0;
  for_each_in_ball(R, cell_side(ball), 3, [&](const base::Vec3& x) {
    if (rows.contains(row)) {
      add_body(bodies, row, base::Vec3{R, R, R} + x, {}, ball.mass / static_cast<double>(n));
    }
    ++row;
  });
  return bodies;
}

}  // namespace tacit::sph
