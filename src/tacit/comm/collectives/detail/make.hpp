// Makes collectives by the algorithm that the user names, or by the one that a measurement finds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tacit/comm/collectives/detail/exchange.hpp"
#include "tacit/comm/collectives/detail/plan.hpp"
#include "tacit/comm/collectives/detail/reduction.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/comm/window.hpp"

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

/// An exchange for typed memory of the user.
/// @param count    of elements, the same on all ranks
/// @param in, out  without data: memory of the library
template <Element T>
[[nodiscard]] std::unique_ptr<Exchange> exchange_of(Communicator& communicator, const Routes& routes, std::size_t count,
                                                    const CollectiveOptions& options, std::span<const T> in,
                                                    std::span<T> out, const Pull& pull = {}) {
  return make_exchange(communicator.core(), routes, elements_of<T>(count), options, pull, std::as_bytes(in),
                       std::as_writable_bytes(out));
}

/// What each rank sends to each. Called by all ranks. @return  by sender and receiver
/// @throws MismatchError if a rank names counts for another number of ranks; DeadlineError
[[nodiscard]] std::vector<std::vector<std::size_t>> gather_counts(Communicator& communicator,
                                                                  std::span<const std::size_t> mine);
/// All times the length of an element.
[[nodiscard]] std::vector<std::vector<std::size_t>> in_bytes(std::vector<std::vector<std::size_t>> counts,
                                                             std::size_t bytes);

}  // namespace tacit::comm::detail
