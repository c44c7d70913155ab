// The transport of last resort and the yardstick: MPI's requests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tacit/comm/bootstrap/bootstrap.hpp"
#include "tacit/comm/provider.hpp"

namespace tacit::comm::mpi {

class Context;        // MPI's communicator, and which threads may call it
class SenderState;    // requests of one message, and its buffer
class ReceiverState;  // requests and buffers, one for each message in flight

/// Hands an end to its context when its window goes: MPI may still use its memory.
struct Keep {
  void operator()(SenderState* state) const noexcept;
  void operator()(ReceiverState* state) const noexcept;
};

/// Sends by MPI_Isend; long messages in pieces, when they are granted: over TCP, and where MPI cannot count their
/// bytes. Where MPI serves one thread only and another calls, nothing happens until that one does.
class Sender {
 public:
  Sender();
  explicit Sender(std::unique_ptr<SenderState, Keep> state);
  Sender(Sender&&) noexcept;
  Sender& operator=(Sender&&) noexcept;
  ~Sender();

  [[nodiscard]] SenderState& state() noexcept { return *state_; }
  [[nodiscard]] bool start(std::size_t bytes) noexcept;
  [[nodiscard]] bool test() noexcept;
  [[nodiscard]] Layout memory() const noexcept;
  [[nodiscard]] bool is_usable_here() const noexcept;
  [[nodiscard]] int error() const noexcept;
  [[nodiscard]] std::string explain() const;

 private:
  std::unique_ptr<SenderState, Keep> state_;
};

/// Receives by MPI_Irecv, when they are granted.
class Receiver {
 public:
  Receiver();
  explicit Receiver(std::unique_ptr<ReceiverState, Keep> state);
  Receiver(Receiver&&) noexcept;
  Receiver& operator=(Receiver&&) noexcept;
  ~Receiver();

  void grant() noexcept;
  [[nodiscard]] bool test() noexcept;
  [[nodiscard]] std::byte* data() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;
  [[nodiscard]] bool is_usable_here() const noexcept;
  [[nodiscard]] int error() const noexcept;
  [[nodiscard]] std::string explain() const;
  [[nodiscard]] ReceiverState& state() noexcept { return *state_; }

 private:
  std::unique_ptr<ReceiverState, Keep> state_;
};

/// The windows of one connection; each pair of ends has its own tags, chosen by the receiver.
class Link {
 public:
  using Sender = mpi::Sender;
  using Receiver = mpi::Receiver;

  Link(Context& context, RankId peer) : context_(&context), peer_(peer) {}
  [[nodiscard]] Sender offer_sender(const WindowSpec& spec, Blob& mine);
  [[nodiscard]] Receiver offer_receiver(const WindowSpec& spec, Blob& mine);
  void join(Sender& sender, const Blob& theirs);
  void join(Receiver& receiver, const Blob& theirs);
  // The ends free what they used, when MPI has done with it.
  static constexpr bool awaits_peer = false;
  [[nodiscard]] std::uint64_t depart() const noexcept { return 0; }
  bool retire(std::uint64_t /*theirs*/) noexcept { return true; }

 private:
  Context* context_;
  RankId peer_;
};

/// Ranks that MPI has started.
class Provider {
 public:
  static constexpr ProviderId id = ProviderId::mpi;
  using Link = mpi::Link;

  /// Null if the ranks were not found by MPI. Called by all ranks.
  [[nodiscard]] static std::unique_ptr<Provider> make(Bootstrap& bootstrap, std::span<const RankInfo> ranks);
  explicit Provider(std::unique_ptr<Context> context);
  /// Some ranks of another one, which must outlive this: shares its tags and its communicator of MPI.
  /// @param ranks  their numbers there
  Provider(const Provider& whole, std::vector<RankId> ranks);
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;
  ~Provider();

  [[nodiscard]] bool reaches(RankId /*peer*/) const noexcept { return true; }
  [[nodiscard]] Link connect(RankId peer) { return {*context_, ranks_.empty() ? peer : ranks_[number(peer)]}; }

 private:
  std::unique_ptr<Context> owned_;
  Context* context_;
  std::vector<RankId> ranks_;  // empty: all, under their numbers
};

static_assert(comm::Provider<Provider>);

}  // namespace tacit::comm::mpi
