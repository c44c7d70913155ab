// Which particles lie near a box, for packs of any width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/pack.hpp"
#include "tacit/solvers/sph/kernels/vector/candidates.hpp"

namespace tacit::sph::kernels::vector {

/// Distance from an interval; 0 inside.
template <class P>
[[nodiscard]] inline P outside(const P& x, float low, float high) noexcept {
  return max(max(P(low) - x, x - P(high)), P(0));
}

/// The particles within `reach` of the region's box. Rounding may add some a little beyond it (searches look again) but
/// loses none: differences of coordinates are exact, and the limit grows by more than their squares round.
template <class P>
[[nodiscard]] inline typename P::mask_type is_near(const Region& region, const P& x, const P& y, const P& z,
                                                   const P& reach) noexcept {
  const P dx = outside(x, region.low.x, region.high.x);
  const P dy = outside(y, region.low.y, region.high.y);
  const P dz = outside(z, region.low.z, region.high.z);
  const P limit = fma(reach, P(1.0F + 0x1p-20F), P(0x1p-20F));
  return dx * dx + dy * dy + dz * dz < limit * limit;
}

}  // namespace tacit::sph::kernels::vector
