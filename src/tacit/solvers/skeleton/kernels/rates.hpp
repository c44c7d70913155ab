// What the loops of skeleton are told.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/mesh/kernels/stages.hpp"

namespace tacit::skeleton::kernels {

inline constexpr std::size_t fields = 1;  ///< as many rates as rows of the table

/// du/dt = D laplace(u) + r u (1 - u)
struct Equations {
  double weight[3] = {};  ///< D / dx^2 [1/time]; 0 along an axis that the grid does not have
  double growth = 0.0;    ///< r [1/time]
};

/// The loops of one instruction set, whose results are bitwise identical to those of the others.
struct Loops {
  /// A stage over a tile. @param at  shape (fields)
  void (*advance)(const mesh::StageTile&, const Equations&, const mesh::Stage&, double dt, const mesh::StageFields* at);
};

template <class Isa>
[[nodiscard]] Loops loops_of() noexcept;

}  // namespace tacit::skeleton::kernels
