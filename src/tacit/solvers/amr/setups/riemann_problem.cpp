// Solves Riemann problems of an ideal gas.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/setups/riemann_problem.hpp"

#include <algorithm>
#include <cmath>

namespace tacit::amr {
namespace {

double sound_of(const TubeState& state, double gamma) { return std::sqrt(gamma * state.P / state.rho); }

/// By how much the velocity changes across the wave that joins a state to the pressure P: a shock if P is higher.
double jump_of_velocity(const TubeState& state, double P, double gamma) {
  if (P > state.P) {
    const double A = 2.0 / ((gamma + 1.0) * state.rho);
    const double B = (gamma - 1.0) / (gamma + 1.0) * state.P;
    return (P - state.P) * std::sqrt(A / (P + B));
  }
  return 2.0 * sound_of(state, gamma) / (gamma - 1.0) * (std::pow(P / state.P, (gamma - 1.0) / (2.0 * gamma)) - 1.0);
}

/// Right of the contact, where x / t = speed is at least u_star.
TubeState right_of_contact(const TubeState& state, double speed, double P_star, double u_star, double gamma) {
  const double c = sound_of(state, gamma);
  const double k = (gamma - 1.0) / (gamma + 1.0);
  const double ratio = P_star / state.P;
  if (P_star > state.P) {
    const double shock = state.u + c * std::sqrt((gamma + 1.0) / (2.0 * gamma) * ratio + (gamma - 1.0) / (2.0 * gamma));
    if (speed >= shock) return state;
    return {state.rho * (ratio + k) / (k * ratio + 1.0), u_star, P_star};
  }
  if (speed >= state.u + c) return state;
  const double c_star = c * std::pow(ratio, (gamma - 1.0) / (2.0 * gamma));
  if (speed <= u_star + c_star) return {state.rho * std::pow(ratio, 1.0 / gamma), u_star, P_star};
  const double inside = 2.0 / (gamma + 1.0) - k / c * (state.u - speed);  // c there over c
  return {state.rho * std::pow(inside, 2.0 / (gamma - 1.0)),
          2.0 / (gamma + 1.0) * (-c + 0.5 * (gamma - 1.0) * state.u + speed),
          state.P * std::pow(inside, 2.0 * gamma / (gamma - 1.0))};
}

TubeState mirrored(const TubeState& state) { return {state.rho, -state.u, state.P}; }

}  // namespace

bool RiemannProblem::has_vacuum(const TubeState& left, const TubeState& right, double gamma) {
  return 2.0 * (sound_of(left, gamma) + sound_of(right, gamma)) / (gamma - 1.0) <= right.u - left.u;
}

/// The pressure at which both waves give one velocity: bisection of its logarithm, of which the gap is a monotonic
/// function, until no double is between.
RiemannProblem::RiemannProblem(const TubeState& left, const TubeState& right, double gamma)
    : left_(left), right_(right), gamma_(gamma) {
  const auto gap = [&](double P) {
    return jump_of_velocity(left, P, gamma) + jump_of_velocity(right, P, gamma) + (right.u - left.u);
  };
  double high = std::max(left.P, right.P);
  while (gap(high) < 0.0) high *= 2.0;
  double low = std::min(left.P, right.P);
  while (gap(low) > 0.0 && low > 1e-300) low *= 0.5;
  for (int halving = 0; halving < 200; ++halving) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    (gap(middle) < 0.0 ? low : high) = middle;
  }
  P_star_ = std::sqrt(low) * std::sqrt(high);
  u_star_ =
      0.5 * ((left.u + right.u) + (jump_of_velocity(right, P_star_, gamma) - jump_of_velocity(left, P_star_, gamma)));
}

TubeState RiemannProblem::at(double speed) const {
  if (speed >= u_star_) return right_of_contact(right_, speed, P_star_, u_star_, gamma_);
  return mirrored(right_of_contact(mirrored(left_), -speed, P_star_, -u_star_, gamma_));
}

}  // namespace tacit::amr
