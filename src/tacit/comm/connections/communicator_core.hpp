// What a communicator is made of: the bootstrap, the transports, and what connections leave behind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/tuning_cache.hpp"
#include "tacit/comm/bootstrap/bootstrap.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/comm/detail/peer_watch.hpp"
#include "tacit/comm/detail/progress_engine.hpp"
#include "tacit/comm/providers/providers.hpp"
#include "tacit/comm/rank.hpp"
#include "tacit/comm/routes.hpp"

namespace tacit::comm::detail {

/// The part of a set-up key that says what a message is about.
enum class About : std::uint64_t { record, window, closed, retired, agreement };
[[nodiscard]] constexpr SetupKey setup_key(std::uint64_t connection, About about, std::uint32_t direction = 0,
                                           std::uint32_t index = 0) noexcept {
  return {connection, static_cast<std::uint64_t>(about) << 48U | std::uint64_t{direction} << 32U | index};
}

/// The bit of a key that says that it belongs to a collective.
inline constexpr std::uint32_t collective_bit = std::uint32_t{1} << 31U;
/// For messages: how many collectives were made before.
[[nodiscard]] constexpr std::uint32_t number_of_collective(std::uint32_t key) noexcept { return key & ~collective_bit; }
/// Of a collective itself: the last number of its key, whose connections count from 0.
[[nodiscard]] constexpr std::uint64_t setup_id(std::uint32_t key) noexcept {
  return std::uint64_t{key} << 32U | 0xFFFFFFFFU;
}

class CommunicatorCore {
 public:
  CommunicatorCore(std::unique_ptr<Bootstrap> bootstrap, const Options& options);
  /// Some ranks of another one, which must outlive this.
  /// @param members  their numbers in `whole`, by their numbers here
  /// @param group    of all messages of the set-up: no other communicator of any two members has it
  CommunicatorCore(CommunicatorCore& whole, const std::vector<RankId>& members, std::uint64_t group);
  CommunicatorCore(const CommunicatorCore&) = delete;
  CommunicatorCore& operator=(const CommunicatorCore&) = delete;
  ~CommunicatorCore();

  [[nodiscard]] Bootstrap& bootstrap() noexcept { return *bootstrap_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] const std::vector<RankInfo>& ranks() const noexcept { return locality_.ranks; }
  [[nodiscard]] const RankInfo& rank(RankId rank) const { return locality_.ranks[number(rank)]; }
  [[nodiscard]] const RankInfo& own() const { return rank(bootstrap_->rank()); }
  [[nodiscard]] Processors processors() const noexcept { return locality_.processors; }
  /// Of the processes of all ranks, those of the whole communicator.
  [[nodiscard]] PeerWatch& watch() const noexcept { return *root_->watch_; }
  /// What a rank says of its end; null: it is not watched.
  [[nodiscard]] const LivenessRecord* liveness_of(RankId rank) const noexcept {
    return watch().liveness_of(root_ranks_[number(rank)]);
  }
  /// What every rank says at one point of the program, by rank.
  /// @param what  what is done there, in the third person: all ranks must do the same
  /// @throws MismatchError that names who does what; DeadlineError, PeerError
  [[nodiscard]] std::vector<Bytes> all_gather(std::string_view what, std::span<const std::byte> mine);
  /// See Communicator::give_up.
  void give_up() noexcept;
  /// One for a communicator and all its parts, so that who waits on one carries the others on.
  [[nodiscard]] ProgressEngine& engine() noexcept { return root_->engine_; }
  /// Memory that the ranks of our domain can map.
  [[nodiscard]] SharedMemory& shared_memory() noexcept { return shm_.memory(); }
  /// @see Communicator::split
  [[nodiscard]] std::unique_ptr<CommunicatorCore> split(std::uint32_t colour, std::uint32_t key);

  /// Algorithms of collectives that were measured with this communicator.
  [[nodiscard]] base::TuningCache& tunings() noexcept { return tunings_; }
  /// The key of the connections of a new collective: the same on all ranks, which make them in one order.
  [[nodiscard]] std::uint32_t next_collective();
  /// All ranks in an order that differs from rank to rank, made once.
  [[nodiscard]] const std::vector<RankId>& pull_order();
  /// The number of a new connection: the same at its other end.
  [[nodiscard]] std::uint64_t next_connection(const Target& target);
  /// The transport for a target. @throws ProviderError if there is none, or that which it names does not reach it
  [[nodiscard]] ProviderId choose(const Target& target) const;
  /// @throws ProviderError if the network of the route is not there
  [[nodiscard]] AnyLink connect(ProviderId provider, RankId peer);
  /// Tells peers that this rank uses nothing of theirs any more, and keeps what it used itself until all have said so.
  /// @param peers     one, where the link awaits its peer
  /// @param was_used  whether a peer has learnt where it may write
  /// @param theirs    how often the only peer has written to us, if it has closed already
  void release_later(std::vector<RankId> peers, std::uint64_t connection, AnyLink link, bool was_used,
                     std::optional<std::uint64_t> theirs = {}) noexcept;

 private:
  struct DeferredLink {
    std::vector<RankId> peers;
    std::vector<RankId> open;  ///< those that have not closed
    std::uint64_t connection = 0;
    AnyLink link;
    bool was_used = false;
    std::uint64_t theirs = 0;  ///< how often those that have closed have written to us
    bool is_retired = false;
  };
  [[nodiscard]] const Route* route_to(RankId peer) const noexcept;
  void require_rank(RankId rank) const;
  [[nodiscard]] bool reaches(ProviderId provider, RankId peer) const;
  void watch_other_nodes();
  [[nodiscard]] std::optional<ProviderId> suggest(RankId peer) const;
  [[nodiscard]] std::string explain_unreachable(ProviderId provider) const;
  [[nodiscard]] bool needs_network() const;
  void open_networks();
  void pretend_nodes();
  [[nodiscard]] bool is_over(DeferredLink& deferred);
  void await_deferred() noexcept;
  template <class Link>
  void abandon(Link& link) noexcept;
  void sweep();
  void announce_departure() noexcept;
  [[nodiscard]] bool is_known_to_thread(const DeferredLink& deferred) const;
  [[nodiscard]] bool is_awaited(const DeferredLink& deferred) const;

  CommunicatorCore* root_;          // the one that the launcher's ranks made
  std::vector<RankId> root_ranks_;  // numbers there, by rank
  Options options_;
  std::unique_ptr<Bootstrap> bootstrap_;
  shm::Locality locality_;
  std::optional<PeerWatch> watch_;  // of the root
  self::Provider self_;
  shm::Provider shm_;
  RouteMap routes_;  // of the root
#if defined(TACIT_HAS_OFI)
  std::optional<ofi::Provider> ofi_;  // of the root
#endif
#if defined(TACIT_HAS_MPI)
  std::unique_ptr<mpi::Provider> mpi_;
#endif
  ProgressEngine engine_;
  std::mutex mutex_;
  std::map<std::pair<RankId, std::uint32_t>, std::uint32_t> connections_;  // made so far, by peer and key
  std::vector<DeferredLink> deferred_links_;
  int exceptions_;
  std::vector<RankId> pull_order_;
  std::uint32_t collectives_ = 0;
  base::TuningCache tunings_;
  std::uint64_t next_group_ = 1;  // of the root: above all groups that this rank has been in
};

}  // namespace tacit::comm::detail
