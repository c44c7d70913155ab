// Collectives of two ranks beside those of MPI.
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <optional>
#include <string>

#include "comm/mpi_peers.hpp"
#include "comm/turns.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/collectives/reduce.hpp"

namespace tacit::bench {
namespace {

using comm::RankId;
using Memory = std::vector<std::byte>;

std::unique_ptr<PingPong> all_reduce(comm::Communicator& world) {
  // On the heap: it stays where it is when the lambda moves.
  auto value = std::make_unique<double>(1.0);
  comm::AllReduce<double> sum(world, std::span(value.get(), 1), std::plus<>());
  return repeated([value = std::move(value), sum = std::move(sum)](std::uint64_t turn) mutable {
    *value = static_cast<double>(turn);
    sum.run();
  });
}

std::unique_ptr<PingPong> barrier(comm::Communicator& world) {
  return repeated([barrier = comm::Barrier(world)](std::uint64_t /*turn*/) mutable { barrier.run(); });
}

std::unique_ptr<PingPong> broadcasts(comm::Communicator& world, std::size_t bytes) {
  const bool is_first = comm::number(world.rank()) == 0;
  Memory data(bytes);
  comm::Broadcast<std::byte> there(world, RankId{0}, data);
  comm::Broadcast<std::byte> back(world, RankId{1}, data);
  return repeated(
      [is_first, data = std::move(data), there = std::move(there), back = std::move(back)](std::uint64_t turn) mutable {
        if (is_first) touch(data, turn);
        there.run();
        if (!is_first) static_cast<void>(read_touched(data, turn));
        if (!is_first) touch(data, turn + 1);
        back.run();
        if (is_first) static_cast<void>(read_touched(data, turn + 1));
      });
}

std::unique_ptr<PingPong> all_gather(comm::Communicator& world, std::size_t bytes) {
  Memory in(bytes);
  Memory out(2 * bytes);
  comm::AllGather<std::byte> gather(world, in, out);
  return repeated([in = std::move(in), out = std::move(out), gather = std::move(gather)](std::uint64_t turn) mutable {
    touch(in, turn);
    gather.run();
    static_cast<void>(read_touched(out, turn));
  });
}

std::unique_ptr<PingPong> all_gather_view(comm::Communicator& world, std::size_t bytes) {
  comm::AllGatherView<std::byte> gather(world, bytes);
  return repeated([gather = std::move(gather)](std::uint64_t turn) mutable {
    touch(gather.input(), turn);
    gather.run();
    for (const std::uint32_t rank : {0U, 1U}) static_cast<void>(read_touched(gather.block(RankId{rank}), turn));
  });
}

struct Comparison {
  std::string name;
  std::string mpi_name;
  std::size_t calls;
  std::optional<double> flags = {};  ///< what was promised
};

/// Ours first, MPI's last, a flag between them.
void compare(const Plan& plan, const Comparison& what, std::unique_ptr<PingPong> ours, std::unique_ptr<PingPong> mpi) {
  Contestants contestants;
  contestants.emplace_back(what.name, std::move(ours));
  contestants.emplace_back("flag", flag_ping_pong(*plan.world));
  contestants.emplace_back(what.mpi_name, std::move(mpi));
  const Times seconds = take_turns(plan, contestants, plan.size(what.calls, 10));
  const double flag_ns = median_of(seconds[1], 1e9);
  Result time = figure(contestants, seconds, what.name + "_us", "us", 1e6);
  time.flag_ns = flag_ns;
  plan.add(time);
  if (what.flags) {
    add_ratio(plan, what.name + "_flags", ratios(seconds[0], seconds[1]), Better::lower, *what.flags, flag_ns);
  }
  if (seconds[2].empty()) return;
  add_ratio(plan, what.name + "_vs_mpi", ratios(seconds[2], seconds[0]), Better::higher, 1.0, flag_ns);
}

}  // namespace

void measure_other_collectives(const Plan& plan) {
  constexpr std::size_t many = 2000;
  constexpr std::size_t few = 200;
  constexpr std::size_t large = std::size_t{64} << 10U;
  comm::Communicator& world = *plan.world;
  // On a node an all-reduce of few bytes has one stage: all bring theirs, and each combines what all brought.
  compare(plan, {"allreduce_8B", "MPI_Allreduce", many, 2.5}, all_reduce(world), mpi_all_reduce(1));
  compare(plan, {"barrier", "MPI_Barrier", many}, barrier(world), mpi_barrier());
  compare(plan, {"broadcast_8B", "MPI_Bcast", many}, broadcasts(world, 8), mpi_broadcasts(world, 8));
  compare(plan, {"broadcast_64KB", "MPI_Bcast", few}, broadcasts(world, large), mpi_broadcasts(world, large));
  compare(plan, {"allgather_8B", "MPI_Allgather", many}, all_gather(world, 8), mpi_all_gather(8));
  compare(plan, {"allgather_64KB", "MPI_Allgather", few}, all_gather(world, large), mpi_all_gather(large));
  compare(plan, {"allgather_view_64KB", "MPI_Allgather", few}, all_gather_view(world, large), mpi_all_gather(large));
}

}  // namespace tacit::bench
