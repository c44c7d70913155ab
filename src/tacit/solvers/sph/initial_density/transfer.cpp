// The fits of Eisenstein & Hu (1998), in their symbols.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/initial_density/transfer.hpp"

#include <cmath>
#include <numbers>

#include "tacit/base/error.hpp"

namespace tacit::sph {
namespace {

constexpr double square(double x) noexcept { return x * x; }
constexpr double cube(double x) noexcept { return x * x * x; }

/// Eq. (15).
double suppression(double y) {
  const double root = std::sqrt(1.0 + y);
  return y * (-6.0 * root + (2.0 + 3.0 * y) * std::log((root + 1.0) / (root - 1.0)));
}

}  // namespace

WigglyTransfer::WigglyTransfer(const MatterContents& contents) {
  TACIT_EXPECT(contents.omega_b > 0.0 && contents.omega_b < contents.omega_m);
  const double matter = contents.omega_m * square(contents.h);
  const double baryons = contents.omega_b * square(contents.h);
  const double theta2 = square(contents.cmb_temperature / 2.7);
  const double theta4 = square(theta2);
  f_b_ = contents.omega_b / contents.omega_m;
  const double f_c = 1.0 - f_b_;

  const double z_eq = 2.5e4 * matter / theta4;  // (2)
  k_eq_ = 7.46e-2 * matter / theta2;            // (3)
  const double b1_drag = 0.313 * std::pow(matter, -0.419) * (1.0 + 0.607 * std::pow(matter, 0.674));
  const double b2_drag = 0.238 * std::pow(matter, 0.223);
  const double z_drag = 1291.0 * std::pow(matter, 0.251) / (1.0 + 0.659 * std::pow(matter, 0.828)) *
                        (1.0 + b1_drag * std::pow(baryons, b2_drag));                   // (4)
  const auto ratio = [&](double z) { return 31.5 * baryons / theta4 * (1000.0 / z); };  // (5)
  const double R_drag = ratio(z_drag);
  const double R_eq = ratio(z_eq);
  s_ = 2.0 / (3.0 * k_eq_) * std::sqrt(6.0 / R_eq) *
       std::log((std::sqrt(1.0 + R_drag) + std::sqrt(R_drag + R_eq)) / (1.0 + std::sqrt(R_eq)));              // (6)
  k_silk_ = 1.6 * std::pow(baryons, 0.52) * std::pow(matter, 0.73) * (1.0 + std::pow(10.4 * matter, -0.95));  // (7)

  const double a1 = std::pow(46.9 * matter, 0.670) * (1.0 + std::pow(32.1 * matter, -0.532));
  const double a2 = std::pow(12.0 * matter, 0.424) * (1.0 + std::pow(45.0 * matter, -0.582));
  alpha_c_ = std::pow(a1, -f_b_) * std::pow(a2, -cube(f_b_));  // (11)
  const double b1 = 0.944 / (1.0 + std::pow(458.0 * matter, -0.708));
  const double b2 = std::pow(0.395 * matter, -0.0266);
  beta_c_ = 1.0 / (1.0 + b1 * (std::pow(f_c, b2) - 1.0));  // (12)

  alpha_b_ = 2.07 * k_eq_ * s_ * std::pow(1.0 + R_drag, -0.75) * suppression((1.0 + z_eq) / (1.0 + z_drag));  // (14)
  beta_node_ = 8.41 * std::pow(matter, 0.435);                                                                // (23)
  beta_b_ = 0.5 + f_b_ + (3.0 - 2.0 * f_b_) * std::sqrt(square(17.2 * matter) + 1.0);                         // (24)
}

/// Eqs. (10), (19) and (20).
double WigglyTransfer::shape(double q, double alpha, double beta) const noexcept {
  const double L = std::log(std::numbers::e + 1.8 * beta * q);
  const double C = 14.2 / alpha + 386.0 / (1.0 + 69.9 * std::pow(q, 1.08));
  return L / (L + C * q * q);
}

double WigglyTransfer::operator()(double k) const noexcept {
  const double q = k / (13.41 * k_eq_);  // (10)
  const double ks = k * s_;
  const double f = 1.0 / (1.0 + square(square(ks / 5.4)));                                  // (18)
  const double T_c = f * shape(q, 1.0, beta_c_) + (1.0 - f) * shape(q, alpha_c_, beta_c_);  // (17)
  const double s_effective = s_ / std::cbrt(1.0 + cube(beta_node_ / ks));                   // (22)
  const double x = k * s_effective;
  const double bessel = x > 1e-4 ? std::sin(x) / x : 1.0 - x * x / 6.0;
  const double T_b = (shape(q, 1.0, 1.0) / (1.0 + square(ks / 5.2)) +
                      alpha_b_ / (1.0 + cube(beta_b_ / ks)) * std::exp(-std::pow(k / k_silk_, 1.4))) *
                     bessel;               // (21)
  return f_b_ * T_b + (1.0 - f_b_) * T_c;  // (16)
}

SmoothTransfer::SmoothTransfer(const MatterContents& contents)
    : contents_(contents), theta2_(square(contents.cmb_temperature / 2.7)) {
  const double matter = contents.omega_m * square(contents.h);
  const double baryons = contents.omega_b * square(contents.h);
  const double f_b = contents.omega_b / contents.omega_m;
  s_ = 44.5 * std::log(9.83 / matter) / std::sqrt(1.0 + 10.0 * std::pow(baryons, 0.75));                 // (26)
  alpha_ = 1.0 - 0.328 * std::log(431.0 * matter) * f_b + 0.38 * std::log(22.3 * matter) * square(f_b);  // (31)
}

double SmoothTransfer::operator()(double k) const noexcept {
  const double gamma =
      contents_.omega_m * contents_.h * (alpha_ + (1.0 - alpha_) / (1.0 + square(square(0.43 * k * s_))));  // (30)
  const double q = k / contents_.h * theta2_ / gamma;                                                       // (28)
  const double L = std::log(2.0 * std::numbers::e + 1.8 * q);
  const double C = 14.2 + 731.0 / (1.0 + 62.5 * q);
  return L / (L + C * q * q);  // (29)
}

}  // namespace tacit::sph
