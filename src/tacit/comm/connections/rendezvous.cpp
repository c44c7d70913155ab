// Waits for what peers announce.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/connections/rendezvous.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {

void await_announced(CommunicatorCore& communicator, std::vector<RankId> peers,
                     const std::function<bool(RankId)>& has_come, const std::function<std::string()>& what) {
  const double deadline_s = communicator.options().setup_deadline_s;
  const auto fail = [&](RankId peer) {
    const std::string awaited = fmt::format("{} to make {}", comm::describe(communicator.rank(peer)), what());
    throw_if_gone(communicator, peer, awaited);
    throw DeadlineError(fmt::format("{}: waited {} s for {}", comm::describe(communicator.own()), deadline_s, awaited));
  };
  std::optional<Backoff> last_looks;  // once a peer has left: what it announced before may still be on its way
  for (Backoff backoff(Processors::shared, deadline_s, &communicator.watch());;) {
    std::erase_if(peers, has_come);
    if (peers.empty()) return;
    const auto departed = std::ranges::find_if(peers, [&](RankId peer) { return has_left(communicator, peer); });
    if (departed == peers.end()) {
      last_looks.reset();
    } else if (!last_looks) {
      last_looks.emplace(Processors::shared, PeerWatch::exit_delay_s, &communicator.watch());
    }
    // Peers wait for us as well, perhaps for a message whose grant has come since.
    if (communicator.engine().has_work()) communicator.engine().progress();
    if (!backoff.pause()) fail(peers.front());
    if (last_looks && !last_looks->pause()) fail(*departed);
  }
}

}  // namespace tacit::comm::detail
