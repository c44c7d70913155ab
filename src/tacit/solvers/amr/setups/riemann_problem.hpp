// The exact solution of a Riemann problem of an ideal gas.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacit::amr {

/// Gas along one axis.
struct TubeState {
  double rho = 0.0;
  double u = 0.0;
  double P = 0.0;
};

/// Two states that meet at x = 0 at the time 0, and the waves between them.
/// @see Toro (2009), Riemann Solvers and Numerical Methods for Fluid Dynamics, 3rd ed., chapter 4
class RiemannProblem {
 public:
  /// @pre densities and pressures are positive, gamma > 1, and no vacuum appears: see has_vacuum
  RiemannProblem(const TubeState& left, const TubeState& right, double gamma);

  /// Whether the states fly apart so fast that nothing is left between them: 2 (c_l + c_r) / (gamma - 1) <= u_r - u_l.
  [[nodiscard]] static bool has_vacuum(const TubeState& left, const TubeState& right, double gamma);
  /// The state at x / t = speed.
  [[nodiscard]] TubeState at(double speed) const;
  /// Between the waves.
  [[nodiscard]] double P_star() const noexcept { return P_star_; }
  [[nodiscard]] double u_star() const noexcept { return u_star_; }

 private:
  TubeState left_;
  TubeState right_;
  double gamma_;
  double P_star_ = 0.0;
  double u_star_ = 0.0;
};

}  // namespace tacit::amr
