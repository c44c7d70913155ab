// Reductions over ranks: exact, fused, NaN wins; blocking and as tasks; nothing allocated after the first.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "unit/comm/quiet_steps.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::exchange::reductions_test {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t terms = 400;

/// Numbers of very different sizes, whose sum depends on the order if it is rounded more than once.
double term(std::size_t i, std::size_t sum) {
  return std::ldexp(base::uniform(1, i, sum) - 0.5, static_cast<int>(base::uniform(2, i, sum) * 120.0) - 60);
}

struct Expected {
  std::vector<double> sums;
  std::vector<double> largest;
  std::vector<double> least;
};

Expected by_one(const ReductionShape& shape) {
  Expected expected;
  for (std::size_t s = 0; s < shape.sums; ++s) {
    base::ExactSum sum;
    for (std::size_t i = 0; i < terms; ++i) sum.add(term(i, s));
    expected.sums.push_back(sum.value());
  }
  expected.largest.assign(shape.largest, -std::numeric_limits<double>::infinity());
  expected.least.assign(shape.least, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < terms; ++i) {
    for (std::size_t k = 0; k < shape.largest; ++k) expected.largest[k] = std::max(expected.largest[k], term(i, k));
    for (std::size_t k = 0; k < shape.least; ++k) expected.least[k] = std::min(expected.least[k], term(i, k));
  }
  return expected;
}

void fill(Reduction& reduction, std::size_t rank, std::size_t ranks) {
  for (auto& sum : reduction.sums()) sum = {};
  for (auto& count : reduction.counts()) count = 0;
  for (double& value : reduction.largest()) value = -std::numeric_limits<double>::infinity();
  for (double& value : reduction.least()) value = std::numeric_limits<double>::infinity();
  for (std::size_t i = rank; i < terms; i += ranks) {
    for (std::size_t k = 0; k < reduction.sums().size(); ++k) reduction.sums()[k].add(term(i, k));
    for (std::size_t k = 0; k < reduction.counts().size(); ++k) reduction.counts()[k] += (i + k) << 56U;
    for (std::size_t k = 0; k < reduction.largest().size(); ++k) {
      reduction.largest()[k] = larger(reduction.largest()[k], term(i, k));
    }
    for (std::size_t k = 0; k < reduction.least().size(); ++k) {
      reduction.least()[k] = smaller(reduction.least()[k], term(i, k));
    }
  }
}

void expect(Reduction& reduction, const Expected& expected) {
  for (std::size_t k = 0; k < expected.sums.size(); ++k) EXPECT_EQ(reduction.sums()[k].value(), expected.sums[k]) << k;
  for (std::size_t k = 0; k < expected.largest.size(); ++k) EXPECT_EQ(reduction.largest()[k], expected.largest[k]) << k;
  for (std::size_t k = 0; k < expected.least.size(); ++k) EXPECT_EQ(reduction.least()[k], expected.least[k]) << k;
  for (std::size_t k = 0; k < reduction.counts().size(); ++k) {
    EXPECT_EQ(reduction.counts()[k], (terms * (terms - 1) / 2 + terms * k) << 56U) << k;
  }
}

const std::vector<ReductionShape> shapes{
    {.sums = 1},
    {.largest = 1},
    {.counts = 3, .largest = 1, .least = 2},
    {.sums = 3, .counts = 2, .largest = 4, .least = 5},
    {.counts = 9, .largest = 6, .least = 8},                 // several short packets, of which one holds both kinds
    {.sums = 2, .counts = 70, .largest = 50, .least = 40}};  // likewise of long ones

TEST(ExchangeReductions, AreBitwiseIdenticalOnAnyRanks) {
  for (const std::size_t ranks : {1U, 2U, 3U, 4U}) {
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      for (const ReductionShape& shape : shapes) {
        Reduction reduction(world, shape);
        const Expected expected = by_one(shape);
        for (int turn = 0; turn < 3; ++turn) {
          fill(reduction, number(world.rank()), ranks);
          reduction.run();
          expect(reduction, expected);
        }
      }
      world.synchronise();
    });
  }
}

