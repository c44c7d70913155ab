// The recursions of iterative solves, in either precision: conjugate gradients, BiCGstab, GCR.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/solvers/qcd/at_once/gcr_moves.hpp"
#include "tacit/solvers/qcd/dirac_operator.hpp"
#include "tacit/solvers/qcd/solve.hpp"

namespace tacit::qcd {

template <class T>
using NamedFields = std::vector<std::pair<std::string, Field<T>*>>;
using NamedNumbers = std::vector<std::pair<std::string, double*>>;

/// What an iteration of a method does to x and r = b - D x, in the precision of T. It comes in two halves, between
/// which r may be computed from x itself and both may be given in another unit.
template <class T>
class Recursion {
 public:
  /// @param matrix  outlives this
  explicit Recursion(const LinearOperator<T>& matrix) : matrix_(matrix) {}
  virtual ~Recursion() = default;
  Recursion(const Recursion&) = delete;
  Recursion& operator=(const Recursion&) = delete;

  /// Forgets all directions.
  virtual void restart(const Field<T>& r) = 0;
  /// Moves x, and r by the same recursion. @return |r|^2
  [[nodiscard]] virtual double move(Field<T>& x, Field<T>& r) = 0;
  /// The direction of the next move. @param before  the unit of r in the last move over that of now
  virtual void turn(const Field<T>& r, double before) = 0;
  /// What it goes on from, beside x and r, between two iterations.
  virtual void add_state(NamedFields<T>& fields) = 0;
  virtual void add_state(NamedNumbers& numbers) = 0;

  /// What to do where the residual does not fall.
  [[nodiscard]] virtual std::string_view advice() const = 0;
  /// Why it cannot go on; empty as long as it can.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 protected:
  [[nodiscard]] const LinearOperator<T>& matrix() const noexcept { return matrix_; }
  [[nodiscard]] FieldSpace<T>& space() const noexcept { return matrix_.space(); }
  void fail(std::string why) { failure_ = std::move(why); }
  void forget_failure() noexcept { failure_.clear(); }

 private:
  const LinearOperator<T>& matrix_;
  std::string failure_;
};

/// Conjugate gradients for D^+ D x = D^+ b, with the residual of D x = b itself (CGNR): |r| falls in each iteration.
/// Two applications per iteration.
/// @see Saad (2003), Iterative Methods for Sparse Linear Systems, algorithm 8.4
template <class T>
class NormalEquationsCg final : public Recursion<T> {
 public:
  explicit NormalEquationsCg(const LinearOperator<T>& matrix);
  void restart(const Field<T>& r) override;
  [[nodiscard]] double move(Field<T>& x, Field<T>& r) override;
  void turn(const Field<T>& r, double before) override;
  void add_state(NamedFields<T>& fields) override;
  void add_state(NamedNumbers& numbers) override;
  [[nodiscard]] std::string_view advice() const override;

 private:
  Field<T> p_;
  Field<T> w_;       // D p, and D^+ r
  double zz_ = 0.0;  // |D^+ r|^2
  double rr_ = 0.0;  // |r|^2 of the last move
};

/// BiCGstab: two applications per iteration, and none of D^+. The residual may rise in between. Where (r~, r) is 0 to
/// rounding, it starts again from r.
/// @see van der Vorst (1992), SIAM J. Sci. Stat. Comput. 13, 631
template <class T>
class Bicgstab final : public Recursion<T> {
 public:
  explicit Bicgstab(const LinearOperator<T>& matrix);
  void restart(const Field<T>& r) override;
  [[nodiscard]] double move(Field<T>& x, Field<T>& r) override;
  void turn(const Field<T>& r, double before) override;
  void add_state(NamedFields<T>& fields) override;
  void add_state(NamedNumbers& numbers) override;
  [[nodiscard]] std::string_view advice() const override;

 private:
  Field<T> shadow_;  // r~
  Field<T> p_;
  Field<T> v_;                   // D p
  Field<T> t_;                   // D s, where s is r after the first half of a move
  std::array<double, 2> rho_{};  // (r~, r)
  double shadow2_ = 0.0;         // |r~|^2
  double rr_ = 0.0;              // |r|^2, alpha and omega of the last move
  Complex alpha_;
  Complex omega_;
};

/// GCR: of all combinations of the last directions that which has the smallest residual; after 16 it starts again. One
/// application per iteration, and as many scalar products as there are directions. Where D r is spanned by those, it
/// starts again, too.
///
/// With a preconditioner the next direction is M r. The residual is the least in the span of D M r, as flexible GMRES
/// has it, and M may be another in each iteration.
/// @see Eisenstat, Elman & Schultz (1983), SIAM J. Numer. Anal. 20, 345; van der Vorst & Vuik (1994), Numer. Linear
///      Algebra Appl. 1, 369
template <class T>
class Gcr final : public Recursion<T> {
 public:
  static constexpr std::size_t directions = 16;
  /// Of a solve with a preconditioner, which costs more than the scalar products.
  static constexpr std::size_t preconditioned_directions = 24;
  /// @param preconditioner  outlives this; null: none
  explicit Gcr(const LinearOperator<T>& matrix, Preconditioner<T>* preconditioner = nullptr);
  void restart(const Field<T>& r) override;
  [[nodiscard]] double move(Field<T>& x, Field<T>& r) override;
  void turn(const Field<T>& r, double before) override;
  void add_state(NamedFields<T>& fields) override;
  void add_state(NamedNumbers& numbers) override;
  [[nodiscard]] std::string_view advice() const override;

 private:
  Preconditioner<T>* preconditioner_;
  GcrDirections<T> directions_;
  GcrMoves<T> moves_;
};

/// What to do where the residual of multigrid does not fall.
inline constexpr std::string_view advice_of_multigrid =
    "more multigrid.vectors or multigrid.setup_iterations make a better coarse lattice; solve.method = \"cgnr\" "
    "converges wherever D is not singular";

/// The first so many.
template <class T>
void add_directions(GcrDirections<T>& directions, std::size_t count, NamedFields<T>& fields);
void add_directions(std::vector<double>& qq, double& count, NamedNumbers& numbers);

/// @pre method is one that solves   @param preconditioner  of Method::multigrid, outlives it; else null
template <class T>
[[nodiscard]] std::unique_ptr<Recursion<T>> make_recursion(Method method, const LinearOperator<T>& matrix,
                                                           Preconditioner<T>* preconditioner = nullptr);

}  // namespace tacit::qcd
