// The operator on the coarse lattice, P^+ D P, divided among ranks as the fine lattice is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/solvers/qcd/multigrid/aggregates.hpp"
#include "tacit/solvers/qcd/multigrid/coarse_halo.hpp"
#include "tacit/solvers/qcd/multigrid/coarse_loops.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::qcd::multigrid {

/// A vector of this rank's part of the coarse lattice, or of one group of it: [aggregate][re, im][row], rows filled up
/// with zeros, in single precision. Of an operator for several at once: [aggregate][which][re, im][row].
using CoarseVector = base::PackVector<float>;

/// Of each aggregate, its own matrix A and those of the couplings F_mu to the next ones, 5 of the 9 that the operator
/// has: as P keeps chirality, the couplings backward are sigma_3 F_mu^+ sigma_3 of the aggregate before.
///
///     (D y)(x) = A(x) y(x) + sum_mu [F_mu(x) y(x + mu) + sigma_3 F_mu(x - mu)^+ sigma_3 y(x - mu)]
///
/// Where the coarse lattice is a chessboard, its equations are solved for the odd sites alone: with x_o = A_oo^-1 y
///
///     (1 - D_oe A_ee^-1 D_eo A_oo^-1) y = b_o - D_oe A_ee^-1 b_e,    x_e = A_ee^-1 (b_e - D_eo x_o)
///
/// whose residual is that of all sites. Half a matrix would need the halo of all sites; so each application needs that
/// of the odd ones, then that of the even ones. Of each aggregate at a face a vector travels: those seen forward as
/// they are, those seen backward multiplied, as F_mu lies with the sender. Meanwhile all products are formed that need
/// none. Products are added in a fixed order, so that the division among ranks changes no bit.
///
/// Several vectors at once share each matrix, while it is in the cache, and the messages; each of them is computed as
/// if it were alone. Some of them may be chosen: nothing is computed of the others, whose places are left as they are.
class CoarseOperator {
 public:
  static constexpr std::size_t itself = axes;       ///< the matrix of an aggregate to itself; others by axis
  static constexpr std::size_t most_columns = 192;  ///< of P in an aggregate, two for each of multigrid.vectors

  /// @param width  columns of P in an aggregate   @param level  which one it is of the hierarchy, 0 the finest
  /// @param aggregates, division, scheduler  outlive this. All ranks make it
  CoarseOperator(const Aggregates& aggregates, std::size_t width, const Division& division, tasks::Scheduler& scheduler,
                 std::uint32_t level, CoarseTransport transport = {});
  /// The same matrices for `count` vectors at once, at most most_at_once(width). @param of  outlives this
  CoarseOperator(const CoarseOperator& of, const Division& division, std::size_t count);
  [[nodiscard]] static std::size_t most_at_once(std::size_t width) noexcept;

  [[nodiscard]] const Aggregates& aggregates() const noexcept { return aggregates_; }
  [[nodiscard]] comm::Communicator* ranks() const noexcept { return ranks_; }
  [[nodiscard]] tasks::Scheduler& scheduler() const noexcept { return scheduler_; }
  [[nodiscard]] const CoarseLoops& loops() const noexcept { return loops_; }
  [[nodiscard]] const CoarseShape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::uint32_t level() const noexcept { return level_; }
  /// Vectors at once, and numbers of all of them at an aggregate.
  [[nodiscard]] std::size_t vectors() const noexcept { return vectors_; }
  [[nodiscard]] std::size_t numbers() const noexcept { return vectors_ * shape_.vector(); }
  /// Complex unknowns of all ranks.
  [[nodiscard]] std::size_t size() const noexcept { return aggregates_.coarse().sites() * shape_.width; }
  /// Which of them are computed, in ascending order: all, unless `choose` has said less. All ranks choose the same.
  [[nodiscard]] std::span<const std::uint32_t> chosen() const noexcept { return chosen_; }
  void choose(std::span<const std::uint32_t> which);
  /// A vector of zeros of this rank's part.
  [[nodiscard]] CoarseVector make() const { return CoarseVector(aggregates_.count() * numbers()); }

  /// The matrix of an aggregate of this rank to the next one along an axis, or to itself: [column][re, im][row].
  [[nodiscard]] std::span<float> matrix(std::size_t aggregate, std::size_t direction) noexcept {
    return std::span(matrices_).subspan((5 * aggregate + direction) * shape_.matrix(), shape_.matrix());
  }
  /// A <- A + F + sigma_3 F^+ sigma_3 of each aggregate, where F are hops forward that stay in it: [aggregate][matrix].
  void add_hops_inside(std::span<const float> inside);
  /// To be called by all ranks when all matrices are there: makes A^-1.
  /// @throws engine::NumericsError where one is singular
  void complete();

