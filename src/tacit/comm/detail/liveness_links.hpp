// Liveness links: connections to ranks of other nodes for departure notices, on which the kernel answers probes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "tacit/comm/bootstrap/bootstrap.hpp"
#include "tacit/comm/detail/liveness_record.hpp"

namespace tacit::comm::detail {

/// A departure notice, or the failure of a third rank.
struct LivenessMessage {
  RankStatus status = RankStatus::here;  ///< of the sender; here: only forwards what follows
  RankStatus cause = RankStatus::here;   ///< what has become of `failed_rank`
  std::uint32_t failed_rank = 0;         ///< rank
};

/// That a rank is lost.
struct Loss {
  RankStatus status = RankStatus::here;
  RankId rank{};
};

/// A TCP connection to each of some ranks of other nodes. When a process ends, however, its kernel closes its ends;
/// when a node ends, or the network to it, the system's own probes get no answer. A rank that computes does nothing for
/// either. One thread at a time uses an object, but for liveness_of.
class LivenessLinks {
 public:
  /// Where ranks are that links lead to. this_machine: for tests.
  enum class Reach : std::uint8_t { other_nodes, this_machine };
  /// Up to so many ranks in all, each has a link to each on another node; of more, those at distances 1, 2, 4...
  static constexpr std::size_t most_direct = 64;

  /// Makes the links that can be made: a rank without one is not watched. Called by all ranks.
  /// @param is_far    by rank: whether it is on another node. The same from both sides
  /// @param silent_s  within so long a node that gives no answer is given up [s], > 0; see silence_s
  /// @throws DeadlineError, PeerError as the bootstrap
  LivenessLinks(Bootstrap& bootstrap, const std::vector<bool>& is_far, double silent_s, double setup_deadline_s,
                Reach reach = Reach::other_nodes);
  LivenessLinks(const LivenessLinks&) = delete;
  LivenessLinks& operator=(const LivenessLinks&) = delete;
  /// Closes all links: without a departure notice this rank counts as dead.
  ~LivenessLinks();

  /// The next loss that is known here. @return  nothing: none
  [[nodiscard]] std::optional<Loss> look() noexcept;
  /// Sends a notice on all links; a full one leads to a rank that will notice otherwise.
  void broadcast(const LivenessMessage& message) noexcept;
  /// Whether a rank has left in good order.
  [[nodiscard]] bool has_any_left() const noexcept { return has_any_left_; }
  /// The liveness record of a rank; null: there is no link to it.
  [[nodiscard]] const LivenessRecord* liveness_of(RankId rank) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return links_.size(); }

  /// After how many seconds without an answer a link ends: at most `silent_s`, if that is 4 s or more.
  [[nodiscard]] static int silence_s(double silent_s) noexcept;
  /// The ranks to which `own` has links: the same from both sides.
  [[nodiscard]] static std::vector<RankId> partners(std::uint32_t own, const std::vector<bool>& is_far);

 private:
  struct Link {
    RankId rank{};
    int socket = -1;
    std::size_t read = 0;  ///< bytes of the next message
    std::array<std::byte, sizeof(LivenessMessage)> message{};
    LivenessRecord sign;
  };
  void add(RankId rank, int socket, double silent_s);
  [[nodiscard]] std::optional<Loss> read(Link& link) noexcept;
  [[nodiscard]] std::optional<Loss> take(Link& link) noexcept;
  [[nodiscard]] std::optional<Loss> close_link(Link& link, int error) noexcept;

  RankId own_;
  int events_ = -1;  // of all sockets
  std::deque<Link> links_;
  bool has_any_left_ = false;
};

/// Connected sockets by rank, of those of `partners` that can be reached. Called by all ranks. Both ends of a socket
/// have heard of each other when this returns.
[[nodiscard]] std::map<RankId, int> connect_links(Bootstrap& bootstrap, const std::vector<RankId>& partners,
                                                  double setup_deadline_s, LivenessLinks::Reach reach);

}  // namespace tacit::comm::detail
