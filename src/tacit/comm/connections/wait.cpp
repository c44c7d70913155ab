// Throws the errors of waits that cannot complete.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/connections/wait.hpp"

#include <fmt/format.h>

#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {

void throw_cannot_complete(const CommunicatorCore& communicator, const std::string& what, double deadline_s) {
  if (communicator.watch().is_lost()) communicator.watch().throw_lost(what);
  throw DeadlineError(
      fmt::format("{}: timed out after {} s: {}", comm::describe(communicator.own()), deadline_s, what));
}

bool has_left(const CommunicatorCore& communicator, RankId rank) noexcept {
  const LivenessRecord* const sign = communicator.liveness_of(rank);
  return sign != nullptr && sign->has_left();
}

std::string explain_cannot_complete(const CommunicatorCore& communicator, std::optional<RankId> leaver,
                                    const std::string& what) {
  const PeerWatch& watch = communicator.watch();
  const std::string why = watch.is_lost()
                              ? watch.explain()
                              : (leaver ? comm::describe(communicator.rank(*leaver)) : "a rank") + " has left";
  return fmt::format("{}: {}, while we waited for {}", comm::describe(communicator.own()), why, what);
}

void throw_if_gone(const CommunicatorCore& communicator, RankId peer, const std::string& what,
                   std::string_view called) {
  if (communicator.watch().is_lost()) communicator.watch().throw_lost(what);
  if (!has_left(communicator, peer)) return;
  throw PeerError(fmt::format("{}: waited for {}, but {} has left", comm::describe(communicator.own()), what, called));
}

}  // namespace tacit::comm::detail
