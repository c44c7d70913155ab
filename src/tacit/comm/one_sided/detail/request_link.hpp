// One-sided access by messages: requests that the engine of their target serves, and its replies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tacit/comm/collectives/detail/stream.hpp"

namespace tacit::comm::detail {

/// A number that others add to, on lines of its own: processors fetch pairs of them.
struct alignas(128) Signal {
  std::atomic<std::uint64_t> value{0};
};

/// What a rank lets others touch.
struct Exposed {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  Signal* signals = nullptr;
  std::uint32_t signal_count = 0;
};

/// Adds `value` to signal `signal` of the target, after what was put before.
struct Notice {
  std::uint32_t signal = 0;
  std::uint64_t value = 1;
};

enum class RequestKind : std::uint32_t { put, get, fetch_add };

/// One access. Its memory is on loan until it is over.
struct Request {
  RequestKind kind = RequestKind::put;
  std::uint32_t signal = 0;
  std::uint64_t value = 0;   ///< what is added to the signal; put: 0 for no notice
  std::uint64_t offset = 0;  ///< in the target's memory [byte]
  std::uint64_t bytes = 0;
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::uint64_t* result = nullptr;  ///< of fetch_add: the signal before
};

/// Access in both directions between two ranks that cannot address each other's memory.
///
/// Any number of threads issue requests: each takes the next place in a ring and fills it. The thread that holds the
/// progress engine sends them in that order, piece by piece, serves what the other rank asks for, and takes replies,
/// which come in the order of the requests. Requests and replies have a stream each, so that a rank that waits with its
/// requests can still be answered. Nothing is allocated, looked up or locked per request.
class RequestLink final : public Operation {
 public:
  /// @param key    of the one-sided window, the same on both sides
  /// @param chunk  bytes of data in a message at most, the same on both sides
  RequestLink(CommunicatorCore& communicator, RankId peer, std::uint32_t key, std::size_t chunk, const Exposed& own);
  RequestLink(const RequestLink&) = delete;
  RequestLink& operator=(const RequestLink&) = delete;
  ~RequestLink() override;

  /// Waits until the peer has made its side; from then on the peer is served. @throws MismatchError, DeadlineError
  void open();
  /// Takes a place in the ring; waits while all are taken. @return  the number of the request
  std::uint64_t issue(const Request& request, double deadline_s);
  /// Whether the memory of a request may be used again, and, but for puts, it was carried out. @throws ProviderError
  [[nodiscard]] bool is_over(std::uint64_t ticket) const;
  void await(std::uint64_t ticket, double deadline_s);
  /// The number after that of the last request.
  [[nodiscard]] std::uint64_t issued() const noexcept { return tail_.load(std::memory_order_acquire); }
  /// @see MemoryRegion::fetch_add
  [[nodiscard]] std::uint64_t fetch_add(std::uint32_t signal, std::uint64_t value, double deadline_s);
  /// Waits until all that was put is in the target's memory.
  void quiet(double deadline_s);

  [[nodiscard]] bool advance() noexcept override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] int error() const noexcept override { return error_.load(std::memory_order_acquire); }
  [[nodiscard]] std::string explain() const override;
  [[nodiscard]] bool cannot_complete() const noexcept override { return false; }

 private:
  static constexpr std::uint64_t places = 64;
  /// Before the data of a message; the data of a get is in its reply.
  struct Header {
    RequestKind kind{};
    std::uint32_t signal = 0;
    std::uint64_t value = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  struct Place {
    Request request;
    std::atomic<std::uint64_t> ready{0};  ///< number of the request in it, from 1; written last
  };
  [[nodiscard]] Place& place(std::uint64_t ticket) noexcept { return ring_[ticket % places]; }
  void send_requests() noexcept;
  void send_piece(const Request& request) noexcept;
  void skip_puts() noexcept;
  void take_replies() noexcept;
  void take_reply(const Header& header, const std::byte* data) noexcept;
  void serve() noexcept;
  void carry_out(const Header& header, const std::byte* data) noexcept;

  CommunicatorCore* communicator_;
  ProgressEngine* engine_;
  std::size_t chunk_;
  Exposed own_;
  Stream requests_;
  Stream replies_;
  std::array<Place, places> ring_;
  alignas(64) std::atomic<std::uint64_t> tail_{0};      // requests issued
  alignas(64) std::atomic<std::uint64_t> finished_{0};  // requests over; written by the holder of the engine
  std::uint64_t sent_ = 0;                              // requests gone, all pieces of them
  std::uint64_t sent_bytes_ = 0;                        // of request `sent_`
  std::uint64_t replied_bytes_ = 0;                     // of request `finished_`
  std::atomic<int> error_{0};
};

}  // namespace tacit::comm::detail
