// How far apart particles lie, before anything is known of their kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tacit/particles/forest.hpp"

namespace tacit::particles {

/// The mean distance of the particles around each, to a factor of two or three, whatever the box and however far others
/// lie: the box around all is halved, and again the boxes around what is in its halves, until few are left in each.
///
///     s = (V / n)^(1/d)   of the smallest such box with enough particles for a mean
///
/// A box that is thin along an axis counts as one mean distance thick there.
///
/// @param positions  shape (N) each [length], finite
/// @return           shape (N) [length]; 0 where the box has no extent: all its particles lie at one place
/// Cost: O(N log N) where particles are spread evenly, some 10 ns each per halving.
[[nodiscard]] std::vector<double> local_spacing(const Positions& positions, int dimension);

}  // namespace tacit::particles
