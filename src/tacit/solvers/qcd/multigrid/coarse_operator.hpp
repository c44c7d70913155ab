// The operator on the coarse lattice, P^+ D P, and the solve of its equations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/solvers/qcd/multigrid/aggregates.hpp"
#include "tacit/solvers/qcd/multigrid/block_loops.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::qcd::multigrid {

/// A vector on the coarse lattice: [aggregate][column][re, im], in single precision.
using CoarseVector = base::PackVector<float>;

/// Nine matrices of each aggregate: those that take its eight neighbours to it, and its own.
///
/// Each rank has the rows of its aggregates, and every rank the vectors of the whole coarse lattice: an application
/// gathers the rows of all ranks, and scalar products are those of each rank by itself, the same on all.
class CoarseOperator {
 public:
  static constexpr std::size_t itself = 8;  ///< the matrix of an aggregate to itself

  /// @param width       columns of P in an aggregate
  /// @param ranks       null: one rank has all   @param aggregates, scheduler  outlive this. All ranks make it
  CoarseOperator(const Aggregates& aggregates, std::size_t width, const BlockLoops& loops, comm::Communicator* ranks,
                 tasks::Scheduler& scheduler);

  /// Complex numbers of a vector of the whole coarse lattice, and of what this rank has of it.
  [[nodiscard]] std::size_t size() const noexcept { return aggregates_.coarse().sites() * width_; }
  [[nodiscard]] std::size_t own_size() const noexcept { return aggregates_.count() * width_; }
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  /// The matrix of an aggregate of this rank for a direction: [column][re, im][row].
  [[nodiscard]] std::span<float> matrix(std::size_t aggregate, std::size_t direction) noexcept {
    return std::span(matrices_).subspan((9 * aggregate + direction) * 2 * width_ * width_, 2 * width_ * width_);
  }
  /// out <- A in, both of the whole coarse lattice. All ranks call it.
  void apply(const CoarseVector& in, CoarseVector& out);
  /// A vector of the whole coarse lattice from what each rank has.
  void gather(std::span<const float> own, CoarseVector& whole);
  /// What this rank has of such a vector.
  void take_own(const CoarseVector& whole, std::span<float> own) const;

 private:
  const Aggregates& aggregates_;
  std::size_t width_;
  BlockLoops loops_;
  tasks::Scheduler& scheduler_;
  base::PackVector<float> matrices_;
  std::vector<float> sums_;  // of the rows of this rank, [aggregate][re, im][row]
  std::vector<float> rows_;  // of a vector: [aggregate][row][re, im]
  // Of several ranks: what each sends, filled up to the most that any has, and which aggregates these are.
  std::vector<float> sent_;
  std::vector<float> received_;
  std::vector<std::uint32_t> numbers_;
  std::optional<comm::AllGather<float>> all_gather_;
};

/// When a coarse solve ends, and how many directions it keeps.
struct CoarseOptions {
  double tolerance = 0.1;    ///< of |b - A x| / |b|
  std::size_t restart = 30;  ///< directions
  std::size_t iterations = 150;
};

/// GMRES with restarts.
/// @see Saad (2003), Iterative Methods for Sparse Linear Systems, algorithm 6.9
class CoarseSolve {
 public:
  /// @param matrix  outlives this
  CoarseSolve(CoarseOperator& matrix, const CoarseOptions& options);
  /// x <- an approximate A^-1 b. All ranks call it. @return iterations
  std::size_t run(const CoarseVector& b, CoarseVector& x);
  /// |b - A x| / |b| after each iteration of the last run.
  [[nodiscard]] const std::vector<double>& history() const noexcept { return history_; }
  /// Whether the last run has brought nothing: |r| is not finite, or has not fallen by a twentieth.
  [[nodiscard]] bool stagnates() const noexcept;
  /// That in words.
  [[nodiscard]] std::string report() const;

 private:
  using Complex = std::complex<double>;
  [[nodiscard]] bool run_cycle(double beta, double norm_b, CoarseVector& x);
  void rotate(std::size_t j, double norm);

  CoarseOperator& matrix_;
  CoarseOptions options_;
  std::vector<CoarseVector> v_;
  CoarseVector r_;
  std::vector<std::vector<Complex>> h_;  // [column][row], turned into a triangle
  std::vector<double> cosines_;
  std::vector<Complex> sines_;
  std::vector<Complex> g_;
  std::vector<Complex> y_;
  std::vector<double> history_;
};

}  // namespace tacit::qcd::multigrid
