// Brings tracers to the ranks to which they belong.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/solvers/dns/tracers/tracer.hpp"

namespace tacit::dns {

/// Sends tracers in rounds, of which each has room for some tracers from every rank to every other: how many leave in a
/// step is not known before, but few do.
class TracerPost {
 public:
  /// @param ranks  must outlive this
  explicit TracerPost(comm::Communicator& ranks);

  /// Takes away the tracers that belong to other ranks, and appends those that others send, in no order that means
  /// anything. All ranks call it. The number of all tracers stays as it is.
  /// @param rank_of  the rank of a tracer, 0 to ranks - 1
  void deliver(std::vector<Tracer>& tracers, const std::function<std::size_t(const Tracer&)>& rank_of);
  [[nodiscard]] comm::Communicator& ranks() noexcept { return ranks_; }

 private:
  /// @return whether some rank has more
  bool exchange_round(std::vector<Tracer>& tracers);

  comm::Communicator& ranks_;
  std::size_t room_;   // tracers from one rank to one other in a round
  std::size_t block_;  // bytes of that
  comm::AllToAll<std::byte> exchange_;
  std::vector<std::vector<Tracer>> leaving_;  // by rank
};

}  // namespace tacit::dns
