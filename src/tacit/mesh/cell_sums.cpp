// Joins sums and extrema of all ranks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/cell_sums.hpp"

namespace tacit::mesh {

void join_ranks(exchange::RankReductions& ranks, std::span<Sums> sums) {
  exchange::Reduction& all = ranks.of({.sums = sums.size(), .largest = sums.size(), .least = sums.size()});
  for (std::size_t i = 0; i < sums.size(); ++i) {
    all.sums()[i] = sums[i].sum;
    all.largest()[i] = sums[i].largest;
    all.least()[i] = sums[i].least;
  }
  all.run();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] = {.sum = all.sums()[i], .least = all.least()[i] + 0.0, .largest = all.largest()[i] + 0.0};
  }
}

}  // namespace tacit::mesh
