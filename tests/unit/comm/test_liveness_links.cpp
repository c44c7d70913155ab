// Lines between ranks: who has one to whom, and what their ends broadcast.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "mpi/socket_bootstrap.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/comm/backoff.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/comm/detail/liveness_links.hpp"
#include "tacit/comm/detail/peer_watch.hpp"

namespace tacit::comm::testing {
namespace {

using detail::LivenessLinks;
using detail::Loss;
using detail::PeerWatch;
using detail::RankStatus;

constexpr auto here = LivenessLinks::Reach::this_machine;

std::vector<bool> far_from(std::uint32_t own, std::uint32_t size, std::uint32_t per_node) {
  std::vector<bool> is_far;
  for (std::uint32_t rank = 0; rank < size; ++rank) is_far.push_back(rank / per_node != own / per_node);
  return is_far;
}

/// What `links` knows within a while; nothing: no loss.
std::optional<Loss> await_loss(LivenessLinks& links, double seconds) {
  const base::Stopwatch time;
  while (time.seconds() < seconds) {
    if (const auto loss = links.look()) return loss;
    yield_processor();
  }
  return std::nullopt;
}

/// Runs each rank in a thread, with links to all others.
void run(std::uint32_t size, const std::function<void(std::uint32_t, std::unique_ptr<LivenessLinks>)>& rank_life) {
  auto bootstraps = bootstrap_threads(size);
  std::vector<std::jthread> threads;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      rank_life(rank, std::make_unique<LivenessLinks>(*bootstraps[rank], far_from(rank, size, 1), 10.0, 60.0, here));
    });
  }
}

TEST(CommLivenessLinks, BothEndsAgreeWhoHasOne) {
  for (const std::uint32_t size : {1U, 2U, 7U, 64U, 65U, 300U}) {
    for (const std::uint32_t per_node : {1U, 3U, 100U}) {
      std::vector<std::set<std::uint32_t>> partners(size);
      for (std::uint32_t own = 0; own < size; ++own) {
        for (const RankId rank : LivenessLinks::partners(own, far_from(own, size, per_node))) {
          EXPECT_NE(number(rank) / per_node, own / per_node);
          partners[own].insert(number(rank));
        }
      }
      for (std::uint32_t own = 0; own < size; ++own) {
        for (const std::uint32_t rank : partners[own]) EXPECT_TRUE(partners[rank].contains(own));
      }
    }
  }
}

TEST(CommLivenessLinks, AreFewWhereThereAreManyRanks) {
  EXPECT_EQ(LivenessLinks::partners(0, far_from(0, 64, 1)).size(), 63U);
  EXPECT_LE(LivenessLinks::partners(0, far_from(0, 100'000, 64)).size(), 2U * 17U);  // 2^17 > 100 000
}

TEST(CommLivenessLinks, LeadToAllPartners) {
  run(5, [](std::uint32_t rank, std::unique_ptr<LivenessLinks> links) {
    EXPECT_EQ(links->size(), 4U);
    EXPECT_EQ(links->liveness_of(RankId{rank}), nullptr);
    EXPECT_NE(links->liveness_of(RankId{(rank + 1) % 5}), nullptr);
    links->broadcast({.status = RankStatus::left});
  });
}

TEST(CommLivenessLinks, ADepartureIsNoFailure) {
  run(3, [](std::uint32_t rank, std::unique_ptr<LivenessLinks> links) {
    if (rank == 2) return links->broadcast({.status = RankStatus::left});
    while (!links->has_any_left()) EXPECT_FALSE(await_loss(*links, 0.01));
    EXPECT_TRUE(links->liveness_of(RankId{2})->has_left());
    EXPECT_FALSE(await_loss(*links, 0.05));
    links->broadcast({.status = RankStatus::left});
  });
}

TEST(CommLivenessLinks, ALinkThatClosesWithoutADepartureNoticeIsAFailure) {
  run(3, [](std::uint32_t rank, std::unique_ptr<LivenessLinks> links) {
    if (rank == 2) return;
    const auto loss = await_loss(*links, 30.0);
    ASSERT_TRUE(loss);
    EXPECT_EQ(loss->status, RankStatus::died);
    EXPECT_EQ(loss->rank, RankId{2});
    links->broadcast({RankStatus::failed, loss->status, number(loss->rank)});
  });
}

TEST(CommLivenessLinks, TheErrorWithoutACauseIsTheFirst) {
  run(2, [](std::uint32_t rank, std::unique_ptr<LivenessLinks> links) {
    if (rank == 1) return links->broadcast({.status = RankStatus::failed});
    const auto loss = await_loss(*links, 30.0);
    ASSERT_TRUE(loss);
    EXPECT_EQ(loss->status, RankStatus::failed);
    EXPECT_EQ(loss->rank, RankId{1});
  });
}

TEST(CommLivenessLinks, FailuresOfThirdRanksAreForwarded) {
  run(2, [](std::uint32_t rank, std::unique_ptr<LivenessLinks> links) {
    if (rank == 1) return links->broadcast({.cause = RankStatus::stopped, .failed_rank = 7});
    const auto loss = await_loss(*links, 30.0);
    ASSERT_TRUE(loss);
    EXPECT_EQ(loss->status, RankStatus::stopped);
    EXPECT_EQ(loss->rank, RankId{7});
  });
}

/// A rank that is said to be lost itself lives: who says so is what it has lost.
TEST(CommLivenessLinks, ReportsOfTheOwnFailureAreIgnored) {
  run(2, [](std::uint32_t rank, std::unique_ptr<LivenessLinks> links) {
    if (rank == 1)
      return links->broadcast({.status = RankStatus::failed, .cause = RankStatus::stopped, .failed_rank = 0});
    const auto loss = await_loss(*links, 30.0);
    ASSERT_TRUE(loss);
    EXPECT_EQ(loss->status, RankStatus::failed);
    EXPECT_EQ(loss->rank, RankId{1});
  });
}

/// A rank that is a process of its own: computes, for all that others can see, until it is killed.
TEST(CommLivenessLinks, AProcessThatComputesIsAliveAndAKilledOneHasDied) {
  auto sockets = connect_all(2);
  const pid_t other = fork();
  if (other == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(sockets[0][1]);
    SocketBootstrap bootstrap(RankId{1}, sockets[1]);
    const LivenessLinks links(bootstrap, {true, false}, 10.0, 60.0, here);
    for (;;) relax();
  }
  close(sockets[1][0]);
  SocketBootstrap bootstrap(RankId{0}, sockets[0]);
  auto links = std::make_unique<LivenessLinks>(bootstrap, std::vector<bool>{false, true}, 10.0, 60.0, here);
  EXPECT_FALSE(await_loss(*links, 0.3));
  const std::vector<RankInfo> ranks{{.rank = RankId{0}, .host = "a", .process_id = getpid()},
                                    {.rank = RankId{1}, .host = "b", .process_id = other}};
  PeerWatch watch({.mine = shm::Segment(4096)}, ranks, RankId{0}, 10.0);
  watch.add_links(std::move(links), 10.0);
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  ASSERT_TRUE(watch.await_loss(30.0));
  EXPECT_EQ(watch.explain(), "rank 1 (b), process " + std::to_string(other) + ", has died");
}

}  // namespace
}  // namespace tacit::comm::testing
