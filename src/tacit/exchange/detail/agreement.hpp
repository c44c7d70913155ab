// Whether two ranks have described the same messages between them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/exchange/messages.hpp"

namespace tacit::exchange::detail {

/// A message as its other end must know it, too.
struct Line {
  std::array<char, 24> phase{};  ///< the begin of its name, ended by a zero
  std::array<char, 24> type{};
  std::uint64_t phase_hash = 0;  ///< of the whole name
  std::uint64_t schema = 0;
  std::uint64_t count = 0;
  std::uint64_t key = 0;
  std::uint64_t is_variable = 0;
  [[nodiscard]] bool operator==(const Line&) const = default;
};
[[nodiscard]] Line line_of(std::string_view phase, const Described& message);

/// All messages between this rank and another one, in the order in which they travel.
struct Lines {
  std::vector<Line> sent;
  std::vector<Line> received;
};

/// What decides how messages are put into envelopes: the same on all ranks.
struct Settings {
  std::uint64_t slots = 0;
  std::uint64_t envelope_bytes = 0;
  [[nodiscard]] bool operator==(const Settings&) const = default;
};

/// Tells each rank what this one has described, and compares.
class Agreement {
 public:
  Agreement(comm::Communicator& world, std::uint32_t key, const Settings& settings);

  /// Called by all ranks. @param lines  by the number of the other rank
  /// @throws comm::MismatchError that names both ranks, and their settings or the first message that differs;
  ///         comm::DeadlineError. If any rank throws, all do
  void check(const std::map<std::uint32_t, Lines>& lines);
  /// Waits until all ranks have called it: a rank that is done must not leave while others still connect to it.
  void end_together();

 private:
  /// What one rank tells another.
  struct Digest {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t count_sent = 0;
    std::uint64_t count_received = 0;
    Settings settings = {};
  };
  [[nodiscard]] static bool agree(const Digest& mine, const Digest& theirs) noexcept {
    return mine.sent == theirs.received && mine.received == theirs.sent;
  }
  [[nodiscard]] Digest digest_of(const Lines& lines) const;
  [[nodiscard]] std::vector<Digest> swap(const std::vector<Digest>& mine);
  void compare_settings(const std::vector<Digest>& theirs) const;
  [[noreturn]] void tell_differences(const std::map<std::uint32_t, Lines>& lines, const std::vector<Digest>& theirs);

  comm::Communicator& world_;
  std::uint32_t key_;
  Settings settings_;
  std::optional<comm::AllToAll<Digest>> exchange_;  // of several ranks
};

}  // namespace tacit::exchange::detail
