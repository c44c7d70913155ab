// Ping-pong between two ranks by different methods, timed alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tacit/comm/window.hpp"

namespace tacit::bench {

/// Reads every byte; the sum keeps the compiler from leaving it out.
[[nodiscard]] std::uint64_t read_all(std::span<const std::byte> bytes) noexcept;

/// A method to pass messages. Rank 0 begins; both call with the same number.
class PingPong {
 public:
  PingPong() = default;
  PingPong(const PingPong&) = delete;
  PingPong& operator=(const PingPong&) = delete;
  virtual ~PingPong() = default;
  /// Each rank sends `round_trips` messages and reads every byte of those that come.
  virtual void run(std::size_t round_trips) = 0;
  /// How many of what is timed one of these has: two messages, one after the other.
  [[nodiscard]] virtual double times_per_trip() const { return 2.0; }
};

/// A call that both ranks make again and again and that is timed as a whole; it is told its number, from 1.
template <class Call>
class Repeated final : public PingPong {
 public:
  explicit Repeated(Call call) : call_(std::move(call)) {}
  void run(std::size_t calls) override {
    for (std::size_t i = 0; i < calls; ++i) call_(++turn_);
  }
  [[nodiscard]] double times_per_trip() const override { return 1.0; }

 private:
  Call call_;
  std::uint64_t turn_ = 0;
};
template <class Call>
[[nodiscard]] std::unique_ptr<PingPong> repeated(Call call) {
  return std::make_unique<Repeated<Call>>(std::move(call));
}

/// Rewrites a word of every cache line, so that no message is in both caches already.
inline void touch(std::span<std::byte> bytes, std::uint64_t turn) noexcept {
  for (std::size_t i = 0; i + sizeof(turn) <= bytes.size(); i += 64) std::memcpy(bytes.data() + i, &turn, sizeof(turn));
}

/// Reads every byte of what was touched by the rank that sent it, and sees that it is that of this call.
/// @throws base::Error if not
std::uint64_t read_touched(std::span<const std::byte> bytes, std::uint64_t turn);

/// Two flags in shared memory and nothing else.
[[nodiscard]] std::unique_ptr<PingPong> flag_ping_pong(comm::Communicator& world);
/// Whether the sender writes each line of a message before it sends it, as a program does that sends new data.
enum class Source : std::uint8_t { kept, written };
/// How a message is copied by hand: to where the other rank reads, by plain stores or past the caches; or by the other
/// rank, out of the sender's memory.
enum class ByHand : std::uint8_t { stored, past_caches, fetched };
/// A copy, a flag, and nothing else: no grants, no lengths, no other transports. The message stays readable until the
/// next one, and its source may be written as soon as the answer has come.
[[nodiscard]] std::unique_ptr<PingPong> direct_ping_pong(comm::Communicator& world, ByHand by, std::size_t bytes,
                                                         Source source = Source::kept);
/// Windows in memory of the library.
[[nodiscard]] std::unique_ptr<PingPong> window_ping_pong(comm::Communicator& world, comm::ProviderId via,
                                                         std::size_t bytes, Source source = Source::kept);
/// One-way traffic: `bytes` in each message of depth 64, taken as they come; a run is that many messages.
[[nodiscard]] std::unique_ptr<PingPong> window_stream(comm::Communicator& world, comm::ProviderId via,
                                                      std::size_t bytes);

/// The same with MPI's calls; null where this build has no MPI or the ranks are threads.
enum class MpiRequests : std::uint8_t { fresh, persistent };
[[nodiscard]] std::unique_ptr<PingPong> mpi_ping_pong(comm::Communicator& world, MpiRequests requests,
                                                      std::size_t bytes, Source source = Source::kept);
[[nodiscard]] std::unique_ptr<PingPong> mpi_stream(comm::Communicator& world, std::size_t bytes);
/// "Open MPI v4.1.4"; empty without.
[[nodiscard]] std::string mpi_version();

/// Messages of a stream that may be under way.
inline constexpr std::uint32_t stream_depth = 64;

}  // namespace tacit::bench
