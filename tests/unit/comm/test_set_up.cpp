// Set-up: what launchers say, who runs where, and what goes wrong between two ranks.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <map>
#include <string>

#include "tacit/comm/bootstrap/launcher.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/comm/window.hpp"
#include "unit/comm/deadline_words.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {
namespace {

Environment environment_of(const std::map<std::string, std::string>& variables) {
  return [&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

template <class Error>
std::string text_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(CommLaunch, LaunchersAreRecognisedByTheirVariables) {
  const std::map<std::string, std::string> open_mpi{{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}};
  const auto launch = find_launch(environment_of(open_mpi));
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->size, 4U);
  EXPECT_EQ(launch->rank, 3U);
  const std::map<std::string, std::string> slurm{{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "0"}};
  EXPECT_EQ(find_launch(environment_of(slurm))->launcher, "srun");
  const std::map<std::string, std::string> batch{{"SLURM_NTASKS", "2"}, {"SLURM_PROCID", "0"}};
  EXPECT_FALSE(find_launch(environment_of(batch)));  // a plain program inside an allocation
  const std::map<std::string, std::string> odd{{"PMI_SIZE", "two"}, {"PMI_RANK", "0"}};
  EXPECT_FALSE(find_launch(environment_of(odd)));
  EXPECT_FALSE(find_launch(environment_of({})));
}

TEST(CommLaunch, PmixAloneGivesOnlyTheOwnRank) {
  const std::map<std::string, std::string> pmix{{"PMIX_RANK", "2"}};
  const auto launch = find_launch(environment_of(pmix));
  ASSERT_TRUE(launch);
  EXPECT_TRUE(launch->is_lower_bound);
  EXPECT_EQ(launch->size, 3U);
  EXPECT_EQ(text_of<LaunchError>([&] {
              check_launch(launch, {Counter::Kind::none, "this program"});
            }),
            "a PMIx launcher started rank 2 (PMIX_RANK=2), but this program sees 1. Build it with MPI (-DTACIT_MPI=ON) "
            "or with PMIx (-DTACIT_PMIX=ON)");
}

TEST(CommLaunch, RanksThatMpiDoesNotSeeAreAnError) {
  const Launch launch{.launcher = "Open MPI's mpirun", .variable = "OMPI_COMM_WORLD_SIZE", .size = 4, .rank = 1};
  const Counter mpich{Counter::Kind::mpi, "MPICH 4.0, which this program was built with,"};
  EXPECT_EQ(text_of<LaunchError>([&] { check_launch(launch, mpich); }),
            "Open MPI's mpirun started 4 ranks (OMPI_COMM_WORLD_SIZE=4), but MPICH 4.0, which this program was built "
            "with, sees 1: the program was started by another MPI than it was built with. Start it with the launcher "
            "of its own MPI, or build it with Open MPI");
  const Launch alone{.launcher = "srun", .variable = "SLURM_STEP_NUM_TASKS", .size = 1, .rank = 0};
  EXPECT_NO_THROW(check_launch(alone, mpich));
  EXPECT_NO_THROW(check_launch(std::nullopt, mpich));
}

TEST(CommLaunch, WhatToDoDependsOnTheBuild) {
  const Launch launch{.launcher = "srun", .variable = "SLURM_STEP_NUM_TASKS", .size = 2, .rank = 0};
  const auto text = [&](Counter::Kind kind) {
    return text_of<LaunchError>([&] { check_launch(launch, {kind, "it"}); });
  };
  const std::string start = "srun started 2 ranks (SLURM_STEP_NUM_TASKS=2), but it sees 1";
  EXPECT_EQ(text(Counter::Kind::pmix), start + ". Start it with `srun --mpi=pmix`");
  EXPECT_EQ(text(Counter::Kind::none), start +
                                           ". Build it with MPI (-DTACIT_MPI=ON) or with PMIx (-DTACIT_PMIX=ON), "
                                           "and start it with `srun --mpi=pmix`");
  EXPECT_EQ(text(Counter::Kind::mpi),
            start +
                ": the program was started by another MPI than it was built with. Start it with `srun --mpi=pmix`, "
                "or with what `srun --mpi=list` offers for its MPI");
}

TEST(CommSetUp, RanksOfOneProcessShareANode) {
  on_ranks(3, [](Communicator& world) {
    EXPECT_EQ(world.size(), 3U);
    for (const RankInfo& rank : world.ranks()) {
      EXPECT_EQ(rank.node, 0U);
      EXPECT_TRUE(rank.shares_memory);
      EXPECT_EQ(rank.process, 0U);
      EXPECT_EQ(rank.process_id, getpid());
      EXPECT_FALSE(rank.host.empty());
    }
    EXPECT_EQ(number(world.own().rank), number(world.rank()));
  });
}

TEST(CommSetUp, LocalityChoosesTheTransport) {
  on_ranks(2, [](Communicator& world) {
    for (std::uint32_t peer = 0; peer < 2; ++peer) {
      const Connection connection(world, {.rank = RankId{peer}});
      EXPECT_EQ(connection.provider(), RankId{peer} == world.rank() ? ProviderId::self : ProviderId::shm);
    }
  });
}

TEST(CommSetUp, TransportsAndRanksThatAreNotThereAreNamed) {
  on_ranks(1, [](Communicator& world) {
    const std::string host = world.own().host;
    EXPECT_EQ(text_of<ProviderError>([&] { Connection(world, {.rank = RankId{0}, .via = ProviderId::mpi}); }),
              "rank 0 (" + host + "): mpi does not reach rank 0 (" + host + ")");
    EXPECT_EQ(text_of<ProviderError>([&] { Connection(world, {.rank = RankId{7}}); }),
              "rank 0 (" + host + "): there is no rank 7 to connect to, there are 1");
  });
}

TEST(CommSetUp, APeerThatDoesNotComeIsNamed) {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  const std::string host = name.data();
  const auto first = [](Communicator& world) {
    Connection connection(world, {.rank = RankId{1}, .key = 5});
    const RecvWindow<double> window(connection, 3);
    return complaint([&] { connection.open(); });
  };
  expect_words(
      {"rank 0 (" + host + "): waited D s for rank 1 (" + host +
       ") to make window 0 of connection 0 of key 5, which sends"},
      [&](double deadline_s) { return said_by_first({.setup_deadline_s = deadline_s}, first, [](Communicator&) {}); });
}

TEST(CommSetUp, AMessageThatDoesNotComeIsNamed) {
  on_ranks(2, [](Communicator& world) {
    Connection connection(world, {.rank = RankId{1 - number(world.rank())}});
    SendWindow<double> send(connection, 3);
    RecvWindow<double> receive(connection, 3);
    const std::string me = describe(world.own());
    const std::string peer = describe(world.ranks()[1 - number(world.rank())]);
    send.post();  // never granted
    EXPECT_EQ(text_of<DeadlineError>([&] { send.wait(0.05); }),
              me + ": timed out after 0.05 s: message 1 of send window 0 (24 B at most) of connection 0 with " + peer +
                  " through shm: not granted or not gone");
    world.synchronise();
    receive.init();
    // The peer's message comes now that it is granted; a second one does not.
    receive.wait();
    receive.init();
    EXPECT_EQ(text_of<DeadlineError>([&] { receive.wait(0.05); }),
              me + ": timed out after 0.05 s: message 2 of receive window 0 (24 B at most) of connection 0 with " +
                  peer + " through shm");
    send.wait();
  });
}

TEST(CommSetUp, WindowsAreMadeBeforeTheFirstIsUsed) {
  on_ranks(1, [](Communicator& world) {
    Connection connection(world, {.rank = RankId{0}});
    SendWindow<int> send(connection, 1);
    RecvWindow<int> receive(connection, 1);
    receive.init();
    EXPECT_NE(text_of<base::Error>([&] { SendWindow<int>(connection, 1); }).find("is in use already"),
              std::string::npos);
  });
}

TEST(CommSetUp, ConnectionsCanBeMadeRepeatedly) {
  on_ranks(2, [](Communicator& world) {
    for (int turn = 0; turn < 300; ++turn) {
      Connection connection(world, {.rank = RankId{1 - number(world.rank())}});
      SendWindow<int> send(connection, 20'000);
      RecvWindow<int> receive(connection, 20'000);
      receive.init();
      send.data()[19'999] = turn;
      send.post();
      EXPECT_EQ(receive.wait()[19'999], turn);
      send.wait();
    }
  });
}

}  // namespace
}  // namespace tacit::comm::testing
