// Distribution functions of spheres by Eddington's formula, and bodies that follow them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/setups/equilibrium.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tacit/base/error.hpp"
#include "tacit/solvers/sph/setups/bodies.hpp"

namespace tacit::sph {
namespace {

using Profile = SphericalMass::Profile;
constexpr double pi = std::numbers::pi;

}  // namespace

double SphericalMass::within(double r) const {
  const double x = r / radius;
  switch (profile) {
    case Profile::plummer:
      return mass * std::pow(x / std::sqrt(1.0 + x * x), 3);
    case Profile::hernquist:
      return mass * std::pow(x / (1.0 + x), 2);
    case Profile::disc:
      break;
  }
  return x < 1e-4 ? 0.5 * mass * x * x : mass * (-std::expm1(-x) - x * std::exp(-x));
}

double SphericalMass::depth(double r) const {
  const double x = r / radius;
  switch (profile) {
    case Profile::plummer:
      return mass / (radius * std::sqrt(1.0 + x * x));
    case Profile::hernquist:
      return mass / (radius * (1.0 + x));
    case Profile::disc:
      break;
  }
  return x > 0.0 ? mass / radius * (-std::expm1(-x) / x) : mass / radius;
}

SphericalMass::Density SphericalMass::density(double r) const {
  const double x = r / radius;
  const double a = radius;
  if (profile == Profile::plummer) {
    const double s = 1.0 + x * x;
    const double rho = 3.0 * mass / (4.0 * pi * a * a * a) * std::pow(s, -2.5);
    return {rho, -5.0 * rho * x / (s * a), 5.0 * rho * (6.0 * x * x - 1.0) / (s * s * a * a)};
  }
  if (profile == Profile::hernquist) {
    const double rho = mass / (2.0 * pi * a * a * a) / (x * std::pow(1.0 + x, 3));
    const double steepness = 1.0 / x + 3.0 / (1.0 + x);
    return {rho, -rho * steepness / a,
            rho * (steepness * steepness + 1.0 / (x * x) + 3.0 / ((1.0 + x) * (1.0 + x))) / (a * a)};
  }
  const double rho = mass / (4.0 * pi * a * a * a) * std::exp(-x) / x;
  const double steepness = 1.0 + 1.0 / x;
  return {rho, -rho * steepness / a, rho * (steepness * steepness + 1.0 / (x * x)) / (a * a)};
}

double SphericalMass::radius_of(double part) const {
  TACIT_EXPECT(profile != Profile::disc && part >= 0.0 && part < 1.0);
  if (profile == Profile::hernquist) return radius * std::sqrt(part) / (1.0 - std::sqrt(part));
  const double s = std::cbrt(part);
  return radius * s / std::sqrt(1.0 - s * s);
}

IsotropicSphere::IsotropicSphere(const SphericalMass& own, std::span<const SphericalMass> all, double G)
    : own_(own), all_(all.begin(), all.end()), G_(G) {
  constexpr int points = 512;
  for (int k = points; k-- > 0;) {
    const double r = own.radius * std::pow(10.0, 9.0 * k / (points - 1.0) - 4.0);
    // Where a companion is so dense that no isotropic orbits give the density, f would be negative.
    const double f = std::max(integral(r), 1e-300) / (std::sqrt(8.0) * pi * pi);
    E_.push_back(psi(r));
    log_f_.push_back(std::log(f));
  }
}

double IsotropicSphere::psi(double r) const {
  double sum = 0.0;
  for (const SphericalMass& mass : all_) sum += mass.depth(r);
  return G_ * sum;
}

/// int d^2 rho / d psi^2 / sqrt(E - psi) d psi up to E = psi(r), over ln(r' / r) = w^2: smooth at its begin.
double IsotropicSphere::integral(double r) const {
  constexpr int points = 400;
  const double last = std::sqrt(std::log(1e7 * std::max(1.0, own_.radius / r)));
  const double E = psi(r);
  double sum = 0.0;
  for (int k = 0; k < points; ++k) {
    const double w = (k + 0.5) * last / points;
    const double there = r * std::exp(w * w);
    double mass = 0.0;
    double rho = 0.0;
    for (const SphericalMass& part : all_) {
      mass += part.within(there);
      rho += part.density(there).rho;
    }
    const double psi_1 = -G_ * mass / (there * there);
    const double psi_2 = 2.0 * G_ * mass / (there * there * there) - 4.0 * pi * G_ * rho;
    const auto [own, own_1, own_2] = own_.density(there);
    const double second = (own_2 * psi_1 - own_1 * psi_2) / (psi_1 * psi_1 * psi_1);
    // d psi = psi' dr, dr = 2 w r' dw
    sum += second * -psi_1 * 2.0 * w * there / std::sqrt(std::max(E - psi(there), 1e-300));
  }
  return sum * last / points;
}

double IsotropicSphere::distribution(double E) const {
  if (E <= E_.front()) return 0.0;
  if (E >= E_.back()) return std::exp(log_f_.back());
  const auto above = std::ranges::upper_bound(E_, E);
  const auto k = static_cast<std::size_t>(above - E_.begin());
  const double part = (E - E_[k - 1]) / (E_[k] - E_[k - 1]);
  return std::exp(log_f_[k - 1] + part * (log_f_[k] - log_f_[k - 1]));
}

/// The distribution of speeds is v^2 f(psi - v^2/2).
double IsotropicSphere::speed(double r, double part) const {
  constexpr int points = 192;
  const double depth = psi(r);
  const double escape = std::sqrt(2.0 * depth);
  std::array<double, points + 1> v{};
  std::array<double, points + 1> below{};
  double density_before = 0.0;
  for (int k = 1; k <= points; ++k) {
    // Dense at low speeds, which are all that there are near a cusp.
    v[static_cast<std::size_t>(k)] = escape * std::pow(static_cast<double>(k) / points, 3);
    const double at = v[static_cast<std::size_t>(k)];
    const double density = at * at * distribution(depth - 0.5 * at * at);
    const auto i = static_cast<std::size_t>(k);
    below[i] = below[i - 1] + 0.5 * (density + density_before) * (v[i] - v[i - 1]);
    density_before = density;
  }
  const double wanted = part * below.back();
  const auto above = std::upper_bound(below.begin() + 1, below.end() - 1, wanted);
  const auto k = static_cast<std::size_t>(above - below.begin());
  const double width = below[k] - below[k - 1];
  return v[k - 1] + (width > 0.0 ? (wanted - below[k - 1]) / width : 0.5) * (v[k] - v[k - 1]);
}

SphereOfBodies::SphereOfBodies(const SphericalMass& own, std::span<const SphericalMass> all, double G, double cut,
                               std::uint64_t n, std::uint64_t seed)
    : mass_(own), speeds_(own, all, G), n_(n), seed_(seed), within_(own.within(cut) / own.mass) {}

SphereOfBodies::Body SphereOfBodies::operator[](std::uint64_t number) const {
  const std::uint64_t pair = number / 2;
  const auto pairs = static_cast<double>((n_ + 1) / 2);
  Draws draws(seed_, pair);
  Draws begin(seed_, ~std::uint64_t{0});  // of the sequences
  // The fractional parts of k / phi and k / phi^2, phi^3 = phi + 1, fill a square evenly: Roberts (2018).
  constexpr double phi = 1.32471795724474602596;
  const auto k = static_cast<double>(pair);
  const auto spread = [k](double first, double step) {
    const double sum = first + k * step;
    return sum - std::floor(sum);
  };
  const double part_of_speeds = spread(begin(), 1.0 / phi);
  const double cosine = 2.0 * spread(begin(), 1.0 / (phi * phi)) - 1.0;
  const double r = mass_.radius_of(within_ * (k + draws()) / pairs);
  const base::Vec3 along = draws.direction(1.0);
  const base::Vec3 any = draws.direction(1.0);
  const base::Vec3 across = any - dot(any, along) * along;
  const double v = speeds_.speed(r, part_of_speeds);
  const double sine = std::sqrt(1.0 - cosine * cosine);
  const double sign = number % 2 == 0 ? 1.0 : -1.0;
  return {sign * r * along, sign * v * (cosine * along + sine / norm(across) * across)};
}

}  // namespace tacit::sph
