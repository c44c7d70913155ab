// One rank's data for all others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "tacit/comm/collectives/detail/make.hpp"
#include "tacit/comm/collectives/handle.hpp"

namespace tacit::comm {

/// Copies what the root has to all ranks.
///
///     comm::Broadcast<double> parameters(world, RankId{0}, values);   // as many on every rank
///     parameters.run();
///
/// The root writes it once, into memory that its node reads; a call ends there without waiting for the others.
template <Element T>
class Broadcast : public CollectiveHandle<detail::Exchange> {
 public:
  /// @param data  what the root sends and the others get; it outlives this
  Broadcast(Communicator& communicator, RankId root, std::span<T> data, const CollectiveOptions& options = {})
      : CollectiveHandle(detail::exchange_of<T>(
            communicator, detail::routes_broadcast(root, data.size_bytes()), data.size(), options,
            communicator.rank() == root ? std::span<const T>(data) : std::span<const T>(), data)) {}
};

}  // namespace tacit::comm
