// A tile in plain loops, where there is no BLAS: some ten times as long.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "product.hpp"

namespace product {

void multiply(const Problem& problem, const Tile& tile, const double* panel, const double* b, double* c,
              std::size_t stride) {
  for (std::size_t i = 0; i < tile.rows; ++i) {
    double* row = c + i * stride;
    std::fill_n(row, tile.columns, 0.0);
    for (std::size_t k = 0; k < problem.n; ++k) {
      const double a = panel[i * problem.n + k];
      const double* of_b = b + k * problem.n + tile.column;
      for (std::size_t j = 0; j < tile.columns; ++j) row[j] += a * of_b[j];
    }
  }
}

}  // namespace product
