// Friedmann's equation, its integrals, and linear growth.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/cosmology/cosmology.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "tacit/base/error.hpp"

namespace tacit::sph {
namespace {

/// Abscissas on (0, 1) and weights of Gauss and Legendre, of 8 points, those of the upper half.
struct GaussPoint {
  double x, weight;
};
constexpr std::array<GaussPoint, 4> gauss_points{{{0.1834346424956498, 0.3626837833783620},
                                                  {0.5255324099163290, 0.3137066458778873},
                                                  {0.7966664774136267, 0.2223810344533745},
                                                  {0.9602898564975363, 0.1012285362903763}}};

template <class F>
double gauss(double low, double high, const F& f) {
  const double middle = 0.5 * (low + high);
  const double half = 0.5 * (high - low);
  double sum = 0.0;
  for (const auto& [x, weight] : gauss_points) sum += weight * (f(middle - half * x) + f(middle + half * x));
  return half * sum;
}

/// The integral of f from a to a + da, on intervals that grow with a as the powers do of which f is made.
template <class F>
double integral(double a, double da, const F& f) {
  constexpr double most_growth = 0.223;  // ln 1.25
  const double growth = std::log1p(da / a);
  if (std::abs(growth) <= most_growth) return gauss(a, a + da, f);
  const double intervals = std::ceil(std::abs(growth) / most_growth);
  const double ratio = std::exp(growth / intervals);
  double sum = 0.0;
  double low = a;
  for (double k = 1.0; k <= intervals; ++k) {
    const double high = k < intervals ? low * ratio : a + da;
    sum += gauss(low, high, f);
    low = high;
  }
  return sum;
}

}  // namespace

/// Dark energy, as a part of the critical density of today.
double Cosmology::dark_energy(double a) const noexcept {
  if (w0 == -1.0 && wa == 0.0) return omega_lambda;
  return omega_lambda * (std::pow(a, -3.0 * (1.0 + w0 + wa)) * std::exp(-3.0 * wa * (1.0 - a)));
}

double Cosmology::expansion2(double a) const noexcept {
  const double inverse = 1.0 / a;
  return ((omega_r * inverse + omega_m) * inverse + omega_k()) * inverse * inverse + dark_energy(a);
}

double Cosmology::hubble(double a) const noexcept { return H0 * std::sqrt(expansion2(a)); }

double Cosmology::hubble_slope(double a) const noexcept {
  const double inverse = 1.0 / a;
  double slope = ((-4.0 * omega_r * inverse - 3.0 * omega_m) * inverse - 2.0 * omega_k()) * inverse * inverse;
  slope -= 3.0 * (1.0 + w0 + wa * (1.0 - a)) * dark_energy(a);
  return 0.5 * slope / expansion2(a);
}

double Cosmology::age(double a) const noexcept {
  constexpr double nothing = 0x1p-50;  // the age goes with a power of 1.5 or more of a: before that it is rounding
  return integral(nothing * a, a * (1.0 - nothing), [this](double s) { return 1.0 / (s * hubble(s)); });
}

double Cosmology::light_time(double a) const noexcept {
  return integral(a, 1.0 - a, [this](double s) { return 1.0 / (s * s * hubble(s)); });
}

double Cosmology::transverse_distance(double a) const noexcept {
  const double straight = light_time(a);
  // What is left of four numbers that are meant to add up to 1 is no curvature.
  constexpr double rounding = 1e-12;
  if (std::abs(omega_k()) < rounding) return straight;
  const double root = std::sqrt(std::abs(omega_k())) * H0;
  return (omega_k() > 0.0 ? std::sinh(root * straight) : std::sin(root * straight)) / root;
}

double Cosmology::drift_time(double a, double da) const noexcept {
  return integral(a, da, [this](double s) { return 1.0 / (s * s * s * hubble(s)); });
}

double Cosmology::growth_within(double a, double dtau, double most) const noexcept {
  const double farthest = std::min(most, a);  // twice as large: steps are much shorter
  if (drift_time(a, farthest) <= dtau) return farthest;
  double da = std::min(dtau * a * a * a * hubble(a), farthest);
  for (int k = 0; k < 50; ++k) {  // Newton's steps, from a function that bends one way: some four suffice
    const double there = a + da;
    const double change = (dtau - drift_time(a, da)) * there * there * there * hubble(there);
    da = std::clamp(da + change, 0.0, farthest);
    if (std::abs(change) <= 1e-15 * da) break;
  }
  return da;
}

double Cosmology::critical_density(double G) const noexcept { return 3.0 * H0 * H0 / (8.0 * std::numbers::pi * G); }

Growth growth(const Cosmology& cosmology, double a) {
  constexpr double first = 1e-7;
  constexpr double per_e_fold = 100.0;
  TACIT_EXPECT(a > 10.0 * first);
  // Amidst radiation matter grows with a + 2/3 of the a at which both are equal (Meszaros 1974, A&A 37, 225); what it
  // drives at second order follows from that amidst radiation, and amidst matter alone.
  using State = std::array<double, 4>;
  const double equal = cosmology.omega_r / cosmology.omega_m;
  State d{first + 2.0 / 3.0 * equal, first, -3.0 / 7.0 * first * first - 2.0 / 3.0 * first * equal,
          -6.0 / 7.0 * first * first - 2.0 / 3.0 * first * equal};
  const auto rate = [&cosmology](double ln_a, const State& at) {
    const double s = std::exp(ln_a);
    const double attraction = 1.5 * cosmology.matter_part(s);
    const double drag = 2.0 + cosmology.hubble_slope(s);
    return State{at[1], attraction * at[0] - drag * at[1], at[3], attraction * (at[2] - at[0] * at[0]) - drag * at[3]};
  };
  const auto moved = [](State from, double by, const State& along) {
    for (std::size_t i = 0; i < from.size(); ++i) from[i] += by * along[i];
    return from;
  };
  const double begin = std::log(first);
  const double steps = std::ceil(per_e_fold * (std::log(a) - begin));
  const double dx = (std::log(a) - begin) / steps;
  for (double k = 0.0; k < steps; ++k) {  // Runge and Kutta's four
    const double x = begin + k * dx;
    const State k1 = rate(x, d);
    const State k2 = rate(x + 0.5 * dx, moved(d, 0.5 * dx, k1));
    const State k3 = rate(x + 0.5 * dx, moved(d, 0.5 * dx, k2));
    const State k4 = rate(x + dx, moved(d, dx, k3));
    for (std::size_t i = 0; i < d.size(); ++i) d[i] += dx / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
  }
  return {{d[0], d[1] / d[0]}, {d[2], d[3] / d[2]}};
}

}  // namespace tacit::sph
