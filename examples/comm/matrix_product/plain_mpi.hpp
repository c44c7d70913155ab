// The same product in plain MPI: a master that deals tiles out, and a division made beforehand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <memory>

#include "product.hpp"

namespace product {

/// Rank 0 computes nothing while there are others; it sends them tiles, with their rows of A, one by one.
[[nodiscard]] std::unique_ptr<Method> by_master(MPI_Comm ranks, const Problem& problem);

/// Tile t belongs to rank t modulo the number of ranks, in the order of Problem::tiles.
[[nodiscard]] std::unique_ptr<Method> by_division(MPI_Comm ranks, const Problem& problem);

}  // namespace product
