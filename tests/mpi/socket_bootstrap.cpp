// Sends and receives messages of the set-up on sockets that keep them apart.
// SPDX-License-Identifier: Apache-2.0
#include "mpi/socket_bootstrap.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "tacit/comm/backoff.hpp"
#include "tacit/comm/detail/peer_watch.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::testing {

SocketBootstrap::SocketBootstrap(RankId rank, std::vector<int> sockets) : rank_(rank), sockets_(std::move(sockets)) {}

SocketBootstrap::~SocketBootstrap() {
  for (const int socket : sockets_) {
    if (socket >= 0) close(socket);
  }
}

/// In their order, as far as sockets take them.
void SocketBootstrap::flush() {
  while (!unsent_.empty()) {
    const auto& [to, bytes] = unsent_.front();
    const ssize_t sent = ::send(sockets_[number(to)], bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
    unsent_.pop_front();
  }
}

void SocketBootstrap::send(RankId to, const SetupKey& key, std::span<const std::byte> message) {
  if (to == rank_) return mailbox_.put(to, key, Bytes(message.begin(), message.end()));
  Bytes bytes(sizeof(key));
  std::memcpy(bytes.data(), &key, sizeof(key));
  bytes.insert(bytes.end(), message.begin(), message.end());
  unsent_.emplace_back(to, std::move(bytes));
  flush();
}

void SocketBootstrap::take_all() {
  std::array<std::byte, 4096> buffer{};
  for (std::uint32_t from = 0; from < sockets_.size(); ++from) {
    if (sockets_[from] < 0) continue;
    for (;;) {
      const ssize_t size = recv(sockets_[from], buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (size <= 0) break;
      SetupKey key;
      std::memcpy(&key, buffer.data(), sizeof(key));
      mailbox_.put(RankId{from}, key, Bytes(buffer.begin() + sizeof(key), buffer.begin() + size));
    }
  }
}

std::optional<Bytes> SocketBootstrap::try_receive(RankId from, const SetupKey& key) {
  flush();
  take_all();
  return mailbox_.take(from, key);
}

Bytes SocketBootstrap::receive(RankId from, const SetupKey& key, double deadline_s) {
  Backoff backoff(Processors::shared, deadline_s, watch_);
  for (;;) {
    if (auto message = try_receive(from, key)) return std::move(*message);
    if (backoff.pause()) continue;
    const std::string what = fmt::format("rank {} to take part in the set-up", number(from));
    if (watch_ != nullptr && watch_->is_lost()) watch_->throw_lost(what);
    throw DeadlineError(fmt::format("rank {}: waited {} s for {}", number(rank_), deadline_s, what));
  }
}

std::vector<Bytes> SocketBootstrap::all_gather(std::span<const std::byte> mine, double deadline_s) {
  const SetupKey key{~std::uint64_t{0}, gathers_++};  // no connection has this number
  std::vector<Bytes> all;
  for (std::uint32_t rank = 0; rank < size(); ++rank) send(RankId{rank}, key, mine);
  for (std::uint32_t rank = 0; rank < size(); ++rank) all.push_back(receive(RankId{rank}, key, deadline_s));
  return all;
}

std::vector<std::vector<int>> connect_all(std::size_t size) {
  std::vector<std::vector<int>> sockets(size, std::vector<int>(size, -1));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::array<int, 2> pair{};
      if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0) {
        throw base::SystemError("sockets of a test", "socketpair failed", errno);
      }
      std::tie(sockets[i][j], sockets[j][i]) = std::tuple(pair[0], pair[1]);
    }
  }
  return sockets;
}

}  // namespace tacit::comm::testing
