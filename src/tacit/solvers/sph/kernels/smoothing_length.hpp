// The smoothing length at which a particle's kernel holds the wanted number of neighbours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

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

/// The smoothing length that a search for h should serve: at least h, and of few values, so that the next estimates
/// need no other search, and that the hits depend on h alone and not on the way to it.
[[nodiscard]] double searched_length(double h) noexcept;

/// Newton's method for rho(h) h^d = m eta^d, kept inside a bracket that every evaluation narrows.
/// @see   Price (2012), J. Comp. Phys. 231, 759, eqs. 10 and 24 (the relation and the iteration)
class SmoothingLengthIteration {
 public:
  SmoothingLengthIteration(double m, const SmoothingLengthRule& rule);

  struct Verdict {
    std::optional<SmoothingLengthResult::State> end;  ///< absent while h must still change
    double next;                                      ///< next estimate of h [length]
  };
  /// Takes the density at h into account.
  [[nodiscard]] Verdict judge(double h, const Density& density) noexcept;

 private:
  SmoothingLengthRule rule_;
  double target_;
  double lower_ = 0.0;
  double upper_;
};

/// A smoothing length and the density at it.
struct SmoothingLengthRoot {
  double h;    ///< [length]
  double rho;  ///< [density]
};

/// Newton's last step, shorter than the tolerance t, from where the iteration ended; the density goes with it by its
/// derivative. The error of the root is then of order t^2, at no cost.
///
/// Without this h would stay as it was predicted until it is wrong by t. Predictions lag behind the motion by half a
/// step; left alone they feed energy into sound waves of some three particle distances, which grow until the
/// compression in them is of the order of t, at any resolution.
/// @param most  largest h that may be taken [length]
[[nodiscard]] SmoothingLengthRoot last_newton_step(double h, const Density& density, double m, double most,
                                                   const SmoothingLengthRule& rule) noexcept;

/// Solves rho(h) h^d = m eta^d by functions that search and sum.
///
/// The density returned was evaluated at the very h returned, and from the hits that a search for that h alone gives:
/// repeating the call with that h as the first guess returns a bitwise identical result, on which a restart depends. On
/// return the hits lie within the support of h (at least).
///
/// @param search      search(h) finds the particles within the support of h; the latest hits stay
/// @param density_at  density_at(h) sums over them; they hold the support of h. Its rounding must be well below the
///                    tolerance
/// @param m           mass of the particle [mass]
/// @param guess       first guess [length], > 0
/// @param reach       largest h that can be searched [length]
template <class Search, class DensityAt>
[[nodiscard]] SmoothingLengthResult iterate_smoothing_length(const Search& search, const DensityAt& density_at,
                                                             double m, double guess, double reach,
                                                             const SmoothingLengthRule& rule) {
  using State = SmoothingLengthResult::State;
  SmoothingLengthIteration iteration(m, rule);
  double h = std::min(guess, rule.h_max);
  double searched = 0.0;
  SmoothingLengthResult latest{State::at_limit, h, {}};
  for (int i = 0; i < rule.most_iterations; ++i) {
    if (h > reach) return {State::out_of_reach, h, {}};
    const double wanted = std::min(searched_length(h), reach);
    if (wanted != searched) search(searched = wanted);
    const Density density = density_at(h);
    const auto verdict = iteration.judge(h, density);
    latest = {verdict.end.value_or(State::converged), h, density};
    if (verdict.end) break;
    h = verdict.next;
  }
  // Not converged after many bisections means that rho(h) h^d jumps at this h (coincident particles at the kernel's
  // edge); the last bracketed h is then as good as any.
  return latest;
}

/// The same with the scalar loops.
///
/// @param cache  candidates that hold every particle within gamma * reach of `at`
/// @param m      mass of the particle [mass]
/// @param guess  first guess [length], > 0
/// @param reach  largest h that the candidates serve [length]
template <class Kernel>
[[nodiscard]] SmoothingLengthResult solve_smoothing_length(NeighbourCache& cache, const Point& at, double m,
                                                           double guess, double reach, const SmoothingLengthRule& rule);

}  // namespace tacit::sph::kernels
