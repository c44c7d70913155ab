// Gas around a point on a grid of spheres, and its potential by spherical harmonics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {

/// Densities on spheres around an origin, mirrored in the planes y = 0 and z = 0. Their potential is, with G = 1,
///
///     phi(r, theta, psi) = -sum_lm 4 pi / (2 l + 1) Y_lm [ r^-(l+1) int_0^r rho_lm s^(l+2) ds
///                                                          + r^l int_r^R rho_lm s^(1-l) ds ]
///
/// with real harmonics, of which those with even l + m and cos(m psi) have these mirrors, up to l = `highest`. Places
/// are taken from the origin.
///
/// @see Hachisu (1986), Astrophys. J. Suppl. 62, 461, for potentials of three-dimensional stars by harmonics
class StarGrid {
 public:
  static constexpr std::size_t spheres = 64;  ///< beside the origin
  static constexpr std::size_t polar = 12;    ///< directions from the plane z = 0 to the pole: nodes of Gauss
  static constexpr std::size_t around = 24;   ///< and from x to -x
  static constexpr std::size_t directions = polar * around;
  static constexpr std::size_t highest = 16;

  /// Empty. @param radius  of the outermost sphere [length]
  explicit StarGrid(double radius);

  [[nodiscard]] double radius() const noexcept { return radius_; }
  /// Between spheres.
  [[nodiscard]] double spacing() const noexcept { return radius_ / static_cast<double>(spheres); }
  [[nodiscard]] Point place(std::size_t direction, std::size_t sphere) const noexcept;
  [[nodiscard]] double& rho(std::size_t direction, std::size_t sphere) noexcept {
    return rho_[direction * (spheres + 1) + sphere];
  }
  [[nodiscard]] double rho(std::size_t direction, std::size_t sphere) const noexcept {
    return rho_[direction * (spheres + 1) + sphere];
  }
  /// Integral over the volume of what `each` says of (direction, sphere), where there is gas.
  [[nodiscard]] double integral(const std::function<double(std::size_t, std::size_t)>& each) const;
  /// Finds the potential of the present densities.
  void solve();
  /// As last solved, at a place of the grid and anywhere.
  [[nodiscard]] double potential(std::size_t direction, std::size_t sphere) const noexcept;
  [[nodiscard]] double potential(const Point& place) const noexcept;

 private:
  double radius_;
  std::vector<double> rho_;  // by direction and sphere; sphere 0 is the origin
  std::vector<double> phi_;  // by sphere and harmonic
};

}  // namespace tacit::amr
