// The ends of windows on a network: where messages wait, and what has been written and granted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tacit/comm/provider.hpp"
#include "tacit/comm/providers/ofi/fabric.hpp"

namespace tacit::comm::ofi {

/// What one end sends to the other at set-up.
struct Offer {
  Place place = {};  ///< of a receiver: its first slot; of a sender: its head
  std::uint32_t first_signal = 0;
  std::uint32_t spare = 0;  ///< of a receiver: messages that it takes beyond those that it has granted
  std::uint32_t address_bytes = 0;
  std::array<char, 16> provider = {};  ///< its name, cut off
  std::array<std::byte, 48> address = {};
};

/// The sending end. Data of the user is copied to registered memory when it is granted.
class SenderState {
 public:
  SenderState(Fabric& fabric, const WindowSpec& spec);
  SenderState(const SenderState&) = delete;
  SenderState& operator=(const SenderState&) = delete;
  ~SenderState();
  [[nodiscard]] Offer offer() const;
  void join(const Offer& theirs, Peer& peer) noexcept;

  [[nodiscard]] bool start(std::size_t bytes) noexcept;
  [[nodiscard]] bool test() noexcept;
  [[nodiscard]] Layout memory() const noexcept { return memory_; }
  [[nodiscard]] int error() const noexcept { return ticket_.error; }
  [[nodiscard]] std::string explain() const { return fabric_->explain(ticket_); }

  /// How many writes of it arrive.
  [[nodiscard]] std::uint64_t end() noexcept { return sent_ - (ticket_.error != 0 ? 1U : 0U); }
  [[nodiscard]] bool is_busy() const noexcept { return ticket_.is_busy.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t arrived() const noexcept { return grants_.count.load(std::memory_order_acquire); }

 private:
  [[nodiscard]] bool is_granted() noexcept;
  void send() noexcept;

  Fabric* fabric_;
  Piece piece_;  // a head, and the message
  Head* head_;
  Layout memory_;
  bool is_copied_;
  Signal grants_;
  std::uint32_t signal_;
  Place slots_;
  std::size_t stride_ = 0;
  std::uint32_t first_signal_ = 0;
  std::uint32_t depth_;
  std::uint32_t spare_ = 0;
  std::uint32_t next_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t limit_ = 0;  // of messages sent, as seen last
  Peer* peer_ = nullptr;
  enum class Step : std::uint8_t { idle, wanted, sending } step_ = Step::idle;
  Ticket ticket_;
};

/// The receiving end: slots of registered memory, from which messages are copied to the user's. Of short messages some
/// may come before they are granted; the user is given what is granted.
class ReceiverState {
 public:
  ReceiverState(Fabric& fabric, const WindowSpec& spec);
  ReceiverState(const ReceiverState&) = delete;
  ReceiverState& operator=(const ReceiverState&) = delete;
  ~ReceiverState();
  [[nodiscard]] Offer offer() const;
  void join(const Offer& theirs, Peer& peer) noexcept;

  void grant() noexcept { fabric_->announce_next(grants_); }
  [[nodiscard]] bool test() noexcept;
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] int error() const noexcept { return error_; }
  [[nodiscard]] std::string explain() const { return fabric_->explain(grants_.ticket); }

  [[nodiscard]] std::uint64_t end() noexcept { return fabric_->end(grants_); }
  [[nodiscard]] bool is_busy() const noexcept { return grants_.ticket.is_busy.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t arrived() const noexcept;

 private:
  [[nodiscard]] bool has_come() noexcept;
  void take() noexcept;
  [[nodiscard]] std::byte* slot(std::size_t index) const noexcept;

  Fabric* fabric_;
  std::size_t stride_;
  std::uint32_t spare_;
  std::size_t slots_;
  Piece piece_;  // a line for the number of grants, then the slots
  Layout copied_to_;
  std::vector<Signal> arrivals_;  // by slot
  std::vector<std::uint64_t> taken_;
  std::uint32_t first_signal_;
  Announcement grants_;
  std::size_t next_ = 0;
  std::byte* data_;
  std::size_t bytes_ = 0;
  int error_ = 0;
};

}  // namespace tacit::comm::ofi
