// Every wait ends at its deadline and says for whom and for what it was: one test for each kind of wait.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/comm/buffered.hpp"
#include "tacit/comm/c/handles.hpp"
#include "tacit/comm/cartesian.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/error.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {
namespace deadlines {

/// Long enough for two threads to meet on a machine that others use.
constexpr double short_s = 0.3;

/// Rank 0 of two waits for what the other one never does.
void expect(
    const std::function<void(Communicator&)>& waits, const std::vector<std::string>& words,
    const std::function<void(Communicator&)>& other = [](Communicator&) {}) {
  on_ranks(2,
           [&](Communicator& world) {
             if (number(world.rank()) == 1) return other(world);
             const base::Stopwatch time;
             std::string text = "nothing was thrown";
             try {
               waits(world);
             } catch (const DeadlineError& error) {
               text = error.what();
             }
             EXPECT_GE(time.seconds(), short_s);
             for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
             EXPECT_NE(text.find("rank 0"), std::string::npos) << text;
             EXPECT_NE(text.find("waited 0.3 s "), std::string::npos) << text;
           },
           {.setup_deadline_s = short_s, .deadline_s = short_s});
}

TEST(CommDeadlines, OfTheStart) {
  auto bootstraps = bootstrap_threads(2);
  std::string text;
  try {
    const Communicator world(std::move(bootstraps[0]), {.setup_deadline_s = short_s});
  } catch (const DeadlineError& error) {
    text = error.what();
  }
  EXPECT_EQ(text, "rank 0: waited 0.3 s for rank 1 to take part in the set-up");
}

TEST(CommDeadlines, OfRanksThatMeet) {
  expect([](Communicator& world) { world.synchronise(); }, {"for rank 1 to take part in the set-up"});
  expect([](Communicator& world) { static_cast<void>(world.split(0, 0)); }, {"for rank 1 to take part"});
  expect([](Communicator& world) { static_cast<void>(world.split_by_node()); }, {"for rank 1 to take part"});
  expect(
      [](Communicator& world) {
        AllToAllV<int>(world, std::vector<std::size_t>{1, 1});
      },
      {"for rank 1 to take part"});
}

TEST(CommDeadlines, OfAPart) {
  expect(
      [](Communicator& world) {
        Communicator part = world.split(0, 0);
        part.synchronise();
      },
      {"rank 0 of part", "for rank 1 to take part"}, [](Communicator& world) { static_cast<void>(world.split(0, 0)); });
}

TEST(CommDeadlines, OfConnections) {
  expect(
      [](Communicator& world) {
        const Cartesian grid(world, balanced_grid(2, 1), Boundary::open);
        NeighbourConnections neighbours(world, grid);
        SendWindow<int> out(*neighbours.to(0, Side::high), 3);
        out.post();
      },
      {"for rank 1", "to make window 0 of connection 0", "which receives"});
}

/// Both ranks have made windows in both directions; a wait of rank 0 cannot complete.
template <class Out, class In>
void expect_of_windows(const std::function<void(Out&, In&)>& waits, const std::string& words) {
  on_ranks(2,
           [&](Communicator& world) {
             Connection connection(world, {.rank = RankId{1 - number(world.rank())}});
             Out out(connection, 3);
             In in(connection, 3);
             if (number(world.rank()) == 0) {
               std::string text = "nothing was thrown";
               try {
                 waits(out, in);
               } catch (const DeadlineError& error) {
                 text = error.what();
               }
               EXPECT_NE(text.find("timed out after 0.3 s: " + words), std::string::npos) << text;
               EXPECT_NE(text.find("with rank 1"), std::string::npos) << text;
             }
             world.synchronise();
           },
           {.setup_deadline_s = 60.0, .deadline_s = short_s});
}

TEST(CommDeadlines, OfWindows) {
  using Out = SendWindow<int>;
  using In = RecvWindow<int>;
  expect_of_windows<Out, In>(
      [](Out& out, In&) {
        out.post();
        out.wait();
      },
      "message 1 of send window 0");
  expect_of_windows<Out, In>(
      [](Out&, In& in) {
        in.init();
        in.wait();
      },
      "message 1 of receive window 0");
}

TEST(CommDeadlines, OfBuffers) {
  using Out = BufferedSendWindow<int>;
  using In = BufferedRecvWindow<int>;
  expect_of_windows<Out, In>(
      [](Out& out, In&) {
        out.post();
        out.insert(1);  // the message before is still in the buffer
      },
      "message 1 of send window 0");
  expect_of_windows<Out, In>(
      [](Out&, In& in) {
        in.init();
        in.wait();
      },
      "message 1 of receive window 0");
}

TEST(CommDeadlines, AConnectionThatThePeerHasEndedIsNotWaitedFor) {
  on_ranks(2, [](Communicator& world) {
    const RankId peer{1 - number(world.rank())};
    {
      Connection connection(world, {.rank = peer});
      SendWindow<int> out(connection, 3);
      RecvWindow<int> in(connection, 3);
      if (number(world.rank()) == 0) {
        world.synchronise();  // now it is gone at the other end, and its memory with it
        for (int turn = 0; turn < 2; ++turn) {
          std::string text = "nothing was thrown";
          try {
            in.init();
          } catch (const PeerError& error) {
            text = error.what();
          }
          EXPECT_EQ(text, describe(world.own()) + ": " + describe(world.ranks()[1]) +
                              " has ended connection 0 before it was used");
        }
      }
    }
    if (number(world.rank()) == 1) world.synchronise();
  });
}

TEST(CommDeadlines, OfTheCInterface) {
  on_ranks(2,
           [](Communicator& world) {
             tacit_connection connection{nullptr, Connection(world, {.rank = RankId{1 - number(world.rank())}})};
             tacit_send_window* out = nullptr;
             tacit_recv_window* in = nullptr;
             ASSERT_EQ(tacit_send_window_create(&connection, TACIT_DOUBLE, 3, nullptr, 1, &out), TACIT_OK);
             ASSERT_EQ(tacit_recv_window_create(&connection, TACIT_DOUBLE, 3, nullptr, 1, &in), TACIT_OK);
             if (number(world.rank()) == 0) {
               EXPECT_EQ(tacit_send_post(out), TACIT_OK);
               EXPECT_EQ(tacit_send_wait(out), TACIT_DEADLINE);
               EXPECT_NE(std::string(tacit_last_error()).find("message 1 of send window 0"), std::string::npos);
               EXPECT_EQ(tacit_recv_init(in), TACIT_OK);
               EXPECT_EQ(tacit_recv_wait(in), TACIT_DEADLINE);
               EXPECT_NE(std::string(tacit_last_error()).find("message 1 of receive window 0"), std::string::npos);
             }
             world.synchronise();
             EXPECT_EQ(tacit_send_window_free(&out), TACIT_OK);
             EXPECT_EQ(tacit_recv_window_free(&in), TACIT_OK);
           },
           {.setup_deadline_s = 60.0, .deadline_s = short_s});
}

TEST(CommDeadlines, OfCollectivesThatAreNotMade) {
  for (const Pattern pattern : {Pattern::node_aware, Pattern::flat}) {
    expect([&](Communicator& world) { Barrier(world, {.pattern = pattern}).run(); },
           {"for rank 1", "to make barrier 0"});
    expect([&](Communicator& world) { static_cast<void>(AllToAll<int>(world, 3, {.pattern = pattern}).input()); },
           {"for rank 1", "to make all-to-all 0 of 3 int32"});
  }
}

TEST(CommDeadlines, OfCallsThatAreNotBegun) {
  for (const Pattern pattern : {Pattern::node_aware, Pattern::flat}) {
    const auto make = [&](Communicator& world, int calls, bool starts) {
      AllToAll<int> exchange(world, 3, {.pattern = pattern});
      exchange.run();
      for (int i = 0; i < calls; ++i) {
        static_cast<void>(exchange.input());
        if (starts) {
          exchange.start();
          exchange.wait();
        } else {
          exchange.run();
        }
      }
      if (number(world.rank()) == 1) world.synchronise();  // it is here, and elsewhere
    };
    for (const bool starts : {false, true}) {
      on_ranks(2,
               [&](Communicator& world) {
                 if (number(world.rank()) == 1) return make(world, 0, starts);
                 std::string text = "nothing was thrown";
                 try {
                   make(world, 1, starts);
                 } catch (const DeadlineError& error) {
                   text = error.what();
                 }
                 EXPECT_NE(text.find("timed out after 0.3 s: call 2 of all-to-all 0"), std::string::npos) << text;
                 world.synchronise();
               },
               {.setup_deadline_s = 60.0, .deadline_s = short_s});
    }
  }
}

}  // namespace deadlines
}  // namespace tacit::comm::testing
