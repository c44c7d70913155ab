// The transport between ranks that share memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tacit/comm/backoff.hpp"
#include "tacit/comm/bootstrap/bootstrap.hpp"
#include "tacit/comm/detail/slot_link.hpp"
#include "tacit/comm/provider.hpp"
#include "tacit/comm/providers/shm/memory.hpp"

namespace tacit::comm::shm {

/// Who runs where, as all ranks have agreed.
struct Locality {
  std::vector<RankInfo> ranks = {};         ///< by rank
  Processors processors = Processors::own;  ///< of the ranks of our node
  std::optional<LivenessPages> pages = {};  ///< until they are watched
  bool all_share_memory = false;            ///< each rank with each other one, as found; known to all alike
};

/// That of some of the ranks, renumbered.
/// @param members  their numbers in `whole`
[[nodiscard]] Locality locality_of(const Locality& whole, std::span<const RankId> members);

/// Asks every rank for its node, and finds by trying which of them can map each other's memory. Called by all ranks.
/// @throws DeadlineError
/// @param nodes  the node of each rank instead of the one that is found; empty: as found
[[nodiscard]] Locality find_locality(Bootstrap& bootstrap, double deadline_s,
                                     std::span<const std::uint32_t> nodes = {});

/// One copy into the receiver's memory and a flag.
class Provider {
 public:
  static constexpr ProviderId id = ProviderId::shm;
  using Link = detail::SlotLink;

  /// @param ranks  by rank; must outlive the provider
  Provider(std::span<const RankInfo> ranks, RankId own);
  [[nodiscard]] bool reaches(RankId peer) const noexcept { return ranks_[number(peer)].shares_memory; }
  [[nodiscard]] Link connect(RankId peer) { return {memory_, peer}; }
  [[nodiscard]] Memory& memory() noexcept { return memory_; }

 private:
  std::span<const RankInfo> ranks_;
  Memory memory_;
};

static_assert(comm::Provider<Provider>);

}  // namespace tacit::comm::shm
