// Memory that each rank lets the others read, write and add to: by address where it can be mapped, else by messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/connections/rendezvous.hpp"
#include "tacit/comm/one_sided/detail/request_link.hpp"

namespace tacit::comm {

/// How a rank reaches the memory of others.
enum class Access : std::uint8_t {
  direct,    ///< loads, stores and atomics, where the memory can be mapped; else messages
  messages,  ///< messages everywhere: for tests, and to see what direct access saves
};

namespace detail {

/// What a rank exposes, as its maker asked for it.
struct MemoryRegionSpec {
  std::string kind;                 ///< for messages: "one-sided window"
  Elements elements = {};           ///< `count`: of this rank; the rest is the same on all
  std::uint32_t signals = 0;        ///< the same on all ranks
  Access access = Access::direct;   ///< likewise
  Owner owner = Owner::library;     ///< likewise
  std::byte* memory = nullptr;      ///< the user's
  std::optional<RankId> home = {};  ///< only this rank is reached; likewise
};

/// One-sided windows without the type of their elements. Every rank makes it, opens it and destroys it.
///
/// Memory order: what a rank puts is written before the notice is added (release); who has seen the notice (acquire)
/// sees what was put before it, by any rank whose notice is counted in. Any number of threads may use it at once.
class MemoryRegion {
 public:
  /// Announces our memory; does not wait.
  MemoryRegion(Communicator& communicator, const MemoryRegionSpec& spec);
  MemoryRegion(const MemoryRegion&) = delete;
  MemoryRegion& operator=(const MemoryRegion&) = delete;
  ~MemoryRegion();

  /// Finds the memory of the others; from then on this rank serves them. @throws MismatchError, DeadlineError
  void open() {
    if (!is_open_.load(std::memory_order_acquire)) [[unlikely]]
      open_once();
  }
  /// Bytes that a rank exposes.
  [[nodiscard]] std::size_t bytes(RankId rank) {
    open();
    return peer(rank).exposed.bytes;
  }
  /// Memory of a rank that can be addressed here; else null.
  [[nodiscard]] std::byte* address(RankId rank) {
    open();
    return peer(rank).link == nullptr ? peer(rank).exposed.data : nullptr;
  }
  [[nodiscard]] Exposed& own() noexcept { return own_; }
  [[nodiscard]] CommunicatorCore& communicator() const noexcept { return *communicator_; }

  /// @pre offset + bytes <= bytes(rank)
  void put(RankId rank, std::size_t offset, const std::byte* from, std::size_t bytes, const Notice& notice);
  void get(RankId rank, std::size_t offset, std::byte* to, std::size_t bytes);
  [[nodiscard]] std::uint64_t fetch_add(RankId rank, std::uint32_t signal, std::uint64_t value, double deadline_s) {
    open();
    Peer& to = peer(rank);
    if (to.link == nullptr) [[likely]]
      return to.exposed.signals[signal].value.fetch_add(value, std::memory_order_acq_rel);
    return to.link->fetch_add(signal, value, deadline_s);
  }
  [[nodiscard]] bool test();
  void wait(double deadline_s);
  void quiet(double deadline_s);
  void fence(double deadline_s);

  /// A signal of this rank.
  [[nodiscard]] std::uint64_t signal(std::uint32_t index);
  std::uint64_t wait_signal(std::uint32_t index, std::uint64_t value, double deadline_s);
  void await_signal(std::uint32_t index, std::uint64_t value, base::Token token);
  /// "signal 2 of one-sided window 5 to reach 7 (it is 4)".
  [[nodiscard]] std::string describe_signal(std::uint32_t index, std::uint64_t value) const;

 private:
  struct Peer {
    Exposed exposed;                    ///< its memory, as we address it; without addresses behind a link
    std::unique_ptr<RequestLink> link;  ///< null: direct
  };
  /// What a rank says of its memory.
  struct PeerInfo {
    std::byte* memory = nullptr;  ///< the user's
    Elements elements;
    std::uint32_t signals = 0;
    Access access{};
    Owner owner{};
    std::uint32_t home = 0;
  };
  class SignalWait;
  [[nodiscard]] Peer& peer(RankId rank) { return peers_[number(rank)]; }
  [[nodiscard]] bool meets(RankId rank) const;
  [[nodiscard]] bool is_direct(RankId rank) const;
  void check(RankId rank, const PeerInfo& theirs) const;
  void find(RankId rank);
  void open_once();
  [[nodiscard]] std::string title() const;

  CommunicatorCore* communicator_;
  MemoryRegionSpec spec_;
  std::uint32_t key_;
  SharedRendezvous<PeerInfo> rendezvous_;
  Exposed own_;
  PeerInfo info_;
  std::vector<Peer> peers_;  // by rank
  std::vector<std::unique_ptr<SignalWait>> waits_;
  Barrier barrier_;
  std::mutex opening_;
  std::atomic<bool> is_open_{false};
};

}  // namespace detail
}  // namespace tacit::comm
