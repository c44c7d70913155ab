// Sets up windows that are slots: lays them out in memory that a provider brings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "tacit/comm/detail/slots.hpp"
#include "tacit/comm/provider.hpp"

namespace tacit::comm::detail {

/// Memory that a peer finds again: in which file of which process, and where in it.
struct Place {
  std::int32_t file = -1;        ///< descriptor in the owner's process
  std::uint64_t inode = 0;       ///< of that file, so that another one is never taken for it
  std::uint64_t length = 0;      ///< of that file [byte]
  std::uint64_t offset = 0;      ///< in the file
  std::byte* address = nullptr;  ///< in the owner's process
};

/// A piece of memory and where a peer finds it.
struct Piece {
  std::byte* data = nullptr;
  Place place;
};

/// Hands out memory that can be shared, aligned to 128 bytes and zero at first use. Safe for threads.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  virtual ~SharedMemory() = default;
  /// @throws base::SystemError when there is no more
  [[nodiscard]] virtual Piece allocate(std::size_t bytes) = 0;
  virtual void release(const Piece& piece) noexcept = 0;
  /// The memory of a peer. @throws base::SystemError if it cannot be mapped
  [[nodiscard]] virtual std::byte* resolve(RankId peer, const Place& place) = 0;
  /// Whether addresses of the peer mean the same here.
  [[nodiscard]] virtual bool is_same_process(RankId peer) const = 0;
};

/// Memory that is shared with peers, given back when all of them have closed: that of the windows of one connection, or
/// pieces that several peers know (SharedRendezvous).
///
/// Window i of either direction uses head i of both sides: the first slot of what we receive and the grant for what we
/// send. Further slots, and the data of messages too long for a head, are a piece of their own.
class SlotLink {
 public:
  using Sender = SlotSender;
  using Receiver = SlotReceiver;

  SlotLink(SharedMemory& memory, RankId peer, Reader reader = Reader::elsewhere)
      : memory_(&memory), peer_(peer), reader_(reader) {}
  /// @throws base::SystemError when there is no more
  [[nodiscard]] Piece take(std::size_t bytes);

  [[nodiscard]] Sender offer_sender(const WindowSpec& spec, Blob& mine);
  [[nodiscard]] Receiver offer_receiver(const WindowSpec& spec, Blob& mine);
  void join(Sender& sender, const Blob& theirs);
  void join(Receiver& receiver, const Blob& theirs);
  static constexpr bool awaits_peer = false;
  /// What is written is there at once.
  [[nodiscard]] std::uint64_t depart() const noexcept { return 0; }
  /// Gives the memory back. @pre the peer writes nothing any more
  bool retire(std::uint64_t theirs) noexcept;

 private:
  /// What the receiver says; the sender says the same with its head and, if that is the library's, its memory.
  struct Offer {
    Place head = {};
    Place rest = {};
    std::uint32_t depth = 1;
    std::uint32_t has_rest = 0;
    std::uint64_t stride = 0;  ///< of the data of slots [byte]; 0: it is in the heads
  };
  [[nodiscard]] static std::vector<Slot> slots_of(std::byte* head, std::byte* rest, const Offer& offer);
  [[nodiscard]] Piece head(std::uint32_t index);
  [[nodiscard]] bool is_in_place(const WindowSpec& spec) const;

  SharedMemory* memory_;
  RankId peer_;
  Reader reader_;
  std::vector<Piece> heads_;
  std::vector<Piece> pieces_;  // all, to give back
};

}  // namespace tacit::comm::detail
