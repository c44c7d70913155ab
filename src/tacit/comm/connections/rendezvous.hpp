// How ranks that set something up together meet: what each announces, and the memory that they share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/comm/connections/communicator_core.hpp"
#include "tacit/comm/connections/wait.hpp"

namespace tacit::comm::detail {

/// Tells a peer what we say under a key, once.
template <class Record>
void announce(CommunicatorCore& communicator, RankId peer, const SetupKey& key, const Record& mine) {
  communicator.bootstrap().send(peer, key, bytes_of(mine));
}

/// What a peer has announced, once it has come.
template <class Record>
[[nodiscard]] std::optional<Record> find_announced(CommunicatorCore& communicator, RankId peer, const SetupKey& key) {
  const auto bytes = communicator.bootstrap().try_receive(peer, key);
  return bytes ? std::optional(value_of<Record>(*bytes)) : std::nullopt;
}

/// Waits until all of some ranks have announced something; carries other operations on meanwhile.
/// @param has_come  takes what a rank has announced; asked again and again
/// @param what      what they make, for messages: "barrier 3"
/// @throws PeerError if a rank is lost, or one of these has left; DeadlineError after Options::setup_deadline_s
void await_announced(CommunicatorCore& communicator, std::vector<RankId> peers,
                     const std::function<bool(RankId)>& has_come, const std::function<std::string()>& what);

/// Memory of ours that peers map, and theirs, with a record of what each is. Ours is given back when all have closed.
///
///     SharedRendezvous<Sizes> rendezvous(communicator, key, bytes);
///     rendezvous.announce(peer, mine);                       // does not wait
///     const auto theirs = rendezvous.await(peer, what);      // theirs.record says what it is
///     std::byte* memory = rendezvous.map(peer, theirs.place, what);
template <class Record>
class SharedRendezvous {
 public:
  struct Announcement {
    Place place;
    Record record;
  };

  /// Allocates our memory, which is zero.
  /// @param key  of a collective
  SharedRendezvous(CommunicatorCore& communicator, std::uint32_t key, std::size_t bytes)
      : communicator_(&communicator),
        id_(setup_id(key)),
        link_(communicator.shared_memory(), communicator.own().rank),
        piece_(link_.take(bytes)) {}
  SharedRendezvous(const SharedRendezvous&) = delete;
  SharedRendezvous& operator=(const SharedRendezvous&) = delete;
  ~SharedRendezvous() { communicator_->release_later(std::move(peers_), id_, std::move(link_), is_used_); }

  [[nodiscard]] std::byte* data() const noexcept { return piece_.data; }
  /// Tells a peer what we have.
  void announce(RankId peer, const Record& mine) {
    peers_.push_back(peer);
    detail::announce(*communicator_, peer, key(), Announcement{piece_.place, mine});
  }
  /// Waits for what a peer has. @see await_announced
  [[nodiscard]] Announcement await(RankId peer, const std::function<std::string()>& what) {
    std::optional<Announcement> theirs;
    await_announced(
        *communicator_, {peer},
        [&](RankId rank) { return (theirs = find_announced<Announcement>(*communicator_, rank, key())).has_value(); },
        what);
    is_used_ = true;
    return *theirs;
  }
  /// Where a peer's memory is here. @throws PeerError, base::SystemError
  template <class What>
  [[nodiscard]] std::byte* map(RankId peer, const Place& place, const What& what) {
    return map_or_tell_loss(
        *communicator_, peer, [&] { return communicator_->shared_memory().resolve(peer, place); },
        [&] { return "the memory of " + comm::describe(communicator_->rank(peer)) + " for " + what(); });
  }

 private:
  [[nodiscard]] SetupKey key() const noexcept { return setup_key(id_, About::record); }

  CommunicatorCore* communicator_;
  std::uint64_t id_;
  SlotLink link_;
  Piece piece_;
  std::vector<RankId> peers_;
  bool is_used_ = false;  // a peer may have found our memory, too
};

}  // namespace tacit::comm::detail
