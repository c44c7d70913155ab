// Loops that visit each pair of particles of two sorted cells once, as functions to be called through pointers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/solvers/sph/kernels/vector/candidates.hpp"

namespace tacit::sph::kernels::vector {

/// The fields of a particle that takes part in a sweep; blocks hold `widest` particles, field after field.
enum class SweepField : std::size_t {
  x,
  y,
  z,
  m,
  vx,
  vy,
  vz,
  cs,
  inverse_H,
  rho,
  omega_P,
  balsara,
  u,
  f,
  alpha_v,
  alpha_d,
};
inline constexpr std::size_t sweep_fields = 16;

/// What is summed for a particle, in records of so many floats: a vector, three sums, two largest values.
///
///     density          sum m w'/r (v x d) |  sum m w, sum m q w', sum m w'/r (v . d) |
///     force            acceleration       |  dissipation                             |  signal velocity
///     SPHENIX gradient                    |  Laplacian                               |  signal velocity, alpha_v
///     SPHENIX force    acceleration       |  du/dt                                   |  signal velocity
enum class SweepSum : std::size_t { x, y, z, a, b, c, largest, other_largest };
inline constexpr std::size_t sweep_sums = 8;

/// Particles of one cell in rising order along an axis, with blocks of fields and of sums.
struct SweepSide {
  std::size_t size = 0;
  const float* key = nullptr;     ///< shape (size): places along the axis, as good as the sweep's slack
  const float* fields = nullptr;  ///< shape (blocks, sweep_fields, widest); the last block filled up with nothing
  float* sums = nullptr;          ///< shape (blocks, sweep_sums, widest)
  float H_max = 0.0F;             ///< largest support
};

/// Who may see whom: `far` lies beyond `near` along the axis.
struct Sweep {
  SweepSide near, far;
  /// What a support must be lengthened by before keys are compared: how much they may be wrong, less the distance
  /// between the points from which those of both sides count.
  float slack = 0.0F;
  ForceConstants constants{};
};

/// The records of one cell, as in Candidates, with a massless one behind the last; whom to take, and how it is seen.
struct SweepSource {
  const float *place = nullptr, *flow = nullptr, *state = nullptr, *thermal = nullptr;
  const std::uint32_t* index = nullptr;  ///< shape (size)
  std::size_t size = 0;
  std::uint32_t massless = 0;     ///< which record is that
  Float3 sign{1.0F, 1.0F, 1.0F};  ///< -1 through a mirror
  Float3 offset{0.0F, 0.0F, 0.0F};
};

/// Where the sums of a side go: 8 floats for each particle of its cell, in the order of SweepSum.
struct SweepHarvest {
  const std::uint32_t* index = nullptr;
  std::size_t size = 0;
  const float* sums = nullptr;
  float* records = nullptr;
  Float3 sign{1.0F, 1.0F, 1.0F};  ///< of the vector
};

struct SweepLoop {
  /// Sums over the pairs of one cell, `near`, with each other.
  void (*self)(const Sweep&);
  /// Sums over the pairs of a particle of `near` and one of `far`.
  void (*pair)(const Sweep&);
};

/// Every function adds to both particles of a pair that lies within either's support.
struct SweepKernels {
  /// Copies particles into blocks, and clears their sums. `fill_thermal` also copies what SPHENIX needs.
  void (*fill)(const SweepSource&, float* fields, float* sums);
  void (*fill_thermal)(const SweepSource&, float* fields, float* sums);
  void (*harvest)(const SweepHarvest&);
  SweepLoop density, force, sphenix_gradient, sphenix_force;
};

/// Compiled once per instruction set, in sweep.isa.cpp.
template <class Kernel, class Isa>
[[nodiscard]] SweepKernels sweep_kernels_of() noexcept;

}  // namespace tacit::sph::kernels::vector
