// Windows in a step: nothing is allocated, tasks wait for messages, late grants do not block.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/under_sanitizer.hpp"
#include "tacit/comm/detail/copy_choice.hpp"
#include "tacit/comm/window.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/ranks.hpp"
#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
#include "support/count_allocations.hpp"
#endif

namespace tacit::comm::testing {
namespace {

RankId other_rank(const Communicator& world) { return RankId{1 - number(world.rank())}; }

#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
TEST(CommWindows, AStepAllocatesNothing) {
  on_ranks(2, [](Communicator& world) {
    Connection connection(world, {.rank = other_rank(world)});
    SendWindow<double> send(connection, 5000);
    RecvWindow<double> receive(connection, 5000);
    std::array<base::Completion, 4> ends;
    const auto step = [&](std::size_t count) {
      send.post(count);  // before the grant, as may happen
      receive.init();
      static_cast<void>(receive.wait());
      send.wait();
      receive.init();
      receive.await(base::Token{1});
      send.post(count);
      send.await(base::Token{2});
      std::size_t open = 2;
      Backoff backoff(Processors::shared, 60.0);
      while (open > 0 && backoff.pause()) open -= world.completions().poll(ends);
      EXPECT_EQ(open, 0U);
    };
    step(5000);
    world.synchronise();
    static std::atomic<std::size_t> before;  // one count for both threads
    before = test::allocations.load();
    world.synchronise();
    const std::size_t after_synchronising = test::allocations.load();
    for (std::size_t i = 0; i < 100; ++i) step(50 * i);
    // The other rank may still be synchronising when this one begins: then it allocates its messages, a few of them.
    const std::size_t during = test::allocations.load() - after_synchronising;
    EXPECT_LE(during, 50U) << "one allocation in each of 100 steps would show";
    world.synchronise();
  });
}
#endif

TEST(CommWindows, MoveWithTheirMessages) {
  on_ranks(1, [](Communicator& world) {
    Connection connection(world, {.rank = RankId{0}});
    std::vector<SendWindow<int>> send;
    std::vector<RecvWindow<int>> receive;
    for (int i = 0; i < 10; ++i) {
      send.emplace_back(connection, 4);
      receive.emplace_back(connection, 4);
    }
    for (std::size_t i = 0; i < send.size(); ++i) {
      receive[i].init();
      send[i].data()[3] = static_cast<int>(i);
      send[i].post();
    }
    for (std::size_t i = 0; i < send.size(); ++i) EXPECT_EQ(receive[i].wait()[3], static_cast<int>(i));
  });
}

TEST(CommWindows, MemoryOfTheUserIsUsedInPlace) {
  on_ranks(2, [](Communicator& world) {
    Connection connection(world, {.rank = other_rank(world)});
    std::vector<float> out(1000, 1.5F + static_cast<float>(number(world.rank())));
    std::vector<float> in(1000);
    SendWindow<float> send(connection, std::span<const float>(out));
    RecvWindow<float> receive(connection, std::span<float>(in));
    receive.init();
    send.post(10);
    const auto message = receive.wait();
    EXPECT_EQ(message.data(), in.data());
    EXPECT_EQ(message.size(), 10U);
    EXPECT_EQ(in[9], 1.5F + static_cast<float>(number(other_rank(world))));
    EXPECT_EQ(in[10], 0.0F);
    send.wait();
  });
}

TEST(CommWindows, TasksWaitForMessages) {
  on_ranks(2, [](Communicator& world) {
    Connection connection(world, {.rank = other_rank(world)});
    SendWindow<std::uint32_t> send(connection, 1000);
    RecvWindow<std::uint32_t> receive(connection, 1000);
    trace::Recorder recorder(1);
    tasks::Scheduler scheduler(1, recorder);
    scheduler.attach(world.completions());
    tasks::Graph graph;
    const auto outgoing = graph.add_datum();
    const auto incoming = graph.add_datum();
    std::uint32_t turn = 0;
    std::vector<std::uint32_t> seen;
    graph.add(graph.kind("fill"), tasks::writes(outgoing),
              [&](tasks::StepContext& /*step*/) { send.data()[999] = 10 * turn + number(world.rank()); });
    graph.add(graph.kind("send"), tasks::reads(outgoing), [&](tasks::StepContext& step) {
      send.post();
      send.await(step.await(world.completions()));
    });
    graph.add(graph.kind("receive"), tasks::writes(incoming), [&](tasks::StepContext& step) {
      receive.init();
      receive.await(step.await(world.completions()));
    });
    graph.add(graph.kind("use"), tasks::reads(incoming),
              [&](tasks::StepContext& /*step*/) { seen.push_back(receive.message()[999]); });
    tasks::Activation all = graph.activate_all();
    for (turn = 0; turn < 50; ++turn) scheduler.run(graph, all, {});
    ASSERT_EQ(seen.size(), 50U);
    for (std::uint32_t i = 0; i < 50; ++i) EXPECT_EQ(seen[i], 10 * i + number(other_rank(world)));
    EXPECT_EQ(recorder.exposure().transfers, 100U);
    scheduler.detach(world.completions());
    world.synchronise();
  });
}

TEST(CommWindows, WhatIsAwaitedCanBeDescribedAndCancelled) {
  on_ranks(1, [](Communicator& world) {
    Connection connection(world, {.rank = RankId{0}});
    SendWindow<double> send(connection, 2);
    RecvWindow<double> receive(connection, 2);
    receive.init();
    receive.await(base::Token{7});
    const std::string text = world.completions().describe(base::Token{7});
    EXPECT_EQ(text, "message 1 of receive window 0 (16 B at most) of connection 0 with " + describe(world.own()) +
                        " through self");
    world.completions().cancel(base::Token{7});
    send.post();
    std::array<base::Completion, 1> ends;
    EXPECT_EQ(world.completions().poll(ends), 0U);
    EXPECT_TRUE(receive.test()) << "the grant holds, so the message came";
  });
}

TEST(CommWindows, WindowsWithMessagesUnderWayCanBeDestroyed) {
  on_ranks(1, [](Communicator& world) {
    Connection connection(world, {.rank = RankId{0}});
    {
      SendWindow<double> send(connection, 2000);
      RecvWindow<double> receive(connection, 2000);
      send.post();  // not granted: it is listed
      std::array<base::Completion, 1> ends;
      EXPECT_EQ(world.completions().poll(ends), 0U);
    }
    std::array<base::Completion, 1> ends;
    EXPECT_EQ(world.completions().poll(ends), 0U);
  });
}

// ---- prepare() -----------------------------------------------------------------------------------------------------

/// Byte i of a message.
std::uint8_t byte_of(std::size_t turn, std::size_t i) { return static_cast<std::uint8_t>(31 * turn + 7 * i + 1); }

/// A window in each direction to the other rank, or to this one where it is alone.
struct Pair {
  Pair(Communicator& world, std::size_t capacity, std::uint32_t depth = 1)
      : connection(world, {.rank = world.size() == 1 ? RankId{0} : other_rank(world)}),
        send(connection, capacity, WindowOptions{.depth = depth}),
        receive(connection, capacity, WindowOptions{.depth = depth}) {}
  static void fill(std::span<std::uint8_t> memory, std::size_t turn, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) memory[i] = byte_of(turn, i);
  }
  /// Takes a message and looks at each byte.
  void take(std::size_t turn, std::size_t count) {
    const std::span<const std::uint8_t> message = receive.wait();
    ASSERT_EQ(message.size(), count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(message[i], byte_of(turn, i)) << "byte " << i;
  }
  Connection connection;
  SendWindow<std::uint8_t> send;
  RecvWindow<std::uint8_t> receive;
};

TEST(CommPreparedWindows, AreFilledInPlaceWhereGranted) {
  for (const std::size_t ranks : {1U, 2U}) {
    for (const std::size_t capacity : {1U, 32U, 96U, 97U, 70'000U}) {  // up to 96 B lie beside the flag
      on_ranks(ranks, [&](Communicator& world) {
        Pair pair(world, capacity);
        for (std::size_t turn = 0; turn < 5; ++turn) {
          pair.receive.init();
          world.synchronise();  // the grants of all are seen
          const std::span<std::uint8_t> memory = pair.send.prepare();
          EXPECT_EQ(memory.size(), capacity);
          const bool is_copied = ranks > 1 && capacity >= detail::CopyChoice::long_message;  // the first are trials
          EXPECT_EQ(memory.data() == pair.send.data().data(), is_copied);
          EXPECT_EQ(pair.send.prepare().data(), memory.data()) << "once granted it stays";
          const std::size_t count = turn * capacity / 4;
          Pair::fill(memory, turn, count);
          pair.send.post(count);
          pair.take(turn, count);
          if (ranks == 1) {
            EXPECT_EQ(pair.receive.message().data(), memory.data()) << "nothing is copied";
          }
          pair.send.wait();
        }
      });
    }
  }
}

TEST(CommPreparedWindows, AreThoseOfDataWhereNotGranted) {
  for (const std::size_t ranks : {1U, 2U}) {
    for (const std::size_t capacity : {1U, 96U, 97U, 70'000U}) {
      on_ranks(ranks, [&](Communicator& world) {
        Pair pair(world, capacity);
        for (std::size_t turn = 0; turn < 5; ++turn) {
          const std::span<std::uint8_t> memory = pair.send.prepare();
          EXPECT_EQ(memory.data(), pair.send.data().data());
          Pair::fill(memory, turn, capacity);
          pair.send.post();
          EXPECT_FALSE(pair.send.test()) << "not granted";
          world.synchronise();
          pair.receive.init();
          pair.take(turn, capacity);
          pair.send.wait();
          world.synchronise();
        }
      });
    }
  }
}

TEST(CommPreparedWindows, TakeTurnsWithData) {
  for (const std::uint32_t depth : {1U, 2U, 3U}) {
    for (const std::size_t capacity : {96U, 5000U}) {
      on_ranks(2, [&](Communicator& world) {
        Pair pair(world, capacity, depth);
        std::size_t granted = 0;
        for (std::size_t turn = 0; turn < 60; ++turn) {
          // Sometimes ahead of the grant, sometimes behind it.
          const bool is_ahead = turn % 5 == 0;
          while (!is_ahead && granted < turn + depth) {
            pair.receive.init();
            ++granted;
          }
          const std::size_t count = turn * 37 % (capacity + 1);
          Pair::fill(turn % 3 == 0 ? pair.send.data() : pair.send.prepare(), turn, count);
          pair.send.post(count);
          while (granted < turn + depth) {
            pair.receive.init();
            ++granted;
          }
          pair.take(turn, count);
          pair.send.wait();
        }
        world.synchronise();
      });
    }
  }
}

TEST(CommPreparedWindows, OfAnyLengthArriveWhicheverWayTheyAreCopied) {
  constexpr std::size_t capacity = 50'000;
  on_ranks(2, [](Communicator& world) {
    Pair pair(world, capacity);
    for (std::size_t turn = 0; turn < 1100; ++turn) {  // more than a round of trials
      const std::size_t count = turn % 7 == 0 ? turn : 32'766 + turn % 5 + 100 * (turn % 11);
      pair.receive.init();
      world.synchronise();  // the grants of all are seen
      const std::span<std::uint8_t> memory = pair.send.prepare(count);
      EXPECT_EQ(memory.size(), count);
      if (count < detail::CopyChoice::long_message) {
        EXPECT_NE(memory.data(), pair.send.data().data());
      }
      Pair::fill(memory, turn, count);
      pair.send.post(count);
      pair.take(turn, count);
      pair.send.wait();
    }
    pair.receive.init();
    world.synchronise();
    Pair::fill(pair.send.prepare(10), 1, 10);
    Pair::fill(pair.send.prepare(40'000), 2, 40'000);  // after all
    pair.send.post(40'000);
    pair.take(2, 40'000);
    pair.send.wait();
  });
}

/// Ticks that a byte takes by each way.
struct Costs {
  std::int64_t through = 0;
  std::int64_t past = 0;
  std::int64_t fetched = 0;
};

/// By which way each of some messages goes: T, P, F in trials, else t, p, f.
std::string ways(detail::CopyChoice& choice, std::size_t messages, const Costs& costs) {
  constexpr std::size_t bytes = 100;
  std::string taken;
  std::int64_t now = 0;
  for (std::size_t i = 0; i < messages; ++i) {
    const bool is_trial = choice.is_trying();
    if (choice.way() == detail::Way::left) {
      taken += is_trial ? 'F' : 'f';
      choice.note_fetched(bytes, [&] { return static_cast<std::int64_t>(bytes) * costs.fetched; });
      continue;
    }
    choice.copy(
        bytes,
        [&](bool past_caches) {
          taken += is_trial ? (past_caches ? 'P' : 'T') : (past_caches ? 'p' : 't');
          now += static_cast<std::int64_t>(bytes) * (past_caches ? costs.past : costs.through);
        },
        [&now] { return now; });
  }
  return taken;
}

TEST(CommCopyChoice, PrefersWhatTrialsSayUntilTheNextOnes) {
  detail::CopyChoice choice;
  const std::string trials = "TTTTPPPP";
  EXPECT_EQ(ways(choice, 1024, {9, 2}), trials + std::string(1016, 'p'));
  EXPECT_EQ(ways(choice, 1024, {8, 2}), trials + std::string(1016, 't')) << "reading from memory is dearer";
  EXPECT_EQ(ways(choice, 10, {9, 2}), trials + "pp");
  for (std::size_t i = 10; i < 1024; ++i) choice.count();
  EXPECT_TRUE(choice.is_trying());
  EXPECT_EQ(ways(choice, 10, {1, 2}), trials + "tt");
}

TEST(CommCopyChoice, LeavesWhatIsFetchedFaster) {
  detail::CopyChoice choice(true);
  const std::string trials = "TTTTPPPPFFFF";
  EXPECT_EQ(ways(choice, 1024, {9, 3, 8}), trials + std::string(1012, 'f'));
  EXPECT_EQ(ways(choice, 1024, {9, 3, 9}), trials + std::string(1012, 't'));
  EXPECT_EQ(ways(choice, 1024, {9, 2, 8}), trials + std::string(1012, 'p')) << "what is fetched has been read";
  EXPECT_EQ(ways(choice, 1024, {9, 2, 7}), trials + std::string(1012, 'f'));
  EXPECT_EQ(choice.patience(1000), 1000) << "nothing is known of this period";
  EXPECT_EQ(ways(choice, 12, {9, 3, 2}), trials);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(choice.way(), detail::Way::left) << "receivers may be late now and then";
    choice.note_late();
  }
  EXPECT_EQ(ways(choice, 1008, {9, 3, 2}), std::string(1008, 't')) << "but not most of the time";
  EXPECT_EQ(ways(choice, 13, {9, 3, 2}), trials + 'f');
}

TEST(CommCopyChoice, TakesNoTrialByItself) {
  // The first uses of slots after the other way are slow, and so may be any one that another program interrupts.
  detail::CopyChoice choice;
  std::int64_t now = 0;
  std::string taken;
  for (int i = 0; i < 12; ++i) {
    choice.copy(
        1,
        [&](bool past_caches) {
          taken += past_caches ? 'p' : 't';
          const bool is_slow = i == 0 || i == 1 || i == 3 || i == 4 || i == 6;
          now += is_slow ? 1000 : (past_caches ? 2 : 7);
        },
        [&now] { return now; });
  }
  EXPECT_EQ(taken, "ttttpppptttt");
}

constexpr std::size_t left_bytes = 40'000;  // so long that messages are left at the sender: trials, at least

TEST(CommLeftMessages, AreSentWithoutTheReceiversWait) {
  on_ranks(2, [](Communicator& world) {
    Pair pair(world, left_bytes);
    for (std::size_t turn = 0; turn < 40; ++turn) {  // all trials, and what follows
      pair.receive.init();
      world.synchronise();
      Pair::fill(pair.send.data(), turn, left_bytes);
      pair.send.post();
      pair.send.wait();
      std::ranges::fill(pair.send.data(), std::uint8_t{255});  // it is the sender's again
      world.synchronise();                                     // neither takes a message before both have waited
      pair.take(turn, left_bytes);
    }
  });
}

TEST(CommLeftMessages, ArriveThoughTheirWindowIsGone) {
  for (std::size_t last = 0; last < 14; ++last) {  // any trial, and what follows
    on_ranks(2, [&](Communicator& world) {
      Connection connection(world, {.rank = other_rank(world)});
      auto send = std::make_unique<SendWindow<std::uint8_t>>(connection, left_bytes);
      RecvWindow<std::uint8_t> receive(connection, left_bytes);
      for (std::size_t turn = 0; turn <= last; ++turn) {
        receive.init();
        world.synchronise();
        Pair::fill(send->data(), turn, left_bytes);
        send->post();
        if (turn == last) send.reset();
        const std::span<const std::uint8_t> message = receive.wait();
        for (std::size_t i = 0; i < left_bytes; ++i) ASSERT_EQ(message[i], byte_of(turn, i)) << "byte " << i;
        if (send) send->wait();
      }
    });
  }
}

// Rows of any length, to places that are aligned to nothing.
TEST(CommLayout, GathersPastCachesAsThroughThem) {
  std::vector<std::byte> from(70'000);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = std::byte{byte_of(3, i)};
  for (const std::size_t block : {1U, 15U, 64U, 65U, 512U, 8000U}) {
    for (const std::size_t shift : {0U, 1U, 16U, 63U}) {
      const Layout rows{.data = from.data(), .blocks = 8, .block = block, .stride = block + 24};
      for (const std::size_t bytes : {std::size_t{0}, block / 2, 3 * block + 1, rows.bytes()}) {
        if (bytes > rows.bytes()) continue;
        std::vector<std::byte> plain(shift + rows.bytes() + 1);
        std::vector<std::byte> streamed = plain;
        gather(rows, bytes, plain.data() + shift);
        gather_past_caches(rows, bytes, streamed.data() + shift);
        EXPECT_EQ(streamed, plain) << block << " B from " << shift << ": " << bytes;
      }
    }
  }
}

// As window.hpp says: what prepare() returned last is sent, so that data() is not for messages that were prepared.
TEST(CommPreparedWindows, SendWhatWasPreparedLast) {
  on_ranks(1, [](Communicator& world) {
    Pair pair(world, 200);
    const std::span<std::uint8_t> early = pair.send.prepare();  // before the grant
    Pair::fill(early, 1, 200);
    pair.receive.init();
    const std::span<std::uint8_t> late = pair.send.prepare();
    ASSERT_NE(early.data(), late.data());
    Pair::fill(late, 2, 200);
    Pair::fill(pair.send.data(), 3, 200);
    pair.send.post();
    pair.take(2, 200);
    pair.send.wait();
    pair.receive.init();
    Pair::fill(pair.send.data(), 4, 200);  // for one post alone
    pair.send.post();
    pair.take(4, 200);
  });
}

}  // namespace
}  // namespace tacit::comm::testing
