// Ranks, where each of them runs, and how a connection names one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tacit::comm {

/// Number of a process (or, in tests, of a thread) in a Communicator: 0 <= rank < size.
enum class RankId : std::uint32_t {};

[[nodiscard]] constexpr std::uint32_t number(RankId rank) noexcept { return static_cast<std::uint32_t>(rank); }

/// The transports. A connection has one of them, chosen when it is made.
enum class ProviderId : std::uint8_t {
  self,  ///< a rank to itself: private memory
  shm,   ///< two ranks that share memory
  ofi,   ///< a network that libfabric drives
  mpi,   ///< the networks that MPI uses
};
/// "self", "shm", "ofi", "mpi".
[[nodiscard]] std::string_view name(ProviderId provider) noexcept;

/// What every rank knows of every other.
struct RankInfo {
  RankId rank{};
  std::string host = {};   ///< the name of its node, for messages
  std::uint32_t node = 0;  ///< ranks with equal numbers run on one node; numbered by their lowest ranks
  std::uint32_t domain =
      0;  ///< ranks with equal numbers are on one node and all share memory; numbered in the same way
  bool shares_memory = false;   ///< whether this rank and that one can map memory of each other
  std::uint32_t process = 0;    ///< ranks with equal numbers are threads of one process; numbered in the same way
  std::int64_t process_id = 0;  ///< on its node; on another one a process may have the same
};

/// A rank, and which of the connections to it is meant.
///
/// The n-th connection that one rank makes to another with some `key` meets the n-th that the other makes back with the
/// same key. Threads that make connections at once give them keys of their own, so that no order is left to chance.
/// Keys from 2^31 on belong to collectives.
struct Target {
  RankId rank{};
  std::uint32_t key = 0;
  std::optional<ProviderId> via = {};  ///< the transport, instead of the one that locality suggests
};

/// A rank that has failed.
struct LostRank {
  enum class Kind : std::uint8_t {
    has_failed,  ///< it ended with an error, which it has reported
    is_gone,     ///< it died, was stopped or cannot be reached
  };
  RankId rank{};
  Kind kind = Kind::is_gone;
};

/// "rank 3 (node7)".
[[nodiscard]] std::string describe(const RankInfo& rank);

}  // namespace tacit::comm
