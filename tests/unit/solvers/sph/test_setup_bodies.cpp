// Set-ups of bodies: distribution functions, orbits, discs, and that what should rest does.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "samples.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/solvers/sph/setups/disc.hpp"
#include "tacit/solvers/sph/setups/equilibrium.hpp"
#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::sph::setup_bodies_test {
namespace {

using base::Vec3;
using Profile = SphericalMass::Profile;
using testing::SmallRun;
constexpr double pi = std::numbers::pi;

/// Of G = M = a = 1. @see Plummer (1911), MNRAS 71, 460; Binney & Tremaine (2008), eq. 4.83
double plummer_distribution(double E) { return 24.0 * std::numbers::sqrt2 / (7.0 * pi * pi * pi) * std::pow(E, 3.5); }

/// @see Hernquist (1990), ApJ 356, 359, eq. 17
double hernquist_distribution(double E) {
  const double q = std::sqrt(E);
  const double p = 1.0 - E;
  const double bracket = 3.0 * std::asin(q) + q * std::sqrt(p) * (1.0 - 2.0 * E) * (8.0 * E * E - 8.0 * E - 3.0);
  return bracket / (8.0 * std::numbers::sqrt2 * pi * pi * pi * std::pow(p, 2.5));
}

/// Of a component of the velocity. @see Hernquist (1990), eq. 10; Binney & Tremaine (2008), sec. 4.3.3
double variance_of(Profile profile, double r) {
  if (profile == Profile::plummer) return 1.0 / (6.0 * std::sqrt(1.0 + r * r));
  return (12.0 * r * std::pow(1.0 + r, 3) * std::log((1.0 + r) / r) -
          r / (1.0 + r) * (25.0 + 52.0 * r + 42.0 * r * r + 12.0 * r * r * r)) /
         12.0;
}

SphericalMass one(Profile profile) { return {profile, 1.0, 1.0}; }

IsotropicSphere alone(Profile profile) { return {one(profile), std::array{one(profile)}, 1.0}; }

struct Means {
  double mass = 0.0;
  Vec3 x, v;  ///< of the centre of mass
};
Means means_of(const InitialConditions& bodies, std::uint8_t type) {
  Means means;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.type[i] != type) continue;
    means.mass += bodies.m[i];
    means.x = means.x + bodies.m[i] * Vec3{bodies.x[i], bodies.y[i], bodies.z[i]};
    means.v = means.v + bodies.m[i] * Vec3{bodies.vx[i], bodies.vy[i], bodies.vz[i]};
  }
  return {means.mass, (1.0 / means.mass) * means.x, (1.0 / means.mass) * means.v};
}

SphParameters gravitating(double softening) {
  SphParameters parameters = testing::plain_parameters();
  parameters.scheme = Scheme::sphenix;
  parameters.boundary = Boundary::open;
  parameters.has_individual_steps = true;
  parameters.gravity = {.is_present = true, .G = 1.0, .softening = softening};
  return parameters;
}

/// Distances from a centre, or from an axis along z through it, of bodies of a type.
std::vector<double> distances(const Gas& bodies, const Vec3& centre, std::uint8_t type, double along_z) {
  std::vector<double> r;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.type[i] != type) continue;
    r.push_back(norm(Vec3{bodies.x[i] - centre.x, bodies.y[i] - centre.y, along_z * (bodies.z[i] - centre.z)}));
  }
  return r;
}
double quantile(std::vector<double> values, double part) {
  const auto k = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size()));
  std::ranges::nth_element(values, values.begin() + k);
  return values[static_cast<std::size_t>(k)];
}