TEST(ExchangeReductions, RunAsTasks) {
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      trace::Recorder recorder(2);
      tasks::Scheduler scheduler(2, recorder);
      scheduler.attach(world.completions());
      for (const ReductionShape& shape : shapes) {
        Reduction reduction(world, shape);
        const Expected expected = by_one(shape);
        tasks::Graph graph;
        const auto terms_datum = graph.add_datum();
        const auto result = graph.add_datum();
        int computed = 0;
        int seen = 0;
        graph.add("compute", tasks::writes(terms_datum), [&](tasks::StepContext&) { ++computed; });
        reduction.add(graph, "reduce", tasks::reads(terms_datum) + tasks::writes(result), [&](tasks::StepContext&) {
          EXPECT_EQ(computed, seen + 1);
          fill(reduction, number(world.rank()), ranks);
        });
        graph.add("use", tasks::reads(result), [&](tasks::StepContext&) {
          expect(reduction, expected);
          ++seen;
        });
        auto all = graph.activate_all();
        for (int turn = 0; turn < 5; ++turn) scheduler.run(graph, all, {});
        EXPECT_EQ(seen, 5);
      }
      scheduler.detach(world.completions());
      world.synchronise();
    });
  }
}

TEST(ExchangeReductions, HasTasksOnceInAGraph) {
  comm::testing::on_ranks(2, [](comm::Communicator& world) {
    Reduction reduction(world, {.counts = 1});
    auto graph = std::make_unique<tasks::Graph>();
    reduction.add(*graph, "reduce", {});
    EXPECT_THROW(reduction.add(*graph, "again", {}), base::PreconditionError);
    *graph = tasks::Graph();  // another one, at the same address
    reduction.add(*graph, "reduce", {});
  });
}

TEST(ExchangeReductions, NaNWins) {
  comm::testing::on_ranks(3, [](comm::Communicator& world) {
    for (std::uint32_t sick = 0; sick < 3; ++sick) {
      Reduction reduction(world, {.sums = 1, .largest = 2, .least = 2});
      const auto own = number(world.rank());
      const double here = own == sick ? nan : 1.0 + own;
      reduction.sums()[0].add(here);
      reduction.largest()[0] = reduction.least()[0] = here;
      reduction.largest()[1] = reduction.least()[1] = own;
      reduction.run();
      EXPECT_TRUE(std::isnan(reduction.sums()[0].value()));
      EXPECT_TRUE(std::isnan(reduction.largest()[0]));
      EXPECT_TRUE(std::isnan(reduction.least()[0]));
      EXPECT_EQ(reduction.largest()[1], 2.0);
      EXPECT_EQ(reduction.least()[1], 0.0);
    }
    world.synchronise();
  });
}

TEST(ExchangeReductions, KeptOnesAreMadeOnce) {
  for (const std::size_t ranks : {1U, 4U}) {
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      RankReductions reductions(world);
      const double own = number(world.rank());
      const auto last = static_cast<double>(ranks - 1);
      for (int turn = 0; turn < 3; ++turn) {
        EXPECT_EQ(reductions.largest(own), last);
        EXPECT_EQ(reductions.least(-own), -last);
        std::vector<base::ExactSum> sums(2);
        sums[0].add(own);
        sums[1].add(1.0);
        reductions.add(sums);
        EXPECT_EQ(sums[0].value(), last * (last + 1.0) / 2.0);
        EXPECT_EQ(sums[1].value(), last + 1.0);
        reductions.add(std::span<base::ExactSum>());
      }
      EXPECT_EQ(&reductions.of({.sums = 2}), &reductions.of({.sums = 2}));
      world.synchronise();
    });
  }
}

TEST(ExchangeReductions, AllocateNothingAfterTheFirst) {
  comm::testing::on_ranks(2, [](comm::Communicator& world) {
    RankReductions reductions(world);
    std::vector<base::ExactSum> sums(3);
    comm::testing::expect_no_allocations(world, [&] {
      reductions.add(sums);
      static_cast<void>(reductions.largest(1.0));
    });
  });
}

}  // namespace tacit::exchange::reductions_test
