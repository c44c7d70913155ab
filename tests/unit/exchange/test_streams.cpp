// Streams between ranks: how messages are put into envelopes, what lengths they have, and when connections are made.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tacit/exchange/exchange.hpp"
#include "tacit/exchange/traffic.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::exchange {
namespace streams_test {
namespace {

/// A message of the phases here.
struct Part {
  std::uint32_t key = 0;
  std::size_t count = 0;
  Length length = Length::fixed;
  std::size_t filled = 0;  ///< of `count`, where the length varies
};

/// A rank that gives its parts to the next one, and gets those of the one before.
class Ring {
 public:
  explicit Ring(comm::Communicator& ranks, const Options& options = {})
      : world(ranks), recorder(1, 64), scheduler(1, recorder), exchange(ranks, options) {
    scheduler.attach(world.completions());
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    scheduler.settle();
    scheduler.detach(world.completions());
  }
  /// Forgets what was, and connects.
  void describe(const std::vector<Part>& parts) {
    exchange.clear();
    graph.emplace();
    lengths.assign(parts.size(), none);
    tasks = exchange.add(*graph, "ring", messages_of(parts));
    exchange.connect();
    all = graph->activate_all();
  }
  /// @return the lengths of what came, in the order of the parts
  const std::vector<std::size_t>& run() {
    std::ranges::fill(lengths, none);
    scheduler.run(*graph, all, {});
    return lengths;
  }

  static constexpr std::size_t none = ~std::size_t{0};
  comm::Communicator& world;
  trace::Recorder recorder;
  tasks::Scheduler scheduler;
  std::optional<tasks::Graph> graph;
  Exchange exchange;
  PhaseTasks tasks;
  tasks::Activation all;
  std::vector<std::size_t> lengths;

 private:
  Messages messages_of(const std::vector<Part>& parts) {
    const auto own = number(world.rank());
    const auto ranks = static_cast<std::uint32_t>(world.size());
    const comm::RankId next{(own + 1) % ranks};
    const comm::RankId previous{(own + ranks - 1) % ranks};
    Messages messages;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Part part = parts[i];
      const auto ghosts = graph->add_datum();
      messages.send<std::uint32_t>({.peer = next, .key = part.key, .count = part.count, .length = part.length}, {},
                                   [part, own](tasks::StepContext&, std::span<std::uint32_t> to) {
                                     const std::size_t filled = part.length == Length::fixed ? to.size() : part.filled;
                                     for (std::size_t j = 0; j < filled; ++j)
                                       to[j] = static_cast<std::uint32_t>(1000 * part.key + j + own);
                                     return filled;
                                   });
      messages.receive<std::uint32_t>(
          {.peer = previous, .key = part.key, .count = part.count, .length = part.length}, tasks::writes(ghosts),
          [this, i, part, previous](tasks::StepContext&, std::span<const std::uint32_t> from) {
            lengths[i] = from.size();
            for (std::size_t j = 0; j < from.size(); ++j) {
              ASSERT_EQ(from[j], 1000 * part.key + j + number(previous)) << "message " << part.key;
            }
          });
    }
    return messages;
  }
};

void on_rings(const Options& options, const std::function<void(Ring&)>& function) {
  for (const std::size_t ranks : {1U, 2U}) {
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      Ring ring(world, options);
      function(ring);
      world.synchronise();  // connect() returns where the other rank may still be opening its end
    });
  }
}

TEST(ExchangeStreams, SmallMessagesTravelTogether) {
  // 5 messages of 10 x 4 B: each takes 48 B of an envelope and 16 B in a table that may be needed.
  std::vector<Part> parts;
  for (const std::uint32_t key : {9U, 2U, 5U, 1U, 7U}) parts.push_back({.key = key, .count = 10});
  for (const auto& [limit, envelopes] : {std::pair{320U, 1U}, {319U, 2U}, {128U, 3U}, {127U, 5U}, {0U, 5U}}) {
    on_rings({.envelope_bytes = limit}, [&](Ring& ring) {
      ring.describe(parts);
      EXPECT_EQ(ring.exchange.envelopes(), ring.world.size() == 1 ? 0 : envelopes) << "to itself nothing travels";
      EXPECT_EQ(ring.run(), std::vector<std::size_t>(5, 10));
      EXPECT_EQ(ring.run(), std::vector<std::size_t>(5, 10));
    });
  }
}

