// Reads liveness links, and tells departures from failures when one closes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/detail/liveness_links.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

namespace tacit::comm::detail {
namespace {

void set(int socket, int level, int option, int value) noexcept {
  setsockopt(socket, level, option, &value, sizeof(value));
}

/// Seconds between the questions of the system.
int quarter_of(double silent_s) noexcept {
  return std::max(1, static_cast<int>(std::floor(std::min(silent_s, 1e5) / 4.0)));
}

/// The system asks after a quarter of the time without a word, and then every quarter. Each time it looks whether the
/// last answer is too long ago: half a quarter less than the whole time, so that the fourth look ends the link.
void ask_regularly(int socket, double silent_s) noexcept {
  const int quarter_s = quarter_of(silent_s);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, quarter_s);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, quarter_s);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 3500 * quarter_s);
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
}

}  // namespace

int LivenessLinks::silence_s(double silent_s) noexcept { return 4 * quarter_of(silent_s); }

std::vector<RankId> LivenessLinks::partners(std::uint32_t own, const std::vector<bool>& is_far) {
  const auto size = static_cast<std::uint32_t>(is_far.size());
  std::vector<RankId> ranks;
  const auto add_if_far = [&](std::uint32_t rank) {
    if (is_far[rank]) ranks.push_back(RankId{rank});
  };
  if (size <= most_direct) {
    for (std::uint32_t rank = 0; rank < size; ++rank) add_if_far(rank);
    return ranks;
  }
  for (std::uint32_t distance = 1; distance < size; distance *= 2) {
    add_if_far((own + distance) % size);
    add_if_far((own + size - distance) % size);
  }
  std::ranges::sort(ranks);
  ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
  return ranks;
}

LivenessLinks::LivenessLinks(Bootstrap& bootstrap, const std::vector<bool>& is_far, double silent_s,
                             double setup_deadline_s, Reach reach)
    : own_(bootstrap.rank()), events_(epoll_create1(EPOLL_CLOEXEC)) {
  const auto sockets = connect_links(bootstrap, partners(number(own_), is_far), setup_deadline_s, reach);
  for (const auto& [rank, socket] : sockets) add(rank, socket, silent_s);
}

LivenessLinks::~LivenessLinks() {
  for (Link& link : links_) {
    if (link.socket < 0) continue;
    // What is read no more would make the system take back what was said last.
    shutdown(link.socket, SHUT_WR);
    std::array<std::byte, 256> rest;
    while (recv(link.socket, rest.data(), rest.size(), MSG_DONTWAIT) > 0) {
    }
    close(link.socket);
  }
  if (events_ >= 0) close(events_);
}

void LivenessLinks::add(RankId rank, int socket, double silent_s) {
  ask_regularly(socket, silent_s);
  Link& link = links_.emplace_back();
  link.rank = rank;
  link.socket = socket;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &link;
  epoll_ctl(events_, EPOLL_CTL_ADD, socket, &event);
}

const LivenessRecord* LivenessLinks::liveness_of(RankId rank) const noexcept {
  const auto found = std::ranges::find(links_, rank, &Link::rank);
  return found == links_.end() ? nullptr : &found->sign;
}

void LivenessLinks::broadcast(const LivenessMessage& message) noexcept {
  for (const Link& link : links_) {
    if (link.socket >= 0) send(link.socket, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

std::optional<Loss> LivenessLinks::look() noexcept {
  std::array<epoll_event, 16> events{};
  const int count = epoll_wait(events_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    if (auto loss = read(*static_cast<Link*>(events[static_cast<std::size_t>(i)].data.ptr))) return loss;
  }
  return std::nullopt;
}

std::optional<Loss> LivenessLinks::read(Link& link) noexcept {
  for (;;) {
    const ssize_t size =
        recv(link.socket, link.message.data() + link.read, link.message.size() - link.read, MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return std::nullopt;
    if (size <= 0) return close_link(link, size == 0 ? 0 : errno);
    link.read += static_cast<std::size_t>(size);
    if (link.read < link.message.size()) continue;
    link.read = 0;
    if (auto loss = take(link)) return loss;
  }
}

/// A rank that ends because of another is not the reason; who is said to be lost himself is not either.
std::optional<Loss> LivenessLinks::take(Link& link) noexcept {
  LivenessMessage message;
  std::memcpy(&message, link.message.data(), sizeof(message));
  link.sign.cause.store(message.cause, std::memory_order_relaxed);
  link.sign.failed_rank.store(message.failed_rank, std::memory_order_relaxed);
  link.sign.status.store(message.status, std::memory_order_release);
  if (message.status == RankStatus::left) {
    has_any_left_ = true;
    return std::nullopt;
  }
  if (message.cause == RankStatus::here || message.failed_rank == number(own_))
    return Loss{RankStatus::failed, link.rank};
  return Loss{message.cause, RankId{message.failed_rank}};
}

/// @param error  0: the other side has closed it
std::optional<Loss> LivenessLinks::close_link(Link& link, int error) noexcept {
  close(std::exchange(link.socket, -1));
  if (link.sign.status.load(std::memory_order_relaxed) != RankStatus::here) return std::nullopt;
  const bool is_closed = error == 0 || error == ECONNRESET || error == EPIPE;
  return Loss{is_closed ? RankStatus::died : RankStatus::silent, link.rank};
}

}  // namespace tacit::comm::detail
