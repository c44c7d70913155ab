// The barrier is an all-gather of nothing.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/barrier.hpp"

#include "tacit/comm/collectives/detail/make.hpp"
#include "tacit/comm/collectives/detail/routes.hpp"

namespace tacit::comm {

Barrier::Barrier(Communicator& communicator, const CollectiveOptions& options)
    : CollectiveHandle(detail::make_exchange(communicator.core(),
                                             detail::routes_all_gather("barrier", 0, detail::Routes::Reading::views),
                                             detail::Elements{.count = 0, .bytes = 1}, options, Pull{},
                                             std::span<const std::byte>(), std::span<std::byte>())) {}

}  // namespace tacit::comm