std::string message_of(const std::string& text) {
  const test::Scratch scratch;
  try {
    static_cast<void>(read_parameters(testing::read_text(scratch / "run.toml", text)));
  } catch (const config::Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST(BodySetups, DistributionFunctionsAreThoseInClosedForm) {
  const IsotropicSphere plummer = alone(Profile::plummer);
  const IsotropicSphere hernquist = alone(Profile::hernquist);
  for (const double E : {0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 0.97}) {
    // Interpolation between 512 energies, and 400 points of each integral.
    EXPECT_NEAR(plummer.distribution(E) / plummer_distribution(E), 1.0, 2e-3) << E;
    EXPECT_NEAR(hernquist.distribution(E) / hernquist_distribution(E), 1.0, 2e-3) << E;
  }
}

TEST(BodySetups, SpeedsHaveTheDispersionsOfJeansEquation) {
  for (const Profile profile : {Profile::plummer, Profile::hernquist}) {
    const IsotropicSphere sphere = alone(profile);
    for (const double r : {1e-3, 0.1, 1.0, 5.0}) {
      constexpr int n = 4000;  // near the cusp the variance is that of few fast bodies
      double v2 = 0.0;
      for (int k = 0; k < n; ++k) v2 += std::pow(sphere.speed(r, (k + 0.5) / n), 2) / n;
      EXPECT_NEAR(v2 / (3.0 * variance_of(profile, r)), 1.0, 5e-3) << r;
    }
  }
}

TEST(BodySetups, AreTheSameInAnySharesAndRest) {
  const std::vector<sph::Setup> setups{Plummer{.resolution = 6}, Hernquist{.resolution = 6},
                                       TwoSpheres{.resolution = 6}, DiscGalaxy{.resolution = 8, .bulge_mass = 0.3}};
  for (const sph::Setup& setup : setups) {
    const InitialConditions all = make(setup);
    ASSERT_EQ(all.size(), particle_count(setup));
    EXPECT_EQ(std::set(all.id.begin(), all.id.end()).size(), all.size());
    InitialConditions joined;
    for (std::uint64_t rank = 0; rank < 3; ++rank) {
      const InitialConditions part = make(setup, {rank, 3});
      const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
      append(joined.type, part.type);
      for (const auto field :
           {&InitialConditions::x, &InitialConditions::y, &InitialConditions::z, &InitialConditions::vx,
            &InitialConditions::vy, &InitialConditions::vz, &InitialConditions::m}) {
        append(joined.*field, part.*field);
      }
    }
    EXPECT_EQ(joined.type, all.type);
    for (const auto field :
         {&InitialConditions::x, &InitialConditions::y, &InitialConditions::z, &InitialConditions::vx,
          &InitialConditions::vy, &InitialConditions::vz, &InitialConditions::m}) {
      EXPECT_EQ(joined.*field, all.*field);
    }
    Vec3 momentum;
    for (std::size_t i = 0; i < all.size(); ++i) {
      momentum = momentum + all.m[i] * Vec3{all.vx[i], all.vy[i], all.vz[i]};
      for (const double x : {all.x[i], all.y[i], all.z[i]}) EXPECT_TRUE(x >= 0.0 && x <= all.box.x);
    }
    EXPECT_LT(norm(momentum), 1e-13);
  }
}

TEST(BodySetups, SpheresMeetOnTheirOrbit) {
  for (const double e : {0.5, 1.0, 3.0}) {
    const TwoSpheres pair{.resolution = 8,
                          .mass = 3.0,
                          .other_mass = 1.0,
                          .other_radius = 0.5,
                          .separation = 5.0,
                          .pericentre = 2.0,
                          .eccentricity = e,
                          .G = 2.0};
    const InitialConditions bodies = make(pair);
    const Means first = means_of(bodies, 1);
    const Means second = means_of(bodies, 3);
    // Cut at 20 a: 1 - (20/21)^2 of each is missing.
    EXPECT_NEAR(first.mass, 3.0 * 400.0 / 441.0, 1e-12);
    EXPECT_NEAR(second.mass, 400.0 / 441.0, 1e-12);
    const Vec3 x = second.x - first.x;
    const Vec3 v = second.v - first.v;
    EXPECT_NEAR(norm(x), 5.0, 1e-12);
    EXPECT_LT(dot(x, v), 0.0);
    const double GM = 8.0;
    EXPECT_NEAR(0.5 * dot(v, v) - GM / 5.0, -GM * (1.0 - e) / (2.0 * 2.0), 1e-12);
    EXPECT_NEAR(norm(cross(x, v)), std::sqrt(GM * 2.0 * (1.0 + e)), 1e-12);
  }
  const std::string begin =
      "[time]\nend = 1\n[initial]\nsetup = \"two_spheres\"\n[sph]\nboundary = \"open\"\n[gravity]\nself = true\n"
      "constant = 1\nsoftening = 0.1\n[two_spheres]\n";
  EXPECT_EQ(message_of(begin + "eccentricity = 0.5\npericentre = 2\nseparation = 6\n"), "accepted");
  EXPECT_NE(
      message_of(begin + "eccentricity = 0.5\npericentre = 2\nseparation = 7\n")
          .find("is 7, where their orbit never is\n  hint: write a distance between 2, the pericentre, and 6, its "
                "apocentre"),
      std::string::npos);
  EXPECT_NE(message_of(begin + "pericentre = 2\nseparation = 1\n").find("write 2, the pericentre, or more"),
            std::string::npos);
}

TEST(BodySetups, DiscsTurnAsExponentialDiscsDo) {
  const DiscModel disc({.mass = 2.0 * pi, .radius = 1.0, .thickness = 0.1, .Q = 1.5}, {}, 1.0);  // Sigma_0 = 1
  // Freeman (1970), ApJ 160, 811: at most 0.88 sqrt(pi G Sigma_0 R_d), at 2.15 R_d.
  EXPECT_NEAR(disc.circular_speed(2.15), 0.8800 * std::sqrt(pi), 1e-3);
  EXPECT_NEAR(disc.circular_speed(1000.0), std::sqrt(2.0 * pi / 1000.0), 1e-4);
  EXPECT_NEAR(disc.epicyclic_frequency(1000.0) * 1000.0 / disc.circular_speed(1000.0), 1.0, 1e-2);
  const DiscModel::Velocities v = disc.at(2.5);
  EXPECT_NEAR(v.radial * disc.epicyclic_frequency(2.5) / (3.36 * disc.surface_density(2.5)), 1.5, 1e-12);
  EXPECT_LT(v.rotation, disc.circular_speed(2.5));  // what is hot lags
  EXPECT_NEAR(v.azimuthal / v.radial, 0.5 * disc.epicyclic_frequency(2.5) * 2.5 / disc.circular_speed(2.5), 1e-12);
  EXPECT_NEAR(v.vertical * v.vertical, pi * disc.surface_density(2.5) * 0.1, 1e-12);
  // 1 - (1 + x) e^-x = 1/2 at x = 1.6783
  EXPECT_NEAR(disc.radius_of(0.5), 1.67835, 1e-4);
}

TEST(BodySetups, AHernquistSphereStaysAsItIs) {
  const Hernquist sphere{.resolution = 11, .cut = 20.0};
  SmallRun run(gravitating(0.05), make(sphere));
  const engine::MechanicalSums begin = run.solver.sums();
  EXPECT_NEAR(2.0 * begin.kinetic_energy / -begin.potential_energy.value(), 1.0, 0.05);  // softening, cut and noise
  const Vec3 centre{20.0, 20.0, 20.0};
  const auto radius = [&](double part) { return quantile(distances(run.solver.gas(), centre, 1, 1.0), part); };
  const double half = radius(0.5);
  const double tenth = radius(0.1);
  run.advance_to(15.0);  // the circular orbit at the half-mass radius, 2.05, takes 26 and that at a 12.6
  EXPECT_NEAR(radius(0.5), half, 0.05 * half);    // 1331 bodies: 1.5 % rms
  EXPECT_NEAR(radius(0.1), tenth, 0.12 * tenth);  // 4 % rms
  EXPECT_NEAR(run.solver.sums().energy(), begin.energy(), 2e-3 * std::abs(begin.energy()));
}

TEST(BodySetups, ADiscGalaxyStaysADisc) {
  const DiscGalaxy galaxy{.resolution = 16, .bulge_mass = 0.2};
  SmallRun run(gravitating(0.1), make(galaxy));
  const Vec3 centre{75.0, 75.0, 75.0};
  const auto radius = [&] { return quantile(distances(run.solver.gas(), centre, 2, 0.0), 0.5); };
  const auto height = [&] {
    std::vector<double> z;
    const Gas& all = run.solver.gas();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all.type[i] == 2) z.push_back(std::abs(all.z[i] - centre.z));
    }
    return quantile(z, 0.5);
  };
  const double R = radius();
  EXPECT_NEAR(R, 1.67835, 0.02);
  EXPECT_NEAR(height(), 0.2 * std::atanh(0.5), 0.01);  // sech^2: half of it within atanh(1/2) z_0
  const engine::MechanicalSums begin = run.solver.sums();
  const double spin = begin.angular_momentum.value().z;
  EXPECT_GT(spin, 1.0);
  run.advance_to(11.0);                // once around at R_d
  EXPECT_NEAR(radius(), R, 0.18 * R);  // softened, it settles at a tenth more
  EXPECT_LT(height(), 0.3);            // heated by bodies of the halo, each as heavy as ten of the disc
  const engine::MechanicalSums end = run.solver.sums();
  EXPECT_NEAR(end.energy(), begin.energy(), 1e-3 * std::abs(begin.energy()));
  EXPECT_NEAR(end.angular_momentum.value().z, spin, 1e-3 * spin);
}

}  // namespace tacit::sph::setup_bodies_test
