// Waits for what other ranks do to our memory: with a deadline, and messages for what was waited for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tacit/base/error.hpp"
#include "tacit/comm/backoff.hpp"
#include "tacit/comm/connections/communicator_core.hpp"

namespace tacit::comm::detail {

/// @throws PeerError if a rank is lost, else DeadlineError
[[noreturn]] void throw_cannot_complete(const CommunicatorCore& communicator, const std::string& what,
                                        double deadline_s);

/// Waits until `is_over()`; progresses all other operations meanwhile.
/// @param what        () -> std::string: what is waited for
/// @param deadline_s  0: that of the communicator
/// @throws PeerError, DeadlineError
template <class Question, class What>
void wait_until(CommunicatorCore& communicator, Question&& is_over, What&& what, double deadline_s) {
  if (is_over()) [[likely]]
    return;
  const double longest_s = deadline_s > 0.0 ? deadline_s : communicator.options().deadline_s;
  ProgressEngine& engine = communicator.engine();
  Backoff backoff(communicator.processors(), longest_s, &engine.watch());
  while (!is_over()) {
    if (engine.has_work()) engine.progress();
    if (backoff.pause()) continue;
    engine.settle();  // another thread may have had the engine whenever we asked
    if (is_over()) return;
    throw_cannot_complete(communicator, what(), longest_s);
  }
}

/// Whether a rank is watched and has left.
[[nodiscard]] bool has_left(const CommunicatorCore& communicator, RankId rank) noexcept;

/// "rank 0 (node7): rank 2 (node7) has left, while we waited for `what`", or of a rank that is lost what is known of
/// it.
/// @param leaver  nothing: it is not known which rank has left
[[nodiscard]] std::string explain_cannot_complete(const CommunicatorCore& communicator, std::optional<RankId> leaver,
                                                  const std::string& what);

/// @param called  the peer, in the message after `what`
/// @throws PeerError if a rank is lost or this one has left
void throw_if_gone(const CommunicatorCore& communicator, RankId peer, const std::string& what,
                   std::string_view called = "it");

/// Calls `map()`, which maps memory of a peer. If that fails because the peer has just died or left, the error says so.
/// @param what  () -> std::string: whose memory
/// @throws PeerError, base::SystemError
template <class Function, class What>
decltype(auto) map_or_tell_loss(CommunicatorCore& communicator, RankId peer, Function&& map, What&& what) {
  try {
    return map();
  } catch (const base::SystemError&) {
    throw_if_gone(communicator, peer, what());
    PeerWatch& watch = communicator.watch();
    if (watch.await_loss(PeerWatch::exit_delay_s)) watch.throw_lost(what());
    throw;
  }
}

}  // namespace tacit::comm::detail
