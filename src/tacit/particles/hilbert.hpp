// A curve through all boxes of a grid that stays near where it was.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacit::particles {

/// The boxes of a grid in the order in which Hilbert's curve visits them: pieces of the curve are compact, so that what
/// is cut along it has little surface. Of a grid that is no cube of a power of two, those boxes of one that are there.
///
/// @param shape  boxes along each axis, 1 to 2^20 each
/// @param axes   1 to 3, in use; along the others there is one box
/// @return       shape (boxes): (i n_y + j) n_z + k of each. Along one axis: in turn
/// @see Skilling (2004), AIP Conf. Proc. 707, 381
/// Cost: O(n log n)
[[nodiscard]] std::vector<std::uint32_t> hilbert_order(const std::array<int, 3>& shape, std::size_t axes);

}  // namespace tacit::particles
