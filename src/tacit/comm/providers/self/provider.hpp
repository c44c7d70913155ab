// The transport of a rank to itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/comm/detail/slot_link.hpp"
#include "tacit/comm/provider.hpp"

namespace tacit::comm::self {

/// Memory of the heap; addresses are the places.
class Memory final : public detail::SharedMemory {
 public:
  [[nodiscard]] detail::Piece allocate(std::size_t bytes) override;
  void release(const detail::Piece& piece) noexcept override;
  [[nodiscard]] std::byte* resolve(RankId peer, const detail::Place& place) override;
  [[nodiscard]] bool is_same_process(RankId /*peer*/) const override { return true; }
};

/// One copy within the process.
class Provider {
 public:
  static constexpr ProviderId id = ProviderId::self;
  using Link = detail::SlotLink;

  explicit Provider(RankId rank) : rank_(rank) {}
  [[nodiscard]] bool reaches(RankId peer) const noexcept { return peer == rank_; }
  [[nodiscard]] Link connect(RankId peer) { return {memory_, peer, detail::Reader::here}; }

 private:
  RankId rank_;
  Memory memory_;
};

static_assert(comm::Provider<Provider>);

}  // namespace tacit::comm::self