TEST(ExchangeStreams, BytesAreThoseOfTheEnvelopes) {
  on_rings({}, [](Ring& ring) {
    ring.describe({{.key = 1, .count = 10}, {.key = 2, .count = 100'000}, {.key = 3, .count = 3}});
    const std::size_t bytes = 40 + 400'000 + 12;
    EXPECT_EQ(ring.exchange.envelopes(), ring.world.size() == 1 ? 0 : 3) << "messages keep the order of their keys";
    EXPECT_EQ(ring.exchange.bytes(), ring.world.size() == 1 ? 0 : bytes);
    EXPECT_EQ(ring.run(), (std::vector<std::size_t>{10, 100'000, 3}));
  });
}

TEST(ExchangeStreams, WhatWasSentIsCounted) {
  on_rings({.envelope_bytes = 1000}, [](Ring& ring) {
    const auto variable = [](std::uint32_t key, std::size_t filled) {
      return Part{.key = key, .count = 10, .length = Length::variable, .filled = filled};
    };
    ring.describe({variable(1, 3), variable(2, 0), {.key = 3, .count = 1000}});
    const bool is_alone = ring.world.size() == 1;
    const Sent none{};
    EXPECT_EQ(ring.exchange.sent(), none);
    ring.run();
    // Two entries of a table and 3 numbers, up to the next multiple of 16 B; and what travels alone.
    const std::vector<Sent> each{{.envelopes = 1, .messages = 1, .bytes = 48},
                                 {.envelopes = 1, .messages = 1, .bytes = 4000}};
    EXPECT_EQ(ring.exchange.sent_by_envelope(), is_alone ? std::vector<Sent>() : each);
    const Sent one{.envelopes = 2, .messages = 2, .bytes = 4048};
    EXPECT_EQ(ring.exchange.sent(), is_alone ? none : one);
    ring.describe({{.key = 1, .count = 5}});
    EXPECT_EQ(ring.exchange.sent(), is_alone ? none : one) << "those of a pattern that was cleared stay";
    const Sent before = ring.exchange.sent();
    ring.run();
    const Sent last{.envelopes = 1, .messages = 1, .bytes = 20};
    EXPECT_EQ(ring.exchange.sent().since(before), is_alone ? none : last);
  });
}

TEST(ExchangeStreams, LengthsThatVaryAreThoseThatWerePacked) {
  const auto variable = [](std::uint32_t key, std::size_t count, std::size_t filled) {
    return Part{.key = key, .count = count, .length = Length::variable, .filled = filled};
  };
  const std::vector<std::vector<Part>> cases{
      {variable(1, 10, 0)},
      {variable(1, 10, 7)},
      {variable(1, 10, 10)},
      {variable(1, 10, 0), variable(2, 10, 0)},
      {variable(1, 10, 3), {.key = 2, .count = 5}, variable(3, 10, 0), variable(4, 9, 9), {.key = 5, .count = 1}},
      {{.key = 2, .count = 5}, variable(3, 10, 0)},
      {variable(1, 50'000, 0), variable(2, 50'000, 49'999)},
  };
  on_rings({}, [&](Ring& ring) {
    for (const auto& parts : cases) {
      ring.describe(parts);
      std::vector<std::size_t> expected;
      for (const Part& part : parts) expected.push_back(part.length == Length::fixed ? part.count : part.filled);
      for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(ring.run(), expected);
    }
  });
}

TEST(ExchangeStreams, TheTraceCountsWhatTravelsByPhase) {
  on_rings({.envelope_bytes = 200}, [](Ring& ring) {
    // One alone; then a table of 32 B with 12 B of the 40 that there is room for, and 40 B, each padded to 16 B.
    ring.describe({{.key = 1, .count = 60},
                   {.key = 2, .count = 10, .length = Length::variable, .filled = 3},
                   {.key = 3, .count = 10}});
    const Traffic planned = traffic_of(std::array{PlannedMessage{.bytes = 240, .most = 240},
                                                  PlannedMessage{.bytes = 12, .most = 40, .length = Length::variable},
                                                  PlannedMessage{.bytes = 40, .most = 40}},
                                       200);
    ring.run();
    ring.run();
    const auto sent = ring.recorder.sent();
    if (ring.world.size() == 1) {
      EXPECT_TRUE(sent.empty()) << "to itself nothing travels";
      return;
    }
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].name, "ring");
    EXPECT_EQ(sent[0].messages, 2U * 2U);
    EXPECT_EQ(sent[0].bytes, 2U * (240U + 32U + 16U + 48U));
    EXPECT_EQ(sent[0].messages, 2U * planned.messages);
    EXPECT_EQ(sent[0].bytes, 2U * planned.bytes);
  });
}

TEST(ExchangeStreams, MessagesOfNoElementsCome) {
  on_rings({}, [](Ring& ring) {
    ring.describe({{.key = 1, .count = 0}});
    EXPECT_EQ(ring.run(), std::vector<std::size_t>{0});
    ring.describe({{.key = 1, .count = 0, .length = Length::variable}, {.key = 2, .count = 0}});
    EXPECT_EQ(ring.run(), (std::vector<std::size_t>{0, 0}));
    ring.exchange.time_transfers();
    EXPECT_EQ(ring.run(), (std::vector<std::size_t>{0, 0}));
  });
}

TEST(ExchangeStreams, ConnectionsAreMadeOnlyWhereAPatternNeedsMoreRoom) {
  on_rings({.envelope_bytes = 1000}, [](Ring& ring) {
    const auto made = [&ring](const std::vector<Part>& parts) {
      const std::size_t before = ring.exchange.connections();
      ring.describe(parts);
      ring.run();
      return ring.exchange.connections() - before;
    };
    const std::size_t peers = 1;  // with two ranks, next and previous are the same
    EXPECT_EQ(made({{.key = 1, .count = 100}}), peers);
    const std::size_t memory = ring.exchange.memory_bytes();
    EXPECT_EQ(made({{.key = 1, .count = 100}}), 0U) << "the same";
    EXPECT_EQ(made({{.key = 4, .count = 20}, {.key = 5, .count = 30}}), 0U) << "less";
    EXPECT_EQ(made({}), 0U) << "nothing";
    EXPECT_EQ(ring.exchange.memory_bytes(), memory);
    EXPECT_EQ(made({{.key = 1, .count = 101}}), peers) << "longer: now with room for twice as much as before";
    EXPECT_GE(ring.exchange.memory_bytes(), 2 * memory);
    EXPECT_EQ(made({{.key = 1, .count = 200}}), 0U);
    EXPECT_EQ(made({{.key = 1, .count = 200}, {.key = 2, .count = 200}}), peers) << "a second envelope under way";
    EXPECT_EQ(made({{.key = 1, .count = 200}, {.key = 2, .count = 200}, {.key = 3, .count = 200}}), 0U)
        << "a third uses the slot of the first";
  });
}

TEST(ExchangeStreams, TransfersAreTimed) {
  on_rings({}, [](Ring& ring) {
    ring.describe({{.key = 1, .count = 10}, {.key = 2, .count = 100'000}});
    ring.exchange.time_transfers();
    for (int turn = 0; turn < 20; ++turn) ring.run();
    ring.scheduler.settle();
    for (const trace::Transfer& transfer : ring.recorder.track(0).transfers()) EXPECT_GT(transfer.alone_s, 0.0);
  });
}

TEST(ExchangeStreams, TasksOfAPeerAreNamedByDirection) {
  on_rings({}, [](Ring& ring) {
    ring.describe({{.key = 1, .count = 10}, {.key = 2, .count = 10}, {.key = 3, .count = 100'000}});
    const auto ranks = static_cast<std::uint32_t>(ring.world.size());
    const comm::RankId next{(number(ring.world.rank()) + 1) % ranks};
    ASSERT_EQ(ring.tasks.send.size(), 1U);
    ASSERT_EQ(ring.tasks.receive.size(), 1U);
    EXPECT_EQ(ring.tasks.send[0].peer, next);
    EXPECT_EQ(ring.tasks.send[0].tasks.size(), 4U + 1U) << "open, pack, pack, post; send";
    EXPECT_EQ(ring.tasks.receive[0].tasks.size(), 4U + 2U) << "arrive, unpack, unpack, grant; arrive, unpack";
    EXPECT_EQ(ring.tasks.all().size(), 11U);
    EXPECT_EQ(ring.graph->size(), 11U);
  });
}

}  // namespace
}  // namespace streams_test
}  // namespace tacit::exchange
