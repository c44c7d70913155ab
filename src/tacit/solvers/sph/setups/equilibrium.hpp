// Spheres of bodies in equilibrium: how fast they move where.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/vec3.hpp"

namespace tacit::sph {

/// A mass that is alike in all directions, or taken to be.
struct SphericalMass {
  enum class Profile : std::uint8_t {
    plummer,    ///< rho = 3 M / (4 pi a^3) (1 + r^2/a^2)^(-5/2)
    hernquist,  ///< rho = M a / (2 pi r (r + a)^3)
    disc,       ///< an exponential disc of scale length a, its mass spread over spheres
  };
  Profile profile = Profile::plummer;
  double mass = 1.0;    ///< M [mass]
  double radius = 1.0;  ///< a [length]

  /// Mass within r [mass].
  [[nodiscard]] double within(double r) const;
  /// -phi / G at r [mass / length].
  [[nodiscard]] double depth(double r) const;
  /// Density at r > 0 and its first two derivatives.
  struct Density {
    double rho, slope, curvature;
  };
  [[nodiscard]] Density density(double r) const;
  /// The radius that holds this part of the mass, below 1 [length]. @pre no disc
  [[nodiscard]] double radius_of(double part) const;
};

/// The distribution function of one mass, with the same speeds in all directions, in the potential of several.
///
///     f(E) = 1 / (sqrt(8) pi^2) int_0^E d^2 rho / d psi^2 / sqrt(E - psi) d psi,   psi = -phi,  E = psi - v^2/2
///
/// @see Eddington (1916), MNRAS 76, 572; Binney & Tremaine (2008), Galactic Dynamics, eq. 4.46b
class IsotropicSphere {
 public:
  /// @param all  that attract, `own` among them
  /// @param G    [length^3 mass^-1 time^-2]
  IsotropicSphere(const SphericalMass& own, std::span<const SphericalMass> all, double G);

  /// f at E > 0 [mass length^-3 velocity^-3], from a table for circles of 1e-4 to 1e5 radii.
  [[nodiscard]] double distribution(double E) const;
  /// -phi [specific energy].
  [[nodiscard]] double psi(double r) const;
  /// The speed below which this part of the bodies at r are, between 0 and 1 [velocity].
  [[nodiscard]] double speed(double r, double part) const;

 private:
  [[nodiscard]] double integral(double r) const;

  SphericalMass own_;
  std::vector<SphericalMass> all_;
  double G_;
  std::vector<double> E_, log_f_;  // ascending in E
};

/// Bodies of one mass in equilibrium, as random numbers of a seed say. Two after each other are opposite, in place and
/// velocity, so that the centre of mass rests. Radii are spread evenly over the mass, and speeds and their directions
/// by a sequence that fills them evenly: then half-mass radii are less noisy than those of independent numbers.
class SphereOfBodies {
 public:
  /// @param cut  radius beyond which there is nothing [length]
  SphereOfBodies(const SphericalMass& own, std::span<const SphericalMass> all, double G, double cut, std::uint64_t n,
                 std::uint64_t seed);
  struct Body {
    base::Vec3 x, v;
  };
  /// The body of this number, below n, about a centre at rest.
  [[nodiscard]] Body operator[](std::uint64_t number) const;
  /// Of each body [mass].
  [[nodiscard]] double body_mass() const { return mass_.mass * within_ / static_cast<double>(n_); }
  /// Of all [mass].
  [[nodiscard]] double total() const { return mass_.mass * within_; }

 private:
  SphericalMass mass_;
  IsotropicSphere speeds_;
  std::uint64_t n_, seed_;
  double within_;  // part of the mass
};

}  // namespace tacit::sph
