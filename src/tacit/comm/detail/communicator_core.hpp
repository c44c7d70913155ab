// What a communicator is made of: the bootstrap, the transports, and what connections leave behind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "tacit/comm/bootstrap/bootstrap.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/comm/detail/engine.hpp"
#include "tacit/comm/detail/peer_watch.hpp"
#include "tacit/comm/providers/providers.hpp"
#include "tacit/comm/target.hpp"

namespace tacit::comm::detail {

/// The part of a set-up key that says what a message is about.
enum class About : std::uint64_t { window = 0, summary = 1, closed = 2 };
[[nodiscard]] constexpr SetupKey setup_key(std::uint64_t connection, About about, std::uint32_t direction = 0,
                                           std::uint32_t index = 0) noexcept {
  return {connection, static_cast<std::uint64_t>(about) << 48U | std::uint64_t{direction} << 32U | index};
}

class CommunicatorCore {
 public:
  CommunicatorCore(std::unique_ptr<Bootstrap> bootstrap, const Options& options);
  CommunicatorCore(const CommunicatorCore&) = delete;
  CommunicatorCore& operator=(const CommunicatorCore&) = delete;
  ~CommunicatorCore();

  [[nodiscard]] Bootstrap& bootstrap() noexcept { return *bootstrap_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] const std::vector<RankInfo>& ranks() const noexcept { return locality_.ranks; }
  [[nodiscard]] const RankInfo& rank(RankId rank) const { return locality_.ranks[number(rank)]; }
  [[nodiscard]] const RankInfo& own() const { return rank(bootstrap_->rank()); }
  [[nodiscard]] Processors processors() const noexcept { return locality_.processors; }
  [[nodiscard]] PeerWatch& watch() noexcept { return watch_; }
  /// What a rank says of its end; null: it is not watched.
  [[nodiscard]] const LifeSign* sign_of(RankId rank) const noexcept { return watch_.sign_of(rank); }
  [[nodiscard]] Engine& engine() noexcept { return engine_; }

  /// See Communicator::give_up.
  void give_up() noexcept;
  /// The number of a new connection: the same at its other end.
  [[nodiscard]] std::uint64_t next_connection(const Target& target);
  /// The transport for a target. @throws ProviderError if there is none, or that which it names does not reach it
  [[nodiscard]] ProviderId choose(const Target& target) const;
  [[nodiscard]] AnyLink connect(ProviderId provider, RankId peer);
  /// Keeps what a connection used until the peer has closed its end too.
  /// @param was_used  whether the peer has learnt where it may write
  void bury(RankId peer, std::uint64_t connection, AnyLink link, bool was_used) noexcept;

 private:
  struct Grave {
    RankId peer{};
    std::uint64_t connection = 0;
    AnyLink link;
    bool was_used = false;
  };
  [[nodiscard]] bool reaches(ProviderId provider, RankId peer) const;
  void sweep();
  [[nodiscard]] bool is_awaited(const Grave& grave) const;

  Options options_;
  std::unique_ptr<Bootstrap> bootstrap_;
  shm::Locality locality_;
  PeerWatch watch_;
  self::Provider self_;
  shm::Provider shm_;
#if defined(TACIT_HAS_MPI)
  std::unique_ptr<mpi::Provider> mpi_;
#endif
  Engine engine_;
  std::mutex mutex_;
  std::map<std::pair<RankId, std::uint32_t>, std::uint32_t> connections_;  // made so far, by peer and key
  std::vector<Grave> graves_;
  int exceptions_;
};

}  // namespace tacit::comm::detail
