// The rate of change of the temperature, and the loops that advance it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/mesh/kernels/stages.hpp"

namespace tacit::heat::kernels {

/// L(T) = div(kappa grad T) + S. Where `source` is null kappa and S are constant.
struct Diffusion {
  double weight[3] = {};           ///< kappa / dx^2 [1/time]; 0 along an axis that the grid does not have
  double constant_source = 0.0;    ///< S [temperature / time]
  const double* face[3] = {};      ///< kappa / dx^2 at the face below each cell
  const double* source = nullptr;  ///< S of each cell
};

/// The loops of one instruction set, whose results are bitwise identical to those of the others.
struct Loops {
  /// A stage over a tile. @param dt  of the step [time]
  /// Cost: 13 operations and at best 16 (euler) to 40 bytes (chebyshev) per cell, where kappa is constant.
  void (*advance)(const mesh::StageTile&, const Diffusion&, const mesh::Stage&, double dt, const mesh::StageFields&);
};

template <class Isa>
[[nodiscard]] Loops loops_of() noexcept;

}  // namespace tacit::heat::kernels
