// The sums over neighbours of the scalar kernels, taken by vector loops: doubles in, doubles out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/sph/kernels/density.hpp"
#include "tacit/solvers/sph/kernels/force.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/kernels/smoothing_length.hpp"
#include "tacit/solvers/sph/kernels/sphenix.hpp"
#include "tacit/solvers/sph/kernels/vector/pair_kernels.hpp"
#include "tacit/solvers/sph/kernels/vector/vector_cache.hpp"

namespace tacit::sph::kernels::vector {

/// w(0): what a particle of mass 1 adds to the sum of its own density.
[[nodiscard]] double own_weight(const PairKernels& kernels);

/// Each function gives what its scalar namesake gives, to single precision: positions and velocities are those of the
/// cache's frame (rounded to 2^-23 of its extent, and to floats), and a neighbour on the very edge of the support may
/// count or not, which changes sums by nothing.
///
///     const auto loops = PairLoops(pair_kernels<CubicSpline>(base::chosen_instruction_set()), space);
///     cache.restart(frame);
///     cache.append(...);
///     cache.seal();
///     loops.shortlist(cache, box_of_some_particles, radius);
///     loops.find_within(cache, at, space.gamma * h);
///     const Density density = loops.density(cache, h);
class PairLoops {
 public:
  PairLoops(const PairKernels& kernels, const Space& space) : kernels_(kernels), space_(space) {}

  [[nodiscard]] const PairKernels& kernels() const noexcept { return kernels_; }
  [[nodiscard]] const Space& space() const noexcept { return space_; }

  /// Lists what particles inside the box may find within `radius`, or within either support: to be called once for a
  /// compact group of particles, before they search. The list differs by nothing from all candidates.
  void shortlist(VectorCache& cache, const Box& box, double radius) const;
  void shortlist_either(VectorCache& cache, const Box& box, double radius) const;

  /// Finds the candidates within `radius`; the hits stay in the cache until the next search.
  ///
  /// @pre  the latest list of the cache serves this radius and, in `find_within_either`, is one of either support
  void find_within(VectorCache& cache, const base::Vec3& at, double radius) const;
  /// Finds the candidates within the larger of `radius` and their own support.
  void find_within_either(VectorCache& cache, const base::Vec3& at, double radius) const;

  /// @see density_sum; after find_within with a radius of at least gamma h
  [[nodiscard]] Density density(const VectorCache& cache, double h) const;
  /// @see kernels::solve_smoothing_length; the latest list of the cache must serve the radius gamma * reach. Sums in
  /// floats leave h uncertain by some 1e-7 of it: tolerances below 2^-20 are taken for that.
  [[nodiscard]] SmoothingLengthResult solve_smoothing_length(VectorCache& cache, const base::Vec3& at, double m,
                                                             double guess, double reach,
                                                             const SmoothingLengthRule& rule) const;
  /// The same for a particle at whose very place others of mass `besides` lie, where these alone are more than any
  /// kernel shall hold, so that no smoothing length solves: they are left out while it is sought, and are in the
  /// density.
  [[nodiscard]] SmoothingLengthResult solve_smoothing_length_beside(VectorCache& cache, const base::Vec3& at, double m,
                                                                    double besides, double guess, double reach,
                                                                    const SmoothingLengthRule& rule) const;
  /// That rule with the least tolerance that sums in floats can meet.
  [[nodiscard]] static SmoothingLengthRule rule_for_floats(const SmoothingLengthRule& rule) noexcept;
  /// @see kernels::velocity_gradients; after find_within with a radius of at least gamma h
  [[nodiscard]] VelocityGradients gradients(const VectorCache& cache, const base::Vec3& at, const base::Vec3& v,
                                            double h, double rho) const;
  /// @see force_sum; after find_within_either with the radius gamma h
  [[nodiscard]] Force force(const VectorCache& cache, const ForceTarget& i, double alpha) const;
  /// @see kernels::sphenix_gradients; after find_within with a radius of at least gamma h
  [[nodiscard]] SphenixGradients sphenix_gradients(const VectorCache& cache, const SphenixTarget& i,
                                                   double beta_v) const;
  /// @see kernels::sphenix_force; after find_within_either with the radius gamma h
  [[nodiscard]] SphenixForce sphenix_force(const VectorCache& cache, const SphenixTarget& i, double beta_v) const;

 private:
  PairKernels kernels_;
  Space space_;
};

}  // namespace tacit::sph::kernels::vector
