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
#include "tacit/comm/detail/life_sign.hpp"
#include "tacit/comm/detail/lines.hpp"
#include "tacit/comm/rank.hpp"

namespace tacit::comm {
class Bootstrap;
}

namespace tacit::comm::detail {

/// A transport without a thread of its own: whoever waits, for whatever, calls it meanwhile.
class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  virtual ~Progress() = default;
  /// Carries on what can be carried on; never blocks. Safe for threads.
  virtual void progress() noexcept = 0;
};

/// Watches the processes of the other ranks, for whoever waits: no thread, no cost until a wait is slow.
///
/// A death is a readable pidfd; a stopped process says so in /proc. A rank that computes is neither, however long it
/// does. Ranks in this very process are not watched. What becomes of ranks of other nodes is known by lines to them.
/// Safe for threads.
class PeerWatch {
 public:
  /// How it asks for deaths: where the system has no pidfd, by /proc.
  enum class Means : std::uint8_t { pidfd, proc };

  /// @param pages      ours, and those of the ranks that are watched (see shm::Locality)
  /// @param ranks      by rank; must outlive the watch
  /// @param stopped_s  for so long a rank may be stopped
  PeerWatch(shm::LifePages pages, std::span<const RankInfo> ranks, RankId own, double stopped_s,
            Means means = Means::pidfd);
  /// From now on ranks of other nodes are watched, too.
  /// @pre nobody looks meanwhile
  void add_lines(std::unique_ptr<Lines> lines, double silent_s) noexcept;
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;
  ~PeerWatch();

  /// Whose messages are carried on at each look; null: nobody's.
  void set_carrier(Bootstrap* carrier) noexcept { carrier_ = carrier; }
  /// Looks at the others, if the last look is some time ago.
  /// @param now_ns  base::now_ns()
  /// @return        false: one of them is lost
  [[nodiscard]] bool look(std::int64_t now_ns) noexcept {
    if (now_ns >= next_look_ns_.load(std::memory_order_relaxed)) look_now(now_ns);
    return !is_lost();
  }
  /// A process gives its files and sockets back so long before it counts as dead, at most.
  static constexpr double death_s = 0.5;
  /// Looks until one is lost. @return  false: none is, and the time is over
  [[nodiscard]] bool await_loss(double seconds) noexcept;

  /// Has every wait call a transport that needs it. @param transport  null: none
  void carry(Progress* transport) noexcept { carried_.store(transport, std::memory_order_release); }
  [[nodiscard]] bool carries() const noexcept { return carried_.load(std::memory_order_relaxed) != nullptr; }
  void carry_on() noexcept {
    if (Progress* transport = carried_.load(std::memory_order_acquire)) transport->progress();
  }

  [[nodiscard]] bool is_lost() const noexcept { return loss_.load(std::memory_order_acquire) != 0; }
  /// Who is lost. @pre is_lost()
  [[nodiscard]] LostRank lost_rank() const noexcept;
  /// Whether somebody has left in good order, as of the last look.
  [[nodiscard]] bool somebody_left() const noexcept { return somebody_left_.load(std::memory_order_relaxed); }
  /// What a watched rank says of its end; null: it is not watched.
  [[nodiscard]] const LifeSign* sign_of(RankId rank) const noexcept;
  /// "rank 2 (node7), process 4711, has died". @pre is_lost()
  [[nodiscard]] std::string explain() const;
  /// "rank 0 (node7): rank 2 (node7), process 4711, has died, while we waited for `what`".
  /// @throws PeerError always
  /// @pre is_lost()
  [[noreturn]] void throw_lost(const std::string& what) const;

  /// Tells the others that this rank ends, and, if another is lost, why.
  void say_farewell(RankStatus status) noexcept;

 private:
  struct Peer {
    RankId rank{};
    const LifeSign* sign = nullptr;
    std::string stat = {};  ///< the file in /proc
    int pidfd = -1;         ///< -1: the system has none, /proc must do
    bool is_gone = false;   ///< in good order
    std::int64_t stopped_since_ns = 0;
  };
  void look_now(std::int64_t now_ns) noexcept;
  void look_for_deaths() noexcept;
  void look_for_failures() noexcept;
  void look_for_stopped(std::int64_t now_ns) noexcept;
  void look_at_lines() noexcept;
  void note_end(Peer& peer) noexcept;
  void lose(RankStatus status, RankId rank) noexcept;
  [[nodiscard]] static std::optional<char> state_of(const Peer& peer) noexcept;

  shm::LifePages pages_;
  std::span<const RankInfo> ranks_;
  RankId own_;
  std::int64_t stopped_ns_;
  std::vector<Peer> peers_;       // the mutex guards them
  std::unique_ptr<Lines> lines_;  // likewise; null: there are none
  double silent_s_ = 0.0;
  bool is_loss_told_ = false;
  std::mutex mutex_;
  std::atomic<std::int64_t> next_look_ns_{0};
  std::int64_t last_stop_look_ns_ = 0;
  std::atomic<std::uint64_t> loss_{0};  // the first: status and rank; 0: none
  std::atomic<bool> somebody_left_{false};
  std::atomic<Progress*> carried_{nullptr};
  Bootstrap* carrier_ = nullptr;
};

}  // namespace tacit::comm::detail
