// Shared memory of a node: our arena, and those of our peers as we map them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "tacit/comm/detail/arena.hpp"

namespace tacit::comm::shm {

/// Maps each segment of each peer once.
class Memory final : public detail::SharedMemory {
 public:
  /// @param ranks  by rank; must outlive this
  Memory(std::span<const RankInfo> ranks, RankId own) : ranks_(ranks), own_(own) {}

  [[nodiscard]] detail::Piece allocate(std::size_t bytes) override;
  void release(const detail::Piece& piece) noexcept override { arena_->release(piece); }
  [[nodiscard]] std::byte* resolve(RankId peer, const detail::Place& place) override;
  [[nodiscard]] bool is_same_process(RankId peer) const override;
  /// For those who must keep it longer than we live: ranks of our own process use its addresses.
  [[nodiscard]] std::shared_ptr<Arena> arena() const noexcept { return arena_; }

 private:
  std::span<const RankInfo> ranks_;
  RankId own_;
  std::shared_ptr<Arena> arena_ = std::make_shared<Arena>();
  std::mutex mutex_;
  std::map<std::pair<RankId, std::uint64_t>, Segment> theirs_;  // by rank and inode
};

}  // namespace tacit::comm::shm
