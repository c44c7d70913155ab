// Whom a connection goes to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tacit/comm/rank.hpp"

namespace tacit::comm {

/// A rank, and which of the connections to it is meant.
///
/// The n-th connection that one rank makes to another with some `key` meets the n-th that the other makes back with the
/// same key. Threads that make connections at once give them keys of their own, so that no order is left to chance.
/// Keys from 2^31 on belong to collectives.
struct Target {
  RankId rank{};
  std::uint32_t key = 0;
  std::optional<ProviderId> via = {};  ///< the transport, instead of the one that locality suggests
};

}  // namespace tacit::comm
