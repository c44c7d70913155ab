// Safeguarded Newton iteration for the smoothing length.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/smoothing_length.hpp"

#include <algorithm>
#include <cmath>

namespace tacit::sph::kernels {
namespace {

/// x^n for n >= 0.
double power(double x, int n) {
  double result = 1.0;
  for (int i = 0; i < n; ++i) result *= x;
  return result;
}

/// Newton's next estimate of h for the residual F = rho h^d - m eta^d, at most a factor of two away: F is flat or steep
/// far from the root, and a longer step is never a good prediction.
double newton_estimate(double h, const Density& density, double residual, int dimension) {
  const double slope = power(h, dimension - 1) * (dimension * density.rho + h * density.drho_dh);
  if (!(slope > 0.0)) return residual > 0.0 ? 0.5 * h : 2.0 * h;
  return std::clamp(h - residual / slope, 0.5 * h, 2.0 * h);
}

/// The estimate where it lies inside (lower, upper); else the middle, or a doubling while there is no upper bound.
double inside(double estimate, double h, double lower, double upper) {
  if (estimate > lower && estimate < upper) return estimate;
  return upper < HUGE_VAL ? 0.5 * (lower + upper) : 2.0 * h;
}

}  // namespace

template <class Kernel>
SmoothingLengthResult solve_smoothing_length(NeighbourCache& cache, const Point& at, double m, double guess,
                                             double reach, const SmoothingLengthRule& rule) {
  using State = SmoothingLengthResult::State;
  constexpr double search_margin = 1.1;  // hits found once serve the next few estimates
  const Space& space = space_of<Kernel>(rule.dimension);
  const double target = m * power(rule.eta, rule.dimension);
  double lower = 0.0;
  double upper = HUGE_VAL;
  double h = std::min(guess, rule.h_max);
  double searched = 0.0;
  SmoothingLengthResult best{State::at_limit, h, {}};
  for (int iteration = 0; iteration < rule.most_iterations; ++iteration) {
    if (h > reach) return {State::out_of_reach, h, {}};
    if (h > searched || h < 0.5 * searched) {
      searched = std::min(search_margin * h, reach);
      find_within(cache, at, space.gamma * searched);
    }
    const Density density = density_sum<Kernel>(cache, h, space);
    best = {State::converged, h, density};
    const double residual = density.rho * power(h, rule.dimension) - target;
    (residual > 0.0 ? upper : lower) = h;
    if (h >= rule.h_max && residual <= 0.0) return {State::at_limit, h, density};
    const double newton = newton_estimate(h, density, residual, rule.dimension);
    if (std::abs(newton - h) <= rule.tolerance * h) break;
    h = std::min(inside(newton, h, lower, upper), rule.h_max);
  }
  // Not converged after many bisections means that rho(h) h^d jumps at this h (coincident particles at the kernel's
  // edge); the last bracketed h is then as good as any.
  return best;
}

template SmoothingLengthResult solve_smoothing_length<CubicSpline>(NeighbourCache&, const Point&, double, double,
                                                                   double, const SmoothingLengthRule&);
template SmoothingLengthResult solve_smoothing_length<QuarticSpline>(NeighbourCache&, const Point&, double, double,
                                                                     double, const SmoothingLengthRule&);
template SmoothingLengthResult solve_smoothing_length<QuinticSpline>(NeighbourCache&, const Point&, double, double,
                                                                     double, const SmoothingLengthRule&);
template SmoothingLengthResult solve_smoothing_length<WendlandC2>(NeighbourCache&, const Point&, double, double, double,
                                                                  const SmoothingLengthRule&);
template SmoothingLengthResult solve_smoothing_length<WendlandC4>(NeighbourCache&, const Point&, double, double, double,
                                                                  const SmoothingLengthRule&);
template SmoothingLengthResult solve_smoothing_length<WendlandC6>(NeighbourCache&, const Point&, double, double, double,
                                                                  const SmoothingLengthRule&);
template SmoothingLengthResult solve_smoothing_length<WendlandC2Line>(NeighbourCache&, const Point&, double, double,
                                                                      double, const SmoothingLengthRule&);
template SmoothingLengthResult solve_smoothing_length<WendlandC4Line>(NeighbourCache&, const Point&, double, double,
                                                                      double, const SmoothingLengthRule&);
template SmoothingLengthResult solve_smoothing_length<WendlandC6Line>(NeighbourCache&, const Point&, double, double,
                                                                      double, const SmoothingLengthRule&);

}  // namespace tacit::sph::kernels
