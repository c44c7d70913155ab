// Makes collectives in the way that the user names, or in the one that a measurement finds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "tacit/comm/collectives/detail/exchange.hpp"
#include "tacit/comm/collectives/detail/reduction.hpp"

namespace tacit::comm::detail {

/// @see Exchange, and choose_algorithm for what it may throw
[[nodiscard]] std::unique_ptr<Exchange> make_exchange(CommunicatorCore& communicator, const Routes& routes,
                                                      const Elements& elements, const CollectiveOptions& options,
                                                      const Pull& pull, std::span<const std::byte> in,
                                                      std::span<std::byte> out);
/// @see Reduction; the function of the user is not called while times are measured
[[nodiscard]] std::unique_ptr<Reduction> make_reduction(CommunicatorCore& communicator, ReductionSpec spec,
                                                        const CollectiveOptions& options, std::span<const std::byte> in,
                                                        std::span<std::byte> out);

}  // namespace tacit::comm::detail
