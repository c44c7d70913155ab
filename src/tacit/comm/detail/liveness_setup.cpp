// Addresses of this node, and sockets between ranks that have proved who they are.
// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "tacit/base/clock.hpp"
#include "tacit/comm/detail/liveness_links.hpp"

namespace tacit::comm::detail {
namespace {

constexpr double connect_s = 5.0;  // for a connection within a machine room, or its refusal

struct Address {
  std::uint32_t number = 0;  ///< of IPv4, as it travels
  std::uint32_t mask = 0;
};

/// Where a rank can be reached.
struct PeerInfo {
  std::uint64_t key = 0;   ///< a process that knows it belongs to this run
  std::uint16_t port = 0;  ///< as it travels; 0: it takes no connections
  std::uint16_t count = 0;
  std::array<Address, 7> addresses{};
};

/// What the rank that connects says first, and what it is answered.
struct Hello {
  std::uint64_t key = 0;  ///< of the rank that is meant
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// A socket that closes with its owner unless it is taken.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int file) noexcept : file_(file) {}
  Socket(Socket&& other) noexcept : file_(other.take()) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (file_ >= 0) close(file_);
  }
  [[nodiscard]] int file() const noexcept { return file_; }
  [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }
  [[nodiscard]] int take() noexcept { return std::exchange(file_, -1); }

