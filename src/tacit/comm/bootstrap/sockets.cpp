// Connects, sends and receives without ever waiting.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/bootstrap/sockets.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <string>

#include "tacit/base/error.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm {
namespace {

constexpr const char* where = "sockets of the set-up";

/// The first that a link carries.
struct Hello {
  std::array<std::uint64_t, 2> token{};
  std::uint64_t rank = 0;
};

/// Before each message.
struct Header {
  SetupKey key;
  std::uint64_t size = 0;
};

template <class T>
void append(Bytes& to, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <class T>
std::optional<T> front(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

int checked(int result, const char* call) {
  if (result < 0) throw base::SystemError(where, fmt::format("{} failed", call), errno);
  return result;
}

sockaddr_in at(std::uint32_t host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = host;
  return address;
}

sockaddr* plain(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

struct Interface {
  std::uint32_t host = 0;
  std::uint32_t mask = 0;
};

/// Ours that run, but the one that leads to ourselves.
std::vector<Interface> interfaces() {
  std::vector<Interface> found;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return found;
  for (const ifaddrs* i = list; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_netmask == nullptr || i->ifa_addr->sa_family != AF_INET) continue;
    if ((i->ifa_flags & IFF_RUNNING) == 0 || (i->ifa_flags & IFF_LOOPBACK) != 0) continue;
    sockaddr_in host{};
    sockaddr_in mask{};
    std::memcpy(&host, i->ifa_addr, sizeof(host));
    std::memcpy(&mask, i->ifa_netmask, sizeof(mask));
    found.push_back({host.sin_addr.s_addr, mask.sin_addr.s_addr});
  }
  freeifaddrs(list);
  return found;
}

/// Fills in our rank.
void describe_machine(SocketAddress& address) {
  if (getrandom(address.token.data(), sizeof(address.token), 0) != static_cast<ssize_t>(sizeof(address.token))) {
    throw base::SystemError(where, "getrandom failed", errno);
  }
  std::string machine;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), machine);
  machine.resize(address.machine.size(), '\0');
  if (machine[0] == '\0') gethostname(machine.data(), machine.size() - 1);
  std::ranges::copy(machine, address.machine.begin());
  struct stat network {};
  if (stat("/proc/self/ns/net", &network) == 0) address.network = network.st_ino;
}

}  // namespace

