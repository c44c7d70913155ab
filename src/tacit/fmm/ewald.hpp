// Ewald's sum: gravity in a box that repeats, as plain sums over images and waves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/fmm/direct.hpp"
#include "tacit/fmm/operators.hpp"

namespace tacit::fmm {

/// The attraction of a unit mass, of all its periodic images, and of a uniform background of negative mass that makes
/// the box neutral, as which psi has no mean:
///
///     psi(R) = sum_n 1 / |R - n L| - background
///            = sum_n erfc(alpha |R - n L|) / |R - n L| - pi / (alpha^2 V)
///              + 4 pi / V sum_(k != 0) exp(-k^2 / (4 alpha^2)) / k^2 cos(k R),   k = 2 pi n / L
///
/// The splitting alpha changes what is summed where, and nothing of the sum. Both sums go on until their terms are
/// below 1e-15.
/// @see Ewald (1921), Ann. Phys. 369, 253; Hernquist, Bouchet & Suto (1991), ApJS 75, 231
/// Cost: some 300 terms in all for each R with the default. An oracle, and the source of tables.
class Ewald {
 public:
  /// @param box        its sides [length], > 0
  /// @param splitting  alpha times the cube root of the volume; another value, > 0, only for tests
  explicit Ewald(const base::Vec3& box, double splitting = default_splitting);

  /// Potential and acceleration at R from the mass. At R = 0, and at images of it, the mass that is there is left out.
  /// G = 1, mass 1.
  [[nodiscard]] Field field_at(const base::Vec3& R) const;

  /// What add_periodic_pairs adds.
  void add_pairs(const Bodies& bodies, const Softening& softening, const Fields& fields) const;

  /// Derivatives of psi at R = 0 up to order q, without 1/r of the images with |n| <= near along each axis.
  ///
  /// @return  shape (terms(q)), in the order of place_of [length^-(1 + |n|)]
  [[nodiscard]] std::vector<double> far_derivatives(int q, const std::array<int, 3>& near) const;

  static constexpr double default_splitting = 1.7724538509055159;  ///< sqrt(pi): as many images as waves

 private:
  /// psi and its gradient without the sum over waves.
  [[nodiscard]] std::pair<double, base::Vec3> near_part(const base::Vec3& R) const;
  template <class Function>
  void for_images(const base::Vec3& R, double reach, const std::array<int, 3>& at_least,
                  const Function& function) const;
  template <class Function>
  void for_waves(double reach, const Function& function) const;

  base::Vec3 box_;
  double volume_, alpha_;
};

/// Adds what all bodies and their images in a periodic box do to each body, itself included: plain sums.
///
/// @pre masses are positive, and bodies are softened only within half of the shortest side
void add_periodic_pairs(const Bodies& bodies, const base::Vec3& box, const Softening& softening, const Fields& fields);

}  // namespace tacit::fmm
