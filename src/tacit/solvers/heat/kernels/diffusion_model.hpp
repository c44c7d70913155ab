// The rate of change of the temperature, as loops over packs and kernels of teams call it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/base/pack.hpp"
#include "tacit/gpu/macros.hpp"
#include "tacit/mesh/kernels/stage_loops.hpp"
#include "tacit/solvers/heat/kernels/diffusion.hpp"

namespace tacit::heat::kernels {

enum class Kappa : std::uint8_t { constant, given };

/// For mesh::advance_tile.
template <Kappa kappa>
struct Model {
  mesh::StageTile tile;
  Diffusion by;  // its fields begin where the tile does
  const double* y;

  /// L(y) in the cells from `i` on. Differences come first, so that of a uniform field nothing is left.
  template <class P>
  [[gnu::always_inline]] TACIT_HOST_DEVICE mesh::Rates<P, 1> rates(std::ptrdiff_t i) const {
    const P here = P::load(y + i);
    P sum = kappa == Kappa::constant ? P(by.constant_source) : P::load(by.source + i);
    for (int axis = 0; axis < 3; ++axis) {
      const std::ptrdiff_t next = tile.next[axis];
      const P low = P::load(y + i - next);
      const P high = P::load(y + i + next);
      if constexpr (kappa == Kappa::constant) {
        sum += P(by.weight[axis]) * ((low + high) - (here + here));
      } else {
        const double* const face = by.face[axis] + i;
        sum += P::load(face + next) * (high - here) - P::load(face) * (here - low);
      }
    }
    return {{sum}};
  }
};

}  // namespace tacit::heat::kernels
