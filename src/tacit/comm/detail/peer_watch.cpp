// Asks the system about the processes of other ranks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/detail/peer_watch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>
#include <utility>

#include "tacit/base/clock.hpp"
#include "tacit/comm/backoff.hpp"
#include "tacit/comm/bootstrap/bootstrap.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {
namespace {

constexpr std::int64_t look_interval_ns = 20'000'000;   // a look costs some us: 0.1 % of a wait, and far below a second
constexpr std::int64_t stop_interval_ns = 200'000'000;  // a look into /proc costs 10 us and more for each rank

LivenessRecord* record_in(const shm::Segment& page) {
  return std::launder(reinterpret_cast<LivenessRecord*>(page.data()));
}

/// glibc has no function for it before 2.36.
int open_pidfd(std::int64_t process_id) {
#if defined(SYS_pidfd_open)
  return static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(process_id), 0U));
#else
  static_cast<void>(process_id);
  return -1;
#endif
}

std::string process_of(const RankInfo& rank) {
  return fmt::format("{}, process {},", comm::describe(rank), rank.process_id);
}

}  // namespace

PeerWatch::PeerWatch(shm::LivenessPages pages, std::span<const RankInfo> ranks, RankId own, double stopped_s,
                     Means means)
    : pages_(std::move(pages)), ranks_(ranks), own_(own), stopped_ns_(static_cast<std::int64_t>(1e9 * stopped_s)) {
  new (pages_.mine.data()) LivenessRecord;
  peers_.reserve(pages_.others.size());
  for (const auto& [rank, page] : pages_.others) {
    const std::int64_t process_id = ranks_[number(rank)].process_id;
    peers_.push_back({.rank = rank,
                      .sign = record_in(page),
                      .stat = fmt::format("/proc/{}/stat", process_id),
                      .pidfd = means == Means::pidfd ? open_pidfd(process_id) : -1});
  }
}

PeerWatch::~PeerWatch() {
  for (const Peer& peer : peers_) {
    if (peer.pidfd >= 0) close(peer.pidfd);
  }
}

const LivenessRecord* PeerWatch::liveness_of(RankId rank) const noexcept {
  const auto found = std::ranges::find(peers_, rank, &Peer::rank);
  if (found != peers_.end()) return found->sign;
  return links_ == nullptr ? nullptr : links_->liveness_of(rank);
}

void PeerWatch::add_links(std::unique_ptr<LivenessLinks> links, double silent_s) noexcept {
  links_ = std::move(links);
  silent_s_ = silent_s;
}

