// A disc galaxy in its halo: its keys and its particles.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "tacit/solvers/sph/keys.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/setups/bodies.hpp"
#include "tacit/solvers/sph/setups/disc.hpp"
#include "tacit/solvers/sph/setups/entries.hpp"
#include "tacit/solvers/sph/setups/equilibrium.hpp"

namespace tacit::sph {
namespace {

using Profile = SphericalMass::Profile;

constexpr std::array disc_galaxy_keys{
    Key::integer(
        "disc_galaxy.resolution", {4, 2048},
        "As many particles as its cube: one half the halo's, the others those of the disc and the bulge, by mass.",
        "24"),
    Key::positive("disc_galaxy.disc_mass", dim::mass, "Mass of the disc, whose bodies are of type 2.", "1"),
    Key::positive("disc_galaxy.disc_radius", dim::length, "R_d: its surface density falls as exp(-R / R_d).", "1"),
    Key::real("disc_galaxy.thickness", config::above(0.0, 1.0),
              "z_0 in units of R_d: its density falls as sech^2(z / z_0).", "0.2"),
    Key::real("disc_galaxy.toomre", config::above(0.0, 100.0),
              "Toomre's Q at 2.5 R_d: below 1 rings break up, at 1 to 2 spiral arms and bars may grow.", "1.5"),
    Key::positive("disc_galaxy.halo_mass", dim::mass, "Mass of the halo, a Hernquist sphere of type 1.", "5.8"),
    Key::positive("disc_galaxy.halo_radius", dim::length, "Its scale radius.", "5"),
    Key::non_negative("disc_galaxy.bulge_mass", dim::mass, "Mass of the bulge, a Hernquist sphere of type 3.", "0"),
    Key::positive("disc_galaxy.bulge_radius", dim::length, "Its scale radius.", "0.2"),
    Key::real("disc_galaxy.cut", config::above(1.0, 1000.0),
              "Radius beyond which there is nothing: of halo and bulge in units of their scale radii.", "15"),
    Key::integer("disc_galaxy.seed", {0, 1000000}, "Of the random numbers.", "1"),
};

Setup read_disc_galaxy(const config::Parameters& p, const SphParameters& sph) {
  require_gravity(p, sph, "disc_galaxy");
  return DiscGalaxy{.resolution = p.integer("disc_galaxy.resolution"),
                    .disc_mass = p.real("disc_galaxy.disc_mass"),
                    .disc_radius = p.real("disc_galaxy.disc_radius"),
                    .thickness = p.real("disc_galaxy.thickness"),
                    .toomre = p.real("disc_galaxy.toomre"),
                    .halo_mass = p.real("disc_galaxy.halo_mass"),
                    .halo_radius = p.real("disc_galaxy.halo_radius"),
                    .bulge_mass = p.real("disc_galaxy.bulge_mass"),
                    .bulge_radius = p.real("disc_galaxy.bulge_radius"),
                    .cut = p.real("disc_galaxy.cut"),
                    .seed = static_cast<std::uint64_t>(p.integer("disc_galaxy.seed")),
                    .G = sph.gravity.G};
}

/// How many bodies each part has.
struct Counts {
  std::uint64_t halo, disc, bulge;
};
Counts counts_of(const DiscGalaxy& galaxy) {
  const std::uint64_t n = particle_count(galaxy);
  const std::uint64_t stars = n / 4 * 2;  // in pairs, as far as that goes
  const double part = galaxy.bulge_mass / (galaxy.bulge_mass + galaxy.disc_mass);
  const auto bulge = static_cast<std::uint64_t>(std::llround(part * static_cast<double>(stars / 2))) * 2;
  return {n - stars, stars - bulge, bulge};
}

/// A normal number from two uniform ones.
/// @see Box & Muller (1958), Ann. Math. Stat. 29, 610
double normal(Draws& draws) {
  const double size = std::sqrt(-2.0 * std::log(1.0 - draws()));
  return size * std::cos(2.0 * std::numbers::pi * draws());
}

/// The bodies of the disc, in opposite pairs; with its radii spread evenly over the mass.
class DiscOfBodies {
 public:
  DiscOfBodies(const DiscModel::Shape& shape, std::span<const SphericalMass> spheres, double G, double cut,
               std::uint64_t n, std::uint64_t seed)
      : shape_(shape),
        model_(shape, spheres, G),
        n_(n),
        seed_(seed),
        within_(-std::expm1(-cut) - cut * std::exp(-cut)) {}

