// What a flow has beside inertia, pressure and viscosity: scalars, rotation, stratification, forcing, shifted grids.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tacit/base/vec3.hpp"

namespace tacit::dns {

/// A scalar that the flow carries: d theta/dt + u . grad theta = kappa laplace theta - u . G.
struct ScalarParameters {
  double diffusivity = 0.0;  ///< kappa [length^2/time]
  base::Vec3 gradient{};     ///< G, of the mean [scalar/length]; theta is what differs from it
};

/// How a grid is shifted from substage to substage, so that aliases of products cancel over a step.
enum class PhaseShift : std::uint8_t {
  none,
  alternating,  ///< by nothing, and by half a cell along each axis
  random,       ///< by a random part of a cell, new in each step, and by half a cell more in every second substage
};

/// What keeps a flow going.
enum class ForcingKind : std::uint8_t {
  none,
  eswaran_pope,  ///< random accelerations with a memory: Ornstein & Uhlenbeck's process in each mode
  constant,      ///< an acceleration along the velocity of the forced modes that brings a constant power
  frozen,        ///< after each step the energy of each forced shell is set back to what it was at first
};

/// Forced are the modes 0 < |k| <= radius, in units of the smallest wave number of the box.
struct ForcingParameters {
  ForcingKind kind = ForcingKind::none;
  double radius = 2.5;
  double power = 0.0;   ///< constant: energy per mass and time; eswaran_pope: variance times memory [length^2/time^3]
  double memory = 0.0;  ///< eswaran_pope: the time in which an acceleration forgets [time]
};

/// All of it; nothing by default.
struct PhysicsParameters {
  std::vector<ScalarParameters> scalars = {};
  base::Vec3 rotation{};              ///< Omega, of the frame [1/time]
  double stratification = 0.0;        ///< N, Brunt & Vaisala's frequency, of a density that falls with z [1/time]
  double buoyancy_diffusivity = 0.0;  ///< [length^2/time]
  PhaseShift phase_shift = PhaseShift::none;
  ForcingParameters forcing = {};
  std::uint64_t seed = 1;  ///< of random shifts and forces

  /// The scalars and, behind them, what stratification brings: b/N, b the buoyancy [velocity].
  [[nodiscard]] std::vector<ScalarParameters> all_scalars() const {
    std::vector<ScalarParameters> all = scalars;
    if (stratification > 0.0) all.push_back({buoyancy_diffusivity, {0.0, 0.0, stratification}});
    return all;
  }
  [[nodiscard]] bool rotates() const noexcept { return rotation.x != 0.0 || rotation.y != 0.0 || rotation.z != 0.0; }
};

}  // namespace tacit::dns
