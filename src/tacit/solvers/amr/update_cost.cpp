// Counts the operations and bytes of kernels/gas.isa.cpp and parabolic.isa.cpp.
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

/// Of both faces' values of all variables: the interpolation 5, and the test of it 3; in the cell what is beyond 2,
/// whether it is an extremum 4, and how far it reaches 4. Then what keeps rho and p positive, 3 each, and the kinetic
/// energy 32. Extrema, where they are limited, take more.
constexpr double parabola_flops = fields * 18.0 + 6.0 + 32.0;

/// Both have the speeds of the waves (31). hllc: masses and s 11, p 8, energy 9, the flux of one side 7, and behind the
/// wave 17. hll: energies 18, fluxes of both sides 14, the mean 44.
double flux_flops(kernels::Riemann riemann) { return riemann == kernels::Riemann::hll ? 107.0 : 83.0; }

}  // namespace

engine::UpdateCost update_cost(const AmrParameters& parameters) {
  const auto axes = static_cast<double>(parameters.domain.dimensions);
  // Of the face below the cell: slopes, the states on both sides, the flux; then the difference of fluxes, scaled.
  const bool is_parabolic = parameters.reconstruction == Reconstruction::ppm;
  const double within = is_parabolic ? parabola_flops : slope_flops(parameters.limiter);
  const double sweep = within + 2.0 * fields + flux_flops(parameters.riemann) + 2.0 * fields;
  constexpr double to_primitive = 13.0;
  constexpr double look_at = 24.0;
  const double stage = to_primitive + axes * sweep + (axes - 1.0) * fields + look_at;
  // U + dt rate, and but in the first stage the mean of that with the begin of the step.
  const auto stages = static_cast<double>(stages_of(parameters.integrator).size());
  const double updates = fields * (2.0 + (stages - 1.0) * (stages > 2.0 ? 5.0 : 4.0));
  // A sub-grid stays in cache through a stage: that reads the state and writes the next one; those behind the first
  // also read the begin of the step.
  const double bytes = fields * 8.0 * (2.0 + 3.0 * (stages - 1.0));
  return {.flops = stages * stage + updates, .bytes = bytes};
}

}  // namespace tacit::amr
