// The transport of a rank to itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/comm/detail/slot_link.hpp"
#include "tacit/comm/providers/provider.hpp"
#include "tacit/comm/providers/self/memory.hpp"

namespace tacit::comm::self {

/// One copy within the process.
class Provider {
 public:
  static constexpr ProviderId id = ProviderId::self;
  using Link = detail::SlotLink;

  explicit Provider(RankId rank) : rank_(rank) {}
  [[nodiscard]] bool reaches(RankId peer) const noexcept { return peer == rank_; }
  [[nodiscard]] Link connect(RankId peer) { return {memory_, peer}; }

 private:
  RankId rank_;
  Memory memory_;
};

static_assert(comm::Provider<Provider>);

}  // namespace tacit::comm::self
