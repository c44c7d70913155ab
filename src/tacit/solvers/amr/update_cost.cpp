// Counts the operations and bytes of kernels/gas.isa.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/update_cost.hpp"

namespace tacit::amr {
namespace {

constexpr double fields = kernels::variables;

/// Slopes of all variables: two differences, the limiter, a half.
double slope_flops(kernels::Limiter limiter) {
  const double of_limiter = limiter == kernels::Limiter::minmod ? 1.0 : 4.0;
  return fields * (3.0 + of_limiter);
}

/// Both have the speeds of the waves (31). hllc: masses and s 11, p 8, energy 9, the flux of one side 7, and behind the
/// wave 17. hll: energies 18, fluxes of both sides 14, the mean 44.
double flux_flops(kernels::Riemann riemann) { return riemann == kernels::Riemann::hll ? 107.0 : 83.0; }

}  // namespace

engine::UpdateCost update_cost(const AmrParameters& parameters) {
  const auto axes = static_cast<double>(parameters.domain.dimensions);
  // Of the face below the cell: slopes, the states on both sides, the flux; then the difference of fluxes, scaled.
  const double sweep = slope_flops(parameters.limiter) + 2.0 * fields + flux_flops(parameters.riemann) + 2.0 * fields;
  constexpr double to_primitive = 13.0;
  constexpr double look_at = 24.0;
  const double stage = to_primitive + axes * sweep + (axes - 1.0) * fields + look_at;
  constexpr double updates = fields * (2.0 + 4.0);  // U + dt rate, and the mean of that with the begin of the step
  // A sub-grid stays in cache through a stage: that reads the state and writes the next one; the second also reads the
  // first state again.
  constexpr double bytes = fields * 8.0 * (2.0 + 3.0);
  return {.flops = 2.0 * stage + updates, .bytes = bytes};
}

}  // namespace tacit::amr
