// A rank that dies or ends with an error while elements migrate is named by the others.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "mpi/socket_bootstrap.hpp"
#include "tacit/comm/error.hpp"
#include "unit/exchange/travellers.hpp"

namespace tacit::exchange::lost_ranks_test {

constexpr std::size_t ranks = 3;
constexpr std::uint32_t victim = 2;
constexpr std::uint64_t count = 2000;
enum class End : std::uint8_t { killed, failed };

/// Travels until the victim ends; the others go on for ever.
void travel(comm::Communicator& world, End end, testing::Neighbours kind) {
  trace::Recorder recorder(1);
  tasks::Scheduler scheduler(1, recorder);
  Migration<testing::Traveller> migration(world, scheduler, testing::neighbours_of(kind, world),
                                          {.round_bytes = 2000, .far_bytes = 6000});
  std::vector<testing::Traveller> mine = testing::born_on(world.rank(), ranks, count);
  for (std::uint64_t turn = 1;; ++turn) {
    if (turn == 5 && number(world.rank()) == victim) {
      if (end == End::failed) throw base::Error("as planned");
      static_cast<void>(raise(SIGKILL));
    }
    testing::move_on(mine, migration, ranks);
  }
}

/// A process, from its birth: it ends with success if the error is the right one.
[[noreturn]] void live(std::uint32_t rank, std::vector<int> sockets, End end, testing::Neighbours kind) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string expected;
  bool is_right = false;
  try {
    comm::Communicator world(std::make_unique<comm::testing::SocketBootstrap>(comm::RankId{rank}, std::move(sockets)),
                             {.setup_deadline_s = 60.0, .deadline_s = 60.0});
    expected = comm::describe(world.ranks()[victim]);
    travel(world, end, kind);
  } catch (const comm::PeerError& error) {
    is_right = std::string(error.what()).find("process") != std::string::npos &&
               std::string(error.what()).find(expected.substr(0, expected.find(')'))) != std::string::npos;
    if (!is_right) std::cerr << "rank " << rank << ": " << error.what() << std::endl;
  } catch (const std::exception& error) {
    is_right = rank == victim && std::string(error.what()) == "as planned";
    if (!is_right) std::cerr << "rank " << rank << ": no PeerError but " << error.what() << std::endl;
  }
  std::_Exit(is_right ? EXIT_SUCCESS : EXIT_FAILURE);
}

void expect_named(End end, testing::Neighbours kind) {
  auto sockets = comm::testing::connect_all(ranks);
  std::vector<pid_t> processes;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const pid_t id = fork();
    ASSERT_GE(id, 0);
    if (id == 0) live(rank, sockets[rank], end, kind);
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

TEST(ExchangeLostRanks, AreNamedByThoseThatMigrate) {
  for (const End end : {End::killed, End::failed}) {
    for (const testing::Neighbours kind : {testing::Neighbours::ring, testing::Neighbours::none}) {
      expect_named(end, kind);
    }
  }
}

}  // namespace tacit::exchange::lost_ranks_test
