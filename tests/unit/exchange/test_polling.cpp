// What an exchange lists for polling: one receive per rank, however many envelopes are to come.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "tacit/exchange/exchange.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::exchange {
namespace polling_test {
namespace {

constexpr std::uint32_t envelopes = 6;

/// Each message is an envelope of its own, to every other rank; the packs are late, so that the receives are awaited.
Messages late_messages(const comm::Communicator& world, tasks::DatumId rim, std::span<const tasks::DatumId> ghosts) {
  Messages messages;
  for (std::uint32_t peer = 0; peer < world.size(); ++peer) {
    if (peer == number(world.rank())) continue;
    for (std::uint32_t key = 0; key < envelopes; ++key) {
      const Message message{.peer = comm::RankId{peer}, .key = key, .count = 100};
      messages.send<double>(message, tasks::reads(rim), [](tasks::StepContext&, std::span<double> to) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        std::ranges::fill(to, 1.0);
      });
      messages.receive<double>(message, tasks::writes(ghosts[key]),
                               [](tasks::StepContext&, std::span<const double>) {});
    }
  }
  return messages;
}

using Span = std::pair<std::int64_t, std::int64_t>;  // from post to completion [ticks]

/// The receives that were listed, by the rank that they come from. Only receives count bytes.
std::map<std::uint32_t, std::vector<Span>> receives_of(const trace::Recorder& recorder, std::size_t threads) {
  std::map<std::uint32_t, std::vector<Span>> by_peer;
  for (std::size_t i = 0; i < threads; ++i) {
    for (const trace::Transfer& one : recorder.track(i).transfers()) {
      if (one.bytes > 0) by_peer[one.key].emplace_back(one.posted, one.completed);
    }
  }
  for (auto& [peer, spans] : by_peer) std::ranges::sort(spans);
  return by_peer;
}

TEST(ExchangePolling, OneReceivePerRankIsListedAtATime) {
  for (const std::size_t ranks : {2U, 3U}) {
    comm::testing::on_ranks(ranks, [ranks](comm::Communicator& world) {
      constexpr std::size_t threads = 2;
      constexpr std::uint64_t steps = 10;
      trace::Recorder recorder(threads, 1024);
      tasks::Scheduler scheduler(threads, recorder);
      scheduler.attach(world.completions());
      {
        tasks::Graph graph;
        const tasks::DatumId rim = graph.add_datum();
        std::vector<tasks::DatumId> ghosts;
        for (std::uint32_t key = 0; key < envelopes; ++key) ghosts.push_back(graph.add_datum());
        Exchange exchange(world, {.envelope_bytes = 0, .slots = envelopes});
        exchange.add(graph, "late", late_messages(world, rim, ghosts));
        exchange.connect();
        EXPECT_EQ(exchange.envelopes(), envelopes * (ranks - 1));
        tasks::Activation all = graph.activate_all();
        for (std::uint64_t step = 0; step < steps; ++step) scheduler.run(graph, all, {});
      }
      scheduler.settle();
      scheduler.detach(world.completions());
      for (const auto& [peer, spans] : receives_of(recorder, threads)) {
        for (std::size_t i = 1; i < spans.size(); ++i) {
          EXPECT_GE(spans[i].first, spans[i - 1].second) << "receive " << i << " from rank " << peer;
        }
      }
    });
  }
}

}  // namespace
}  // namespace polling_test
}  // namespace tacit::exchange
