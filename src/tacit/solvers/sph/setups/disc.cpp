// Rotation curve, frequencies and dispersions of an exponential disc between spheres.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/setups/disc.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tacit/base/error.hpp"

namespace tacit::sph {

DiscModel::DiscModel(const Shape& shape, std::span<const SphericalMass> spheres, double G)
    : shape_(shape), spheres_(spheres.begin(), spheres.end()), G_(G), reference_(2.5 * shape.radius) {
  constexpr double toomre = 3.36;
  sigma_ = shape_.Q * toomre * G_ * surface_density(reference_) / epicyclic_frequency(reference_);
}

/// That of a disc without thickness, and of the spheres.
double DiscModel::circular_speed(double R) const {
  const double y = 0.5 * R / shape_.radius;
  double v2 = 0.0;
  if (y < 50.0) {
    const double bessel =
        std::cyl_bessel_i(0.0, y) * std::cyl_bessel_k(0.0, y) - std::cyl_bessel_i(1.0, y) * std::cyl_bessel_k(1.0, y);
    v2 = 2.0 * G_ * shape_.mass / shape_.radius * y * y * bessel;
  } else {
    v2 = G_ * shape_.mass / R;
  }
  for (const SphericalMass& sphere : spheres_) v2 += G_ * sphere.within(R) / R;
  return std::sqrt(v2);
}

/// kappa^2 = 2 Omega (2 Omega + R dOmega/dR)
double DiscModel::epicyclic_frequency(double R) const {
  constexpr double step = 1e-3;  // of R: errs by its square
  const double omega = circular_speed(R) / R;
  const double outside = circular_speed(R * (1.0 + step)) / (R * (1.0 + step));
  const double inside = circular_speed(R * (1.0 - step)) / (R * (1.0 - step));
  const double kappa2 = 2.0 * omega * (2.0 * omega + (outside - inside) / (2.0 * step));
  return std::sqrt(std::max(kappa2, omega * omega));  // of a point mass, at least
}

double DiscModel::surface_density(double R) const {
  const double a = shape_.radius;
  return shape_.mass / (2.0 * std::numbers::pi * a * a) * std::exp(-R / a);
}

DiscModel::Velocities DiscModel::at(double R) const {
  const double v_c = circular_speed(R);
  const double ratio = std::min(1.0, 0.5 * epicyclic_frequency(R) * R / v_c);  // kappa / (2 Omega)
  // Towards the centre dispersions stay below the speed of the circle, or there would be no disc.
  const double wanted = sigma_ * std::exp(0.5 * (reference_ - R) / shape_.radius);
  const double radial = std::min(wanted, v_c);
  const double mean2 = v_c * v_c + radial * radial * (1.0 - ratio * ratio - 2.0 * R / shape_.radius);
  return {.rotation = std::sqrt(std::max(mean2, 0.0)),
          .radial = radial,
          .azimuthal = radial * ratio,
          .vertical = std::sqrt(std::numbers::pi * G_ * surface_density(R) * shape_.thickness)};
}

/// M(R) / M = 1 - (1 + x) e^-x, x = R / R_d, by bisection.
double DiscModel::radius_of(double part) const {
  TACIT_EXPECT(part >= 0.0 && part < 1.0);
  double low = 0.0;
  double high = 1.0;
  const auto within = [](double x) { return -std::expm1(-x) - x * std::exp(-x); };
  while (within(high) < part) high *= 2.0;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (within(middle) < part ? low : high) = middle;
  }
  return 0.5 * (low + high) * shape_.radius;
}

}  // namespace tacit::sph
