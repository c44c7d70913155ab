// Divides the grid among ranks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/block.hpp"

namespace tacit::heat {

Block make_block(const Domain& domain, std::size_t /*ranks*/, std::size_t /*rank*/) {
  Block block{.cells = domain.cells};
  std::ptrdiff_t next = 1;
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    block.next[axis] = next;
    block.origin += next;
    next *= static_cast<std::ptrdiff_t>(block.cells[axis] + 2);
  }
  block.size = static_cast<std::size_t>(next);
  return block;
}

}  // namespace tacit::heat
