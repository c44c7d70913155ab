// The least work that a step of the gas can be: operations and bytes of one particle, counted in the sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numbers>

#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::bench {

/// Floating-point operations of one pair in each loop, counted in pair_terms.hpp and in the loops around it, for the
/// cubic spline in three dimensions. A fused multiply-add is two; comparisons, roots and divisions are one each.
///
///     test               separation 8, comparison 1, reach of the neighbour 1                                 10
///     density            root 1, q 2, w 10, m q 1, w' 9, sums 4                                               27
///     velocity gradient  separations 6, squares 5, root and inverse 4, q 2, w' 9, weight 2, div 7, curl 15    50
///     force              velocities 3, v.r 5, root and inverse 4, W' of both 30, signal 5, viscosity 10,
///                        pressure 5, sums 19, what a pair tested already has (separation) 8 again             89
///     SPHENIX gradient   as the force up to v.r 16, root and inverse 4, signal 5, Laplacian 16, sums 7        48
///     SPHENIX force      as the force up to W' of both 50, signal 5, viscosity 15, work 7, pressures 6,
///                        conduction 22, sums 20                                                              125
namespace operations {
inline constexpr double test = 10.0;
inline constexpr double density = 27.0;
inline constexpr double velocity_gradient = 50.0;
inline constexpr double force = 89.0;
inline constexpr double sphenix_gradient = 48.0;
inline constexpr double sphenix_force = 125.0;
}  // namespace operations

/// Neighbours of a particle, itself included, in a uniform gas: 4 pi / 3 (gamma eta)^3.
[[nodiscard]] inline double neighbours(const sph::SphParameters& parameters) {
  const double H = sph::kernels::CubicSpline::gamma * parameters.smoothing.eta;
  return 4.0 / 3.0 * std::numbers::pi * H * H * H;
}

/// Operations of one update: all loops over the pairs that interact, once, each tested once. The search also tests
/// pairs that do not, and h may take a second density: both are left out, so that the figure says what the answer
/// needs, not what an implementation does.
[[nodiscard]] inline double operations_of_update(sph::Scheme scheme) {
  using namespace operations;
  double of_pair = 2.0 * test + density + velocity_gradient;
  of_pair += scheme == sph::Scheme::sphenix ? test + sphenix_gradient + sphenix_force : force;
  return neighbours({}) * of_pair;
}

/// Bytes that one update must read and write if every pass over the gas goes through memory once and neighbours come
/// from caches: the fields that each task of a common step names, at their widths.
///
///     drift             88 read (x, v, a, thermal and its rate, h, div v)        84 written (x, v, v_p, thermal, h)
///     density           61 (x, m, v_p, thermal_p, h, bin), SPHENIX 8 more        40, SPHENIX 4 more
///     SPHENIX gradient  97 (and rho, P, c, what limits viscosity)                 4
///     force             81 (and rho, P, c), SPHENIX 20 more                      28 (a, rate, signal velocity, step)
///     kick              93 (x, v, a, thermal and its rate, three switches, dt)   44 (v, thermal, three switches)
[[nodiscard]] inline double bytes_of_update(sph::Scheme scheme) {
  constexpr double drift = 88.0 + 84.0;
  constexpr double density = 61.0 + 40.0;
  constexpr double force = 81.0 + 28.0;
  constexpr double kick = 93.0 + 44.0;
  constexpr double sphenix = 12.0 + 97.0 + 4.0 + 20.0;
  return drift + density + force + kick + (scheme == sph::Scheme::sphenix ? sphenix : 0.0);
}

}  // namespace tacit::bench
