// The vector loops of one instruction set and smoothing kernel, as functions to be called through pointers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/cpu_features.hpp"
#include "tacit/solvers/sph/kernels/vector/candidates.hpp"
#include "tacit/solvers/sph/kernels/vector/drift.hpp"
#include "tacit/solvers/sph/kernels/vector/fill.hpp"
#include "tacit/solvers/sph/kernels/vector/search.hpp"
#include "tacit/solvers/sph/kernels/vector/sweep.hpp"

namespace tacit::sph::kernels::vector {

/// The loops of SPHENIX beyond those of density and velocity gradients.
struct SphenixKernels {
  /// The sums over hits from find_within.
  SphenixGradientSums (*gradients)(Candidates, Hits, const SphenixCentre&, float beta_v);
  /// The sums over hits from find_within_either.
  SphenixForceSums (*forces)(Candidates, Hits, const SphenixCentre&, const ForceConstants&);
};

/// Views come by value, so that the loops keep them in registers. All lengths, masses and velocities are in the units
/// of the cache (VectorCache). Calls with different Hits may run at once. Sums are taken in float, each lane its own,
/// and added up in double precision in a fixed order.
struct PairKernels {
  base::InstructionSet set;
  std::size_t width;  ///< floats in a pack

  FillFunction fill;  ///< see VectorCache::append

  DriftFunctions drift;  ///< see sph::drift and sph::bound_groups

  SearchFunctions search;
  /// The sums over hits from find_within; 1/H may grow from one call to the next, the hits stay.
  DensitySums (*density)(Hits, float inverse_H);
  GradientSums (*gradients)(Candidates, Hits, const MovingCentre&, float inverse_H);
  /// The sums over hits from find_within_either.
  ForceSums (*forces)(Candidates, Hits, const GasCentre&, const ForceConstants&);

  SphenixKernels sphenix;

  /// The same sums with each pair visited once.
  SweepKernels sweep;

  /// The same over all candidates without a list: every lane computes, also those outside the support. What the
  /// lists are measured against.
  DensitySums (*density_of_all)(Candidates, const Float3&, float inverse_H);
  ForceSums (*forces_of_all)(Candidates, const GasCentre&, const ForceConstants&);
};

/// The loops for that instruction set.
///
/// @pre  the set is usable (base::usable_instruction_sets)
template <class Kernel>
[[nodiscard]] PairKernels pair_kernels(base::InstructionSet set) noexcept;

/// What pair_kernels chooses from: compiled once per instruction set, in pair_loops.isa.cpp and sphenix_loops.isa.cpp.
template <class Kernel, class Isa>
[[nodiscard]] PairKernels pair_kernels_of() noexcept;
template <class Kernel, class Isa>
[[nodiscard]] SphenixKernels sphenix_kernels_of() noexcept;

}  // namespace tacit::sph::kernels::vector
