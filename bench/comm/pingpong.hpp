// Ways to pass a message back and forth between two ranks, timed alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tacit/comm/window.hpp"

namespace tacit::bench {

/// Reads every byte; the sum keeps the compiler from leaving it out.
[[nodiscard]] std::uint64_t read_all(std::span<const std::byte> bytes) noexcept;

/// A way to pass messages. Rank 0 begins; both call with the same number.
class PingPong {
 public:
  PingPong() = default;
  PingPong(const PingPong&) = delete;
  PingPong& operator=(const PingPong&) = delete;
  virtual ~PingPong() = default;
  /// Each rank sends `round_trips` messages and reads every byte of those that come.
  virtual void run(std::size_t round_trips) = 0;
};

/// Two flags in shared memory and nothing else.
[[nodiscard]] std::unique_ptr<PingPong> flag_ping_pong(comm::Communicator& world);
/// Windows in memory of the library.
[[nodiscard]] std::unique_ptr<PingPong> window_ping_pong(comm::Communicator& world, comm::ProviderId via,
                                                         std::size_t bytes);
/// One way of many: `bytes` in each message of depth 64, taken as they come; a run is that many messages.
[[nodiscard]] std::unique_ptr<PingPong> window_stream(comm::Communicator& world, comm::ProviderId via,
                                                      std::size_t bytes);

/// The same with MPI's calls; null where this build has no MPI or the ranks are threads.
enum class MpiRequests : std::uint8_t { fresh, persistent };
[[nodiscard]] std::unique_ptr<PingPong> mpi_ping_pong(comm::Communicator& world, MpiRequests requests,
                                                      std::size_t bytes);
[[nodiscard]] std::unique_ptr<PingPong> mpi_stream(comm::Communicator& world, std::size_t bytes);
/// "Open MPI v4.1.4"; empty without.
[[nodiscard]] std::string mpi_version();

/// Messages of a stream that may be under way.
inline constexpr std::uint32_t stream_depth = 64;

}  // namespace tacit::bench
