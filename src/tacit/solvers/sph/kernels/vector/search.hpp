// Finds the candidates that a group of particles, and then each of them, may see; many at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/solvers/sph/kernels/vector/candidates.hpp"

namespace tacit::sph::kernels::vector {

/// Each function keeps candidates in their order and says how many; that of a short list differs by nothing from what
/// a search among all candidates would find for any particle within the box.
struct SearchFunctions {
  /// Those within the region's radius of its box. Cost: 13 flops and 20 bytes each, 24 bytes per one kept.
  std::size_t (*shortlist)(Candidates, const Region&, ShortlistTarget);
  /// Those within the larger of the radius and their own support.
  std::size_t (*shortlist_either)(Candidates, const Region&, ShortlistTarget);
  /// Those within H of the centre, with separation and mass.
  /// Cost: 9 flops and 20 bytes per particle of the list, 12 bytes per hit.
  std::size_t (*find_within)(Shortlist, const Float3&, float H, Hits);
  /// Those nearer than the larger of the two supports. Cost: 10 flops, 20 bytes per particle of the list.
  std::size_t (*find_within_either)(Shortlist, const Float3&, float H, Hits);
};

template <class Isa>
[[nodiscard]] SearchFunctions search_of() noexcept;

}  // namespace tacit::sph::kernels::vector
