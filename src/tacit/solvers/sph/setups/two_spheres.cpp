// Two spheres of bodies that meet on an orbit: their keys and their particles.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "tacit/solvers/sph/keys.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/bodies.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/equilibrium.hpp"

namespace tacit::sph {
namespace {

using Profile = SphericalMass::Profile;

constexpr std::array profile_choices{
    Choice{"hernquist", Profile::hernquist, "rho = M a / (2 pi r (r + a)^3)"},
    Choice{"plummer", Profile::plummer, "rho = 3 M / (4 pi a^3) (1 + r^2 / a^2)^(-5/2)"},
};
constexpr std::array two_spheres_keys{
    Key::choice("two_spheres.profile", profile_choices, Profile::hernquist, "Density of both."),
    Key::integer("two_spheres.resolution", {2, 2048},
                 "As many particles as its cube in both together, all of about one mass.", "16"),
    Key::positive("two_spheres.mass", dim::mass, "Mass of the first, whose bodies are of type 1 (halo).", "1"),
    Key::positive("two_spheres.radius", dim::length, "Its scale radius a.", "1"),
    Key::positive("two_spheres.other_mass", dim::mass, "Mass of the second, whose bodies are of type 3 (bulge).", "1"),
    Key::positive("two_spheres.other_radius", dim::length, "Its scale radius a.", "1"),
    Key::real("two_spheres.cut", config::above(1.0, 1000.0),
              "Radius beyond which there is nothing, in units of each one's a.", "20"),
    Key::positive("two_spheres.separation", dim::length,
                  "Distance of their centres at the begin, when they approach each other.", "20"),
    Key::positive("two_spheres.pericentre", dim::length,
                  "Least distance of the orbit that points of their masses would have.", "1"),
    Key::real("two_spheres.eccentricity", {0.0, 100.0}, "Of that orbit: below 1 bound, 1 a parabola.", "1"),
    Key::integer("two_spheres.seed", {0, 1000000}, "Of the random numbers.", "1"),
};

/// Whether the orbit is ever as wide as that.
bool reaches(const TwoSpheres& pair) {
  const double e = pair.eccentricity;
  return pair.separation >= pair.pericentre &&
         (e >= 1.0 || pair.separation * (1.0 - e) <= pair.pericentre * (1.0 + e) * (1.0 + 1e-12));
}

Setup read_two_spheres(const config::Parameters& p, const SphParameters& sph) {
  require_gravity(p, sph, "two_spheres");
  const TwoSpheres pair{.profile = p.choice("two_spheres.profile", profile_choices),
                        .resolution = p.integer("two_spheres.resolution"),
                        .mass = p.real("two_spheres.mass"),
                        .radius = p.real("two_spheres.radius"),
                        .other_mass = p.real("two_spheres.other_mass"),
                        .other_radius = p.real("two_spheres.other_radius"),
                        .cut = p.real("two_spheres.cut"),
                        .separation = p.real("two_spheres.separation"),
                        .pericentre = p.real("two_spheres.pericentre"),
                        .eccentricity = p.real("two_spheres.eccentricity"),
                        .seed = static_cast<std::uint64_t>(p.integer("two_spheres.seed")),
                        .G = sph.gravity.G};
  if (!reaches(pair)) {
    const double e = pair.eccentricity;
    const std::string hint = e < 1.0 ? fmt::format(
                                           "write a distance between {:.6g}, the pericentre, and {:.6g}, its "
                                           "apocentre",
                                           pair.pericentre, pair.pericentre * (1.0 + e) / (1.0 - e))
                                     : fmt::format("write {:.6g}, the pericentre, or more", pair.pericentre);
    throw config::Error(p.where("two_spheres.separation"), "two_spheres.separation",
                        fmt::format("is {:.6g}, where their orbit never is", pair.separation), hint);
  }
  return pair;
}

/// Of the first: both have bodies of about one mass, and some each.
std::uint64_t count_of_first(const TwoSpheres& pair) {
  const std::uint64_t n = particle_count(pair);
  const double part = pair.mass / (pair.mass + pair.other_mass);
  const auto wanted = static_cast<std::uint64_t>(std::llround(part * static_cast<double>(n)));
  return std::clamp<std::uint64_t>(wanted / 2 * 2, 2, n - 2);  // even: in pairs
}

/// Of the second against the first. The first moves along x, towards the second, and to its right.
struct Relative {
  base::Vec3 x, v;
};
Relative orbit_of(const TwoSpheres& pair) {
  const double d = pair.separation;
  const double GM = pair.G * (pair.mass + pair.other_mass);
  const double e = pair.eccentricity;
  // h^2 = G M r_p (1 + e), v^2 = G M (2 / d - (1 - e) / r_p)
  const double across = std::sqrt(GM * pair.pericentre * (1.0 + e)) / d;
  const double v2 = GM * (2.0 / d - (1.0 - e) / pair.pericentre);
  const double along = std::sqrt(std::max(0.0, v2 - across * across));
  return {{d, 0.0, 0.0}, {-along, across, 0.0}};
}

}  // namespace

const SetupEntry& two_spheres_entry() {
  static constexpr SetupEntry entry{
      .choice = {"two_spheres", "two spheres of bodies that meet on an orbit (table [two_spheres])"},
      .title = "Set-up: two spheres",
      .keys = two_spheres_keys,
      .read = &read_two_spheres,
      .least_dimension = 3,
      .boundary = Boundary::open};
  return entry;
}

std::uint64_t particle_count(const TwoSpheres& pair) {
  const auto n = static_cast<std::uint64_t>(pair.resolution);
  return n * n * n;
}

InitialConditions make(const TwoSpheres& pair, const Share& share) {
  const std::uint64_t n = particle_count(pair);
  const std::uint64_t first = count_of_first(pair);
  const SphericalMass one{pair.profile, pair.mass, pair.radius};
  const SphericalMass other{pair.profile, pair.other_mass, pair.other_radius};
  const SphereOfBodies bodies_of_one(one, std::array{one}, pair.G, pair.cut * pair.radius, first, pair.seed);
  const SphereOfBodies bodies_of_other(other, std::array{other}, pair.G, pair.cut * pair.other_radius, n - first,
                                       pair.seed + 1);
  const Relative orbit = orbit_of(pair);
  const double M = pair.mass + pair.other_mass;
  const double half = pair.separation + pair.cut * std::max(pair.radius, pair.other_radius);
  InitialConditions bodies = empty_space("set-up two_spheres", 2.0 * half);
  const base::Vec3 middle{half, half, half};
  const Rows rows = share.of(n);
  for (std::uint64_t row = rows.first; row < rows.end; ++row) {
    const bool is_first = row < first;
    const SphereOfBodies& sphere = is_first ? bodies_of_one : bodies_of_other;
    const double part = is_first ? -pair.other_mass / M : pair.mass / M;  // about the centre of mass of both
    const auto [x, v] = sphere[is_first ? row : row - first];
    add_body(bodies, row, middle + part * orbit.x + x, part * orbit.v + v, sphere.body_mass(),
             is_first ? halo_type : bulge_type);
  }
  return bodies;
}

}  // namespace tacit::sph
