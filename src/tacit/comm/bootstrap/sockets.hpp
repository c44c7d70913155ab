// Messages of the set-up over TCP, once ranks know each other's addresses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tacit/comm/bootstrap/mailbox.hpp"

namespace tacit::comm {

/// Where a rank listens; travels as bytes.
struct SocketAddress {
  static constexpr std::size_t most_hosts = 8;
  std::array<std::uint64_t, 2> token{};  ///< random: a process that connects must know it
  std::array<char, 40> machine{};        ///< of the running system
  std::uint64_t network = 0;             ///< which of the machine's: containers may have their own
  std::uint32_t port = 0;
  std::uint32_t hosts = 0;
  std::array<std::uint32_t, most_hosts> host{};  ///< as IPv4 has them, in the order of the network

  /// Whether 127.0.0.1 is the same place for both.
  [[nodiscard]] bool is_beside(const SocketAddress& other) const noexcept {
    return machine == other.machine && network == other.network;
  }
};

/// A link to each rank and one from each, made when first used. Nothing here blocks, or needs the peer to go on: until
/// it reads, messages wait in the system's memory, or here if there are megabytes. What goes to a dead rank is lost,
/// silently. One thread at a time.
class SetupSockets {
 public:
  enum class Reach : std::uint8_t { machine, network };

  /// @param reach  whether ranks of other machines are to connect
  /// @throws base::SystemError
  explicit SetupSockets(Reach reach);
  SetupSockets(const SetupSockets&) = delete;
  SetupSockets& operator=(const SetupSockets&) = delete;
  ~SetupSockets();

  [[nodiscard]] const SocketAddress& address() const noexcept { return own_; }
  /// Comes before all that follows.
  /// @param addresses  of all ranks, our own as well
  void meet(RankId self, std::vector<SocketAddress> addresses);
  /// @throws ProviderError if no address of a rank on another machine can be reached; also from `progress`
  void send(RankId to, const SetupKey& key, std::span<const std::byte> message);
  [[nodiscard]] bool has_unsent() const noexcept { return waiting_ > 0; }
  /// Sends what could not be sent before, and puts what has come into the mailbox.
  void progress(Mailbox& mailbox);

 private:
  struct Outgoing {
    int socket = -1;
    std::vector<std::uint32_t> hosts;  ///< not tried yet, the best one last
    Bytes unsent;                      ///< begins with our rank
    std::size_t sent = 0;              ///< of `unsent`
    bool has_begun = false;
    bool is_lost = false;
  };
  struct Incoming {
    int socket = -1;
    std::optional<RankId> from;  ///< once it has sent its rank
    Bytes bytes;                 ///< the beginning of what is not complete
  };
  void begin(Outgoing& link, RankId to);
  bool connect_next(Outgoing& link, RankId to);
  void flush(Outgoing& link, RankId to);
  void accept_all();
  bool read(Incoming& link, Mailbox& mailbox);
  bool take_complete(Incoming& link, Mailbox& mailbox);
  [[nodiscard]] std::vector<std::uint32_t> hosts_of(const SocketAddress& peer) const;

  int listener_ = -1;
  int ready_ = -1;  // epoll: which of the incoming links can be read
  SocketAddress own_;
  RankId self_{};
  std::vector<SocketAddress> addresses_;
  std::vector<Outgoing> outgoing_;  // by rank
  std::vector<Incoming> incoming_;
  std::size_t waiting_ = 0;  // outgoing links with something unsent
};

}  // namespace tacit::comm