  [[nodiscard]] SphereOfBodies::Body operator[](std::uint64_t number) const {
    const std::uint64_t pair = number / 2;
    Draws draws(seed_, pair);
    const auto pairs = static_cast<double>((n_ + 1) / 2);
    const double R = model_.radius_of(within_ * (static_cast<double>(pair) + draws()) / pairs);
    const double angle = 2.0 * std::numbers::pi * draws();
    const double z = shape_.thickness * std::atanh(2.0 * draws() - 1.0);  // its distribution is (1 + tanh) / 2
    const DiscModel::Velocities v = model_.at(std::max(R, 1e-6 * shape_.radius));
    const double radial = v.radial * normal(draws);
    const double azimuthal = v.rotation + v.azimuthal * normal(draws);
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const double sign = number % 2 == 0 ? 1.0 : -1.0;
    return {sign * base::Vec3{R * c, R * s, std::isfinite(z) ? z : 0.0},
            sign * base::Vec3{radial * c - azimuthal * s, radial * s + azimuthal * c, v.vertical * normal(draws)}};
  }
  [[nodiscard]] double body_mass() const { return shape_.mass * within_ / static_cast<double>(n_); }

 private:
  DiscModel::Shape shape_;
  DiscModel model_;
  std::uint64_t n_, seed_;
  double within_;
};

}  // namespace

const SetupEntry& disc_galaxy_entry() {
  static constexpr SetupEntry entry{
      .choice = {"disc_galaxy", "a disc galaxy at rest: a disc of bodies in a halo, and a bulge (table [disc_galaxy])"},
      .title = "Set-up: disc galaxy",
      .keys = disc_galaxy_keys,
      .read = &read_disc_galaxy,
      .least_dimension = 3,
      .boundary = Boundary::open};
  return entry;
}

std::uint64_t particle_count(const DiscGalaxy& galaxy) {
  const auto n = static_cast<std::uint64_t>(galaxy.resolution);
  return n * n * n;
}

/// Speeds in halo and bulge are those in the potential of all, in which the disc counts as if it were spread over
/// spheres.
InitialConditions make(const DiscGalaxy& galaxy, const Share& share) {
  const SphericalMass halo{Profile::hernquist, galaxy.halo_mass, galaxy.halo_radius};
  const SphericalMass bulge{Profile::hernquist, galaxy.bulge_mass, galaxy.bulge_radius};
  std::vector<SphericalMass> spheres{halo};
  if (galaxy.bulge_mass > 0.0) spheres.push_back(bulge);
  std::vector<SphericalMass> all = spheres;
  all.push_back({Profile::disc, galaxy.disc_mass, galaxy.disc_radius});
  const auto [of_halo, of_disc, of_bulge] = counts_of(galaxy);
  const double R = galaxy.cut * galaxy.halo_radius;
  const SphereOfBodies halo_bodies(halo, all, galaxy.G, R, of_halo, galaxy.seed);
  const DiscOfBodies disc_bodies({.mass = galaxy.disc_mass,
                                  .radius = galaxy.disc_radius,
                                  .thickness = galaxy.thickness * galaxy.disc_radius,
                                  .Q = galaxy.toomre},
                                 spheres, galaxy.G, std::max(galaxy.cut, 5.0), of_disc, galaxy.seed + 1);
  std::optional<SphereOfBodies> bulge_bodies;
  if (of_bulge > 0)
    bulge_bodies.emplace(bulge, all, galaxy.G, galaxy.cut * galaxy.bulge_radius, of_bulge, galaxy.seed + 2);
  const double half = std::max(R, std::max(galaxy.cut, 5.0) * galaxy.disc_radius);
  InitialConditions bodies = empty_space("set-up disc_galaxy", 2.0 * half);
  const base::Vec3 middle{half, half, half};
  const Rows rows = share.of(particle_count(galaxy));
  for (std::uint64_t row = rows.first; row < rows.end; ++row) {
    const auto add = [&](const auto& part, std::uint64_t number, std::uint8_t type) {
      const SphereOfBodies::Body body = part[number];
      add_body(bodies, row, middle + body.x, body.v, part.body_mass(), type);
    };
    if (row < of_halo) {
      add(halo_bodies, row, halo_type);
    } else if (row < of_halo + of_disc) {
      add(disc_bodies, row - of_halo, disc_type);
    } else {
      add(*bulge_bodies, row - of_halo - of_disc, bulge_type);
    }
  }
  return bodies;
}

}  // namespace tacit::sph
