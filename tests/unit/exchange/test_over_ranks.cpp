// Arrays that ranks combine, numbers that they rank together, and blocks for each other.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::exchange::over_ranks_test {

using comm::testing::on_ranks;

TEST(OverRanks, AddsAndTakesTheLargest) {
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    on_ranks(ranks, [&](comm::Communicator& world) {
      const std::uint64_t own = comm::number(world.rank());
      std::vector<std::uint64_t> sums{own, 1, 0};
      add_over(world, sums);
      EXPECT_EQ(sums, (std::vector<std::uint64_t>{ranks * (ranks - 1) / 2, ranks, 0}));
      std::vector<double> largest{-static_cast<double>(own), 0.5 * static_cast<double>(own)};
      take_largest(world, std::span<double>(largest));
      EXPECT_EQ(largest, (std::vector<double>{0.0, 0.5 * static_cast<double>(ranks - 1)}));
      // Whoever has it, on whatever side of the others.
      std::vector<double> flawed(ranks, 1.0);
      flawed[own] = std::numeric_limits<double>::quiet_NaN();
      take_largest(world, std::span<double>(flawed));
      EXPECT_TRUE(std::ranges::all_of(flawed, [](double value) { return std::isnan(value); }));
      std::vector<std::uint64_t> counts{7 + own};
      take_largest(world, std::span<std::uint64_t>(counts));
      EXPECT_EQ(counts[0], 6 + ranks);
      std::vector<std::uint64_t> nothing;
      add_over(world, nothing);
      EXPECT_EQ(gather_all(world, own * own).back(), (ranks - 1) * (ranks - 1));
    });
  }
}

// Of any numbers, with equal ones, of both signs and all sizes, however they are divided: one rank may have none.
TEST(OverRanks, FindsTheKthSmallest) {
  constexpr std::size_t n = 300;
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    const double number = base::uniform(1, i, 0) - 0.4;
    values.push_back(i % 5 == 0 ? 0.25 : std::ldexp(number, static_cast<int>(600.0 * base::uniform(1, i, 1)) - 300));
  }
  values[3] = std::numeric_limits<double>::infinity();
  values[4] = -std::numeric_limits<double>::max();
  values[5] = std::numeric_limits<double>::denorm_min();
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  for (const std::size_t ranks : {1U, 2U, 3U}) {
    on_ranks(ranks, [&](comm::Communicator& world) {
      const std::size_t own = comm::number(world.rank());
      std::vector<double> mine;
      for (std::size_t i = 0; i < n; ++i) {
        // The last rank of three has none.
        if ((i * i / 7) % std::min<std::size_t>(ranks, 2) == own) mine.push_back(values[i]);
      }
      std::vector<double> room(mine.size());
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}, n / 4, n / 2, n - 2, n - 1}) {
        EXPECT_EQ(kth_smallest(world, mine, k, room), sorted[k]) << k << " of " << ranks;
      }
    });
  }
}

TEST(OverRanks, FindTheKthSmallestOfManyByAllWorkers) {
  constexpr std::size_t n = 70'000;  // so many that workers share them
  const auto ramp = [](std::size_t i) { return static_cast<double>(i); };
  const auto scattered = [](std::size_t i) { return base::uniform(5, i, 0); };
  const auto same = [](std::size_t) { return 0.25; };
  const auto few = [](std::size_t i) { return static_cast<double>(i % 3); };
  // Only those that a sample of 4096, evenly spread, sees are large.
  const auto misleading = [](std::size_t i) {
    const std::size_t rest = i * 4096 % n;
    return rest == 0 || rest > n - 4096 ? 1e9 + static_cast<double>(i) : -base::uniform(6, i, 0);
  };
  trace::Recorder recorder(2, 16);
  tasks::Scheduler workers({.workers = 2, .pin = false}, recorder);
  on_ranks(1, [&](comm::Communicator& world) {
    const auto expect_found = [&](const char* name, const auto& value_of) {
      std::vector<double> values(n);
      for (std::size_t i = 0; i < n; ++i) values[i] = value_of(i);
      std::vector<double> sorted = values;
      std::ranges::sort(sorted);
      std::vector<double> room(n);
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}, n / 3, n / 2, n - 1}) {
        EXPECT_EQ(kth_smallest(world, values, k, room, &workers), sorted[k]) << k << " of " << name;
      }
    };
    expect_found("ramp", ramp);
    expect_found("scattered", scattered);
    expect_found("same", same);
    expect_found("few", few);
    expect_found("misleading", misleading);
  });
}

TEST(OverRanks, SendsBlocksOfAnyLengths) {
  for (const std::size_t ranks : {1U, 3U}) {
    on_ranks(ranks, [&](comm::Communicator& world) {
      const std::size_t own = comm::number(world.rank());
      std::vector<std::vector<std::byte>> blocks(ranks);
      for (std::size_t to = 0; to < ranks; ++to) blocks[to].assign(own * 3 + to, std::byte(10 * own + to));
      const Blocks come = send_blocks(world, blocks);
      for (std::size_t from = 0; from < ranks; ++from) {
        const auto block = come.from(from);
        ASSERT_EQ(block.size(), from * 3 + own);
        for (const std::byte value : block) EXPECT_EQ(value, std::byte(10 * from + own));
      }
    });
  }
}

TEST(OverRanks, SendsFieldsInRounds) {
  // Of the second number so much that its doubles and the bytes behind them need several rounds.
  for (const std::uint64_t scale : {1U, 200000U}) {
    on_ranks(3, [&](comm::Communicator& world) {
      const std::uint64_t own = comm::number(world.rank());
      const auto count = [scale](std::uint64_t from, std::uint64_t to) { return from == 1 ? 0 : scale * (from + to); };
      std::vector<std::uint64_t> leaving;
      for (std::uint64_t to = 0; to < 3; ++to) leaving.push_back(count(own, to));
      const std::vector<std::uint64_t> coming = counts_from_all(world, leaving);
      for (std::uint64_t from = 0; from < 3; ++from) EXPECT_EQ(coming[from], count(from, own));
      FieldRounds rounds(world, leaving[0] + leaving[1] + leaving[2], coming);
      std::vector<std::uint64_t> calls;
      const auto field = [&]<class T>(T first) {
        for (std::uint64_t to = 0; to < 3; ++to) {
          const std::vector<T> values(count(own, to), static_cast<T>(first + static_cast<T>(10 * own + to)));
          rounds.append(to, std::span<const T>(values));
        }
        rounds.add<T>([&calls, &coming, first, own](std::size_t from, std::span<const std::byte> bytes) {
          calls.push_back(from);
          ASSERT_EQ(bytes.size(), coming[from] * sizeof(T));
          std::vector<T> values(coming[from]);
          if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
          const auto expected = static_cast<T>(first + static_cast<T>(10 * from + own));
          EXPECT_EQ(std::ranges::count(values, expected), static_cast<std::ptrdiff_t>(coming[from]));
        });
      };
      for (int k = 0; k < 4; ++k) {
        field(1000.5 * k);
        field(static_cast<std::uint8_t>(k));
      }
      rounds.finish();
      EXPECT_EQ(calls.size(), 24U);
    });
  }
}

}  // namespace tacit::exchange::over_ranks_test
