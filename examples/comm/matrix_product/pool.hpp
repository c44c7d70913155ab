// Every worker of every rank draws its tiles from a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "product.hpp"
#include "tacit/comm/communicator.hpp"

namespace product {

/// @param threads  workers of each rank
[[nodiscard]] std::unique_ptr<Method> by_pool(tacit::comm::Communicator& world, const Problem& problem,
                                              std::size_t threads);

}  // namespace product
