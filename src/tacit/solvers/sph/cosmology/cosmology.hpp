// The background: a universe of matter, radiation, curvature and dark energy, and how it expands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacit::sph {

/// A Friedmann universe, as a function of its scale factor a, which is 1 today:
///
///     H(a) = H0 E(a)
///     E^2  = Omega_r a^-4 + Omega_m a^-3 + Omega_k a^-2 + Omega_L a^(-3 (1 + w0 + wa)) exp(-3 wa (1 - a))
///
/// with Omega_k = 1 - Omega_m - Omega_L - Omega_r, and dark energy of pressure over density w = w0 + wa (1 - a).
///
/// Integrals are those of Gauss, of 8 points on intervals in which a grows by a quarter at most: exact but for
/// rounding.
/// @see Hogg (1999), arXiv:astro-ph/9905116 (distances); Linder (2003), Phys. Rev. Lett. 90, 091301 (w0, wa)
struct Cosmology {
  double H0 = 1.0;  ///< [time^-1]
  double h = 0.7;   ///< H0 over 100 km/s/Mpc
  double omega_m = 0.3;
  double omega_lambda = 0.7;
  double omega_r = 0.0;
  double omega_b = 0.0;  ///< of gas, a part of omega_m
  double w0 = -1.0;
  double wa = 0.0;

  [[nodiscard]] double omega_k() const noexcept { return 1.0 - omega_m - omega_lambda - omega_r; }
  /// E^2, which is below 0 where no such universe has ever been or will ever be of that size.
  [[nodiscard]] double expansion2(double a) const noexcept;
  /// H [time^-1]. @pre expansion2(a) > 0
  [[nodiscard]] double hubble(double a) const noexcept;
  /// d ln H / d ln a.
  [[nodiscard]] double hubble_slope(double a) const noexcept;
  /// Omega_m of that time.
  [[nodiscard]] double matter_part(double a) const noexcept { return omega_m / (a * a * a * expansion2(a)); }

  /// Time since a = 0: integral of da / (a H) [time].
  [[nodiscard]] double age(double a) const noexcept;

  /// The distance that light has gone from a until today, in today's lengths, over its speed: integral of da / (a^2 H)
  /// [time].
  [[nodiscard]] double light_time(double a) const noexcept;
  // The same over the speed of light [time]: of what stands across the line of sight, in today's lengths; of an angle;
  // of a brightness.
  [[nodiscard]] double transverse_distance(double a) const noexcept;
  [[nodiscard]] double angular_diameter_distance(double a) const noexcept { return a * transverse_distance(a); }
  [[nodiscard]] double luminosity_distance(double a) const noexcept { return transverse_distance(a) / a; }

  /// The time in which particles drift, dtau = dt / a^2, from a to a + da: integral of da / (a^3 H) [time].
  [[nodiscard]] double drift_time(double a, double da) const noexcept;
  /// By how much a grows from `a` on while particles drift for dtau; but no more than `most`, nor infinitely much.
  [[nodiscard]] double growth_within(double a, double dtau, double most) const noexcept;

  /// The density that makes space flat today, 3 H0^2 / (8 pi G) [mass length^-3].
  [[nodiscard]] double critical_density(double G) const noexcept;

 private:
  [[nodiscard]] double dark_energy(double a) const noexcept;
};

/// How a small disturbance of the matter grows in a universe.
struct LinearGrowth {
  double D = 0.0;  ///< its amplitude; early, but after radiation has lost its hold, a
  double f = 0.0;  ///< d ln D / d ln a
};

/// Of first and of second order.
struct Growth {
  LinearGrowth linear;
  LinearGrowth second;  ///< below 0: of matter alone -3/7 of the square of the first
};

/// The growing solutions, where radiation and dark energy stay uniform:
///
///     D'' + (2 + d ln H / d ln a) D' = 3/2 Omega_m(a) D             ' = d / d ln a
///     D_2'' + (2 + d ln H / d ln a) D_2' = 3/2 Omega_m(a) (D_2 - D^2)
///
/// Cost: a hundred steps for each e-fold of a since 1e-7; an accuracy of 2e-9.
/// @pre a > 1e-6
/// @see Peebles (1980), The Large-Scale Structure of the Universe, section 10; Bouchet et al. (1995), A&A 296, 575
[[nodiscard]] Growth growth(const Cosmology& cosmology, double a);
[[nodiscard]] inline LinearGrowth linear_growth(const Cosmology& cosmology, double a) {
  return growth(cosmology, a).linear;
}

}  // namespace tacit::sph
