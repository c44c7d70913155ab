// The smoothing length at which a particle's kernel holds the wanted number of neighbours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/solvers/sph/kernels/density.hpp"

namespace tacit::sph::kernels {

struct SmoothingLengthRule {
  double eta = 1.2348;      ///< h = eta (m / rho)^(1/d)
  double tolerance = 1e-4;  ///< relative, of h
  double h_max = 0.0;       ///< upper bound [length], > 0
  int most_iterations = 60;
  int dimension = 3;  ///< d
};

struct SmoothingLengthResult {
  enum class State {
    converged,
    at_limit,     ///< h_max reached with too few neighbours (a lone particle): h = h_max is taken
    out_of_reach  ///< h must grow beyond `reach`, where the cache no longer holds all neighbours; h says how far
  };
  State state = State::converged;
  double h = 0.0;   ///< [length]
  Density density;  ///< evaluated at exactly this h (undefined when out of reach)
};

/// Solves rho(h) h^d = m eta^d by Newton's method, kept inside a bracket that every evaluation narrows.
///
/// The density returned was evaluated at the very h returned, so that repeating the call with that h as the first guess
/// returns the same bits: a restart depends on it. On return the cache's hits lie within the support of h (at least).
///
/// @param cache  candidates that hold every particle within gamma * reach of `at`
/// @param m      mass of the particle [mass]
/// @param guess  first guess [length], > 0
/// @param reach  largest h that the candidates serve [length]
/// @see   Price (2012), J. Comp. Phys. 231, 759, eqs. 10 and 24 (the relation and the iteration)
template <class Kernel>
[[nodiscard]] SmoothingLengthResult solve_smoothing_length(NeighbourCache& cache, const Point& at, double m,
                                                           double guess, double reach, const SmoothingLengthRule& rule);

}  // namespace tacit::sph::kernels
