// Memory that each rank of a node writes and the others read, with numbers that say how far it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tacit/comm/collectives/detail/agreement.hpp"
#include "tacit/comm/collectives/detail/team.hpp"
#include "tacit/comm/connections/rendezvous.hpp"

namespace tacit::comm::detail {

/// What a rank has done in call n of a collective, when it says n.
enum class Mark : std::uint8_t {
  began,     ///< what it brings lies on its shared buffer, and all that it read in the calls before has been read
  received,  ///< what other nodes sent to it lies on its shared buffer
  combined,  ///< its part of the node's result
  finished,  ///< its part of the result of all nodes
};

/// The shared buffers of one collective on one node. A shared buffer has two halves, for calls with even and with odd
/// numbers.
///
/// No grant is needed to write a half again: in call n a rank writes when all have begun call n - 1, and a rank that
/// has begun that has read what it wanted of call n - 2. Memory order: a mark is stored (release) after what it speaks
/// of has been written or read, and loaded (acquire) before that is read or written.
class SharedBuffers {
 public:
  /// Announces our shared buffer; does not wait.
  /// @param key   of the collective
  /// @param half  bytes of a half of ours
  SharedBuffers(CommunicatorCore& communicator, const Team& team, std::uint32_t key, const Agreement& mine,
                std::size_t half);
  SharedBuffers(const SharedBuffers&) = delete;
  SharedBuffers& operator=(const SharedBuffers&) = delete;
  ~SharedBuffers() = default;

  /// Finds the shared buffers of the others. @throws MismatchError, DeadlineError
  void open();

  [[nodiscard]] std::byte* own(std::uint64_t call) noexcept {
    return const_cast<std::byte*>(data(team_->index, call));  // ours was made writable
  }
  [[nodiscard]] const std::byte* data(std::uint32_t member, std::uint64_t call) const noexcept {
    const View& view = views_[member];
    return view.data + (call % 2) * view.half;
  }
  /// The half of another rank's shared buffer, for ranks that write what they bring where it is read.
  [[nodiscard]] std::byte* of(std::uint32_t member, std::uint64_t call) noexcept {
    return const_cast<std::byte*>(data(member, call));  // peers map each other's memory to write to it
  }
  void set(Mark mark, std::uint64_t call) noexcept {
    own_->marks[static_cast<std::size_t>(mark)].value.store(call, std::memory_order_release);
  }
  [[nodiscard]] bool has(std::uint32_t member, Mark mark, std::uint64_t call) noexcept {
    View& view = views_[member];
    std::uint64_t& seen = view.seen[static_cast<std::size_t>(mark)];
    if (seen >= call) return true;
    seen = view.head->marks[static_cast<std::size_t>(mark)].value.load(std::memory_order_acquire);
    return seen >= call;
  }
  [[nodiscard]] bool all_have(Mark mark, std::uint64_t call) noexcept {
    for (std::uint32_t member = 0; member < views_.size(); ++member) {
      if (!has(member, mark, call)) return false;
    }
    return true;
  }
  /// A rank of the node that has left, as it says itself, and has not done so: it never will.
  [[nodiscard]] std::optional<RankId> departed_rank(Mark mark, std::uint64_t call) const noexcept;
  /// The first rank that has not done so, for messages; any thread.
  [[nodiscard]] std::string missing(Mark mark, std::uint64_t call) const;

 private:
  static constexpr std::size_t mark_count = 4;
  struct alignas(128) Line {  // two cache lines: processors fetch pairs of them
    std::atomic<std::uint64_t> value{0};
  };
  struct Head {
    std::array<Line, mark_count> marks;
  };
  struct View {
    const Head* head = nullptr;
    const std::byte* data = nullptr;
    std::size_t half = 0;
    std::array<std::uint64_t, mark_count> seen = {};
  };
  struct PeerInfo {
    Agreement agreement;
    std::uint64_t half = 0;
  };

  CommunicatorCore* communicator_;
  const Team* team_;
  std::uint32_t key_;
  PeerInfo info_;
  SharedRendezvous<PeerInfo> rendezvous_;
  Head* own_ = nullptr;
  std::vector<View> views_;  // by place on the node
  bool is_open_ = false;
};

}  // namespace tacit::comm::detail
