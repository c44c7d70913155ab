// The Wilson Dirac operator on a folded lattice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tacit/solvers/qcd/fields.hpp"
#include "tacit/solvers/qcd/gauge_field.hpp"

namespace tacit::qcd {

/// What fermions do beyond the end of t; along x, y and z they are periodic.
enum class BoundaryT : std::uint8_t { periodic, antiperiodic };

struct DiracParameters {
  double mass = 0.0;  ///< m0, in units of 1/a; kappa = 1 / (2 (m0 + 4))
  BoundaryT boundary = BoundaryT::antiperiodic;
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

/// The Wilson operator,
///
///     D psi(x) = (4 + m0) psi(x)
///                - 1/2 sum_mu [(1 - gamma_mu) U(x, mu) psi(x + mu) + (1 + gamma_mu) U(x - mu, mu)^+ psi(x - mu)]
///
/// gamma_5 D gamma_5 = D^+.
/// @see Wilson (1977), in New Phenomena in Subnuclear Physics; Gattringer & Lang (2010), eq. (5.51)
template <class T>
class DiracOperator final : public LinearOperator<T> {
 public:
  /// @param space  outlives this. The field is copied into its folding.
  DiracOperator(FieldSpace<T>& space, const GaugeField& field, const DiracParameters& parameters);

  void apply(const Field<T>& in, Field<T>& out, Conjugate conjugate) const override;
  [[nodiscard]] FieldSpace<T>& space() const override { return space_; }
  [[nodiscard]] Field<T> make() const override { return space_.make(); }

 private:
  [[nodiscard]] kernels::Hopping<T> hopping() const noexcept;
  void run(const kernels::Hopping<T>& by, Conjugate conjugate, std::size_t first, std::size_t last) const;

  FieldSpace<T>& space_;
  DiracParameters parameters_;
  base::PackVector<T> links_;
};

}  // namespace tacit::qcd
