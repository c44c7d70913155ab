// Lines to ranks of other nodes, on which nothing is said but how a rank ends: the kernel answers for who computes.
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
#include "tacit/comm/detail/life_sign.hpp"

namespace tacit::comm::detail {

/// What one rank tells another on a line.
struct LineMessage {
  RankStatus status = RankStatus::here;  ///< of the sender; here: it only passes on what follows
  RankStatus cause = RankStatus::here;   ///< what has become of `failed_rank`
  std::uint32_t failed_rank = 0;         ///< rank
};

/// That a rank is lost.
struct Loss {
  RankStatus status = RankStatus::here;
  RankId rank{};
};

/// A TCP connection to each of some ranks of other nodes. When a process ends, however, its kernel closes its ends;
/// when a node ends, or the way to it, the system's own probes get no answer. A rank that computes does nothing for
/// either. One thread at a time uses an object, but for sign_of.
class Lines {
 public:
  /// Where ranks are that lines lead to. this_machine: for tests.
  enum class Reach : std::uint8_t { other_nodes, this_machine };
  /// Up to so many ranks in all, each has a line to each on another node; of more, those at distances 1, 2, 4...
  static constexpr std::size_t most_direct = 64;

  /// Makes the lines that can be made: where none leads to a rank, nothing is known of it. Called by all ranks.
  /// @param is_far    by rank: whether it is on another node. Alike from both sides
  /// @param silent_s  within so long a node that gives no answer is given up [s], > 0; see silence_s
  /// @throws DeadlineError, PeerError as the bootstrap
  Lines(Bootstrap& bootstrap, const std::vector<bool>& is_far, double silent_s, double setup_deadline_s,
        Reach reach = Reach::other_nodes);
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  /// Closes all lines: who has not said farewell has died.
  ~Lines();

  /// The next loss that is known here. @return  nothing: none
  [[nodiscard]] std::optional<Loss> look() noexcept;
  /// Tells all. A line that takes nothing more belongs to a rank that will notice otherwise.
  void tell(const LineMessage& message) noexcept;
  /// Whether a rank has left in good order.
  [[nodiscard]] bool somebody_left() const noexcept { return somebody_left_; }
  /// What a rank has said of its end; null: there is no line to it.
  [[nodiscard]] const LifeSign* sign_of(RankId rank) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return lines_.size(); }

  /// After how many seconds without an answer a line ends: at most `silent_s`, if that is 4 s or more.
  [[nodiscard]] static int silence_s(double silent_s) noexcept;
  /// The ranks to which `own` has lines: alike from both sides.
  [[nodiscard]] static std::vector<RankId> partners(std::uint32_t own, const std::vector<bool>& is_far);

 private:
  struct Line {
    RankId rank{};
    int socket = -1;
    std::size_t read = 0;  ///< bytes of the next message
    std::array<std::byte, sizeof(LineMessage)> message{};
    LifeSign sign;
  };
  void add(RankId rank, int socket, double silent_s);
  [[nodiscard]] std::optional<Loss> read(Line& line) noexcept;
  [[nodiscard]] std::optional<Loss> take(Line& line) noexcept;
  [[nodiscard]] std::optional<Loss> close_line(Line& line, int error) noexcept;

  RankId own_;
  int events_ = -1;  // of all sockets
  std::deque<Line> lines_;
  bool somebody_left_ = false;
};

/// Connected sockets by rank, of those of `partners` that can be reached. Called by all ranks. Both ends of a socket
/// have heard of each other when this returns.
[[nodiscard]] std::map<RankId, int> connect_lines(Bootstrap& bootstrap, const std::vector<RankId>& partners,
                                                  double setup_deadline_s, Lines::Reach reach);

}  // namespace tacit::comm::detail
