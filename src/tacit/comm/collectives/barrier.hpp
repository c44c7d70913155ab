// All ranks wait for each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/comm/collectives/detail/make.hpp"
#include "tacit/comm/collectives/handle.hpp"

namespace tacit::comm {

/// A call ends when every rank has started it: an all-gather of nothing.
///
///     comm::Barrier barrier(world);
///     barrier.run();
///
/// On a node every rank sets one flag, which the others poll; between nodes each sends each other one an empty message.
class Barrier : public CollectiveHandle<detail::Exchange> {
 public:
  explicit Barrier(Communicator& communicator, const CollectiveOptions& options = {})
      : CollectiveHandle(detail::make_exchange(communicator.core(),
                                               detail::routes_all_gather("barrier", 0, detail::Routes::Reading::views),
                                               detail::Elements{.count = 0, .bytes = 1}, options, Pull{}, {}, {})) {}
};

}  // namespace tacit::comm