SetupSockets::SetupSockets(Reach reach) {
  describe_machine(own_);
  listener_ = checked(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
  sockaddr_in address = at(htonl(reach == Reach::machine ? INADDR_LOOPBACK : INADDR_ANY), 0);
  checked(bind(listener_, plain(address), sizeof(address)), "bind");
  checked(listen(listener_, SOMAXCONN), "listen");
  socklen_t size = sizeof(address);
  checked(getsockname(listener_, plain(address), &size), "getsockname");
  own_.port = ntohs(address.sin_port);
  if (reach == Reach::network) {
    for (const Interface& interface : interfaces()) {
      if (own_.hosts < own_.host.size()) own_.host[own_.hosts++] = interface.host;
    }
  }
  ready_ = checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
  epoll_event event{.events = EPOLLIN, .data = {.fd = listener_}};
  checked(epoll_ctl(ready_, EPOLL_CTL_ADD, listener_, &event), "epoll_ctl");
}

SetupSockets::~SetupSockets() {
  for (const Outgoing& link : outgoing_) {
    if (link.socket >= 0) close(link.socket);
  }
  for (const Incoming& link : incoming_) close(link.socket);
  if (ready_ >= 0) close(ready_);
  if (listener_ >= 0) close(listener_);
}

void SetupSockets::meet(RankId self, std::vector<SocketAddress> addresses) {
  self_ = self;
  addresses_ = std::move(addresses);
  outgoing_.resize(addresses_.size());
}

/// Where to try, the best last. Networks that we are in come before others; an address that is one of ours leads to
/// ourselves (bridges of containers have the same one on every machine).
std::vector<std::uint32_t> SetupSockets::hosts_of(const SocketAddress& peer) const {
  if (own_.is_beside(peer)) return {htonl(INADDR_LOOPBACK)};
  const std::vector<Interface> ours = interfaces();
  std::vector<std::uint32_t> near;
  std::vector<std::uint32_t> far;
  for (const std::uint32_t host : std::span(peer.host).first(std::min<std::size_t>(peer.hosts, peer.host.size()))) {
    if (std::ranges::find(ours, host, &Interface::host) != ours.end()) continue;
    const bool is_near = std::ranges::any_of(ours, [&](const Interface& i) { return ((i.host ^ host) & i.mask) == 0; });
    (is_near ? near : far).push_back(host);
  }
  std::ranges::reverse(far);
  far.insert(far.end(), near.rbegin(), near.rend());
  return far;
}

void SetupSockets::begin(Outgoing& link, RankId to) {
  link.has_begun = true;
  link.hosts = hosts_of(addresses_[number(to)]);
  append(link.unsent, Hello{addresses_[number(to)].token, number(self_)});
  connect_next(link, to);
}

/// Tries the next address. @return false if there is none
bool SetupSockets::connect_next(Outgoing& link, RankId to) {
  int code = link.socket >= 0 ? errno : EADDRNOTAVAIL;
  if (link.socket >= 0) close(std::exchange(link.socket, -1));
  while (!link.hosts.empty()) {
    sockaddr_in address = at(link.hosts.back(), static_cast<std::uint16_t>(addresses_[number(to)].port));
    link.hosts.pop_back();
    link.socket = checked(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
    const int yes = 1;
    const int tries = 3;  // 15 s, a quarter of the deadline of the set-up
    setsockopt(link.socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    setsockopt(link.socket, IPPROTO_TCP, TCP_SYNCNT, &tries, sizeof(tries));
    if (connect(link.socket, plain(address), sizeof(address)) == 0 || errno == EINPROGRESS) return true;
    code = errno;
    close(std::exchange(link.socket, -1));
  }
  link.is_lost = true;
  link.unsent.clear();
  if (own_.is_beside(addresses_[number(to)])) return false;  // it has died
  throw ProviderError(fmt::format("rank {} cannot connect to rank {} by TCP on any of its {} addresses: {}",
                                  number(self_), number(to), addresses_[number(to)].hosts, std::strerror(code)));
}

/// As far as the system takes it.
void SetupSockets::flush(Outgoing& link, RankId to) {
  while (link.sent < link.unsent.size()) {
    const ssize_t sent = ::send(link.socket, link.unsent.data() + link.sent, link.unsent.size() - link.sent,
                                MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      link.sent += static_cast<std::size_t>(sent);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == ENOTCONN) return;
    if (link.sent > 0) {  // it was connected: the peer has gone
      link.is_lost = true;
    } else if (connect_next(link, to)) {
      return;
    }
    break;
  }
  link.unsent.clear();
  link.sent = 0;
}

void SetupSockets::send(RankId to, const SetupKey& key, std::span<const std::byte> message) {
  Outgoing& link = outgoing_[number(to)];
  if (link.is_lost) return;
  const bool was_waiting = !link.unsent.empty();
  if (!link.has_begun) begin(link, to);
  if (link.is_lost) return;
  append(link.unsent, Header{key, message.size()});
  link.unsent.insert(link.unsent.end(), message.begin(), message.end());
  flush(link, to);
  if (!was_waiting && !link.unsent.empty()) ++waiting_;
  if (was_waiting && link.unsent.empty()) --waiting_;
}

void SetupSockets::accept_all() {
  for (;;) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    epoll_event event{.events = EPOLLIN, .data = {.fd = socket}};
    checked(epoll_ctl(ready_, EPOLL_CTL_ADD, socket, &event), "epoll_ctl");
    incoming_.push_back({socket, std::nullopt, {}});
  }
}

/// @return false if this is none of our ranks
bool SetupSockets::take_complete(Incoming& link, Mailbox& mailbox) {
  std::span<const std::byte> rest = link.bytes;
  if (!link.from) {
    const auto hello = front<Hello>(rest);
    if (!hello) return true;
    if (hello->token != own_.token || hello->rank >= addresses_.size()) return false;
    link.from = RankId{static_cast<std::uint32_t>(hello->rank)};
    rest = rest.subspan(sizeof(Hello));
  }
  for (;;) {
    const auto header = front<Header>(rest);
    if (!header || rest.size() - sizeof(Header) < header->size) break;
    const auto message = rest.subspan(sizeof(Header), header->size);
    mailbox.put(*link.from, header->key, Bytes(message.begin(), message.end()));
    rest = rest.subspan(sizeof(Header) + header->size);
  }
  link.bytes.erase(link.bytes.begin(), link.bytes.end() - static_cast<std::ptrdiff_t>(rest.size()));
  return true;
}

/// @return false if no more can come
bool SetupSockets::read(Incoming& link, Mailbox& mailbox) {
  std::array<std::byte, 1U << 16U> buffer;
  for (;;) {
    const ssize_t size = recv(link.socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return true;
    if (size <= 0) return false;
    link.bytes.insert(link.bytes.end(), buffer.begin(), buffer.begin() + size);
    if (!take_complete(link, mailbox)) return false;
  }
}

void SetupSockets::progress(Mailbox& mailbox) {
  if (addresses_.empty()) return;  // early connections wait until we know how many there are
  for (std::uint32_t to = 0; waiting_ > 0 && to < outgoing_.size(); ++to) {
    Outgoing& link = outgoing_[to];
    if (link.unsent.empty()) continue;
    flush(link, RankId{to});
    if (link.unsent.empty()) --waiting_;
  }
  std::array<epoll_event, 32> events{};
  const int count = epoll_wait(ready_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const int socket = events[static_cast<std::size_t>(i)].data.fd;
    if (socket == listener_) {
      accept_all();
      continue;
    }
    const auto link = std::ranges::find(incoming_, socket, &Incoming::socket);
    if (link == incoming_.end() || read(*link, mailbox)) continue;
    close(socket);  // leaves the epoll, too
    incoming_.erase(link);
  }
}

}  // namespace tacit::comm