/// Its state in one letter: R runs, S sleeps, T is stopped by a signal, t by a debugger, Z and X are dead.
std::optional<char> PeerWatch::state_of(const Peer& peer) noexcept {
  std::array<char, 128> text{};
  const int file = open(peer.stat.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  const ssize_t size = read(file, text.data(), text.size());
  close(file);
  // "4711 (name) S ...": the name may hold anything, also parentheses, and at most 15 characters (64 in a worker of
  // the kernel).
  const std::string_view line(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t end = line.rfind(')');
  if (end == std::string_view::npos || end + 2 >= line.size()) return std::nullopt;
  return line[end + 2];
}

/// The first loss is the one reported.
void PeerWatch::lose(RankStatus status, RankId rank) noexcept {
  std::uint64_t none = 0;
  const std::uint64_t loss = static_cast<std::uint64_t>(status) << 32U | number(rank);
  loss_.compare_exchange_strong(none, loss, std::memory_order_acq_rel);
}

/// A process has ended: has its rank published why?
void PeerWatch::note_end(Peer& peer) noexcept {
  const RankStatus status = peer.sign->status.load(std::memory_order_acquire);
  if (status == RankStatus::here) lose(RankStatus::died, peer.rank);
  if (status != RankStatus::left) return;
  peer.is_gone = true;
  has_any_left_.store(true, std::memory_order_relaxed);
}

void PeerWatch::look_for_exits() noexcept {
  for (Peer& peer : peers_) {
    if (peer.is_gone) continue;
    if (peer.sign->has_left()) {
      note_end(peer);
    } else if (peer.pidfd >= 0) {
      pollfd ended{peer.pidfd, POLLIN, 0};
      if (poll(&ended, 1, 0) == 1) note_end(peer);
    } else {
      const char state = state_of(peer).value_or('X');
      if (state == 'X' || state == 'Z') note_end(peer);
    }
  }
}

/// After the processes that died: a rank that ended because of one is not the cause.
void PeerWatch::look_for_failures() noexcept {
  for (const Peer& peer : peers_) {
    if (peer.is_gone || peer.sign->status.load(std::memory_order_acquire) != RankStatus::failed) continue;
    const RankStatus cause = peer.sign->cause.load(std::memory_order_relaxed);
    const RankId failed_rank{peer.sign->failed_rank.load(std::memory_order_relaxed)};
    if (cause == RankStatus::here || failed_rank == own_) {
      lose(RankStatus::failed, peer.rank);
    } else {
      lose(cause, failed_rank);
    }
  }
}

void PeerWatch::look_for_failed_thread() noexcept {
  const auto failed = carrier_ == nullptr ? std::nullopt : carrier_->find_failed_thread();
  if (failed && *failed != own_) lose(RankStatus::failed, *failed);
}

/// Times count between successive looks only: a rank that was stopped itself has not looked.
void PeerWatch::look_for_stopped(std::int64_t now_ns) noexcept {
  const bool was_away = now_ns - last_stop_look_ns_ > 5 * stop_interval_ns;
  last_stop_look_ns_ = now_ns;
  for (Peer& peer : peers_) {
    if (peer.is_gone) continue;
    if (was_away) peer.stopped_since_ns = 0;
    if (state_of(peer) != 'T') {
      peer.stopped_since_ns = 0;
    } else if (peer.stopped_since_ns == 0) {
      peer.stopped_since_ns = now_ns;
    } else if (now_ns - peer.stopped_since_ns >= stopped_ns_) {
      lose(RankStatus::stopped, peer.rank);
    }
  }
}

/// A loss noticed on one node is sent to all others at once: the lost rank may have no link to them.
void PeerWatch::look_at_links() noexcept {
  if (const auto loss = links_->look()) lose(loss->status, loss->rank);
  if (links_->has_any_left()) has_any_left_.store(true, std::memory_order_relaxed);
  const std::uint64_t loss = loss_.load(std::memory_order_acquire);
  if (loss == 0 || is_loss_sent_) return;
  is_loss_sent_ = true;
  links_->broadcast({.cause = static_cast<RankStatus>(loss >> 32U), .failed_rank = static_cast<std::uint32_t>(loss)});
}

void PeerWatch::look_now(std::int64_t now_ns) noexcept {
  if (carrier_ != nullptr) carrier_->send_on();
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || is_lost()) return;
  next_look_ns_.store(now_ns + look_interval_ns, std::memory_order_relaxed);
  look_for_exits();
  look_for_failures();
  look_for_failed_thread();
  if (now_ns - last_stop_look_ns_ >= stop_interval_ns) look_for_stopped(now_ns);
  if (links_ != nullptr) look_at_links();
}

bool PeerWatch::await_loss(double seconds) noexcept {
  const std::int64_t end_ns = base::now_ns() + static_cast<std::int64_t>(1e9 * seconds);
  for (;;) {
    const std::int64_t now_ns = base::now_ns();
    look_now(now_ns);
    if (is_lost()) return true;
    if (now_ns >= end_ns) return false;
    yield_processor();
  }
}

LostRank PeerWatch::lost_rank() const noexcept {
  const std::uint64_t loss = loss_.load(std::memory_order_acquire);
  const bool has_failed = static_cast<RankStatus>(loss >> 32U) == RankStatus::failed;
  return {.rank = RankId{static_cast<std::uint32_t>(loss)},
          .kind = has_failed ? LostRank::Kind::has_failed : LostRank::Kind::is_gone};
}

std::string PeerWatch::explain() const {
  const std::uint64_t loss = loss_.load(std::memory_order_acquire);
  const std::string who = process_of(ranks_[static_cast<std::uint32_t>(loss)]);
  switch (static_cast<RankStatus>(loss >> 32U)) {
    case RankStatus::died:
      return who + " has died";
    case RankStatus::stopped:
      return fmt::format("{} has been stopped for {} s", who, 1e-9 * static_cast<double>(stopped_ns_));
    case RankStatus::silent:
      return fmt::format("{} cannot be reached: its node has not answered for {} s", who,
                         LivenessLinks::silence_s(silent_s_));
    default:
      return who + " has ended with an error";
  }
}

void PeerWatch::throw_lost(const std::string& what) const {
  throw PeerError(fmt::format("{}: {}, while we waited for {}", comm::describe(ranks_[number(own_)]), explain(), what));
}

void PeerWatch::announce_departure(RankStatus status) noexcept {
  LivenessRecord& sign = *record_in(pages_.mine);
  const std::uint64_t loss = loss_.load(std::memory_order_acquire);
  sign.cause.store(static_cast<RankStatus>(loss >> 32U), std::memory_order_relaxed);
  sign.failed_rank.store(static_cast<std::uint32_t>(loss), std::memory_order_relaxed);
  const RankStatus told = loss != 0 ? RankStatus::failed : status;
  sign.status.store(told, std::memory_order_release);
  const std::lock_guard guard(mutex_);
  if (links_ != nullptr)
    links_->broadcast({told, static_cast<RankStatus>(loss >> 32U), static_cast<std::uint32_t>(loss)});
}

}  // namespace tacit::comm::detail
