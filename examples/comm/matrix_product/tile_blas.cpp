// A tile is one call of BLAS.
// SPDX-License-Identifier: Apache-2.0
#include <cblas.h>

#include "product.hpp"

namespace product {
namespace {

int as_int(std::size_t value) { return static_cast<int>(value); }

}  // namespace

void multiply(const Problem& problem, const Tile& tile, const double* panel, const double* b, double* c,
              std::size_t stride) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, as_int(tile.rows), as_int(tile.columns), as_int(problem.n),
              1.0, panel, as_int(problem.n), b + tile.column, as_int(problem.n), 0.0, c, as_int(stride));
}

}  // namespace product
