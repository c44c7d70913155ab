// Safeguarded Newton iteration for the smoothing length.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/smoothing_length.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tacit::sph::kernels {
namespace {

/// x^n for n >= 0.
double power(double x, int n) {
  double result = 1.0;
  for (int i = 0; i < n; ++i) result *= x;
  return result;
}

/// The estimate where it lies inside (lower, upper); else the middle, or a doubling while there is no upper bound.
double inside(double estimate, double h, double lower, double upper) {
  if (estimate > lower && estimate < upper) return estimate;
  return upper < HUGE_VAL ? 0.5 * (lower + upper) : 2.0 * h;
}

/// At most a factor of two away: the residual rho h^d - m eta^d is flat or steep far from the root, and a longer step
/// is never a good prediction.
double newton_estimate(double h, const Density& density, double residual, int dimension) noexcept {
  const double slope = power(h, dimension - 1) * (dimension * density.rho + h * density.drho_dh);
  if (!(slope > 0.0)) return residual > 0.0 ? 0.5 * h : 2.0 * h;
  return std::clamp(h - residual / slope, 0.5 * h, 2.0 * h);
}

}  // namespace

double searched_length(double h) noexcept {
  // Up to the next number with four bits behind the leading one: 3 to 6 % apart. A carry leads to the next power of
  // two.
  constexpr std::uint64_t below = (std::uint64_t{1} << 48U) - 1U;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(h) + below) & ~below);
}

SmoothingLengthIteration::SmoothingLengthIteration(double m, const SmoothingLengthRule& rule)
    : rule_(rule), target_(m * power(rule.eta, rule.dimension)), upper_(HUGE_VAL) {}

SmoothingLengthIteration::Verdict SmoothingLengthIteration::judge(double h, const Density& density) noexcept {
  const double residual = density.rho * power(h, rule_.dimension) - target_;
  (residual > 0.0 ? upper_ : lower_) = h;
  if (h >= rule_.h_max && residual <= 0.0) return {SmoothingLengthResult::State::at_limit, h};
  const double newton = newton_estimate(h, density, residual, rule_.dimension);
  if (std::abs(newton - h) <= rule_.tolerance * h) return {SmoothingLengthResult::State::converged, h};
  return {std::nullopt, std::min(inside(newton, h, lower_, upper_), rule_.h_max)};
}

SmoothingLengthRoot last_newton_step(double h, const Density& density, double m, double most,
                                     const SmoothingLengthRule& rule) noexcept {
  const double residual = density.rho * power(h, rule.dimension) - m * power(rule.eta, rule.dimension);
  const double newton = newton_estimate(h, density, residual, rule.dimension);
  // Where no h is a root, the step would be a long one, to nowhere.
  if (!(std::abs(newton - h) <= rule.tolerance * h)) return {h, density.rho};
  const double root = std::min(newton, std::max(h, std::min(most, rule.h_max)));
  return {root, density.rho + density.drho_dh * (root - h)};
}

template <class Kernel>
SmoothingLengthResult solve_smoothing_length(NeighbourCache& cache, const Point& at, double m, double guess,
                                             double reach, const SmoothingLengthRule& rule) {
  const Space& space = space_of<Kernel>(rule.dimension);
  return iterate_smoothing_length([&](double h) { find_within(cache, at, space.gamma * h); },
                                  [&](double h) { return density_sum<Kernel>(cache, h, space); }, m, guess, reach,
                                  rule);
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
