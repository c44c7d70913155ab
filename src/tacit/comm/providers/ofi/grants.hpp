// How senders learn what is granted to them: with messages to the same peer, or by writes of their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rdma/fi_domain.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tacit::comm::ofi {

/// Where a peer writes.
struct Place {
  std::uint64_t address = 0;  ///< as the network counts
  std::uint64_t key = 0;
};

/// What libfabric holds on to while it works on an operation, and how it ended.
struct Ticket {
  enum class Kind : std::uint8_t { write, announcement, receive };
  fi_context2 context{};  // first: libfabric gives its address back
  Kind kind = Kind::write;
  bool is_noticing = false;           ///< the write is done, its notice is under way
  std::atomic<bool> is_busy = false;  ///< set by the thread that starts it; cleared last
  int error = 0;                      ///< libfabric's, positive
  int provider_error = 0;
  Ticket* next = nullptr;  ///< in the list of those that could not be started yet
  // What is written, and where to.
  const std::byte* from = nullptr;
  std::size_t bytes = 0;
  void* descriptor = nullptr;
  fi_addr_t peer = FI_ADDR_UNSPEC;
  Place place = {};
  std::uint32_t signal = 0;  ///< what is raised there afterwards
};

class Peer;

/// A number of ours that a peer has a copy of: how many messages it may send, less those that it may always send ahead.
///
/// While the peer knows enough to send all that is granted, the number waits for a message that takes it along. Else it
/// is written, one write at a time.
struct Announcement {
  Ticket ticket{.kind = Ticket::Kind::announcement};
  std::atomic<std::uint64_t> wanted = 0;
  std::uint64_t* source = nullptr;           ///< what is written: in registered memory
  std::atomic<std::uint64_t> announced = 0;  ///< the last value whose write has begun, or that a message has taken
  std::uint64_t writes = 0;                  ///< that have begun, and messages that have taken it
  std::uint32_t spare = 0;                   ///< messages that the peer may send ahead
  std::atomic<bool> is_over{false};          ///< no more are begun
  Peer* peer = nullptr;
  // Of the peer's list:
  Announcement* next = nullptr;
  bool is_listed = false;

  /// Whether the peer could send more if it knew more.
  [[nodiscard]] bool is_urgent() const noexcept { return wanted.load() - announced.load() > spare; }
};

/// A number of grants that a message takes along.
struct TakenAlong {
  std::uint32_t signal = 0;  ///< of the sender whose it is
  std::uint32_t unused = 0;
  std::uint64_t granted = 0;
};

/// What lies before a message in a slot, and what a sender has beside what it sends. What is written of it begins with
/// the grants that are taken along, which are the last of the row: most messages take one or none.
struct Head {
  static constexpr std::size_t most_along = 3;
  std::uint64_t granted = 0;  ///< of a sender: how many messages the receiver has granted; the receiver writes it
  std::array<TakenAlong, most_along> along = {};
  std::uint64_t length = 0;  ///< of the message that follows [byte], and above that how many grants came along

  static constexpr unsigned length_bits = 60;
  void set_length(std::size_t bytes, std::size_t grants) noexcept {
    length = bytes | std::uint64_t{grants} << length_bits;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return length & ((std::uint64_t{1} << length_bits) - 1); }
  [[nodiscard]] std::size_t grants() const noexcept { return length >> length_bits; }
  [[nodiscard]] TakenAlong& grant(std::size_t i) noexcept { return along[most_along - 1 - i]; }
  [[nodiscard]] const TakenAlong& grant(std::size_t i) const noexcept { return along[most_along - 1 - i]; }
  /// Where what is written begins.
  [[nodiscard]] static constexpr std::size_t written_from(std::size_t grants) noexcept {
    return sizeof(Head) - sizeof(length) - grants * sizeof(TakenAlong);
  }
};
static_assert(sizeof(Head) == 64 && Head::written_from(Head::most_along) == sizeof(std::uint64_t));

/// Counts what a peer has written to one place.
struct Signal {
  std::atomic<std::uint64_t> count = 0;
  std::atomic<std::uint64_t> granted = 0;  ///< of a sender: the largest number that messages have taken along
  const Head* slot = nullptr;              ///< of a receiver: where the message lies
};

/// A rank that is written to, and the numbers that may go along. Safe for threads.
class Peer {
 public:
  explicit Peer(fi_addr_t address) noexcept : address_(address) {}
  [[nodiscard]] fi_addr_t address() const noexcept { return address_; }

  /// Lets the next message to this peer take the number along.
  void add(Announcement& announcement) noexcept;
  /// No message takes it along any more.
  void end(Announcement& announcement) noexcept;
  /// Puts numbers into the head of a message. Calls `rewrite` with those that could not wait for another chance.
  /// @return  how many
  template <class Rewrite>
  [[nodiscard]] std::size_t fill(Head& head, Rewrite&& rewrite) noexcept;

 private:
  class Hold;
  [[nodiscard]] Announcement* pop() noexcept;

  fi_addr_t address_;
  std::atomic_flag is_held_;
  std::atomic<Announcement*> first_{nullptr};
  Announcement* last_ = nullptr;
};

/// Held while the list is touched, and while what is in it may be.
class Peer::Hold {
 public:
  explicit Hold(Peer& peer) noexcept;
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() { peer_->is_held_.clear(std::memory_order_release); }

 private:
  Peer* peer_;
};

template <class Rewrite>
std::size_t Peer::fill(Head& head, Rewrite&& rewrite) noexcept {
  if (first_.load(std::memory_order_relaxed) == nullptr) return 0;
  const Hold hold(*this);
  std::size_t count = 0;
  while (count < Head::most_along) {
    Announcement* const announcement = pop();
    if (announcement == nullptr) break;
    // Whoever has the ticket is about to write it.
    if (announcement->ticket.is_busy.exchange(true)) continue;
    const std::uint64_t value = announcement->wanted.load();
    if (value != announcement->announced.exchange(value)) {
      head.grant(count++) = {.signal = announcement->ticket.signal, .granted = value};
      ++announcement->writes;
    }
    announcement->ticket.is_busy.store(false);
    // Who granted meanwhile has found the ticket taken.
    if (announcement->is_urgent() && !announcement->ticket.is_busy.exchange(true)) rewrite(*announcement);
  }
  return count;
}

}  // namespace tacit::comm::ofi
