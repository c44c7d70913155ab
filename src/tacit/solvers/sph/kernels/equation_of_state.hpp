// Equations of state: the ideal gas in terms of density and entropic function, and gases without a heat of their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

namespace tacit::sph::kernels {

/// rho^gamma. Cube roots cost half of what powers cost, and most gas is monatomic.
[[nodiscard]] inline double density_power(double rho, double gamma) noexcept {
  if (gamma != 5.0 / 3.0) return std::pow(rho, gamma);
  const double root = std::cbrt(rho);
  return rho * root * root;
}

/// P = A rho^gamma [pressure].
[[nodiscard]] inline double pressure(double A, double rho, double gamma) noexcept {
  return A * density_power(rho, gamma);
}

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

/// How the pressure follows from the state of the gas.
///
/// A barotropic gas keeps no heat of its own: a bath sets its temperature by the density. It is isothermal where it is
/// thin, with the sound speed c0, and stiff like an ideal gas beyond rho_c; with rho_c infinite it is isothermal.
struct EquationOfState {
  enum class Kind { ideal, barotropic };
  Kind kind = Kind::ideal;
  double c0 = 0.0;                                         ///< isothermal sound speed [velocity]
  double rho_c = std::numeric_limits<double>::infinity();  ///< density from which it stiffens [density]
};

/// (rho / rho_c)^(gamma - 1): how much of the pressure of a barotropic gas is beyond the isothermal one.
[[nodiscard]] inline double stiffening(const EquationOfState& gas, double rho, double gamma) noexcept {
  return std::pow(rho / gas.rho_c, gamma - 1.0);
}

/// P = A rho^gamma, or P = rho c0^2 (1 + (rho / rho_c)^(gamma - 1)) [pressure].
[[nodiscard]] inline double pressure(const EquationOfState& gas, double A, double rho, double gamma) noexcept {
  if (gas.kind == EquationOfState::Kind::ideal) return pressure(A, rho, gamma);
  return rho * gas.c0 * gas.c0 * (1.0 + stiffening(gas, rho, gamma));
}

/// c^2 = dP/drho at constant entropy [velocity].
[[nodiscard]] inline double sound_speed(const EquationOfState& gas, double P, double rho, double gamma) noexcept {
  if (gas.kind == EquationOfState::Kind::ideal) return sound_speed(P, rho, gamma);
  return gas.c0 * std::sqrt(1.0 + gamma * stiffening(gas, rho, gamma));
}

/// u = P / ((gamma - 1) rho): the heat in the gas [specific energy].
[[nodiscard]] inline double internal_energy(const EquationOfState& gas, double A, double rho, double gamma) noexcept {
  if (gas.kind == EquationOfState::Kind::ideal) return internal_energy(A, rho, gamma);
  return pressure(gas, A, rho, gamma) / ((gamma - 1.0) * rho);
}

/// What the bath has taken from a gas that was compressed from rho_0 to rho [specific energy]: with it the energy of a
/// barotropic gas is conserved but for what shocks dissipate.
///
///     u + c0^2 ln(rho / rho_0) = const + int P / rho^2 drho
[[nodiscard]] inline double bath_energy(const EquationOfState& gas, double rho, double rho_0) noexcept {
  return gas.kind == EquationOfState::Kind::ideal ? 0.0 : gas.c0 * gas.c0 * std::log(rho / rho_0);
}

}  // namespace tacit::sph::kernels
