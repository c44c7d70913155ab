// A number that all ranks draw from: fetch and add without the help of the rank that keeps it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "tacit/comm/one_sided/detail/memory_region.hpp"

namespace tacit::comm {

struct CounterOptions {
  RankId home{};  ///< keeps the number; the same on all ranks
  Access access = Access::direct;
};

/// A counter of 64 bits in the memory of one rank, for tickets: each is handed out once.
///
///     comm::SharedCounter tickets(world);
///     tickets.open();                                        // on the home, which may go and compute then
///     for (std::uint64_t i = tickets.fetch_add(); i < items; i = tickets.fetch_add()) work(i);
///
/// On the node of its home a draw is one atomic addition; elsewhere a request that the home serves when it waits or
/// polls (see OneSidedWindow). Every rank makes it, at the same point among its collectives. Threads: any number at
/// once, but for reset().
class SharedCounter {
 public:
  explicit SharedCounter(Communicator& communicator, const CounterOptions& options = {});

  /// Waits until the home has made its side. @throws MismatchError, DeadlineError
  void open() { core_->open(); }
  /// Adds `value`. @return  the number before
  /// @param deadline_s  0: that of the communicator
  /// @throws DeadlineError, PeerError, ProviderError: then the addition may have been done or not
  std::uint64_t fetch_add(std::uint64_t value = 1, double deadline_s = 0.0) {
    return core_->fetch_add(home_, 0, value, deadline_s);
  }
  [[nodiscard]] std::uint64_t read(double deadline_s = 0.0) { return fetch_add(0, deadline_s); }
  /// Resets it between two phases. Called by all ranks, while none draws.
  void reset(std::uint64_t value = 0, double deadline_s = 0.0);
  [[nodiscard]] RankId home() const noexcept { return home_; }

 private:
  RankId home_;
  std::unique_ptr<detail::MemoryRegion> core_;
};

}  // namespace tacit::comm
