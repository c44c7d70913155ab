// Chunks of records, and the pieces of long ones.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/actions/detail/outbox.hpp"

#include <algorithm>

namespace tacit::actions::detail {

Chunk& Outbox::room_for(std::size_t bytes) {
  if (!queue_.empty() && !queue_.back().is_long && message_bytes_ - queue_.back().size >= bytes) return queue_.back();
  if (spare_.empty()) {
    queue_.push_back({.data = std::make_unique_for_overwrite<std::byte[]>(message_bytes_)});
  } else {
    queue_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  return queue_.back();
}

/// The first chunk stays where it is until its last piece has gone: only this function takes it away, and a deque does
/// not move what is pushed behind it.
std::size_t Outbox::pack_piece(Chunk& chunk, std::span<std::byte> message) {
  FrameHead head;
  std::memcpy(&head, chunk.data.get(), sizeof(head));
  const std::size_t bytes = std::min(chunk.size - chunk.gone, message_bytes_ - sizeof(FrameHead));
  head.bytes = static_cast<std::uint32_t>(bytes);
  if (chunk.gone > sizeof(FrameHead)) head.flags |= FrameHead::continues;
  if (chunk.gone + bytes < chunk.size) head.flags |= FrameHead::goes_on;
  std::memcpy(message.data(), &head, sizeof(head));
  std::memcpy(message.data() + sizeof(head), chunk.data.get() + chunk.gone, bytes);
  chunk.gone += bytes;
  if (chunk.gone == chunk.size) {
    const std::lock_guard guard(lock_);
    queue_.pop_front();
  }
  waiting_.fetch_sub(bytes, std::memory_order_relaxed);
  return sizeof(head) + bytes;
}

void Outbox::clear() noexcept {
  const std::lock_guard guard(lock_);
  queue_.clear();
  waiting_.store(0, std::memory_order_relaxed);
}

}  // namespace tacit::actions::detail
