// What sums over neighbours mean: from the units of a frame to those of the run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/sph/kernels/density.hpp"
#include "tacit/solvers/sph/kernels/force.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/kernels/sphenix.hpp"
#include "tacit/solvers/sph/kernels/vector/candidates.hpp"
#include "tacit/solvers/sph/kernels/vector/vector_cache.hpp"

namespace tacit::sph::kernels::vector {

/// Turns sums in the units of one frame into numbers in those of the run.
struct Results {
  const Frame& frame;
  const Space& space;

  /// @param h  of the particle [length], at which the kernels were taken
  [[nodiscard]] Density density(const DensitySums& sums, double h) const noexcept;
  [[nodiscard]] VelocityGradients gradients(const GradientSums& sums, double h, double rho) const noexcept;
  /// @param cs  sound speed of the particle [velocity]
  [[nodiscard]] Force force(const ForceSums& sums, double cs) const noexcept;
  /// @param alpha_v  of the particle itself
  [[nodiscard]] SphenixGradients sphenix_gradients(const SphenixGradientSums& sums, double h, double cs,
                                                   double alpha_v) const noexcept;
  [[nodiscard]] SphenixForce sphenix_force(const SphenixForceSums& sums, double cs) const noexcept;
};

}  // namespace tacit::sph::kernels::vector
