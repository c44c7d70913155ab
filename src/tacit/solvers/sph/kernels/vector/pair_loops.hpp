// The sums over neighbours of the scalar kernels, taken by vector loops: doubles in, doubles out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/sph/kernels/density.hpp"
#include "tacit/solvers/sph/kernels/force.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/kernels/vector/pair_kernels.hpp"
#include "tacit/solvers/sph/kernels/vector/vector_cache.hpp"

namespace tacit::sph::kernels::vector {

/// Each function gives what its scalar namesake gives, to single precision: positions and velocities are those of the
/// cache's frame (rounded to 2^-22 of its extent, and to floats), and a neighbour on the very edge of the support may
/// count or not, which changes sums by nothing.
///
///     const auto loops = PairLoops(pair_kernels<CubicSpline>(base::chosen_instruction_set()), space);
///     cache.restart(frame);
///     cache.append(...);
///     cache.seal();
///     loops.find_within(cache, at, space.gamma * h);
///     const Density density = loops.density(cache, h);
class PairLoops {
 public:
  PairLoops(const PairKernels& kernels, const Space& space) : kernels_(kernels), space_(space) {}

  [[nodiscard]] const PairKernels& kernels() const noexcept { return kernels_; }

  /// Finds the candidates within `radius`; the hits stay in the cache until the next search.
  void find_within(VectorCache& cache, const base::Vec3& at, double radius) const;
  /// Finds the candidates within the larger of `radius` and their own support.
  void find_within_either(VectorCache& cache, const base::Vec3& at, double radius) const;

  /// @see density_sum; after find_within with a radius of at least gamma h
  [[nodiscard]] Density density(const VectorCache& cache, double h) const;
  /// @see kernels::velocity_gradients; after find_within with a radius of at least gamma h
  [[nodiscard]] VelocityGradients gradients(const VectorCache& cache, const base::Vec3& at, const base::Vec3& v,
                                            double h, double rho) const;
  /// @see force_sum; after find_within_either with the radius gamma h
  [[nodiscard]] Force force(const VectorCache& cache, const ForceTarget& i, double alpha) const;

 private:
  PairKernels kernels_;
  Space space_;
};

}  // namespace tacit::sph::kernels::vector
