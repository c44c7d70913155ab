// The ranks of a run, and how they reach each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "tacit/base/completion.hpp"
#include "tacit/comm/bootstrap/bootstrap.hpp"
#include "tacit/comm/rank.hpp"

namespace tacit::comm {

namespace detail {
class CommunicatorCore;
}

struct Options {
  double setup_deadline_s = 60.0;  ///< for a peer to take part in the set-up
  double deadline_s = 600.0;       ///< of every wait that names no other: a peer that computes may be late
  double stopped_s = 10.0;         ///< a rank of this node stopped by a signal for longer is given up
  double silent_s = 10.0;          ///< a rank whose node does not answer is given up within this time; 0: never
  /// The node of each rank in place of what is found, to try on one machine what happens on several: then ranks of
  /// different nodes use shared memory only where there is nothing else. Empty: as found. The same on all ranks.
  std::span<const std::uint32_t> nodes = {};
  /// The tuning file: algorithms of collectives that were measured (Tuning::measured), by machine and ranks, for other
  /// runs. The first rank reads and writes it. Empty: none. The same on all ranks.
  std::string_view tuning_file = {};
  /// A file of routes (routes.hpp), the same on all ranks; empty: locality chooses the transports.
  std::string_view routes = {};
  /// The transport to every other rank that no route names, the same on all ranks; nothing: locality chooses.
  std::optional<ProviderId> transport = {};
};

/// A group of ranks that can connect to each other. Every rank makes it, and destroys it, at the same point.
///
///     comm::Communicator world;                                     // as mpirun or srun started us, else alone
///     comm::Connection right(world, comm::Target{RankId{1}});           // see connection.hpp
class Communicator {
 public:
  /// The ranks that the launcher started: MPI's, if this build has it and MPI runs or a launcher is seen; those of
  /// PMIx, if it has no MPI and the launcher offers that; else rank 0 of 1.
  /// @throws LaunchError if the launcher started several ranks and we see one; DeadlineError if a rank is missing
  explicit Communicator(const Options& options = {});
  /// Ranks that find each other by another bootstrap: bootstrap/threads.hpp, bootstrap/mpi.hpp, bootstrap/pmix.hpp.
  explicit Communicator(std::unique_ptr<Bootstrap> bootstrap, const Options& options = {});
  /// @pre its connections are gone
  ~Communicator();
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;

  [[nodiscard]] RankId rank() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept;
  /// All ranks, by number.
  [[nodiscard]] std::span<const RankInfo> ranks() const noexcept;
  /// What is known of this rank.
  [[nodiscard]] const RankInfo& own() const noexcept;

  /// The transport of a connection to a rank that asks for none.
  /// @throws ProviderError if there is none, or that which a route or Options::transport names does not reach it
  [[nodiscard]] ProviderId transport_to(RankId peer) const;
  /// Reports the completion of awaited operations (SendWindow::await, RecvWindow::await).
  [[nodiscard]] base::CompletionSource& completions() noexcept;
  /// Waits until every rank has come here: for set-up and tests, slow. @throws DeadlineError, PeerError
  void synchronise();
  /// Announces that this rank ends because of an error: the waits of the others on this node end, and the destructor
  /// does not wait. A destructor called by an exception does the same.
  void give_up() noexcept;
  /// Waits until a rank is lost, at most so long. @return the first that was noticed; nothing: none is lost
  [[nodiscard]] std::optional<LostRank> await_loss(double seconds) noexcept;

  /// The ranks that name the same colour, as a communicator of their own, numbered by `key` and then by their ranks
  /// here. Called by all ranks, one split at a time. It reports to completions() of this one, which must outlive it.
  ///
  ///     comm::Communicator row = world.split(number(world.rank()) / columns, 0);
  [[nodiscard]] Communicator split(std::uint32_t colour, std::uint32_t key);
  /// The ranks of our node that all share memory. Called by all ranks. @see split
  [[nodiscard]] Communicator split_by_node();

  /// For collectives.
  [[nodiscard]] detail::CommunicatorCore& core() noexcept { return *core_; }

 private:
  explicit Communicator(std::unique_ptr<detail::CommunicatorCore> core);
  friend class Connection;
  std::unique_ptr<detail::CommunicatorCore> core_;
};

}  // namespace tacit::comm
