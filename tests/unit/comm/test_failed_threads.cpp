// Ranks that are threads of one process: one ends with an error while others still read its memory, or wait for it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/window.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {
namespace failed_threads {

[[noreturn]] void refuse() { throw base::Error("the grid is refused"); }

/// Three ranks; the last one throws when it has done its part, and `gone` says that its communicator is no more.
class FailingRun {
 public:
  using Part = std::function<void(Communicator&, std::latch& gone)>;

  /// @param part  of the last rank  @param others  what the others do
  FailingRun(const Part& part, const Part& others) {
    auto bootstraps = bootstrap_threads(ranks);
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < ranks; ++i) {
      threads.emplace_back([&, i, bootstrap = std::move(bootstraps[i])]() mutable {
        if (i + 1 == ranks) return fail(std::move(bootstrap), part);
        try {
          Communicator world(std::move(bootstrap), patient);
          others(world, gone_);
          said_[i] = "no error";
        } catch (const base::Error& error) {
          said_[i] = error.what();
        }
      });
    }
  }
  /// What has ended a rank.
  [[nodiscard]] const std::string& said(std::size_t rank) const { return said_[rank]; }
  static constexpr std::size_t ranks = 3;

 private:
  void fail(std::unique_ptr<Bootstrap> bootstrap, const Part& part) {
    try {
      Communicator world(std::move(bootstrap), patient);
      part(world, gone_);
      refuse();
    } catch (const base::Error& error) {
      said_[ranks - 1] = error.what();
    }
    gone_.count_down();
  }

  std::latch gone_{1};
  std::vector<std::string> said_ = std::vector<std::string>(ranks);
};

void expect_error_of_last(const FailingRun& run) {
  for (std::size_t rank = 0; rank + 1 < FailingRun::ranks; ++rank) {
    EXPECT_NE(run.said(rank).find(": rank 2 ("), std::string::npos) << run.said(rank);
    EXPECT_NE(run.said(rank).find("has ended with an error, while we waited for "), std::string::npos)
        << run.said(rank);
  }
  EXPECT_EQ(run.said(FailingRun::ranks - 1), "the grid is refused");
}

/// Adds; waits before for the end of a rank, if there is one to wait for.
struct LatePlus {
  std::latch* gone;
  double operator()(double a, double b) const {
    if (gone != nullptr) gone->wait();
    return a + b;
  }
};

/// A sum that the others form only when the last rank has got its own and has gone: they read what it brought.
void sum(Communicator& world, std::latch& gone) {
  const bool is_last = number(world.rank()) + 1 == world.size();
  std::vector<double> data(200, 1.0 + number(world.rank()));  // so few that every rank adds all of them
  AllReduce<double>(world, std::span(data), LatePlus{is_last ? nullptr : &gone}).run();
  EXPECT_EQ(data, std::vector<double>(200, 6.0));
}

TEST(CommFailedThreads, WhatTheyBroughtToASumCanStillBeRead) {
  const auto others = [&](Communicator& world, std::latch& gone) {
    sum(world, gone);
    Barrier(world).run();  // which the last rank never comes to
  };
  expect_error_of_last(FailingRun(sum, others));
}

TEST(CommFailedThreads, SoItCanInAPartOfTheRanks) {
  const auto part = [](Communicator& world, std::latch& gone) {
    Communicator all = world.split(0, 0);
    sum(all, gone);
    refuse();  // while there is a part, which would otherwise wait for the others before it goes
  };
  const auto others = [&](Communicator& world, std::latch& gone) {
    Communicator all = world.split(0, 0);
    sum(all, gone);
    all.synchronise();
  };
  expect_error_of_last(FailingRun(part, others));
}

TEST(CommFailedThreads, TheirWindowsCanStillBeWrittenTo) {
  constexpr std::size_t count = 100'000;
  const auto part = [](Communicator& world, std::latch&) {
    Connection connection(world, {.rank = RankId{0}});
    RecvWindow<double> in(connection, count);
    connection.open();
    in.init();
    Barrier(world).run();
  };
  const auto others = [](Communicator& world, std::latch& gone) {
    if (number(world.rank()) == 0) {
      Connection connection(world, {.rank = RankId{FailingRun::ranks - 1}});
      SendWindow<double> out(connection, count);
      connection.open();
      Barrier(world).run();
      gone.wait();
      out.post();  // granted before
      out.wait();
    } else {
      Barrier(world).run();
    }
    world.synchronise();
  };
  expect_error_of_last(FailingRun(part, others));
}

TEST(CommFailedThreads, WaitsForThemEndWithTheirError) {
  const auto part = [](Communicator&, std::latch&) {};
  expect_error_of_last(FailingRun(part, [](Communicator& world, std::latch&) { Barrier(world).run(); }));
  expect_error_of_last(FailingRun(part, [](Communicator& world, std::latch&) { world.synchronise(); }));
}

}  // namespace failed_threads
}  // namespace tacit::comm::testing
