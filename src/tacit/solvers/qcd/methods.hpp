// Methods beside conjugate gradients in double precision: BiCGstab, GCR, and mixed precision.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tacit/solvers/qcd/solve.hpp"

namespace tacit::qcd {

/// BiCGstab: two applications per iteration, and none of D^+. The residual may rise in between.
/// Where (r~, v) or rho vanish to rounding, it begins anew from r.
/// @see van der Vorst (1992), SIAM J. Sci. Stat. Comput. 13, 631
class Bicgstab final : public Solve {
 public:
  Bicgstab(const LinearOperator<double>& matrix, const SolveOptions& options);

 private:
  void add_state(std::vector<std::pair<std::string, Field<double>*>>& fields) override;
  void add_state(std::vector<std::pair<std::string, double*>>& numbers) override;
  void restart() override;
  [[nodiscard]] double advance() override;

  Field<double> shadow_;  // r~
  Field<double> p_;
  Field<double> v_;
  Field<double> t_;
  std::array<double, 2> rho_{};  // (r~, r)
  double shadow2_ = 0.0;         // |r~|^2
};

/// GCR: of all combinations of the last directions that which has the smallest residual; begins anew every 16. One
/// application per iteration, and as many scalar products as there are directions.
/// @see Eisenstat, Elman & Schultz (1983), SIAM J. Numer. Anal. 20, 345
class Gcr final : public Solve {
 public:
  static constexpr std::size_t directions = 16;
  Gcr(const LinearOperator<double>& matrix, const SolveOptions& options);

 private:
  void add_state(std::vector<std::pair<std::string, Field<double>*>>& fields) override;
  void add_state(std::vector<std::pair<std::string, double*>>& numbers) override;
  void restart() override;
  [[nodiscard]] double advance() override;

  std::vector<Field<double>> p_;
  std::vector<Field<double>> q_;  // D p, orthogonal to each other
  std::array<double, directions> qq_{};
  double count_ = 0.0;  // of directions that there are
};

/// Conjugate gradients as NormalEquationsCg, in single precision with reliable updates: whenever |r| has fallen to a
/// tenth, x is added up and r computed anew in double precision, while the direction is kept. So the residual is as
/// small at the end as in double precision.
/// @see Sleijpen & van der Vorst (1996), Computing 56, 141; Clark et al. (2010), Comput. Phys. Commun. 181, 1517
class MixedPrecisionCg final : public Solve {
 public:
  /// @param single  the same operator in single precision; outlives this
  MixedPrecisionCg(const LinearOperator<double>& matrix, const LinearOperator<float>& single,
                   const SolveOptions& options);
  [[nodiscard]] std::vector<std::pair<std::string, Field<float>*>> single_fields() override;

 private:
  static constexpr double part = 0.1;
  void add_state(std::vector<std::pair<std::string, Field<double>*>>& fields) override;
  void add_state(std::vector<std::pair<std::string, double*>>& numbers) override;
  void restart() override;
  [[nodiscard]] double advance() override;
  [[nodiscard]] double update();

  const LinearOperator<float>& single_;
  Field<double> sum_;  // what is added to x
  Field<float> xs_;    // in units of scale_, as all in single precision
  Field<float> rs_;
  Field<float> ps_;
  Field<float> ws_;
  double scale_ = 1.0;  // |r| when it was computed last
  double zz_ = 0.0;     // |D^+ r|^2
};

}  // namespace tacit::qcd
