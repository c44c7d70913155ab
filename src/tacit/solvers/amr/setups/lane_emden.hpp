// Polytropes at rest: the Lane-Emden equation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace tacit::amr {

/// The spherical solution that is regular in the centre, as far as its surface xi1, where theta = 0:
///
///     1/xi^2 d/dxi (xi^2 dtheta/dxi) = -theta^n      theta(0) = 1
///
/// With rho = rho_c theta^n, P = P_c theta^(n + 1), r = a xi it is a star whose pressure carries its weight.
///
/// @see Chandrasekhar (1939), An Introduction to the Study of Stellar Structure, chapter IV
class LaneEmden {
 public:
  /// Integrates it by the Runge-Kutta scheme of order 4. @pre 0 <= n < 5
  explicit LaneEmden(double n);

  [[nodiscard]] double n() const noexcept { return n_; }
  [[nodiscard]] double xi1() const noexcept { return xi1_; }
  /// -xi^2 dtheta/dxi at xi1: the mass over 4 pi a^3 rho_c.
  [[nodiscard]] double mass() const noexcept { return mass_; }
  /// 0 from the surface on. @pre xi >= 0
  [[nodiscard]] double theta(double xi) const;

 private:
  double n_;
  double xi1_ = 0.0;
  double mass_ = 0.0;
  std::vector<double> theta_;   // at multiples of the step, until it is negative
  std::vector<double> slopes_;  // dtheta/dxi likewise
};

}  // namespace tacit::amr
