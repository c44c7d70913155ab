// Ten thousand short messages each way per step: as tasks, by bare windows and by MPI.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "exchange/rank.hpp"
#include "exchange/worker.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/window.hpp"
#include "tacit/exchange/exchange.hpp"

namespace tacit::bench {

void Cells::unpack(std::size_t i, std::uint64_t turn, std::span<const std::byte> from) {
  std::byte* to = ghosts_.data() + i * bytes;
  std::memcpy(to, from.data(), bytes);
  std::uint64_t mark = 0;
  std::memcpy(&mark, to, sizeof(mark));
  if (mark != turn + i) throw base::Error("a rank got what belongs to another message");
}

namespace {

/// Each message has data of its own, a task that packs it and one that unpacks it.
class ManyByTasks final : public PingPong {
 public:
  ManyByTasks(comm::Communicator& world, Worker& worker, std::size_t count)
      : worker_(worker), cells_(count), exchange_(world, {.key = next_exchange_key()}) {
    exchange::Messages cells;
    for (std::size_t i = 0; i < count; ++i) {
      const exchange::Message message{.peer = comm::RankId{1 - comm::number(world.rank())},
                                      .key = static_cast<std::uint32_t>(i),
                                      .count = Cells::bytes};
      cells.send<std::byte>(
          message, tasks::reads(graph_.add_datum()),
          [this, i](tasks::StepContext& step, std::span<std::byte> to) { cells_.pack(i, step.step, to); });
      cells.receive<std::byte>(
          message, tasks::writes(graph_.add_datum()),
          [this, i](tasks::StepContext& step, std::span<const std::byte> from) { cells_.unpack(i, step.step, from); });
    }
    exchange_.add(graph_, "cells", std::move(cells));
    exchange_.connect();
    all_ = graph_.activate_all();
  }
  void run(std::size_t steps) override {
    for (std::size_t i = 0; i < steps; ++i) worker_.run(graph_, all_, ++turn_);
  }
  [[nodiscard]] double times_per_trip() const override { return static_cast<double>(cells_.count()); }

 private:
  Worker& worker_;
  Cells cells_;
  tasks::Graph graph_;
  exchange::Exchange exchange_;
  tasks::Activation all_;
  std::uint64_t turn_ = 0;
};

/// The same envelopes in a loop: what the copies and the transport take.
class ManyByWindows {
 public:
  ManyByWindows(comm::Communicator& world, std::size_t count)
      : cells_(count),
        connection_(world, {.rank = comm::RankId{1 - comm::number(world.rank())}, .key = next_exchange_key()}),
        send_(connection_, per_envelope * Cells::bytes, {.depth = depth}),
        receive_(connection_, per_envelope * Cells::bytes, {.depth = depth}) {
    for (std::uint32_t i = 0; i < depth; ++i) receive_.init();
    world.synchronise();
  }
  void operator()(std::uint64_t turn) {
    for (std::size_t first = 0; first < cells_.count(); first += per_envelope) {
      const std::size_t count = std::min(per_envelope, cells_.count() - first);
      const std::span<std::byte> out = send_.data();
      for (std::size_t i = 0; i < count; ++i) cells_.pack(first + i, turn, out.subspan(i * Cells::bytes, Cells::bytes));
      send_.post(count * Cells::bytes);
      const std::span<const std::byte> in = receive_.wait();
      for (std::size_t i = 0; i < count; ++i)
        cells_.unpack(first + i, turn, in.subspan(i * Cells::bytes, Cells::bytes));
      receive_.init();
      send_.wait();
    }
  }

 private:
  static constexpr std::size_t per_envelope = exchange::Options{}.envelope_bytes / Cells::bytes;
  static constexpr std::uint32_t depth = 4;
  Cells cells_;
  comm::Connection connection_;
  comm::SendWindow<std::byte> send_;
  comm::RecvWindow<std::byte> receive_;
};

/// Where the time of steps goes beside tasks.
void add_shares(const Plan& plan, Worker& worker, PingPong& many, double flag_ns) {
  std::vector<double> polling;
  std::vector<double> waiting;
  for (std::size_t sample = 0; sample < plan.size(31, 3); ++sample) {
    many.run(1);  // both are there
    const Worker::Shares shares = worker.shares_of([&many] { many.run(1); });
    polling.push_back(shares.polling);
    waiting.push_back(shares.waiting);
  }
  plan.add({.name = "exchange_poll_share",
            .unit = "1",
            .ours = summarise(std::move(polling)),
            .limit = 0.02,
            .flag_ns = flag_ns});
  plan.add({.name = "exchange_wait_share", .unit = "1", .ours = summarise(std::move(waiting)), .flag_ns = flag_ns});
}

}  // namespace

void measure_many(const Plan& plan) {
  comm::Communicator& world = *plan.world;
  Worker worker(world);
  const std::size_t count = plan.size(10'000, 100);
  Contestants all;
  all.emplace_back("tasks", std::make_unique<ManyByTasks>(world, worker, count));
  // One call has `count` messages.
  all.emplace_back("windows", repeated([many = std::make_unique<ManyByWindows>(world, count)](std::uint64_t turn) {
                     (*many)(turn);
                   }));
  all.emplace_back("MPI_Startall", mpi_cells(world, count));
  all.emplace_back("flag", flag_ping_pong(world));
  const Times seconds = take_turns(plan, all, plan.size(3, 1));
  const double flag_ns = median_of(seconds.back(), 1e9);
  const double us_of_call = 1e6 / static_cast<double>(count);
  Result time{.name = "exchange_task_us", .unit = "us", .ours = summarise(scaled(seconds[0], 1e6)), .limit = 1.0};
  if (!seconds[2].empty()) time.peers.emplace_back("MPI_Startall", median_of(seconds[2], us_of_call));
  time.peers.emplace_back("windows", median_of(seconds[1], us_of_call));
  time.flag_ns = flag_ns;
  plan.add(time);
  add_shares(plan, worker, *all[0].second, flag_ns);
}

}  // namespace tacit::bench
