// Work that all ranks draw from, in place of a master that deals it out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tacit/comm/one_sided/shared_counter.hpp"

namespace tacit::comm {

namespace detail {
class NodeShare;
}

/// Items [begin, end) of a pool.
struct WorkRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
};

/// How many items a worker draws at once.
enum class Chunking : std::uint8_t {
  fixed,   ///< always as many
  guided,  ///< half of what is left, shared among all workers: many at first, few at the end
};

/// Which rank fetches from the owner of the counter.
enum class Fetching : std::uint8_t {
  by_worker,  ///< each worker its chunk
  by_node,    ///< one worker of a node a batch of chunks, one batch ahead; the others take theirs from it
};

/// The same on all ranks.
struct WorkPoolOptions {
  Chunking chunking = Chunking::fixed;
  std::size_t chunk = 1;    ///< items; guided: in the smallest chunks
  std::size_t workers = 1;  ///< of each rank, as guided chunks assume
  Fetching fetching = Fetching::by_worker;
  std::size_t batch = 4;  ///< chunks that a node fetches at once
  RankId home{};          ///< keeps the counter, and works like the others
  Access access = Access::direct;
};

/// Items 0 to N - 1, each of which some worker of some rank draws once.
///
///     comm::WorkPool tiles(world, count);
///     while (const auto range = tiles.next()) {              // on every worker of every rank
///       for (std::size_t i = range->begin; i < range->end; ++i) multiply(i);
///     }
///
/// There is no master: a draw is an addition to a shared counter, which the ranks of its node do themselves. Between
/// nodes the home serves it when one of its workers draws, or when it waits or polls (see OneSidedWindow): no rank is
/// lost to that, and Fetching::by_node hides the latency. Items that take long belong to the front: then all end
/// together.
///
/// Every rank makes it, at the same point among its collectives, and destroys it when no rank draws any more, as after
/// a Barrier. Threads: any number draw at once, so a task for each worker of a scheduler can hold the loop above. The
/// only allocations are those of the set-up: 8 B for each chunk that is guided or fetched by node.
class WorkPool {
 public:
  /// @param items    N >= 0
  /// @param options  chunk, workers and batch >= 1
  /// With Fetching::by_node it waits until all ranks have come here.
  WorkPool(Communicator& communicator, std::size_t items, const WorkPoolOptions& options = {});
  WorkPool(WorkPool&&) noexcept;
  WorkPool& operator=(WorkPool&&) noexcept;
  ~WorkPool();

  /// Waits until the others have made it; the first draw does it, too. A home without workers of its own calls it, so
  /// that other nodes are served. @throws MismatchError, DeadlineError
  void open();
  /// Draws. @return  nothing when all is drawn (not: done)
  /// @param deadline_s  0: that of the communicator
  /// @throws DeadlineError, PeerError, ProviderError
  [[nodiscard]] std::optional<WorkRange> next(double deadline_s = 0.0);
  /// All items again. Called by all ranks, each when none of its workers draws any more.
  void restart(double deadline_s = 0.0);

  [[nodiscard]] std::size_t items() const noexcept { return items_; }
  /// Draws that give something.
  [[nodiscard]] std::size_t chunks() const noexcept { return chunks_; }

 private:
  [[nodiscard]] WorkRange range(std::size_t ticket) const;

  Communicator* communicator_;
  std::size_t items_;
  WorkPoolOptions options_;
  std::vector<std::size_t> begins_;  // guided: of each chunk
  std::size_t chunks_;
  SharedCounter counter_;
  std::unique_ptr<detail::NodeShare> node_;
};

}  // namespace tacit::comm
