// Tabulates the self-similar solution of a point explosion.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/setups/blast_wave.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "tacit/base/error.hpp"

namespace tacit::amr {
namespace {

struct Similar {
  double lambda = 0.0;
  BlastState state;
};

/// By the parameter s in (0, 1], where A = (gamma + 1)/(gamma - 1) (gamma V - 1) is s^((2 gamma + 1)/(gamma - 1)), so
/// that lambda goes as s in the centre. With V = v / (D lambda), and B and C linear in V,
///
///     lambda^5 = (V (gamma + 1)/2)^-2 B^nu1 A^nu2        rho = rho0 (gamma + 1)/(gamma - 1) A^nu3 B^nu4 C^nu5
///     P = rho0 D^2 (gamma + 1)/2 (1 - V) V^2 lambda^2 (rho / rho0) / A
Similar similar_at(double s, double gamma) {
  const double g = gamma;
  const double nu1 = -(13.0 * g * g - 7.0 * g + 12.0) / ((3.0 * g - 1.0) * (2.0 * g + 1.0));
  const double nu2 = 5.0 * (g - 1.0) / (2.0 * g + 1.0);
  const double nu3 = 3.0 / (2.0 * g + 1.0);
  const double nu4 = -nu1 / (2.0 - g);
  const double nu5 = -2.0 / (2.0 - g);
  const double ln_A = (2.0 * g + 1.0) / (g - 1.0) * std::log(s);
  const double V = (1.0 + std::exp(ln_A) * (g - 1.0) / (g + 1.0)) / g;
  const double ln_B = std::log((g + 1.0) / (7.0 - g) * (5.0 - (3.0 * g - 1.0) * V));
  const double ln_C = std::log((g + 1.0) / (g - 1.0) * (1.0 - V));
  const double ln_lambda = 0.2 * (-2.0 * std::log(0.5 * (g + 1.0) * V) + nu1 * ln_B + nu2 * ln_A);
  const double ln_rho = std::log((g + 1.0) / (g - 1.0)) + nu3 * ln_A + nu4 * ln_B + nu5 * ln_C;
  const double lambda = std::exp(ln_lambda);
  return {
      lambda,
      {std::exp(ln_rho), V * lambda, 0.5 * (g + 1.0) * (1.0 - V) * V * V * std::exp(ln_rho - ln_A + 2.0 * ln_lambda)}};
}

}  // namespace

/// xi0 follows from the energy inside the shock, (4/25) 4 pi xi0^5 int (rho v^2 / 2 + P / (gamma - 1)) lambda^2 dlambda
/// = 1, by the trapezoidal rule in lambda.
BlastWave::BlastWave(double gamma) {
  TACIT_EXPECT(gamma > 1.0 && gamma < 2.0);
  constexpr std::size_t rows = 8192;
  double integral = 0.0;
  double before = 0.0;
  for (std::size_t row = 1; row <= rows; ++row) {
    const Similar one = similar_at(static_cast<double>(row) / static_cast<double>(rows), gamma);
    const double density_of_energy = 0.5 * one.state.rho * one.state.v * one.state.v + one.state.P / (gamma - 1.0);
    const double value = density_of_energy * one.lambda * one.lambda;
    integral += 0.5 * (value + before) * (one.lambda - (lambda_.empty() ? 0.0 : lambda_.back()));
    before = value;
    lambda_.push_back(one.lambda);
    states_.push_back(one.state);
  }
  xi0_ = std::pow(16.0 * std::numbers::pi / 25.0 * integral, -0.2);
}

double BlastWave::radius(double energy, double rho0, double time) const {
  return xi0_ * std::pow(energy * time * time / rho0, 0.2);
}

BlastState BlastWave::at(double lambda) const {
  if (lambda > 1.0) return {1.0, 0.0, 0.0};
  const auto next = static_cast<std::size_t>(std::ranges::lower_bound(lambda_, lambda) - lambda_.begin());
  if (next == lambda_.size()) return states_.back();
  const BlastState& high = states_[next];
  if (next == 0) return {high.rho, high.v * lambda / lambda_.front(), high.P};
  const BlastState& low = states_[next - 1];
  const double share = (lambda - lambda_[next - 1]) / (lambda_[next] - lambda_[next - 1]);
  return {low.rho + share * (high.rho - low.rho), low.v + share * (high.v - low.v), low.P + share * (high.P - low.P)};
}

}  // namespace tacit::amr
