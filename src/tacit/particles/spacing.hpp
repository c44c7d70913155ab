// How far apart particles lie, before anything is known of their kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tacit/comm/communicator.hpp"
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
/// @param ranks      that have the particles together, and all call this; null: this one has all
/// @return           shape (N) [length]; 0 where the box has no extent: all its particles lie at one place. It does not
///                   depend on which rank has which.
/// Cost: O(N log N) where particles are spread evenly, some 10 ns each per halving. Of several ranks each looks at
/// about as many, which for the while it has from others.
[[nodiscard]] std::vector<double> local_spacing(const Positions& positions, int dimension,
                                                comm::Communicator* ranks = nullptr);

}  // namespace tacit::particles
