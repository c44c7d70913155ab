// The solve of the coarse equations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tacit/solvers/qcd/multigrid/coarse_operator.hpp"
#include "tacit/solvers/qcd/multigrid/coarse_sums.hpp"

namespace tacit::qcd::multigrid {

/// When a coarse solve ends, and how many directions it keeps.
struct CoarseOptions {
  double tolerance = 0.1;    ///< of |b - A x| / |b|
  std::size_t restart = 30;  ///< directions
  std::size_t iterations = 150;
};

/// GMRES with restarts, and one sum over ranks in each iteration: all projections of A v on the directions so far and
/// its own length, of which what is left after them follows by Pythagoras. Where that is too short for its rounding, a
/// second sum projects it once more. Lengths of b and of the first direction are in the first sum.
/// @see Saad (2003), Iterative Methods for Sparse Linear Systems, algorithm 6.9
class CoarseSolve {
 public:
  /// @param matrix  outlives this. All ranks make it
  CoarseSolve(CoarseOperator& matrix, const CoarseOptions& options);
  /// x <- an approximate A^-1 b. All ranks call it. @return iterations
  std::size_t run(const CoarseVector& b, CoarseVector& x);
  /// |b - A x| / |b| after each iteration of the last run.
  [[nodiscard]] const std::vector<double>& history() const noexcept { return history_; }
  /// Whether the last run has brought nothing: |r| is not finite, or has not fallen by a twentieth.
  [[nodiscard]] bool stagnates() const noexcept;
  /// That in words.
  [[nodiscard]] std::string report() const;
  /// How many sums there were, and what they took.
  [[nodiscard]] const CoarseSums& sums() const noexcept { return sums_; }

 private:
  using Complex = std::complex<double>;
  enum class End : std::uint8_t { goes_on, last, nothing };
  [[nodiscard]] End run_cycle(const CoarseVector& b);
  void measure(std::size_t j, bool with_first, const CoarseVector* b);
  void project(std::size_t j, const CoarseVector* b);
  [[nodiscard]] double take_away(std::size_t j);
  [[nodiscard]] double subtract(std::size_t j);
  void add_directions(std::size_t directions, CoarseVector& to);
  void scale(std::size_t v, double factor);
  void rotate(std::size_t j, double norm);
  void combine();

  CoarseOperator& matrix_;
  CoarseOptions options_;
  CoarseSums sums_;
  std::vector<CoarseVector> v_;
  CoarseVector y_;
  CoarseVector rhs_;
  double norm_b_ = 0.0;
  std::vector<std::vector<Complex>> h_;  // [column][row], turned into a triangle
  std::vector<double> cosines_;
  std::vector<Complex> sines_;
  std::vector<Complex> g_;
  std::vector<Complex> z_;  // what the triangle gives; also h of a column that is projected again
  std::size_t count_ = 0;   // directions of the present cycle
  std::vector<float> factors_;
  std::vector<double> history_;
};

}  // namespace tacit::qcd::multigrid
