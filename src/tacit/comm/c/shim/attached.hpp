// A communicator of MPI that the shim serves: its channels, and their set-up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tacit/comm/backoff.hpp"
#include "tacit/comm/c/shim/channels.hpp"
#include "tacit/comm/c/shim/collectives.hpp"
#include "tacit/comm/communicator.hpp"

namespace tacit::comm::shim {

/// Channels by peer and tag.
template <class Channel>
class Channels {
 public:
  [[nodiscard]] Channel* find(int peer, int tag) noexcept {
    // A rank has few channels, most of them to few neighbours: from where the last one was found, it is the next or
    // near.
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (++last_ >= keys_.size()) last_ = 0;
      if (keys_[last_] == std::pair(peer, tag)) return &channels_[last_];
    }
    return nullptr;
  }
  Channel& add(Connection& connection, const Declaration& declared) {
    Channel& channel = channels_.emplace_back(connection, declared);
    keys_.emplace_back(declared.peer, declared.tag);
    return channel;
  }
  /// Takes those from number `count` on back.
  void shrink(std::size_t count) noexcept {
    while (channels_.size() > count) channels_.pop_back();
    keys_.resize(count);
  }
  [[nodiscard]] std::deque<Channel>& all() noexcept { return channels_; }
  [[nodiscard]] const std::deque<Channel>& all() const noexcept { return channels_; }

 private:
  std::vector<std::pair<int, int>> keys_;
  std::deque<Channel> channels_;  // they stay where they are
  std::size_t last_ = 0;
};

class Attached {
 public:
  /// All ranks of `ranks` make it, and destroy it, at the same point.
  /// @param finish  see Collectives
  Attached(MPI_Comm ranks, const Options& options, Collectives::Finish finish);
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  ~Attached();

  void declare_send(const Declaration& declared);
  void declare_receive(const Declaration& declared);
  /// Makes what was declared; all ranks call it. @throws MismatchError on all of them
  void commit();

  [[nodiscard]] SendChannel* find_send(int peer, int tag) noexcept { return sends_.find(peer, tag); }
  [[nodiscard]] ReceiveChannel* find_receive(int peer, int tag) noexcept { return receives_.find(peer, tag); }
  /// Whether a receive that names these, one of them a wildcard, could mean messages of a channel.
  [[nodiscard]] bool is_ambiguous(int source, int tag) noexcept;

  void start_send(SendChannel& channel, Request& request);
  void start_receive(ReceiveChannel& channel, Request& request);
  /// Carries on everything that waits: sends that were not granted, receives whose messages have come.
  void progress();
  [[nodiscard]] bool has_work() const noexcept;
  void advance(ReceiveChannel& channel) { channel.advance(own_); }
  /// Lets MPI progress what others have begun with it.
  void poke_mpi() const noexcept;
  /// @throws PeerError, DeadlineError that name what the request waits for
  [[noreturn]] void throw_cannot_complete(const Request& request);

  [[nodiscard]] MPI_Comm user() const noexcept { return user_; }
  [[nodiscard]] Communicator& world() noexcept { return world_; }
  [[nodiscard]] Collectives& collectives() noexcept { return collectives_; }
  /// For a wait. @param request  whose peer's departure ends it; null: none
  [[nodiscard]] Backoff backoff(const Request* request);

  std::uint64_t sent_by_window = 0;
  std::uint64_t sent_by_mpi = 0;
  std::uint32_t under_way = 0;  ///< requests

 private:
  [[nodiscard]] static RankId peer_of(const Request& request) noexcept;
  using Declarations = std::map<std::pair<int, int>, Declaration>;
  void declare(Declarations& pending, bool is_known, const Declaration& declared);
  void require_agreement(bool do_we_agree, const std::string& words) const;
  void compare_counts() const;
  Connection& connection_to(int peer, std::map<int, Connection*>& made);
  void make_pending();

  MPI_Comm user_;
  MPI_Comm own_ = MPI_COMM_NULL;  // for messages of channels that go through MPI, and for the set-up
  Communicator world_;
  Declarations pending_sends_;
  Declarations pending_receives_;
  std::deque<Connection> connections_;
  Channels<SendChannel> sends_;
  Channels<ReceiveChannel> receives_;
  Collectives collectives_;
};

}  // namespace tacit::comm::shim
