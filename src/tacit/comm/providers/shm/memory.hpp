// Shared memory of a node: our arena, and those of our peers as we map them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "tacit/comm/providers/shm/arena.hpp"

namespace tacit::comm::shm {

/// Maps each segment of each peer once.
class Memory final : public detail::SharedMemory {
 public:
  explicit Memory(std::vector<std::int64_t> process_ids) : process_ids_(std::move(process_ids)) {}

  [[nodiscard]] detail::Piece allocate(std::size_t bytes) override;
  void release(const detail::Piece& piece) noexcept override { arena_.release(piece); }
  [[nodiscard]] std::byte* resolve(RankId peer, const detail::Place& place) override;
  [[nodiscard]] bool is_same_process(RankId peer) const override;

 private:
  std::vector<std::int64_t> process_ids_;  // by rank
  Arena arena_;
  std::mutex mutex_;
  std::map<std::pair<RankId, std::uint64_t>, Segment> theirs_;  // by rank and inode
};

}  // namespace tacit::comm::shm
