// Velocities in the disc of a galaxy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "tacit/solvers/sph/setups/equilibrium.hpp"

namespace tacit::sph {

/// An exponential disc in equilibrium with itself and with spheres around it, to first order in its dispersions:
///
///     Sigma   = M / (2 pi R_d^2) exp(-R/R_d),   rho = Sigma sech^2(z/z_0) / (2 z_0)
///     sigma_R = Q 3.36 G Sigma / kappa at 2.5 R_d, elsewhere ~ exp(-R / (2 R_d))
///     sigma_phi = sigma_R kappa / (2 Omega),    sigma_z^2 = pi G Sigma z_0
///     <v_phi>^2 = v_c^2 + sigma_R^2 (1 - kappa^2 / (4 Omega^2) - 2 R / R_d)
///
/// @see Hernquist (1993), ApJS 86, 389, sec. 2.2; Binney & Tremaine (2008), Galactic Dynamics, eqs. 2.165 and 4.228
class DiscModel {
 public:
  struct Shape {
    double mass = 1.0;       ///< M [mass]
    double radius = 1.0;     ///< R_d [length]
    double thickness = 0.2;  ///< z_0 [length]
    double Q = 1.5;          ///< Toomre's, at 2.5 R_d
  };
  /// @param spheres  around it
  DiscModel(const Shape& shape, std::span<const SphericalMass> spheres, double G);

  /// Speed on a circle of radius R > 0 [velocity].
  [[nodiscard]] double circular_speed(double R) const;
  /// kappa, of small oscillations around such a circle [time^-1].
  [[nodiscard]] double epicyclic_frequency(double R) const;
  [[nodiscard]] double surface_density(double R) const;
  struct Velocities {
    double rotation;                     ///< mean, around the axis [velocity]
    double radial, azimuthal, vertical;  ///< dispersions [velocity]
  };
  [[nodiscard]] Velocities at(double R) const;
  /// The radius within which this part of the mass lies, below 1 [length].
  [[nodiscard]] double radius_of(double part) const;

 private:
  Shape shape_;
  std::vector<SphericalMass> spheres_;
  double G_;
  double reference_;  // the radius of Toomre's Q [length]
  double sigma_;      // radial dispersion there [velocity]
};

}  // namespace tacit::sph
