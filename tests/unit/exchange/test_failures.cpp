// What ends a run, or forbids one: packs that go wrong, ranks that are lost, calls in the wrong order.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi/socket_bootstrap.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "unit/exchange/words.hpp"

namespace tacit::exchange {
namespace failures_test {
namespace {

using testing::rank_name;
using testing::words_of;
using testing::words_on_ranks;
using PackOfDoubles = std::function<std::size_t(tasks::StepContext&, std::span<double>)>;

/// Every rank sends two messages of four doubles, in one envelope, to the next one; the second is packed by `pack`.
void run_ring(comm::Communicator& world, Length length, const PackOfDoubles& pack, std::uint64_t steps = 1) {
  const auto own = number(world.rank());
  const auto ranks = static_cast<std::uint32_t>(world.size());
  trace::Recorder recorder(2, 64);
  tasks::Scheduler scheduler(2, recorder);
  scheduler.attach(world.completions());
  struct Detach {
    tasks::Scheduler& from;
    base::CompletionSource& what;
    ~Detach() { from.detach(what); }
  };
  const Detach detach{scheduler, world.completions()};
  tasks::Graph graph;
  const auto ghosts = graph.add_datum();
  Exchange exchange(world);
  Messages messages;
  for (const std::uint32_t key : {5U, 7U}) {
    const Message to{.peer = comm::RankId{(own + 1) % ranks}, .key = key, .count = 4, .length = length};
    const Message from{.peer = comm::RankId{(own + ranks - 1) % ranks}, .key = key, .count = 4, .length = length};
    messages.send<double>(to, {}, [key, &pack](tasks::StepContext& step, std::span<double> memory) {
      return key == 7 ? pack(step, memory) : memory.size();
    });
    messages.receive<double>(from, tasks::writes(ghosts), [](tasks::StepContext&, std::span<const double>) {});
  }
  exchange.add(graph, "halo", std::move(messages));
  exchange.connect();
  tasks::Activation all = graph.activate_all();
  tasks::StepContext step;
  for (step.step = 0; step.step < steps; ++step.step) scheduler.run(graph, all, step);
}

/// The same on one rank.
std::string words_of_ring(Length length, const PackOfDoubles& pack) {
  return words_on_ranks(1, [&](comm::Communicator& world) { run_ring(world, length, pack); })[0];
}

TEST(ExchangeFailures, APackThatReturnsTooMuchIsNamed) {
  const auto five = [](tasks::StepContext&, std::span<double>) { return std::size_t{5}; };
  EXPECT_EQ(words_of_ring(Length::variable, five),
            "PreconditionError: message 7 of phase 'halo' to rank 0 has room for 4 elements of float64, 5 were packed");
}

TEST(ExchangeFailures, APackThatReturnsTooLittleIsNamedWhereTheLengthIsFixed) {
  const auto three = [](tasks::StepContext&, std::span<double>) { return std::size_t{3}; };
  EXPECT_EQ(words_of_ring(Length::fixed, three),
            "PreconditionError: message 7 of phase 'halo' to rank 0 has room for 4 elements of float64, 3 were packed");
  EXPECT_EQ(words_of_ring(Length::variable, three), "nothing");
}

TEST(ExchangeFailures, APackThatThrowsIsNamed) {
  const auto refuse = [](tasks::StepContext&, std::span<double>) -> std::size_t {
    throw base::Error("there is no rim");
  };
  EXPECT_EQ(words_of_ring(Length::fixed, refuse), "error: there is no rim\n  in task halo pack[0]");
}

// ---- processes -----------------------------------------------------------------------------------------------------

// Ranks that are threads of one process do not watch each other.

/// Two ranks, of which the other one is a process of its own that does something while it packs in step 5.
struct Outcome {
  std::string words;
  pid_t other = 0;
  int status = 0;  ///< of the other process, as of waitpid
};
Outcome run_with(const std::function<void()>& fails) {
  auto sockets = comm::testing::connect_all(2);
  const auto run = [&](std::uint32_t rank, const PackOfDoubles& pack) {
    comm::Communicator world(std::make_unique<comm::testing::SocketBootstrap>(comm::RankId{rank}, sockets[rank]),
                             comm::testing::patient);
    run_ring(world, Length::fixed, pack, 1'000'000);
  };
  Outcome outcome{.words = {}, .other = fork()};
  if (outcome.other == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const std::string words = words_of([&] {
      run(1, [&](tasks::StepContext& step, std::span<double> to) {
        if (step.step == 5) fails();
        return to.size();
      });
    });
    std::_Exit(words == "error: there is no rim\n  in task halo pack[0]" ? 17 : 18);
  }
  close(sockets[1][0]);
  outcome.words = words_of([&] { run(0, [](tasks::StepContext&, std::span<double> to) { return to.size(); }); });
  waitpid(outcome.other, &outcome.status, 0);
  return outcome;
}

std::string lost_words(pid_t other, const char* fate) {
  return fmt::format(
      "error: comm: {}: {}, process {}, {}, while we waited for message 6 of receive window 0 (64 B at most) of "
      "connection 0 of key {} with {} through shm\n  in task halo arrive[1]",
      rank_name(0), rank_name(1), other, fate, Options{}.key, rank_name(1));
}

TEST(ExchangeFailures, ARankThatDiesInARunIsNamed) {
  const Outcome outcome = run_with([] { kill(getpid(), SIGKILL); });
  ASSERT_TRUE(WIFSIGNALED(outcome.status)) << "it was to be killed";
  EXPECT_EQ(outcome.words, lost_words(outcome.other, "has died"));
}

TEST(ExchangeFailures, ARankWhosePackThrowsIsNamedByTheOther) {
  const Outcome outcome = run_with([] { throw base::Error("there is no rim"); });
  ASSERT_TRUE(WIFEXITED(outcome.status));
  EXPECT_EQ(WEXITSTATUS(outcome.status), 17) << "else it says something else";
  EXPECT_EQ(outcome.words, lost_words(outcome.other, "has ended with an error"));
}

// ---- calls in the wrong order --------------------------------------------------------------------------------------

std::string words_alone(const std::function<void(comm::Communicator&)>& function) {
  return words_on_ranks(1, function)[0];
}

Messages one_message(comm::RankId peer) {
  Messages messages;
  messages.send<double>({.peer = peer, .key = 3, .count = 2}, {}, [](tasks::StepContext&, std::span<double>) {});
  return messages;
}

TEST(ExchangeFailures, AMessageIsNamedTwice) {
  EXPECT_EQ(words_alone([](comm::Communicator& world) {
              tasks::Graph graph;
              Exchange exchange(world);
              Messages messages = one_message(comm::RankId{0});
              messages.send<float>({.peer = comm::RankId{0}, .key = 3, .count = 1}, {},
                                   [](tasks::StepContext&, std::span<float>) {});
              exchange.add(graph, "halo", std::move(messages));
            }),
            "PreconditionError: phase 'halo' has two messages 3 with rank 0");
}

TEST(ExchangeFailures, ARankThatDoesNotExist) {
  EXPECT_EQ(words_alone([](comm::Communicator& world) {
              tasks::Graph graph;
              Exchange exchange(world);
              exchange.add(graph, "halo", one_message(comm::RankId{2}));
            }),
            "PreconditionError: phase 'halo' names rank 2, there are 1 ranks");
}

TEST(ExchangeFailures, TwoGraphs) {
  EXPECT_EQ(words_alone([](comm::Communicator& world) {
              tasks::Graph graph, other;
              Exchange exchange(world);
              exchange.add(graph, "halo", Messages{});
              exchange.add(other, "halo", Messages{});
            }),
            "PreconditionError: an exchange has one graph until clear()");
}

TEST(ExchangeFailures, NoSlots) {
  EXPECT_EQ(words_alone([](comm::Communicator& world) { Exchange exchange(world, {.slots = 0}); }),
            "PreconditionError: an exchange needs a slot");
}

TEST(ExchangeFailures, ARunOrTimesBeforeConnect) {
  const auto before = [](bool times) {
    return words_alone([times](comm::Communicator& world) {
      trace::Recorder recorder(1, 64);
      tasks::Scheduler scheduler(1, recorder);
      tasks::Graph graph;
      Exchange exchange(world);
      exchange.add(graph, "halo", one_message(comm::RankId{0}));
      if (times) exchange.time_transfers();
      scheduler.run(graph, graph.activate_all(), {});
    });
  };
  EXPECT_EQ(before(true), "PreconditionError: transfers are timed after connect()");
  EXPECT_EQ(before(false),
            "PreconditionError: an exchange runs before connect() was called, or after an add() behind it");
}

/// One rank with a scheduler, on which messages go to itself.
std::string words_of_runs(const std::function<void(comm::Communicator&, tasks::Scheduler&)>& function) {
  return words_alone([&function](comm::Communicator& world) {
    trace::Recorder recorder(2, 64);
    tasks::Scheduler scheduler(2, recorder);
    scheduler.attach(world.completions());
    struct Detach {
      tasks::Scheduler& from;
      base::CompletionSource& what;
      ~Detach() { from.detach(what); }
    };
    const Detach detach{scheduler, world.completions()};
    function(world, scheduler);
  });
}

TEST(ExchangeFailures, APhaseThatIsAddedLaterIsNotRunUnconnected) {
  EXPECT_EQ(words_of_runs([](comm::Communicator& world, tasks::Scheduler& scheduler) {
              tasks::Graph graph;
              Exchange exchange(world);
              const auto add = [&](std::size_t count) {
                const Message message{.peer = comm::RankId{0}, .key = 1, .count = count};
                Messages messages;
                messages.send<double>(message, {}, [](tasks::StepContext&, std::span<double>) {});
                messages.receive<double>(message, {}, [](tasks::StepContext&, std::span<const double>) {});
                exchange.add(graph, "halo", std::move(messages));
              };
              add(2);
              exchange.connect();
              scheduler.run(graph, graph.activate_all(), {});
              add(1000);
              scheduler.run(graph, graph.activate_all(), {});
            }),
            "PreconditionError: an exchange runs before connect() was called, or after an add() behind it");
}

/// Messages of 100 kB, of which each travels alone, from a rank to itself.
/// @return the number of runs
int send_long_messages(comm::Communicator& world, tasks::Scheduler& scheduler, std::uint32_t messages,
                       std::uint32_t slots, bool to_the_same) {
  tasks::Graph graph;
  Exchange exchange(world, {.slots = slots});
  const auto u = graph.add_datum();
  const auto ghosts = to_the_same ? u : graph.add_datum();
  Messages halo;
  for (std::uint32_t key = 0; key < messages; ++key) {
    const Message message{.peer = comm::RankId{0}, .key = key, .count = 100'000};
    halo.send<char>(message, tasks::reads(u),
                    [](tasks::StepContext&, std::span<char> to) { std::ranges::fill(to, 'x'); });
    halo.receive<char>(message, tasks::writes(ghosts), [](tasks::StepContext&, std::span<const char>) {});
  }
  exchange.add(graph, "halo", std::move(halo));
  exchange.connect();
  tasks::Activation all = graph.activate_all();
  int runs = 0;
  for (; runs < 3; ++runs) scheduler.run(graph, all, {});
  return runs;
}

TEST(ExchangeFailures, UnpackingThatWouldWaitForPackingIsRefused) {
  const auto words_of = [](std::uint32_t messages, std::uint32_t slots, bool to_the_same) {
    return words_of_runs([=](comm::Communicator& world, tasks::Scheduler& scheduler) {
      EXPECT_EQ(send_long_messages(world, scheduler, messages, slots, to_the_same), 3);
    });
  };
  EXPECT_EQ(words_of(4, 2, true), "nothing");
  EXPECT_EQ(words_of(5, 3, true), "nothing");
  EXPECT_EQ(words_of(9, 1, false), "nothing");
  EXPECT_EQ(words_of(5, 2, true),
            "PreconditionError: phase 'halo' sends 5 envelopes to rank 0, 4 may be under way, and it unpacks to data "
            "that it also packs from: unpacking would wait for packing, and packing for room; declare data of their "
            "own for what is received, or take 3 slots");
}

TEST(ExchangeFailures, ARunBehindOneThatFailedIsRefused) {
  for (const bool reduces : {false, true}) {
    EXPECT_EQ(words_of_runs([reduces](comm::Communicator& world, tasks::Scheduler& scheduler) {
                tasks::Graph graph;
                Exchange exchange(world);
                Reduction sums(world, {.counts = 1});
                bool throws = true;
                graph.add("throw", {}, [&throws](tasks::StepContext&) {
                  if (throws) throw base::Error("no more");
                });
                if (reduces) {
                  sums.add(graph, "sums", {});
                } else {
                  Messages messages;
                  const Message message{.peer = comm::RankId{0}, .key = 1, .count = 2};
                  messages.send<double>(message, {}, [](tasks::StepContext&, std::span<double>) {});
                  messages.receive<double>(message, {}, [](tasks::StepContext&, std::span<const double>) {});
                  exchange.add(graph, "halo", std::move(messages));
                  exchange.connect();
                }
                tasks::Activation all = graph.activate_all();
                EXPECT_THROW(scheduler.run(graph, all, {}), base::Error);
                EXPECT_TRUE(graph.has_failed());
                throws = false;
                scheduler.run(graph, all, {});
              }),
              reduces ? "nothing"  // one rank alone communicates nothing
                      : "PreconditionError: an exchange runs after a run of its graph ended with an error: messages "
                        "of different runs could meet; a new exchange, on all ranks, has none of them");
  }
}

TEST(ExchangeFailures, AMessageThatIsLongerThanAnyMemory) {
  EXPECT_EQ(words_alone([](comm::Communicator& world) {
              tasks::Graph graph;
              Exchange exchange(world);
              Messages messages;
              messages.send<double>({.peer = comm::RankId{0}, .count = std::size_t{1} << 61U}, {},
                                    [](tasks::StepContext&, std::span<double>) {});
              exchange.add(graph, "halo", std::move(messages));
            }),
            "error: 2305843009213693952 elements of 8 B are longer than any memory: 2^48 B at most");
}

}  // namespace
}  // namespace failures_test
}  // namespace tacit::exchange
