// The connection between this rank and another one, with the windows whose memory all phases use in turn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "tacit/comm/communicator.hpp"
#include "tacit/comm/connection.hpp"
#include "tacit/comm/window.hpp"

namespace tacit::exchange::detail {

/// Room for one direction: so many windows of so many bytes.
struct Room {
  std::uint32_t slots = 0;
  std::size_t bytes = 0;
  [[nodiscard]] bool holds(const Room& other) const noexcept { return slots >= other.slots && bytes >= other.bytes; }
};

/// Both directions between this rank and a peer. Both ends ask for the same room, so both find alike when it is too
/// small, and make a new connection then.
class Stream {
 public:
  /// Envelopes of one window that may have been sent and not taken: one is unpacked while the next arrives.
  static constexpr std::uint32_t depth = 2;

  /// @return whether a connection was made; it is not open yet
  bool make_room(comm::Communicator& world, comm::RankId peer, std::uint32_t key, const Room& out, const Room& in);
  /// Opens the connection if it is new, and grants what may come. Waits for the peer.
  void open();
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

  [[nodiscard]] comm::SendWindow<std::byte>& out(std::uint32_t slot) { return out_.at(slot); }
  [[nodiscard]] comm::RecvWindow<std::byte>& in(std::uint32_t slot) { return in_.at(slot); }

 private:
  std::optional<comm::Connection> connection_;
  std::deque<comm::SendWindow<std::byte>> out_;
  std::deque<comm::RecvWindow<std::byte>> in_;
  Room room_out_;
  Room room_in_;
  bool is_open_ = false;
};

}  // namespace tacit::exchange::detail
