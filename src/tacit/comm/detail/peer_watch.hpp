// Notices that another rank has died, was stopped, has ended with an error, or cannot be reached.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/comm/detail/arena.hpp"
#include "tacit/comm/detail/liveness_links.hpp"
#include "tacit/comm/detail/liveness_record.hpp"
#include "tacit/comm/rank.hpp"

namespace tacit::comm {
class Bootstrap;
}

namespace tacit::comm::detail {

/// A transport without a thread of its own: every wait calls it.
class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  virtual ~Progress() = default;
  /// Progresses what can progress; never blocks. Safe for threads.
  virtual void progress() noexcept = 0;
};

/// Watches the processes of the other ranks during waits: no thread, no cost until a wait is slow.
///
/// A process that died is a readable pidfd; a stopped one is marked in /proc. A rank that computes is neither, however
/// long. Of ranks in this process it learns only, from the bootstrap, that one has given up. Failures of ranks of other
/// nodes come over liveness links. Safe for threads.
class PeerWatch {
 public:
  /// How it finds processes that died: by /proc where the system has no pidfd.
  enum class Means : std::uint8_t { pidfd, proc };

  /// @param pages      ours, and those of the ranks that are watched (see shm::Locality)
  /// @param ranks      by rank; must outlive the watch
  /// @param stopped_s  for so long a rank may be stopped
  PeerWatch(shm::LivenessPages pages, std::span<const RankInfo> ranks, RankId own, double stopped_s,
            Means means = Means::pidfd);
  /// From now on ranks of other nodes are watched, too.
  /// @pre no thread calls `look` meanwhile
  void add_links(std::unique_ptr<LivenessLinks> lines, double silent_s) noexcept;
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;
  ~PeerWatch();

  /// The bootstrap whose messages are progressed at each look, and which knows of failed threads; null: none.
  void set_carrier(Bootstrap* carrier) noexcept { carrier_ = carrier; }
  /// Looks at the others, if the last look is some time ago.
  /// @param now_ns  base::now_ns()
  /// @return        false: one of them is lost
  [[nodiscard]] bool look(std::int64_t now_ns) noexcept {
    if (now_ns >= next_look_ns_.load(std::memory_order_relaxed)) look_now(now_ns);
    return !is_lost();
  }
  /// At most this long a process is not yet seen as ended after it has closed its files and sockets.
  static constexpr double exit_delay_s = 0.5;
  /// Looks until a rank is lost. @return  false: none is lost in that time
  [[nodiscard]] bool await_loss(double seconds) noexcept;

  /// Has every wait call a transport that needs it. @param transport  null: none
  void carry(Progress* transport) noexcept { carried_.store(transport, std::memory_order_release); }
  [[nodiscard]] bool carries() const noexcept { return carried_.load(std::memory_order_relaxed) != nullptr; }
  void carry_on() noexcept {
    if (Progress* transport = carried_.load(std::memory_order_acquire)) transport->progress();
  }

  [[nodiscard]] bool is_lost() const noexcept { return loss_.load(std::memory_order_acquire) != 0; }
  /// The rank that is lost. @pre is_lost()
  [[nodiscard]] LostRank lost_rank() const noexcept;
  /// Whether any rank has left in good order, as of the last look.
  [[nodiscard]] bool has_any_left() const noexcept { return has_any_left_.load(std::memory_order_relaxed); }
  /// The liveness record of a watched rank; null: it is not watched.
  [[nodiscard]] const LivenessRecord* liveness_of(RankId rank) const noexcept;
  /// "rank 2 (node7), process 4711, has died". @pre is_lost()
  [[nodiscard]] std::string explain() const;
  /// "rank 0 (node7): rank 2 (node7), process 4711, has died, while we waited for `what`".
  /// @throws PeerError always
  /// @pre is_lost()
  [[noreturn]] void throw_lost(const std::string& what) const;

  /// Writes the departure notice of this rank, with the cause if another one is lost.
  void announce_departure(RankStatus status) noexcept;

 private:
  struct Peer {
    RankId rank{};
    const LivenessRecord* sign = nullptr;
    std::string stat = {};  ///< the file in /proc
    int pidfd = -1;         ///< -1: the system has none, /proc must do
    bool is_gone = false;   ///< in good order
    std::int64_t stopped_since_ns = 0;
  };
  void look_now(std::int64_t now_ns) noexcept;
  void look_for_exits() noexcept;
  void look_for_failures() noexcept;
  void look_for_failed_thread() noexcept;
  void look_for_stopped(std::int64_t now_ns) noexcept;
  void look_at_links() noexcept;
  void note_end(Peer& peer) noexcept;
  void lose(RankStatus status, RankId rank) noexcept;
  [[nodiscard]] static std::optional<char> state_of(const Peer& peer) noexcept;

  shm::LivenessPages pages_;
  std::span<const RankInfo> ranks_;
  RankId own_;
  std::int64_t stopped_ns_;
  std::vector<Peer> peers_;               // the mutex guards them
  std::unique_ptr<LivenessLinks> links_;  // likewise; null: there are none
  double silent_s_ = 0.0;
  bool is_loss_sent_ = false;
  std::mutex mutex_;
  std::atomic<std::int64_t> next_look_ns_{0};
  std::int64_t last_stop_look_ns_ = 0;
  std::atomic<std::uint64_t> loss_{0};  // the first: status and rank; 0: none
  std::atomic<bool> has_any_left_{false};
  std::atomic<Progress*> carried_{nullptr};
  Bootstrap* carrier_ = nullptr;
};

}  // namespace tacit::comm::detail
