// All ranks wait for each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/comm/collectives/detail/exchange.hpp"
#include "tacit/comm/collectives/handle.hpp"
#include "tacit/comm/communicator.hpp"

namespace tacit::comm {

/// A call ends when every rank has started it.
///
///     comm::Barrier barrier(world);
///     barrier.run();
///
/// On a node every rank sets one flag, which the others poll; between nodes each sends each other one an empty message.
class Barrier : public CollectiveHandle<detail::Exchange> {
 public:
  explicit Barrier(Communicator& communicator, const CollectiveOptions& options = {});
};

}  // namespace tacit::comm
