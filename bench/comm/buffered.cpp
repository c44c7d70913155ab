// Windows with insert and extract beside those that use memory in place.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/buffered.hpp"

#include <string>

#include "comm/turns.hpp"

namespace tacit::bench {
namespace {

using Memory = std::vector<std::byte>;

/// A message from memory of the user to memory of the user, in both directions at once.
std::unique_ptr<PingPong> buffered(comm::Communicator& world, std::size_t bytes) {
  auto connection = std::make_unique<comm::Connection>(world, comm::Target{comm::RankId{1 - number(world.rank())}});
  comm::BufferedSendWindow<std::byte> send(*connection, bytes);
  comm::BufferedRecvWindow<std::byte> receive(*connection, bytes);
  connection->open();
  receive.init();
  world.synchronise();
  return repeated([connection = std::move(connection), send = std::move(send), receive = std::move(receive),
                   from = Memory(bytes), to = Memory(bytes)](std::uint64_t turn) mutable {
    touch(from, turn);
    send.insert(from);
    send.post();
    receive.wait();
    receive.extract(std::span(to));
    receive.init();
    static_cast<void>(read_touched(to, turn));
    send.wait();
  });
}

/// The same through windows whose memory is the user's.
std::unique_ptr<PingPong> unbuffered(comm::Communicator& world, std::size_t bytes) {
  auto connection = std::make_unique<comm::Connection>(world, comm::Target{comm::RankId{1 - number(world.rank())}});
  Memory from(bytes);
  Memory to(bytes);
  comm::SendWindow<std::byte> send(*connection, std::span<const std::byte>(from));
  comm::RecvWindow<std::byte> receive(*connection, std::span<std::byte>(to));
  connection->open();
  receive.init();
  world.synchronise();
  return repeated([connection = std::move(connection), send = std::move(send), receive = std::move(receive),
                   from = std::move(from), to = std::move(to)](std::uint64_t turn) mutable {
    touch(from, turn);
    send.post();
    receive.wait();
    static_cast<void>(read_touched(to, turn));
    receive.init();
    send.wait();
  });
}

void measure(const Plan& plan, std::size_t bytes, const std::string& size, std::size_t calls) {
  Contestants contestants;
  contestants.emplace_back("buffered", buffered(*plan.world, bytes));
  contestants.emplace_back("unbuffered", unbuffered(*plan.world, bytes));
  contestants.emplace_back("flag", flag_ping_pong(*plan.world));
  const Times seconds = take_turns(plan, contestants, plan.size(calls, 3));
  const double flag_ns = median_of(seconds[2], 1e9);
  Result time = figure(contestants, seconds, "buffered_" + size + "_us", "us", 1e6);
  time.peers.emplace_back("unbuffered", median_of(seconds[1], 1e6));
  time.flag_ns = flag_ns;
  plan.add(time);
  Result ratio{.name = "buffered_" + size + "_ratio", .unit = "1", .ours = summarise(ratios(seconds[0], seconds[1]))};
  ratio.flag_ns = flag_ns;
  plan.add(ratio);
}

}  // namespace

void measure_buffered(const Plan& plan) {
  measure(plan, std::size_t{8} << 10U, "8KB", 500);
  measure(plan, std::size_t{64} << 10U, "64KB", 200);
  measure(plan, std::size_t{1} << 20U, "1MB", 20);
}

}  // namespace tacit::bench
