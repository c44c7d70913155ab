// The transport between nodes: libfabric's writes into the receiver's registered memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tacit/comm/bootstrap/bootstrap.hpp"
#include "tacit/comm/detail/peer_watch.hpp"
#include "tacit/comm/provider.hpp"
#include "tacit/comm/routes.hpp"

namespace tacit::comm::ofi {

class Fabric;         // an endpoint of libfabric
class SenderState;    // registered memory, and a write under way
class ReceiverState;  // registered memory, and what has come

/// Writes a message and its length into a slot of the receiver, with one write that notifies.
class Sender {
 public:
  Sender() = default;
  explicit Sender(SenderState& state) noexcept : state_(&state) {}
  [[nodiscard]] SenderState& state() noexcept { return *state_; }
  [[nodiscard]] bool start(std::size_t bytes) noexcept;
  [[nodiscard]] bool test() noexcept;
  [[nodiscard]] Layout memory() const noexcept;
  [[nodiscard]] bool is_usable_here() const noexcept { return true; }
  [[nodiscard]] int error() const noexcept;
  [[nodiscard]] std::string explain() const;

 private:
  SenderState* state_ = nullptr;  // the link's
};

/// Writes its grants to the sender in the same way.
class Receiver {
 public:
  Receiver() = default;
  explicit Receiver(ReceiverState& state) noexcept : state_(&state) {}
  [[nodiscard]] ReceiverState& state() noexcept { return *state_; }
  void grant() noexcept;
  [[nodiscard]] bool test() noexcept;
  [[nodiscard]] std::byte* data() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;
  [[nodiscard]] bool is_usable_here() const noexcept { return true; }
  [[nodiscard]] int error() const noexcept;
  [[nodiscard]] std::string explain() const;

 private:
  ReceiverState* state_ = nullptr;  // the link's
};

/// The windows of one connection. What they use outlives them: a network may be at work on it.
class Link {
 public:
  using Sender = ofi::Sender;
  using Receiver = ofi::Receiver;
  static constexpr bool awaits_peer = true;

  explicit Link(Fabric& fabric);
  Link(Link&&) noexcept;
  Link& operator=(Link&&) noexcept;
  ~Link();

  [[nodiscard]] Sender offer_sender(const WindowSpec& spec, Blob& mine);
  [[nodiscard]] Receiver offer_receiver(const WindowSpec& spec, Blob& mine);
  /// @throws MismatchError if the peer uses another network; ProviderError if it cannot be addressed
  void join(Sender& sender, const Blob& theirs);
  void join(Receiver& receiver, const Blob& theirs);
  [[nodiscard]] std::uint64_t depart() noexcept;
  [[nodiscard]] bool retire(std::uint64_t theirs) noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The networks of this rank, each opened at its first connection.
class Provider final : public detail::Progress {
 public:
  static constexpr ProviderId id = ProviderId::ofi;
  using Link = ofi::Link;

  /// @param own  number of this rank, for its port
  explicit Provider(RankId own);
  ~Provider() override;

  /// Settles with all ranks which of libfabric's providers is used where no route names one.
  /// @throws DeadlineError, PeerError
  void agree(Bootstrap& bootstrap, double deadline_s);
  [[nodiscard]] bool reaches(RankId /*peer*/) const { return !default_provider().empty(); }
  /// Whether the one that is used unasked drives a network without the kernel.
  [[nodiscard]] bool is_fast() const;
  /// Why it reaches no rank.
  [[nodiscard]] std::string explain() const;
  /// @throws ProviderError if there is no such network
  [[nodiscard]] Link connect(RankId /*peer*/) { return connect(Network{}); }
  [[nodiscard]] Link connect(Network network);

  /// Keeps a link that is no longer used until the end: the network may still access it.
  void keep(Link&& link) noexcept;

  void progress() noexcept override;

 private:
  [[nodiscard]] const std::string& default_provider() const;

  RankId own_;
  mutable std::mutex mutex_;
  mutable std::optional<std::string> default_;  // empty: there is none
  std::string disagreement_;
  std::map<Network, std::unique_ptr<Fabric>> fabrics_;
  std::atomic<Fabric*> first_{nullptr};  // of them
  std::vector<Link> kept_;
};

static_assert(comm::Provider<Provider>);

}  // namespace tacit::comm::ofi
