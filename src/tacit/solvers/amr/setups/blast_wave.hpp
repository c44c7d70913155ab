// The self-similar solution of a point explosion.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace tacit::amr {

/// Density, radial velocity and pressure at a distance from the centre.
struct BlastState {
  double rho = 0.0;
  double v = 0.0;
  double P = 0.0;
};

/// A spherical blast wave of energy E in a gas of density rho0 and no pressure, 1 < gamma < 2, in closed form:
///
///     R = xi0 (E t^2 / rho0)^(1/5)     D = dR/dt = 2 R / (5 t)
///
/// @see Sedov (1959), Similarity and Dimensional Methods in Mechanics, chapter IV; Landau & Lifshitz, Fluid Mechanics,
///      section 106
class BlastWave {
 public:
  explicit BlastWave(double gamma);

  [[nodiscard]] double xi0() const noexcept { return xi0_; }
  [[nodiscard]] double radius(double energy, double rho0, double time) const;
  /// At the distance lambda of the centre over the radius: density over rho0, velocity over D, pressure over rho0 D^2;
  /// beyond the shock 1, 0, 0.
  [[nodiscard]] BlastState at(double lambda) const;

 private:
  double xi0_ = 0.0;
  std::vector<double> lambda_;  // rising
  std::vector<BlastState> states_;
};

}  // namespace tacit::amr
