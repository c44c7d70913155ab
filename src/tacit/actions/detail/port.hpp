// One kind of traffic between this rank and another one: calls, or answers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

#include "tacit/actions/detail/outbox.hpp"
#include "tacit/comm/connection.hpp"
#include "tacit/comm/window.hpp"
#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/job.hpp"

namespace tacit::actions::detail {

class Core;

enum class Traffic : std::uint8_t { calls, answers };

/// A coroutine that waits for room.
struct RoomWaiter {
  tasks::detail::Resumable* waiting = nullptr;
  RoomWaiter* next = nullptr;
};

/// A window and what waits for it in one direction; a window whose messages a job takes apart in the other. The job
/// takes the records of a message in order, so that actions of one rank begin in the order of their calls.
class Port : private tasks::Job {
 public:
  /// Makes the windows; `open` follows once the connection is open.
  Port(Core& core, comm::Connection& connection, Traffic traffic);
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  ~Port() = default;

  void open();
  [[nodiscard]] comm::RankId peer() const noexcept { return peer_; }
  [[nodiscard]] Traffic traffic() const noexcept { return traffic_; }

  // ---- what goes out: any thread
  [[nodiscard]] Outbox& box() noexcept { return box_; }
  [[nodiscard]] const Outbox& box() const noexcept { return box_; }
  /// Sends what waits as far as the receiver has granted it. Without effect while another thread does.
  void send_some() noexcept;
  /// Whether nothing waits, and the last message has left; or the port has failed.
  [[nodiscard]] bool has_sent_all() noexcept;
  /// Has a coroutine resumed when there is room, or the port has failed. @return  false: there is room already
  [[nodiscard]] bool await_room(RoomWaiter& waiter);
  [[nodiscard]] bool has_room() const noexcept;

  // ---- what comes in: the thread that polls, in turn with the job
  /// Looks for a message, unless one is being taken apart, and submits the job if there is one.
  void receive() noexcept;
  /// Whether a job has a message.
  [[nodiscard]] bool is_busy() const noexcept { return is_busy_.load(std::memory_order_acquire); }
  /// What a record in pieces has so far.
  [[nodiscard]] std::vector<std::byte>& pieces() noexcept { return pieces_; }

  // ---- its end
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_.load(std::memory_order_acquire); }
  [[nodiscard]] std::exception_ptr error() const;
  /// The first error counts. Those that wait for room go on, and find it.
  void fail(std::exception_ptr error) noexcept;

 private:
  void take_message() noexcept;
  void resume_waiters() noexcept;

  Core& core_;
  comm::RankId peer_;
  Traffic traffic_;

  comm::SendWindow<std::byte> out_;
  Outbox box_;
  std::mutex sending_;
  bool is_under_way_ = false;
  mutable std::mutex waiters_lock_;
  RoomWaiter* waiters_ = nullptr;
  std::exception_ptr error_;
  std::atomic<bool> has_failed_{false};

  comm::RecvWindow<std::byte> in_;
  std::atomic<bool> is_busy_{false};
  bool is_granted_ = true;  // the message that was taken last has been given back
  std::vector<std::byte> pieces_;
};

}  // namespace tacit::actions::detail
