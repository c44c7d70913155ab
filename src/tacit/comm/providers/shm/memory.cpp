// Finds memory of peers: by its address within one process, by its file elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/providers/shm/memory.hpp"

#include <cstring>

namespace tacit::comm::shm {

detail::Piece Memory::allocate(std::size_t bytes) {
  const detail::Piece piece = arena_->allocate(bytes);
  std::memset(piece.data, 0, bytes);  // used again, or first touched here, by the rank that reads it
  return piece;
}

bool Memory::is_same_process(RankId peer) const { return ranks_[number(peer)].process == ranks_[number(own_)].process; }

std::byte* Memory::resolve(RankId peer, const detail::Place& place) {
  // One address for both ends, so that a thread sanitizer sees that they use the same memory.
  if (is_same_process(peer)) return place.address;
  const std::lock_guard guard(mutex_);
  auto found = theirs_.find({peer, place.inode});
  if (found == theirs_.end()) {
    found = theirs_.emplace(std::pair(peer, place.inode), Segment(ranks_[number(peer)].process_id, place)).first;
  }
  return found->second.data() + place.offset;
}

}  // namespace tacit::comm::shm
