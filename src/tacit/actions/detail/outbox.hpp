// Records that wait to be sent to one rank, in order: small ones share a chunk, a long one has its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "tacit/actions/record.hpp"

namespace tacit::actions::detail {

/// In front of each record, or of each piece of a long one.
struct FrameHead {
  static constexpr std::uint16_t is_error = 1;   ///< an answer that is an exception
  static constexpr std::uint16_t goes_on = 2;    ///< the rest follows in the next frame
  static constexpr std::uint16_t continues = 4;  ///< of the frame before
  static constexpr std::uint16_t all_flags = 7;

  std::uint32_t bytes = 0;  ///< behind this head
  std::uint16_t action = 0;
  std::uint16_t flags = 0;
  std::uint64_t call = 0;
};
static_assert(sizeof(FrameHead) == 16);

/// A part of what waits.
struct Chunk {
  std::unique_ptr<std::byte[]> data;
  std::size_t size = 0;
  std::size_t gone = 0;  ///< of a long record
  bool is_long = false;  ///< one record, which is cut; else frames that fit into one message
};

/// Threads: `append` by any, `pack` by one at a time.
class Outbox {
 public:
  /// @param message_bytes  of the longest message
  explicit Outbox(std::size_t message_bytes) noexcept : message_bytes_(message_bytes) {}

  /// Adds a record of `bytes` bytes that `write(Writer&)` writes.
  /// @return  bytes that wait now
  template <class Write>
  std::size_t append(FrameHead head, std::size_t bytes, Write&& write) {
    if (bytes > longest_inside) return append_long(head, bytes, std::forward<Write>(write));
    head.bytes = static_cast<std::uint32_t>(bytes);
    const std::lock_guard guard(lock_);
    const std::size_t all = sizeof(FrameHead) + bytes;
    Chunk& chunk = room_for(all);
    std::byte* const at = chunk.data.get() + chunk.size;
    Writer writer({at + sizeof(FrameHead), bytes});
    write(writer);
    std::memcpy(at, &head, sizeof(head));
    chunk.size += all;
    return note(all);
  }

  /// Bytes that wait.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.load(std::memory_order_relaxed); }
  /// Writes what comes next to a message of at most message_bytes. @return  its length; 0: nothing waits
  template <class Place>
  [[nodiscard]] std::size_t pack(Place&& place) {
    std::unique_lock guard(lock_);
    if (queue_.empty()) return 0;
    Chunk& first = queue_.front();
    if (first.is_long) {
      guard.unlock();  // nobody else touches it
      return pack_piece(first, place(message_bytes_));
    }
    Chunk chunk = std::move(first);
    queue_.pop_front();
    guard.unlock();
    std::memcpy(place(chunk.size).data(), chunk.data.get(), chunk.size);
    const std::size_t bytes = std::exchange(chunk.size, 0);
    guard.lock();
    if (spare_.size() < most_spare) spare_.push_back(std::move(chunk));
    waiting_.fetch_sub(bytes, std::memory_order_relaxed);
    return bytes;
  }
  /// Drops all.
  void clear() noexcept;

 private:
  static constexpr std::size_t longest_inside = 4096;  // longer ones are not written under the lock
  static constexpr std::size_t most_spare = 16;

  template <class Write>
  std::size_t append_long(const FrameHead& head, std::size_t bytes, Write&& write) {
    Chunk chunk{.data = std::make_unique_for_overwrite<std::byte[]>(sizeof(FrameHead) + bytes),
                .size = sizeof(FrameHead) + bytes,
                .gone = sizeof(FrameHead),
                .is_long = true};
    std::memcpy(chunk.data.get(), &head, sizeof(head));
    Writer writer({chunk.data.get() + sizeof(FrameHead), bytes});
    write(writer);
    const std::lock_guard guard(lock_);
    queue_.push_back(std::move(chunk));
    return note(bytes);
  }
  [[nodiscard]] std::size_t pack_piece(Chunk& chunk, std::span<std::byte> message);
  [[nodiscard]] Chunk& room_for(std::size_t bytes);
  std::size_t note(std::size_t bytes) noexcept { return waiting_.fetch_add(bytes, std::memory_order_relaxed) + bytes; }

  std::size_t message_bytes_;
  std::mutex lock_;
  std::deque<Chunk> queue_;
  std::vector<Chunk> spare_;
  std::atomic<std::size_t> waiting_{0};
};

}  // namespace tacit::actions::detail
