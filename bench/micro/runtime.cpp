// The orders that the graphs of all contestants must keep.
// SPDX-License-Identifier: Apache-2.0
#include "micro/runtime.hpp"

#include <algorithm>

namespace tacit::bench {

std::vector<Pair> wavefront_order(Grid grid) {
  std::vector<Pair> order;
  for (std::uint32_t row = 0; row < grid.rows; ++row) {
    for (std::uint32_t column = 0; column < grid.columns; ++column) {
      const std::uint32_t task = grid.number(row, column);
      if (row > 0) order.emplace_back(grid.number(row - 1, column), task);
      if (column > 0) order.emplace_back(task - 1, task);
    }
  }
  return order;
}

std::vector<Pair> stencil_order(Grid grid) {
  std::vector<Pair> order;
  for (std::uint32_t row = 1; row < grid.rows; ++row) {
    for (std::uint32_t column = 0; column < grid.columns; ++column) {
      const std::uint32_t first = column > 0 ? column - 1 : 0;
      const std::uint32_t last = std::min(column + 1, grid.columns - 1);
      for (std::uint32_t c = first; c <= last; ++c) {
        order.emplace_back(grid.number(row - 1, c), grid.number(row, column));
      }
    }
  }
  return order;
}

std::uint64_t fib_spawns(std::uint32_t n) { return n < 2 ? 0 : 1 + fib_spawns(n - 1) + fib_spawns(n - 2); }

}  // namespace tacit::bench