  /// out <- D in. All ranks call it, as for the following.
  void apply(const CoarseVector& in, CoarseVector& out);

  /// What is solved: of the odd sites, or of all. Aggregates of it are [first_solved(), aggregates().count()).
  [[nodiscard]] std::size_t first_solved() const noexcept { return aggregates_.first(aggregates_.groups() - 1); }
  [[nodiscard]] CoarseVector make_solved() const {
    return CoarseVector((aggregates_.count() - first_solved()) * numbers());
  }
  /// The right-hand side of what is solved. @param rhs  make_solved()
  void prepare(const CoarseVector& b, CoarseVector& rhs);
  /// out <- (1 - D_oe A_ee^-1 D_eo A_oo^-1) in, or D in.
  void apply_solved(const CoarseVector& in, CoarseVector& out);
  /// x, from b and the solution of what is solved.
  void reconstruct(const CoarseVector& b, const CoarseVector& y, CoarseVector& x);

  /// The right-hand side of all sites that `prepare` makes into that one: 0 where nothing is solved.
  void embed(const CoarseVector& rhs, CoarseVector& b) const;
  /// Of which y `reconstruct` makes x, where x solves the equations of the other sites.
  void solved_of(const CoarseVector& x, CoarseVector& y) const;
  /// out_mu(x) <- F_mu(x) in(x + mu), of each axis apart; 0 along an axis of one site. For projections.
  void apply_forward(const CoarseVector& in, std::array<CoarseVector, axes>& out);

  /// What halos took so far on this rank [s]: copies into messages and sending, and waiting for those of others;
  /// products that are written into messages are not in it.
  struct Times {
    double send_s = 0.0;
    double wait_s = 0.0;
  };
  [[nodiscard]] const Times& times() const noexcept { return times_; }
  [[nodiscard]] const CoarseTransport& transport() const noexcept { return transport_; }

 private:
  /// Aggregates of a group that see no ghosts, and the others.
  struct Targets {
    std::vector<std::uint32_t> interior;
    std::vector<std::uint32_t> rim;
  };
  /// Vectors of aggregates from the first on.
  struct In {
    const float* data = nullptr;
    std::size_t first = 0;
  };

  [[nodiscard]] const float* at(const In& in, std::size_t aggregate) const noexcept {
    return in.data + (aggregate - in.first) * numbers();
  }
  [[nodiscard]] const float* matrix_of(std::size_t aggregate, std::size_t direction) const noexcept {
    return owner_->matrices_.data() + (5 * aggregate + direction) * shape_.matrix();
  }
  [[nodiscard]] const float* inverse_of(std::size_t aggregate) const noexcept {
    return owner_->inverses_.data() + aggregate * shape_.matrix();
  }
  void find_targets();
  /// Calls visit(first number of a vector in those of an aggregate) for each that is chosen.
  template <class Visit>
  void for_chosen(Visit&& visit) const {
    for (const std::uint32_t which : chosen_) visit(which * shape_.vector());
  }
  using Product = decltype(CoarseLoops::multiply_all);
  void multiply_by(Product product, const float* a, const float* x, float* y) const;
  void multiply(const float* a, const float* x, float* y) const { multiply_by(loops_.multiply_all, a, x, y); }
  void multiply_back(const float* a, const float* x, float* y) const { multiply_by(loops_.multiply_back_all, a, x, y); }
  void send(const In& in, std::size_t group);
  void form_product(const In& in, std::size_t aggregate, std::size_t direction, float* product) const;
  template <class Finish>
  void hop(const In& in, std::size_t group, Finish&& finish);

  const Aggregates& aggregates_;
  CoarseShape shape_;
  CoarseLoops loops_;
  comm::Communicator* ranks_;
  tasks::Scheduler& scheduler_;
  std::uint32_t level_;
  std::size_t vectors_ = 1;
  std::vector<std::uint32_t> chosen_;
  const CoarseOperator* owner_ = this;  // of the matrices
  base::PackVector<float> matrices_;
  base::PackVector<float> inverses_;  // of A
  CoarseTransport transport_;
  std::unique_ptr<CoarseHalo> halo_;  // null on one rank alone
  std::vector<Targets> targets_;      // of the hops from a group, by that
  CoarseVector products_;             // of the rim: [aggregate of it][direction]
  CoarseVector half_;                 // of the first group
  CoarseVector other_;                // of what is solved
  Times times_;
};

}  // namespace tacit::qcd::multigrid
