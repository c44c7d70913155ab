// External potentials: a point mass, an NFW halo, a constant field.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/sph/kernels/neighbour_cache.hpp"

namespace tacit::sph::kernels {

/// A sum of potentials that do not change with time; each part is absent where its strength is 0.
struct Potential {
  base::Vec3 centre{};             ///< of the point mass and the halo [length]
  base::Vec3 periods{};            ///< the centre's nearest image along each axis counts; 0: it has no images [length]
  double softening = 0.0;          ///< e in R = sqrt(r^2 + e^2) [length]
  double GM_point = 0.0;           ///< G M of the point mass [length^3 time^-2]
  double GM_halo = 0.0;            ///< 4 pi G rho_s r_s^3 of the halo [length^3 time^-2]
  double r_s = 1.0;                ///< scale radius of the halo [length]
  base::Vec3 field{};              ///< constant acceleration [acceleration]
  double time_step_factor = 0.02;  ///< C in dt = C sqrt(length / acceleration)

  [[nodiscard]] bool is_central() const noexcept { return GM_point != 0.0 || GM_halo != 0.0; }
  [[nodiscard]] bool is_present() const noexcept { return is_central() || field != base::Vec3{}; }
};

/// Acceleration at a place and what limits the step there.
struct Pull {
  base::Vec3 a;  ///< [acceleration]
  double dt;     ///< longest step [time]; infinite without acceleration
};

/// Acceleration by the potential.
///
///     point mass:  phi = -G M / R                          a = -G M d / R^3
///     halo:        phi = -GM_halo ln(1 + R/r_s) / R        a = -GM_halo [ln(1 + y) - y/(1 + y)] d / R^3,  y = R/r_s
///     field:       phi = -g . x                            a = g
///
///     dt = C sqrt( min(R / |a_central|, H / |a|) )
///
/// @param H   support radius of the particle [length]: the field may not move it by more than a part of that unseen
/// @see   Navarro, Frenk & White (1997), ApJ 490, 493, eqs. 1 to 3 (the halo's density)
[[nodiscard]] Pull pull(const Potential& potential, const Point& at, double H) noexcept;

/// phi [specific energy].
[[nodiscard]] double specific_energy(const Potential& potential, const Point& at) noexcept;

/// GM_halo of a halo of mass M200 within the radius r200 = c r_s, G included in `GM200`.
[[nodiscard]] double halo_strength(double GM200, double concentration) noexcept;

}  // namespace tacit::sph::kernels
