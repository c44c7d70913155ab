// A rank that dies or ends with an error while others wait for its answers: all calls end, and name it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi/socket_bootstrap.hpp"
#include "tacit/actions/channel.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::actions::lost_ranks_test {

constexpr std::size_t ranks = 3;
constexpr std::uint32_t victim = 2;
constexpr std::size_t calls = 10'000;
constexpr std::size_t far_calls = 1000;  // of an object that has moved there
enum class End : std::uint8_t { killed, failed };

/// Never answers: what it waits for does not come.
struct Sleeper {
  explicit Sleeper(tasks::Scheduler& scheduler) : promise(scheduler), morning(promise.future()) {}
  tasks::Task<int> sleep() {
    if (++sleeping == 2 * calls) promise_full.set_value();
    co_await morning;
    co_return 0;
  }
  tasks::Promise<void> promise;
  tasks::Future<void> morning;
  std::size_t sleeping = 0;
  tasks::Promise<void> promise_full{morning.state().scheduler()};
  tasks::Future<void> full{promise_full.future()};
};

std::optional<tasks::Promise<void>> far_morning;

/// The same, as an object that moves.
struct Nomad : Movable {
  tasks::Task<int> sleep() {
    co_await far_morning->future();
    co_return 0;
  }
  int number = 0;
};

/// @return  whether all is as it must be
bool call_and_wait(comm::Communicator& world, End end) {
  const std::string name = comm::describe(world.ranks()[victim]);
  trace::Recorder recorder(1);
  tasks::Scheduler scheduler(1, recorder);
  Table table;
  table.add<&Sleeper::sleep>("sleep");
  table.add_channel<int>("numbers");
  table.add_object<Nomad>("nomad");
  table.add<&Nomad::sleep>("nomad: sleep");
  Actions actions(world, scheduler, table);
  const auto own = actions.make<Sleeper>(scheduler);
  far_morning.emplace(scheduler);
  const auto nomad = actions.make<Nomad>();
  world.synchronise();
  const Handle<Nomad> far{comm::RankId{0}, nomad.id};
  if (number(world.rank()) == 0) actions.move(far, comm::RankId{victim}).get();
  actions.quiet();
  if (number(world.rank()) == victim) {
    actions.local(own)->full.get();
    if (end == End::killed) static_cast<void>(raise(SIGKILL));
    far_morning->set_value();
    actions.local(own)->promise.set_value();  // it must not wait for these
    throw base::Error("as planned");
  }
  Channel<int> channel(actions);
  int never = 0;
  tasks::Graph graph;
  graph.add("receive", tasks::writes(graph.add_datum()),
            [&](tasks::StepContext& step) { channel.await(step, 1, never); });
  std::vector<tasks::Future<int>> answers;
  answers.push_back(channel.get(0));
  for (std::size_t i = 0; i < far_calls; ++i) answers.push_back(actions.call<&Nomad::sleep>(far));
  for (std::size_t i = 0; i < calls; ++i) answers.push_back(actions.call<&Sleeper::sleep>({comm::RankId{victim}, 1}));
  const std::size_t waits = answers.size();
  std::size_t right = 0;
  std::string text;
  for (const auto& answer : answers) {
    try {
      static_cast<void>(answer.get());
    } catch (const comm::PeerError& error) {
      text = error.what();
      right += text.find(name.substr(0, name.find(')'))) != std::string::npos ? 1 : 0;
    } catch (const std::exception& error) {
      text = error.what();
    }
  }
  if (right != waits) std::cerr << right << " calls have ended with a PeerError; the last: " << text << std::endl;
  try {
    scheduler.run(graph, graph.activate_all(), {});
    std::cerr << "a task has a value from nowhere" << std::endl;
    return false;
  } catch (const base::SystemError& error) {
    text = error.what();
    if (text.find("task receive") == std::string::npos ||
        text.find(name.substr(0, name.find(')'))) == std::string::npos) {
      std::cerr << "a task that waits for a value ends with: " << text << std::endl;
      return false;
    }
  }
  try {
    actions.quiet();
    std::cerr << "quiet without the rank that is lost" << std::endl;
    return false;
  } catch (const comm::PeerError&) {
    return right == waits;
  }
}

[[noreturn]] void live(std::uint32_t rank, std::vector<int> sockets, End end) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  bool is_right = false;
  try {
    comm::Communicator world(std::make_unique<comm::testing::SocketBootstrap>(comm::RankId{rank}, std::move(sockets)),
                             {.setup_deadline_s = 60.0, .deadline_s = 60.0});
    is_right = call_and_wait(world, end);
  } catch (const std::exception& error) {
    is_right = rank == victim && std::string(error.what()) == "as planned";
    if (!is_right) std::cerr << "rank " << rank << ": " << error.what() << std::endl;
  }
  std::_Exit(is_right ? EXIT_SUCCESS : EXIT_FAILURE);
}

void expect_named(End end) {
  auto sockets = comm::testing::connect_all(ranks);
  std::vector<pid_t> processes;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const pid_t id = fork();
    ASSERT_GE(id, 0);
    if (id == 0) live(rank, sockets[rank], end);
    processes.push_back(id);
  }
  for (const auto& row : sockets) {
    for (const int socket : row) {
      if (socket >= 0) close(socket);
    }
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    int status = 0;
    waitpid(processes[rank], &status, 0);
    const bool is_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    const bool is_right = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
    EXPECT_TRUE(end == End::killed && rank == victim ? is_killed : is_right) << "rank " << rank << ": " << status;
  }
}

TEST(ActionsLostRanks, EndAllCalls) {
  const int times = std::getenv("TACIT_TEST_FULL") != nullptr ? 20 : 1;
  for (int i = 0; i < times; ++i) {
    for (const End end : {End::killed, End::failed}) expect_named(end);
  }
}

}  // namespace tacit::actions::lost_ranks_test
