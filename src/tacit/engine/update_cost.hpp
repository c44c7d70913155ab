// What an update of an element takes of the machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacit::engine {

/// What an update of an element takes at least, counted from the loops: of operations those that the method asks for
/// (additions, multiplications, divisions and roots, one each), of bytes those that pass between processor and memory
/// where a state is larger than all caches: each array once for each time that a step goes through all elements.
struct UpdateCost {
  double flops = 0.0;         ///< in double precision
  double single_flops = 0.0;  ///< in single precision
  double bytes = 0.0;         ///< read, and written
};

}  // namespace tacit::engine
