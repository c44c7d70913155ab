// Tracer particles, and their migration to the ranks to which they belong.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/communicator.hpp"

namespace tacit::dns {

/// A particle without mass that the flow carries along.
struct Tracer {
  std::uint64_t id = 0;  ///< 0 to count - 1
  base::Vec3 position;   ///< [length]; not brought back into the box, so that it says how far it has come
  base::Vec3 start;      ///< where it began [length]
  base::Vec3 first_velocity;
  base::Vec3 velocity;  ///< that of the flow at the position, when last measured
  base::Vec3 base;      ///< within a step: where the step began (rk4)
  base::Vec3 sum;       ///< within a step: the weighted sum of the substages so far
};

/// Migrates tracers between ranks, in rounds, of which each has room for some tracers from every rank to every other:
/// how many leave in a step is not known before, but few do.
class ParticleMigration {
 public:
  /// @param ranks  must outlive this
  explicit ParticleMigration(comm::Communicator& ranks);

  /// Removes the tracers that belong to other ranks, and appends those that others send, in any order. All ranks call
  /// it; one rank alone keeps all. The number of all tracers does not change.
  /// @param rank_of  the rank of a tracer, 0 to ranks - 1
  void migrate(std::vector<Tracer>& tracers, const std::function<std::size_t(const Tracer&)>& rank_of);

 private:
  /// @return whether some rank has more
  bool exchange_round(std::vector<Tracer>& tracers);

  comm::Communicator& ranks_;
  std::size_t room_;                                   // tracers from one rank to one other in a round
  std::size_t block_;                                  // bytes of that
  std::optional<comm::AllToAll<std::byte>> exchange_;  // of several ranks
  std::vector<std::vector<Tracer>> leaving_;           // by rank
};

}  // namespace tacit::dns
