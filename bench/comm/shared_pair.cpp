// Two ranks tell each other where their memory is.
// SPDX-License-Identifier: Apache-2.0
#include "comm/shared_pair.hpp"

#include "tacit/comm/window.hpp"

namespace tacit::bench {
namespace {

comm::shm::Segment map_other(comm::Communicator& world, const comm::shm::Segment& mine) {
  const comm::RankId other{1 - comm::number(world.rank())};
  comm::Connection connection(world, {.rank = other});
  comm::SendWindow<comm::detail::Place> send(connection, 1);
  comm::RecvWindow<comm::detail::Place> receive(connection, 1);
  receive.init();
  send.data()[0] = mine.place(0);
  send.post();
  const comm::detail::Place theirs = receive.wait()[0];
  send.wait();
  return {world.ranks()[comm::number(other)].process_id, theirs};
}

constexpr std::size_t page = 4096;

}  // namespace

SharedPair::SharedPair(comm::Communicator& world, std::size_t bytes)
    : mine_((bytes + page - 1) / page * page), theirs_(map_other(world, mine_)) {}

}  // namespace tacit::bench
