// The ideal gas in terms of density and entropic function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace tacit::sph::kernels {

/// P = A rho^gamma [pressure].
[[nodiscard]] inline double pressure(double A, double rho, double gamma) noexcept { return A * std::pow(rho, gamma); }

/// u = A rho^(gamma - 1) / (gamma - 1) [specific energy].
[[nodiscard]] inline double internal_energy(double A, double rho, double gamma) noexcept {
  return A * std::pow(rho, gamma - 1.0) / (gamma - 1.0);
}

/// A = (gamma - 1) u rho^(1 - gamma), the inverse of internal_energy.
[[nodiscard]] inline double entropic_function(double u, double rho, double gamma) noexcept {
  return (gamma - 1.0) * u * std::pow(rho, 1.0 - gamma);
}

/// c = sqrt(gamma P / rho) [velocity].
[[nodiscard]] inline double sound_speed(double P, double rho, double gamma) noexcept {
  return std::sqrt(gamma * P / rho);
}

}  // namespace tacit::sph::kernels
