// Exchanges between ranks of one process.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tacit/exchange/exchange.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::exchange {
namespace {

TEST(ExchangeSmoke, ARingPassesNumbersOn) {
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    for (const std::size_t count : {1U, 1000U, 100000U}) {
      comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
        trace::Recorder recorder(2);
        tasks::Scheduler scheduler(2, recorder);
        scheduler.attach(world.completions());
        {
          const auto own = number(world.rank());
          const auto size = static_cast<std::uint32_t>(world.size());
          tasks::Graph graph;
          const auto mine = graph.add_datum();
          const auto theirs = graph.add_datum();
          std::vector<double> a(count), b(count);
          std::vector<std::uint32_t> few(8);
          std::size_t came = 0;
          graph.add("fill", tasks::writes(mine), [&](tasks::StepContext& step) {
            for (std::size_t i = 0; i < count; ++i) a[i] = double(own) + double(i) + 1e6 * double(step.step);
          });
          Messages messages;
          messages.send<double>({.peer = comm::RankId{(own + 1) % size}, .key = 7, .count = count}, tasks::reads(mine),
                                [&](tasks::StepContext&, std::span<double> to) { std::ranges::copy(a, to.begin()); });
          messages.send<std::uint32_t>(
              {.peer = comm::RankId{(own + 1) % size}, .key = 3, .count = 8, .length = Length::variable},
              tasks::reads(mine), [&](tasks::StepContext& step, std::span<std::uint32_t> to) {
                for (std::size_t i = 0; i < step.step % 9; ++i) to[i] = own + static_cast<std::uint32_t>(i);
                return step.step % 9;
              });
          messages.receive<double>(
              {.peer = comm::RankId{(own + size - 1) % size}, .key = 7, .count = count}, tasks::writes(theirs),
              [&](tasks::StepContext&, std::span<const double> from) { std::ranges::copy(from, b.begin()); });
          messages.receive<std::uint32_t>(
              {.peer = comm::RankId{(own + size - 1) % size}, .key = 3, .count = 8, .length = Length::variable},
              tasks::writes(theirs),
              [&](tasks::StepContext&, std::span<const std::uint32_t> from) { came = from.size(); });
          Exchange exchange(world);
          exchange.add(graph, "ring", std::move(messages));
          exchange.connect();
          exchange.time_transfers();
          auto all = graph.activate_all();
          for (std::uint64_t step = 0; step < 20; ++step) {
            tasks::StepContext context;
            context.step = step;
            scheduler.run(graph, all, context);
            ASSERT_EQ(came, step % 9);
            for (std::size_t i = 0; i < count; ++i) {
              ASSERT_EQ(b[i], double((own + size - 1) % size) + double(i) + 1e6 * double(step));
            }
          }
        }
        scheduler.detach(world.completions());
      });
    }
  }
}

}  // namespace
}  // namespace tacit::exchange
