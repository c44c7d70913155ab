// The messages of one phase at run time: what the tasks of an exchange do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/exchange/detail/agreement.hpp"
#include "tacit/exchange/detail/envelopes.hpp"
#include "tacit/exchange/detail/stream.hpp"
#include "tacit/exchange/messages.hpp"
#include "tacit/exchange/sent.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::exchange::detail {

/// Another rank, or this one, and what the present pattern has with it.
struct Peer {
  /// One direction of the pattern.
  struct Way {
    std::vector<tasks::DatumId> slots;  ///< the memory of a window
    std::uint32_t envelopes = 0;        ///< number e uses slot e modulo slots
    std::size_t longest = 0;            ///< [byte]
    [[nodiscard]] Room needed() const noexcept { return {static_cast<std::uint32_t>(slots.size()), longest}; }
  };
  comm::RankId rank{};
  Stream stream;
  Way out;
  Way in;
  tasks::DatumId arrivals = tasks::DatumId::none;  ///< one receive is listed at a time
  Lines lines;
  bool is_connected = false;
};

/// What a phase is called, in errors and in the trace.
struct PhaseLabel {
  std::string_view name;      ///< must outlive who has it
  tasks::TaskKind counted{};  ///< what the trace counts its messages under
};

/// An envelope that this rank sends in every run that has its tasks.
class Outgoing {
 public:
  Outgoing(comm::Communicator& world, Peer& peer, const PhaseLabel& phase, std::uint32_t slot, Envelope envelope,
           std::vector<const Described*> messages);

  [[nodiscard]] const Envelope& envelope() const noexcept { return envelope_; }
  [[nodiscard]] const Peer& peer() const noexcept { return *peer_; }
  /// In runs so far. @pre the graph is not run now
  [[nodiscard]] const Sent& sent() const noexcept { return sent_; }

  /// Pack and post of an envelope with one message.
  void send(tasks::StepContext& step);
  /// Finds where the messages are to be written: with luck in the memory of the receiver.
  void open(tasks::StepContext& step);
  /// Packs one of several messages; any thread, others at once.
  void pack(tasks::StepContext& step, std::size_t piece);
  void post(tasks::StepContext& step);

  /// Sends as many bytes as in a run, outside of runs; the copy into the window stands for packing.
  /// @see Exchange::time_transfers
  void post_alone();
  void wait_alone() { window().wait(); }

 private:
  [[nodiscard]] comm::SendWindow<std::byte>& window() { return peer_->stream.out(slot_); }
  [[nodiscard]] std::size_t packed(tasks::StepContext& step, std::size_t piece);
  [[nodiscard]] std::size_t close_up();
  void post(tasks::StepContext& step, std::size_t bytes);

  comm::Communicator* world_;
  Peer* peer_;
  PhaseLabel phase_;
  std::uint32_t slot_;
  Envelope envelope_;
  std::vector<const Described*> messages_;  // by piece
  std::vector<std::size_t> lengths_;        // by piece [byte], of this run
  std::byte* to_ = nullptr;                 // of this run
  Sent sent_;                               // in all runs
};

/// An envelope that this rank receives in every run.
class Incoming {
 public:
  /// @param phase  its name, for errors; must outlive this
  Incoming(comm::Communicator& world, Peer& peer, std::string_view phase, std::uint32_t slot, Envelope envelope,
           std::vector<const Described*> messages);

  [[nodiscard]] const Envelope& envelope() const noexcept { return envelope_; }
  [[nodiscard]] const Peer& peer() const noexcept { return *peer_; }

  void arrive(tasks::StepContext& step);
  /// Unpacks one message; any thread, others at once.
  void unpack(tasks::StepContext& step, std::size_t piece);
  /// Lets the next envelope of this window come.
  void grant() { window().init(); }

  /// Takes an envelope outside of runs; the copy out of it stands for unpacking. @see Exchange::time_transfers
  void take_alone(std::vector<std::byte>& scratch);
  void set_alone_s(double seconds) noexcept { alone_s_ = seconds; }

 private:
  [[nodiscard]] comm::RecvWindow<std::byte>& window() { return peer_->stream.in(slot_); }
  [[nodiscard]] std::span<const std::byte> message(std::size_t piece);
  [[noreturn]] void refuse(std::size_t piece, const std::string& why) const;

  comm::Communicator* world_;
  Peer* peer_;
  std::string_view phase_;
  std::uint32_t slot_;
  Envelope envelope_;
  std::vector<const Described*> messages_;  // by piece
  double alone_s_ = 0.0;                    // what it takes alone and blocking; 0: not measured
};

/// A phase of the pattern. Its tasks keep pointers to what is in here.
struct Phase {
  std::string name;
  Messages messages;
  std::deque<Outgoing> out;
  std::deque<Incoming> in;
};

}  // namespace tacit::exchange::detail