 private:
  int file_ = -1;
};

Socket make_socket() { return Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

sockaddr_in place_of(std::uint32_t number, std::uint16_t port) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = number;
  place.sin_port = port;
  return place;
}

/// Those of interfaces that are up, but for the one that leads back to this machine.
void add_addresses(PeerInfo& info) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return;
  for (const ifaddrs* one = all; one != nullptr && info.count < info.addresses.size(); one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_netmask == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    if ((one->ifa_flags & IFF_UP) == 0 || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    sockaddr_in address{};
    sockaddr_in mask{};
    std::memcpy(&address, one->ifa_addr, sizeof(address));
    std::memcpy(&mask, one->ifa_netmask, sizeof(mask));
    info.addresses[info.count++] = {address.sin_addr.s_addr, mask.sin_addr.s_addr};
  }
  freeifaddrs(all);
}

Socket listen_for(PeerInfo& info, LivenessLinks::Reach reach) {
  Socket listener = make_socket();
  const sockaddr_in any =
      place_of(reach == LivenessLinks::Reach::this_machine ? htonl(INADDR_LOOPBACK) : INADDR_ANY, 0);
  sockaddr_in bound{};
  socklen_t length = sizeof(bound);
  constexpr int queue = 4096;
  if (!listener.is_open() || bind(listener.file(), reinterpret_cast<const sockaddr*>(&any), sizeof(any)) != 0 ||
      listen(listener.file(), queue) != 0 ||
      getsockname(listener.file(), reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
    return Socket();
  }
  info.port = bound.sin_port;
  if (reach == LivenessLinks::Reach::this_machine) {
    info.addresses[info.count++] = {htonl(INADDR_LOOPBACK), ~0U};
  } else {
    add_addresses(info);
  }
  return listener;
}

/// Their addresses in the order in which they are worth trying: those of our own networks first. One that we have, too,
/// leads to ourselves.
std::vector<std::uint32_t> addresses_to(const PeerInfo& theirs, const PeerInfo& mine, LivenessLinks::Reach reach) {
  std::vector<std::uint32_t> near;
  std::vector<std::uint32_t> far;
  const std::span ours(mine.addresses.data(), mine.count);
  for (const Address& address : std::span(theirs.addresses.data(), std::min<std::size_t>(theirs.count, 7))) {
    const auto is_same = [&](const Address& own) { return own.number == address.number; };
    const auto is_near = [&](const Address& own) { return ((own.number ^ address.number) & own.mask) == 0; };
    if (reach == LivenessLinks::Reach::other_nodes && std::ranges::any_of(ours, is_same)) continue;
    (std::ranges::any_of(ours, is_near) ? near : far).push_back(address.number);
  }
  near.insert(near.end(), far.begin(), far.end());
  return near;
}

/// One connection that is being made.
struct Attempt {
  RankId rank{};
  std::vector<std::uint32_t> addresses;  ///< that are left, the next one last
  std::uint16_t port = 0;
  Socket socket = {};
  bool is_made = false;
};

/// Begins with the next address. @return  false: there is none
bool begin(Attempt& attempt) {
  while (!attempt.addresses.empty()) {
    const sockaddr_in place = place_of(attempt.addresses.back(), attempt.port);
    attempt.addresses.pop_back();
    attempt.socket = make_socket();
    if (!attempt.socket.is_open()) return false;
    if (connect(attempt.socket.file(), reinterpret_cast<const sockaddr*>(&place), sizeof(place)) == 0) return true;
    if (errno == EINPROGRESS) return true;
  }
  attempt.socket = Socket();
  return false;
}

/// Whether each of the files is ready for `events` by then; a file below 0 never is.
std::vector<bool> await_any(const std::vector<int>& files, std::int16_t events, std::int64_t end_ns) {
  std::vector<pollfd> polled;
  for (const int file : files) polled.push_back({file, events, 0});
  const std::int64_t left_ms = std::max<std::int64_t>(0, (end_ns - base::now_ns()) / 1'000'000);
  poll(polled.data(), polled.size(), static_cast<int>(left_ms));
  std::vector<bool> ready;
  for (const pollfd& one : polled) ready.push_back(one.revents != 0);
  return ready;
}

/// Carries all attempts on until each is made or has no address left, or the time is over.
void connect_all(std::vector<Attempt>& attempts) {
  const std::int64_t end_ns = base::now_ns() + static_cast<std::int64_t>(1e9 * connect_s);
  for (Attempt& attempt : attempts) begin(attempt);
  for (;;) {
    std::vector<int> files;
    for (const Attempt& attempt : attempts) files.push_back(attempt.is_made ? -1 : attempt.socket.file());
    if (std::ranges::all_of(files, [](int file) { return file < 0; }) || base::now_ns() >= end_ns) return;
    const auto ready = await_any(files, POLLOUT, end_ns);
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      if (files[i] < 0 || !ready[i]) continue;
      int error = 0;
      socklen_t length = sizeof(error);
      getsockopt(files[i], SOL_SOCKET, SO_ERROR, &error, &length);
      attempts[i].is_made = error == 0;
      if (error != 0) begin(attempts[i]);
    }
  }
}

/// A whole message of a set-up; they are shorter than what a socket takes or hands out at once.
bool send_hello(int file, const Hello& hello) {
  return send(file, &hello, sizeof(hello), MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof(hello));
}
std::optional<Hello> receive_hello(int file) {
  Hello hello;
  if (recv(file, &hello, sizeof(hello), 0) != static_cast<ssize_t>(sizeof(hello))) return std::nullopt;
  return hello;
}

/// Takes connections until all of `awaited` are there, and answers them.
std::map<RankId, int> accept_all(int listener, std::set<RankId> awaited, RankId own, std::uint64_t key) {
  const std::int64_t end_ns = base::now_ns() + static_cast<std::int64_t>(1e9 * connect_s);
  std::map<RankId, int> links;
  std::vector<Socket> strangers;
  while (!awaited.empty() && base::now_ns() < end_ns) {
    std::vector<int> files{listener};
    for (const Socket& stranger : strangers) files.push_back(stranger.file());
    const auto ready = await_any(files, POLLIN, end_ns);
    for (std::size_t i = strangers.size(); i-- > 0;) {
      if (!ready[i + 1]) continue;
      Socket stranger = std::move(strangers[i]);
      strangers.erase(strangers.begin() + static_cast<std::ptrdiff_t>(i));
      const auto hello = receive_hello(stranger.file());
      if (!hello || hello->key != key || hello->to != number(own)) continue;
      if (awaited.erase(RankId{hello->from}) == 0 || !send_hello(stranger.file(), *hello)) continue;
      links.emplace(RankId{hello->from}, stranger.take());
    }
    if (!ready[0]) continue;
    Socket stranger(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (stranger.is_open()) strangers.push_back(std::move(stranger));
  }
  return links;
}

/// Keeps the attempts that are answered.
void take_answered(std::vector<Attempt>& attempts, std::map<RankId, int>& links) {
  const std::int64_t end_ns =
      base::now_ns() + static_cast<std::int64_t>(2e9 * connect_s);  // the rank that answers waits, too
  while (!attempts.empty() && base::now_ns() < end_ns) {
    std::vector<int> files;
    for (const Attempt& attempt : attempts) files.push_back(attempt.socket.file());
    const auto ready = await_any(files, POLLIN, end_ns);
    for (std::size_t i = attempts.size(); i-- > 0;) {
      if (!ready[i]) continue;
      if (receive_hello(files[i])) links.emplace(attempts[i].rank, attempts[i].socket.take());
      attempts.erase(attempts.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

/// The ranks that have connected to us.
std::set<RankId> connected_to(RankId own, const std::vector<Bytes>& all) {
  std::set<RankId> ranks;
  for (std::uint32_t from = 0; from < all.size(); ++from) {
    for (std::size_t at = 0; at + sizeof(RankId) <= all[from].size(); at += sizeof(RankId)) {
      if (value_of<RankId>(std::span(all[from]).subspan(at)) == own) ranks.insert(RankId{from});
    }
  }
  return ranks;
}

}  // namespace

std::map<RankId, int> connect_links(Bootstrap& bootstrap, const std::vector<RankId>& partners, double setup_deadline_s,
                                    LivenessLinks::Reach reach) {
  const RankId own = bootstrap.rank();
  std::random_device random;
  PeerInfo mine{.key = std::uint64_t{random()} << 32U | random()};
  const Socket listener = listen_for(mine, reach);
  const auto infos = all_gather_values(bootstrap, mine, setup_deadline_s);
  std::vector<Attempt> attempts;
  for (const RankId rank : partners) {
    const PeerInfo& theirs = infos[number(rank)];
    if (rank < own || theirs.port == 0) continue;  // of two ranks the lower one connects
    auto addresses = addresses_to(theirs, mine, reach);
    std::ranges::reverse(addresses);
    attempts.push_back({.rank = rank, .addresses = std::move(addresses), .port = theirs.port});
  }
  connect_all(attempts);
  std::erase_if(attempts, [&](const Attempt& attempt) {
    const Hello hello{infos[number(attempt.rank)].key, number(own), number(attempt.rank)};
    return !attempt.is_made || !send_hello(attempt.socket.file(), hello);
  });
  std::vector<RankId> made;
  for (const Attempt& attempt : attempts) made.push_back(attempt.rank);
  const auto all = bootstrap.all_gather(std::as_bytes(std::span(made)), setup_deadline_s);
  auto links = accept_all(listener.file(), connected_to(own, all), own, mine.key);
  take_answered(attempts, links);
  return links;
}

}  // namespace tacit::comm::detail
