// Messages between ranks as tasks of a graph, on streams of persistent windows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/exchange/messages.hpp"
#include "tacit/exchange/sent.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::exchange {

struct Options {
  /// Messages of a phase to the same rank travel together up to this length [byte]; a longer message travels alone.
  std::size_t envelope_bytes = 128U << 10U;
  /// Envelopes from one rank to another that may be under way in one run of the graph. Each has room for one more, of
  /// the next run. The same on all ranks.
  std::uint32_t slots = 2;
  /// A number that no other connections between these ranks have, nor the next one; see comm::Target::key.
  std::uint32_t key = 0x45780000;
};

/// The tasks of a phase that send to, or receive from, one rank.
struct PeerTasks {
  comm::RankId peer{};
  std::vector<tasks::TaskId> tasks;
};

/// The tasks of a phase. Where both ends know that a rank has nothing to say in a step, both leave the tasks of that
/// direction out of the activation: nothing is sent then.
struct PhaseTasks {
  std::vector<PeerTasks> send;     ///< by rank
  std::vector<PeerTasks> receive;  ///< by rank
  /// Of all ranks and both directions.
  [[nodiscard]] std::vector<tasks::TaskId> all() const;
};

/// Exchanges the messages of the phases of one task graph.
///
/// From each rank to each other there is one stream: a connection and a few windows in it, whose memory all phases of a
/// step use in turn. Several small messages travel as one. At any time at most one receive per peer is listed for
/// polling, however many messages are to come.
///
///     exchange::Exchange exchange(world);
///     exchange.add(graph, "halo", std::move(halo));
///     exchange.connect();                                  // all ranks: compares what both ends have described
///     scheduler.run(graph, activation, step);              // as often as one likes
///     exchange.clear();                                    // a new pattern, on the same connections if they have room
///
/// For each peer a phase has these tasks; a message that travels alone has its pack and post, unpack and grant in one:
///
///     pack (each message) --> post                arrive --> unpack (each message) --> grant
///
/// All ranks add the same phases in the same order, and run them (or the same parts of them, see PhaseTasks) equally
/// often. The scheduler must poll world.completions() (Scheduler::attach).
class Exchange {
 public:
  /// The cost of what has little to do beside the work of a solver.
  static constexpr double little = 0.1;

  explicit Exchange(comm::Communicator& world, const Options& options = {});
  /// @pre its graph is not run any more
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Adds the tasks of a phase behind those that write what it sends, and before those that read what it receives: all
  /// that were added to the graph so far, or later, as their accesses say.
  /// @param graph  the same in all calls since `clear`; must not outlive this
  /// @param name   of the phase, and of its tasks: "halo pack", "halo arrive", ...
  /// @param transfer  what a message takes, as a cost of the graph's tasks (TaskOptions::cost): the larger, the
  ///                  earlier those run that lead to sending
  /// @throws base::PreconditionError if a message is named twice, or a peer does not exist; or if unpacking would wait
  ///         for packing that waits for unpacking: a phase whose received data are not those that it sends may have any
  ///         number of envelopes, another 2 * Options::slots to each rank. comm::ArgumentError if a message is longer
  ///         than any memory
  PhaseTasks add(tasks::Graph& graph, std::string_view name, Messages messages, double transfer = little);
  /// Makes the streams to the peers, or keeps those that have room, and compares the phases with those of the peers.
  /// Called by all ranks after the last `add`, and before the next run. Waits for all of them.
  /// @throws comm::MismatchError that names both ranks, the message, and what differs, and on all other ranks one that
  ///         names these; comm::DeadlineError, PeerError
  void connect();
  /// Measures what each envelope takes alone and blocking, for the trace; without it, the time for which a receive is
  /// awaited stands for that. Called by all ranks after `connect`, while none runs the graph. @throws as `connect`
  void time_transfers();
  /// Forgets all phases. The streams stay.
  /// @pre the graph is not run any more, and no run of it has ended with an error: messages of that may be in the
  ///      streams, and only a new exchange on all ranks is rid of them. A run that follows one throws
  ///      base::PreconditionError
  void clear();

  /// Bytes that this rank sends to others in a run of all tasks; where lengths vary, at most.
  [[nodiscard]] std::size_t bytes() const noexcept;
  /// Messages of the transport for that: envelopes.
  [[nodiscard]] std::size_t envelopes() const noexcept;
  /// What this rank has sent to others in all runs since the begin, and that of each envelope of the present pattern,
  /// by phase and rank. @pre the graph is not run now
  [[nodiscard]] Sent sent() const noexcept;
  [[nodiscard]] std::vector<Sent> sent_by_envelope() const;
  /// Connections that were made since the begin: `connect` makes one only where a stream has too little room.
  [[nodiscard]] std::size_t connections() const noexcept;
  /// Memory of the streams of this rank [byte].
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacit::exchange
