// Says in vain for what was waited.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/detail/wait.hpp"

#include <fmt/format.h>

#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {

void throw_in_vain(CommunicatorCore& communicator, const std::string& what, double deadline_s) {
  if (communicator.watch().is_lost()) communicator.watch().throw_lost(what);
  throw DeadlineError(fmt::format("{}: waited {} s in vain: {}", comm::describe(communicator.own()), deadline_s, what));
}

void throw_if_gone(const CommunicatorCore& communicator, RankId peer, const std::string& what) {
  if (communicator.watch().is_lost()) communicator.watch().throw_lost(what);
  const LifeSign* sign = communicator.sign_of(peer);
  if (sign == nullptr || !sign->has_left()) return;
  throw PeerError(fmt::format("{}: waited for {}, but it has left", comm::describe(communicator.own()), what));
}

}  // namespace tacit::comm::detail
