// Every wait ends at its deadline and says for whom and for what it was: one test for each kind of wait.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
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
#include "unit/comm/deadline_words.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {
namespace deadlines {

/// Rank 0 of two waits for what the other one never does.
void expect(
    const std::function<void(Communicator&)>& waits, std::vector<std::string> words,
    const std::function<void(Communicator&)>& other = [](Communicator&) {}) {
  words.insert(words.end(), {"rank 0", "waited D s "});
  expect_words(words, [&](double deadline_s) {
    const auto first = [&](Communicator& world) {
      const base::Stopwatch time;
      const std::string said = complaint([&] { waits(world); });
      return time.seconds() < deadline_s ? "too early: " + said : said;
    };
    return said_by_first({.setup_deadline_s = deadline_s, .deadline_s = deadline_s}, first, other);
  });
}

TEST(CommDeadlines, OfTheStart) {
  auto bootstraps = bootstrap_threads(2);
  const auto start = [&] {
    const Communicator world(std::move(bootstraps[0]), {.setup_deadline_s = shortest_deadline_s});
  };
  EXPECT_EQ(complaint(start), "rank 0: waited 0.3 s for rank 1 to take part in the set-up");
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
  expect_words({"timed out after D s: " + words, "with rank 1"}, [&](double deadline_s) {
    const auto act = [&](Communicator& world) {
      Connection connection(world, {.rank = RankId{1 - number(world.rank())}});
      Out out(connection, 3);
      In in(connection, 3);
      std::string said;
      if (number(world.rank()) == 0) said = complaint([&] { waits(out, in); });
      world.synchronise();
      return said;
    };
    return said_by_first({.setup_deadline_s = 60.0, .deadline_s = deadline_s}, act, act);
  });
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
  const auto codes = [](int of_call, int of_wait) { return fmt::format("{} {} ", of_call, of_wait); };
  const auto act = [&](Communicator& world) {
    tacit_connection connection{nullptr, Connection(world, {.rank = RankId{1 - number(world.rank())}})};
    tacit_send_window* out = nullptr;
    tacit_recv_window* in = nullptr;
    EXPECT_EQ(tacit_send_window_create(&connection, TACIT_DOUBLE, 3, nullptr, 1, &out), TACIT_OK);
    EXPECT_EQ(tacit_recv_window_create(&connection, TACIT_DOUBLE, 3, nullptr, 1, &in), TACIT_OK);
    std::string said;
    if (number(world.rank()) == 0) {
      const int posted = tacit_send_post(out);
      said += codes(posted, tacit_send_wait(out));
      said += tacit_last_error();
      const int ready = tacit_recv_init(in);
      said += ", " + codes(ready, tacit_recv_wait(in));
      said += tacit_last_error();
    }
    world.synchronise();
    EXPECT_EQ(tacit_send_window_free(&out), TACIT_OK);
    EXPECT_EQ(tacit_recv_window_free(&in), TACIT_OK);
    return said;
  };
  const std::string expected = codes(TACIT_OK, TACIT_DEADLINE);
  expect_words(
      {expected, "message 1 of send window 0", ", " + expected, "message 1 of receive window 0"},
      [&](double deadline_s) { return said_by_first({.setup_deadline_s = 60.0, .deadline_s = deadline_s}, act, act); });
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
      const auto first = [&](Communicator& world) {
        const std::string said = complaint([&] { make(world, 1, starts); });
        world.synchronise();
        return said;
      };
      const auto second = [&](Communicator& world) { make(world, 0, starts); };
      expect_words({"timed out after D s: call 2 of all-to-all 0"}, [&](double deadline_s) {
        return said_by_first({.setup_deadline_s = 60.0, .deadline_s = deadline_s}, first, second);
      });
    }
  }
}

}  // namespace deadlines
}  // namespace tacit::comm::testing
