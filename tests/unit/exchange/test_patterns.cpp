// Random patterns of messages between ranks of one process, on one and two threads each; a stencil; no allocations.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "support/under_sanitizer.hpp"
#include "unit/comm/ranks.hpp"
#include "unit/exchange/stencil.hpp"
#include "unit/exchange/synthetic.hpp"
#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
#include "unit/comm/quiet_steps.hpp"
#endif

namespace tacit::exchange {
namespace patterns_test {
namespace {

using testing::Client;
using testing::Setting;

/// Steps of a case: 10^4 in the full suite; fewer where more threads than two share the processors.
std::size_t steps_of_case(std::size_t threads) {
  const bool is_full = std::getenv("TACIT_TEST_FULL") != nullptr;
  if (threads <= 2) return is_full ? 10'000 : 300;
  return is_full ? 2'000 : 60;
}

using Case = std::tuple<std::size_t, std::size_t>;  // ranks, threads
class ExchangePatterns : public ::testing::TestWithParam<Case> {};

TEST_P(ExchangePatterns, EveryMessageComesWithItsContent) {
  const auto [ranks, threads] = GetParam();
  const Setting setting{.seed = 10 * ranks + threads, .steps = steps_of_case(ranks * threads), .threads = threads};
  EXPECT_NO_THROW(comm::testing::on_ranks(ranks, [&](comm::Communicator& world) { Client(world, setting).run(); }));
}

TEST_P(ExchangePatterns, OneSlotAndManyEnvelopesAreEnough) {
  const auto [ranks, threads] = GetParam();
  const Setting setting{.seed = 77 + ranks, .steps = 20, .threads = threads, .envelope_bytes = 64, .slots = 1};
  EXPECT_NO_THROW(comm::testing::on_ranks(ranks, [&](comm::Communicator& world) { Client(world, setting).run(); }));
}

INSTANTIATE_TEST_SUITE_P(Ranks, ExchangePatterns,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4), ::testing::Values(1, 2)),
                         [](const auto& one) {
                           return std::to_string(std::get<0>(one.param)) + "_ranks_" +
                                  std::to_string(std::get<1>(one.param)) + "_threads";
                         });

// ---- a stencil -----------------------------------------------------------------------------------------------------

constexpr std::size_t steps_of_stencil = 40;

std::vector<double> stencil_on_ranks(std::size_t ranks, std::size_t threads, testing::Unpack how) {
  std::vector<double> all(testing::cells);
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    const std::vector<double> mine = testing::stencil_on(world, threads, steps_of_stencil, how);
    std::ranges::copy(mine, all.begin() + static_cast<std::ptrdiff_t>(number(world.rank()) * mine.size()));
  });
  return all;
}

bool is_bitwise_equal(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(ExchangeStencil, HasTheSameBitsOnAnyNumberOfRanks) {
  const std::vector<double> alone = testing::stencil_alone(steps_of_stencil);
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    for (const std::size_t threads : {1U, 2U}) {
      EXPECT_TRUE(is_bitwise_equal(stencil_on_ranks(ranks, threads, testing::Unpack::as_sent), alone)) << ranks;
    }
  }
}

TEST(ExchangeStencil, AReversedUnpackIsFound) {
  const std::vector<double> alone = testing::stencil_alone(steps_of_stencil);
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    EXPECT_FALSE(is_bitwise_equal(stencil_on_ranks(ranks, 1, testing::Unpack::reversed), alone)) << ranks;
  }
}

// ---- allocations ---------------------------------------------------------------------------------------------------

#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
/// Small messages that travel together, of lengths that vary, and a long one; to all ranks, this one among them.
Messages mixed_messages(const comm::Communicator& world, std::span<const tasks::DatumId> data) {
  Messages messages;
  for (std::uint32_t peer = 0; peer < world.size(); ++peer) {
    for (std::uint32_t key = 0; key < 4; ++key) {
      const Message message{.peer = comm::RankId{peer},
                            .key = key,
                            .count = key == 3 ? 20'000U : 10U,
                            .length = key == 1 ? Length::variable : Length::fixed};
      messages.send<double>(message, tasks::reads(data[0]), [](tasks::StepContext&, std::span<double> to) {
        std::ranges::fill(to, 1.0);
        return to.size();
      });
      messages.receive<double>(message, tasks::writes(data[1]), [](tasks::StepContext&, std::span<const double>) {});
    }
  }
  return messages;
}

TEST(ExchangeAllocation, AStepAllocatesNothingOnAnyRankAndWorker) {
  for (const std::size_t threads : {1U, 2U}) {
    comm::testing::on_ranks(2, [threads](comm::Communicator& world) {
      trace::Recorder recorder(threads, 64);
      tasks::Scheduler scheduler(threads, recorder);
      scheduler.attach(world.completions());
      {
        tasks::Graph graph;
        const std::array data{graph.add_datum(), graph.add_datum()};
        Exchange exchange(world);
        exchange.add(graph, "mixed", mixed_messages(world, data));
        exchange.connect();
        tasks::Activation all = graph.activate_all();
        const auto step = [&] { scheduler.run(graph, all, {}); };
        for (int i = 0; i < 200; ++i) step();  // the ring of transfers is full
        comm::testing::expect_no_allocations(world, step);
      }
      scheduler.detach(world.completions());
    });
  }
}
#endif

}  // namespace
}  // namespace patterns_test
}  // namespace tacit::exchange
