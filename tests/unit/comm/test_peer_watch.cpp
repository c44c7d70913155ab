// Ranks that die, stop, leave, fail or only compute, as another rank sees them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/comm/backoff.hpp"
#include "tacit/comm/detail/peer_watch.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::testing {
namespace {

using detail::LivenessRecord;
using detail::PeerWatch;
using detail::RankStatus;
using Means = PeerWatch::Means;

/// Rank 1, a process that lives in `life` and shares a page with us.
class Other {
 public:
  explicit Other(const std::function<void(LivenessRecord&)>& life) : page_(4096), data_(page_.data()) {
    auto* sign = new (data_) LivenessRecord;
    id_ = fork();
    if (id_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    life(*sign);
    std::_Exit(0);
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;
  ~Other() {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  [[nodiscard]] pid_t id() const { return id_; }
  [[nodiscard]] std::vector<RankInfo> ranks() const {
    return {{.rank = RankId{0}, .host = "here", .process_id = getpid()},
            {.rank = RankId{1}, .host = "here", .process_id = id_}};
  }
  [[nodiscard]] shm::LivenessPages pages() {
    shm::LivenessPages pages{.mine = shm::Segment(4096)};
    pages.others.emplace_back(RankId{1}, std::move(page_));
    return pages;
  }

 private:
  shm::Segment page_;
  std::byte* data_;
  pid_t id_ = 0;
};

void sleep_for_ever(LivenessRecord& /*sign*/) {
  for (;;) pause();
}

class CommPeerWatch : public ::testing::TestWithParam<Means> {};

TEST_P(CommPeerWatch, ADeadProcessIsNoticed) {
  Other other(sleep_for_ever);
  const auto ranks = other.ranks();
  PeerWatch watch(other.pages(), ranks, RankId{0}, 10.0, GetParam());
  EXPECT_TRUE(watch.look(base::now_ns()));
  kill(other.id(), SIGKILL);
  ASSERT_TRUE(watch.await_loss(30.0));
  EXPECT_FALSE(watch.look(base::now_ns()));
  EXPECT_EQ(watch.explain(), "rank 1 (here), process " + std::to_string(other.id()) + ", has died");
  try {
    watch.throw_lost("message 3");
  } catch (const PeerError& error) {
    EXPECT_EQ(error.what(), "rank 0 (here): " + watch.explain() + ", while we waited for message 3");
  }
}

TEST_P(CommPeerWatch, ARankThatLeftIsNotLost) {
  Other other([](LivenessRecord& sign) { sign.status.store(RankStatus::left, std::memory_order_release); });
  const auto ranks = other.ranks();
  PeerWatch watch(other.pages(), ranks, RankId{0}, 10.0, GetParam());
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(other.id()), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(watch.await_loss(0.1));
  EXPECT_TRUE(watch.has_any_left());
  EXPECT_TRUE(watch.liveness_of(RankId{1})->has_left());
}

TEST_P(CommPeerWatch, AnErrorOfARankIsItsOwn) {
  Other other([](LivenessRecord& sign) { sign.status.store(RankStatus::failed, std::memory_order_release); });
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(other.id()), &ended, WEXITED | WNOWAIT), 0);
  const auto ranks = other.ranks();
  PeerWatch watch(other.pages(), ranks, RankId{0}, 10.0, GetParam());
  ASSERT_TRUE(watch.await_loss(30.0));
  EXPECT_EQ(watch.explain(), "rank 1 (here), process " + std::to_string(other.id()) + ", has ended with an error");
}

TEST_P(CommPeerWatch, AStoppedRankIsLostAfterAWhile) {
  Other other(sleep_for_ever);
  const auto ranks = other.ranks();
  PeerWatch watch(other.pages(), ranks, RankId{0}, 0.5, GetParam());
  kill(other.id(), SIGSTOP);
  const base::Stopwatch time;
  ASSERT_TRUE(watch.await_loss(30.0));
  EXPECT_GE(time.seconds(), 0.5);
  EXPECT_EQ(watch.explain(), "rank 1 (here), process " + std::to_string(other.id()) + ", has been stopped for 0.5 s");
}

TEST_P(CommPeerWatch, ARankThatComputesIsNeither) {
  Other other([](LivenessRecord& /*sign*/) {
    for (;;) relax();
  });
  const auto ranks = other.ranks();
  PeerWatch watch(other.pages(), ranks, RankId{0}, 0.1, GetParam());
  EXPECT_FALSE(watch.await_loss(1.0));
}

INSTANTIATE_TEST_SUITE_P(Means, CommPeerWatch, ::testing::Values(Means::pidfd, Means::proc),
                         [](const auto& means) { return means.param == Means::pidfd ? "Pidfd" : "Proc"; });

TEST(CommPeerWatchCauses, ALossIsPassedOn) {
  Other other([](LivenessRecord& sign) {
    sign.failed_rank.store(2);
    sign.cause.store(RankStatus::stopped);
    sign.status.store(RankStatus::failed, std::memory_order_release);
    for (;;) pause();
  });
  auto ranks = other.ranks();
  ranks.push_back({.rank = RankId{2}, .host = "here", .process_id = 4711});
  PeerWatch watch(other.pages(), ranks, RankId{0}, 2.0);
  ASSERT_TRUE(watch.await_loss(30.0));
  EXPECT_EQ(watch.explain(), "rank 2 (here), process 4711, has been stopped for 2 s");
}

}  // namespace
}  // namespace tacit::comm::testing
