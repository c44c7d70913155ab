// Private memory for a rank's connections to itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/comm/detail/slot_link.hpp"

namespace tacit::comm::self {

/// Memory of the heap; addresses are the places.
class Memory final : public detail::SharedMemory {
 public:
  [[nodiscard]] detail::Piece allocate(std::size_t bytes) override;
  void release(const detail::Piece& piece) noexcept override;
  [[nodiscard]] std::byte* resolve(RankId peer, const detail::Place& place) override;
  [[nodiscard]] bool is_same_process(RankId /*peer*/) const override { return true; }
};

}  // namespace tacit::comm::self
