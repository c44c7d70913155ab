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

/// What a coarser lattice does for a coarse solve: an approximate inverse of what is solved.
class CoarsePreconditioner {
 public:
  CoarsePreconditioner() = default;
  virtual ~CoarsePreconditioner() = default;
  CoarsePreconditioner(const CoarsePreconditioner&) = delete;
  CoarsePreconditioner& operator=(const CoarsePreconditioner&) = delete;
  /// z <- M r, of the vectors of CoarseOperator::apply_solved; it may differ from one application to the next.
  virtual void apply(const CoarseVector& r, CoarseVector& z) = 0;
};

/// GMRES with restarts, flexible where it has a preconditioner (Saad, algorithm 9.6), and one sum over ranks in each
/// iteration: all projections of A v on the directions so far and its own length, of which what is left after them
/// follows by Pythagoras. Where that is too short for its rounding, a second sum projects it once more. Lengths of b
/// and of the first direction are in the first sum.
///
/// Of a matrix for several vectors at once, as many equations are solved at once, which share its messages and sums;
/// each has directions of its own, and the same bits as if it were solved by itself. Those are solved that are chosen
/// in the matrix; one that is over drops out of its products.
/// @see Saad (2003), Iterative Methods for Sparse Linear Systems, algorithm 6.9
class CoarseSolve {
 public:
  /// @param matrix, preconditioner  outlive this; the latter may be null. All ranks make it
  CoarseSolve(CoarseOperator& matrix, const CoarseOptions& options, CoarsePreconditioner* preconditioner = nullptr);
  /// x <- an approximate A^-1 b, of what is chosen in the matrix. All ranks call it. @return iterations, of all
  /// equations together
  std::size_t run(const CoarseVector& b, CoarseVector& x);
  /// The same of what is solved: y <- an approximate solution of CoarseOperator::apply_solved(y) = rhs, and |r| / |b|
  /// is relative to that.
  std::size_t run_solved(const CoarseVector& rhs, CoarseVector& y);
  /// |b - A x| / |b| after each iteration of the last run.
  [[nodiscard]] const std::vector<double>& history(std::size_t which = 0) const noexcept {
    return equations_[which].history;
  }
  /// Whether the last run has brought nothing: |r| is not finite, or has not fallen by a twentieth.
  [[nodiscard]] bool stagnates(std::size_t which = 0) const noexcept;
  /// That in words.
  [[nodiscard]] std::string report(std::size_t which = 0) const;
  /// How many sums there were, and what they took.
  [[nodiscard]] const CoarseSums& sums() const noexcept { return sums_; }

 private:
  using Complex = std::complex<double>;
  /// Where an equation stands: to be advanced, done in this cycle of directions, or done.
  enum class State : std::uint8_t { running, over };
  /// What is known of one of the equations.
  struct Equation {
    std::vector<std::vector<Complex>> h;  // [column][row], turned into a triangle
    std::vector<double> cosines;
    std::vector<Complex> sines;
    std::vector<Complex> g;
    std::vector<Complex> c;  // what the triangle gives; also h of a column that is projected again
    std::vector<double> history;
    double norm_b = 0.0;
    std::size_t count = 0;  // directions of the present cycle
    State state = State::running;
    bool is_short = false;  // whether the present direction is projected once more
    double square = 0.0;    // |w|^2 of what is left of it
    float scale = 1.0F;     // by which that becomes of length 1
  };
  /// What is in a sum.
  struct Measured {
    std::size_t j = 0;
    bool is_again = false;            // of those alone that are short
    bool has_first = false;           // |v_0|^2, too
    const CoarseVector* b = nullptr;  // |b|^2, too
  };

  /// What an equation is over with drops out of the products of the matrix; at the end what was chosen is again.
  void choose_running();
  [[nodiscard]] std::size_t run_cycles(const CoarseVector& rhs, const CoarseVector* b, CoarseVector& y);
  void run_cycle(const CoarseVector* b, CoarseVector& y);
  [[nodiscard]] bool takes_part(const Equation& one, bool is_again) const noexcept;
  [[nodiscard]] bool is_running() const noexcept;
  void measure(const Measured& what);
  void begin_directions();
  void find_rest(Equation& one, std::size_t j);
  void take_away(std::size_t j, bool is_again);
  void subtract(std::size_t j);
  void end_iteration(Equation& one, std::size_t j);
  void add_directions(const std::vector<CoarseVector>& of, std::size_t which, std::size_t directions, CoarseVector& to);
  [[nodiscard]] float* factors_of(std::size_t which) noexcept {
    return factors_.data() + which * 2 * (options_.restart + 1);
  }
  static void rotate(Equation& one, std::size_t j, double norm);
  void combine(std::size_t which, CoarseVector& y);

  CoarseOperator& matrix_;
  CoarseOptions options_;
  CoarsePreconditioner* preconditioner_;
  CoarseSums sums_;
  std::vector<CoarseVector> v_;
  std::vector<CoarseVector> z_;  // M v, where there is a preconditioner
  CoarseVector y_;
  CoarseVector rhs_;
  std::vector<Equation> equations_;
  std::vector<float> factors_;  // [equation][direction][re, im]
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> running_;
};

}  // namespace tacit::qcd::multigrid
