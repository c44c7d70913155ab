// The Wilson-clover Dirac operator on a folded lattice, and what is left of it for the odd sites.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "tacit/solvers/qcd/fields.hpp"
#include "tacit/solvers/qcd/gauge_field.hpp"
#include "tacit/solvers/qcd/hopping_tasks.hpp"

namespace tacit::qcd {

/// What fermions do beyond the end of t; along x, y and z they are periodic.
enum class BoundaryT : std::uint8_t { periodic, antiperiodic };

struct DiracParameters {
  double mass = 0.0;  ///< m0, in units of 1/a; kappa = 1 / (2 (m0 + 4))
  BoundaryT boundary = BoundaryT::antiperiodic;
  double csw = 0.0;  ///< of the clover term
};

using kernels::Conjugate;

/// What solvers need of an operator.
template <class T>
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  /// out <- A in, or A^+ in. @pre out is not in
  virtual void apply(const Field<T>& in, Field<T>& out, Conjugate conjugate) const = 0;
  [[nodiscard]] virtual FieldSpace<T>& space() const = 0;
  /// A field of zeros, as large as those that it is applied to.
  [[nodiscard]] virtual Field<T> make() const = 0;
};

/// The Wilson-clover operator,
///
///     D psi(x) = A(x) psi(x)
///                - 1/2 sum_mu [(1 - gamma_mu) U(x, mu) psi(x + mu) + (1 + gamma_mu) U(x - mu, mu)^+ psi(x - mu)]
///
/// where A is 4 + m0 and the clover term (clover.hpp). gamma_5 D gamma_5 = D^+.
/// @see Wilson (1977), in New Phenomena in Subnuclear Physics; Gattringer & Lang (2010), eq. (5.51)
template <class T>
class DiracOperator final : public LinearOperator<T> {
 public:
  /// @param space  outlives this. What its rank has of the field is copied into its folding. All ranks make it; on
  ///               several, one at a time in each precision.
  DiracOperator(FieldSpace<T>& space, const GaugeField& field, const DiracParameters& parameters);

  void apply(const Field<T>& in, Field<T>& out, Conjugate conjugate) const override;
  [[nodiscard]] FieldSpace<T>& space() const override { return space_; }
  [[nodiscard]] Field<T> make() const override { return space_.make(); }
  [[nodiscard]] const DiracParameters& parameters() const noexcept { return parameters_; }

  /// The loops' view of links and local term, without fields; to be run over sites.
  [[nodiscard]] kernels::Hopping<T> hopping() const noexcept;
  void run(const kernels::Hopping<T>& by, Conjugate conjugate, Target target) const {
    tasks_->run({&by, 1}, conjugate, target);
  }
  [[nodiscard]] bool has_clover() const noexcept { return !clover_.empty(); }
  /// A^-1 of the even sites, as the loops have it. All ranks call it.
  /// @throws engine::NumericsError on all, naming the first site where A is singular
  [[nodiscard]] base::PackVector<T> inverse_of_even() const;

 private:
  void fold_links(const GaugeField& field);
  void fold_clover(const GaugeField& field);

  FieldSpace<T>& space_;
  DiracParameters parameters_;
  base::PackVector<T> links_;
  base::PackVector<T> clover_;  // empty: A = 4 + m0
  std::unique_ptr<HoppingTasks<T>> tasks_;
};

/// The Schur complement for the odd sites,
///
///     S = A_oo - D_oe A_ee^-1 D_eo,        D x = b  <=>  S x_o = b_o - D_oe A_ee^-1 b_e  and
///                                                        x_e = A_ee^-1 (b_e - D_eo x_o)
///
/// Its fields are those of odd sites. It is about twice as well conditioned as D, and costs as much to apply.
template <class T>
class SchurOperator final : public LinearOperator<T> {
 public:
  /// @param dirac  outlives this   @throws engine::NumericsError if A is singular at an even site
  explicit SchurOperator(const DiracOperator<T>& dirac);

  void apply(const Field<T>& in, Field<T>& out, Conjugate conjugate) const override;
  [[nodiscard]] FieldSpace<T>& space() const override { return dirac_.space(); }
  [[nodiscard]] Field<T> make() const override { return dirac_.space().make_half(); }
  /// odd <- b_o - D_oe A_ee^-1 b_e
  void prepare(const Field<T>& b, Field<T>& odd) const;
  /// x <- the solution of D x = b whose odd sites are given
  void reconstruct(const Field<T>& b, const Field<T>& odd, Field<T>& x) const;

 private:
  [[nodiscard]] std::size_t half() const noexcept { return dirac_.space().lattice().sites() / 2; }
  /// even <- A_ee^-1 even, in place
  void apply_inverse(Field<T>& even) const;
  /// even <- -1/2 (H odd), or A_ee^-1 of that
  void to_even(const Field<T>& odd, Field<T>& even, Conjugate conjugate, kernels::LocalTerm term) const;

  const DiracOperator<T>& dirac_;
  base::PackVector<T> inverse_;  // of A_ee; empty: 1 / (4 + m0)
  mutable Field<T> even_;
};

}  // namespace tacit::qcd
