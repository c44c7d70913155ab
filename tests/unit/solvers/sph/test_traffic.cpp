// What other numbers of ranks would send: counted by hand, and by ranks that do send.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "samples.hpp"
#include "tacit/solvers/sph/traffic.hpp"
#include "unit/comm/polling.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::sph::traffic_test {
namespace {

/// A periodic line of 8 cells with 3 particles each, whose kernels reach into the next cells.
particles::CellTree line_of_cells() {
  constexpr std::size_t cells = 8;
  std::vector<double> x;
  std::vector<std::uint64_t> id;
  for (std::size_t i = 0; i < 3 * cells; ++i) {
    x.push_back((static_cast<double>(i) + 0.5) / 3.0);
    id.push_back(i);
  }
  const std::vector<double> zero(x.size(), 0.0);
  particles::CellTree tree({.origin = {}, .size = {8.0, 1.0, 1.0}, .periodic = true, .dimension = 1}, 1.0, 100);
  static_cast<void>(tree.sort(x, zero, zero, id));
  EXPECT_TRUE(tree.link(std::vector<double>(tree.leaves(), 0.5), 0.0));
  return tree;
}

TEST(Traffic, OfALineIsThatOfTheCellsAtTheCuts) {
  const particles::CellTree tree = line_of_cells();
  ASSERT_EQ(tree.leaves(), 8U);
  const auto owner = owners_among(tree, 2);
  EXPECT_EQ(owner, (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1}));
  const auto step = count_traffic(tree, owner, 2, {.of_particle = {10}, .of_cell = 4});
  // Each rank sends the cells at both of its ends: a table of two entries of 16 B, 30 B padded to 32, twice; and one
  // message with two reports of 4 B.
  EXPECT_EQ(step.ranks, 2U);
  EXPECT_EQ(step.most_messages, 2U);
  EXPECT_EQ(step.messages, 4U);
  EXPECT_EQ(step.most_bytes, 32U + 2 * 32U + 8U);
  EXPECT_EQ(step.bytes, 2 * step.most_bytes);
  EXPECT_EQ(step.largest_share, 0.5);
}

TEST(Traffic, OfSeveralPhasesAndUnevenOwners) {
  const particles::CellTree tree = line_of_cells();
  const std::vector<std::uint32_t> owner{0, 1, 1, 1, 1, 1, 2, 2};
  const auto step = count_traffic(tree, owner, 3, {.of_particle = {10, 4}, .of_cell = 4});
  // Rank 0 sends its cell to both others, alone in an envelope: 30 and 12 B and a report of 4 B. Rank 1 sends one to
  // each, and so does rank 2.
  EXPECT_EQ(step.messages, 3U * 2U * 3U);
  EXPECT_EQ(step.bytes, 3U * 2U * (30U + 12U + 4U));
  EXPECT_EQ(step.most_messages, 6U);
  EXPECT_EQ(step.most_bytes, 92U);
  EXPECT_EQ(step.largest_share, 5.0 / 8.0);
}

TEST(Traffic, OfStepsThatRunMoreThanOnceIsTheMean) {
  const particles::CellTree tree = line_of_cells();
  const std::vector<std::uint32_t> owner{0, 0, 0, 0, 1, 1, 1, 1};
  const auto once = count_traffic(tree, owner, 2, {.of_particle = {10}});
  const auto step = count_traffic(tree, owner, 2, {.of_particle = {10}, .times = 1.5});
  EXPECT_EQ(once.messages, 2U) << "no report";
  EXPECT_EQ(step.messages, 3U);
  EXPECT_EQ(step.most_bytes, 144U);
  EXPECT_EQ(step.bytes, 288U);
}

TEST(Traffic, OfOneOwnerIsNone) {
  const particles::CellTree tree = line_of_cells();
  const auto step = count_traffic(tree, std::vector<std::uint32_t>(8, 0), 2, {.of_particle = {10}});
  EXPECT_EQ(step.messages, 0U);
  EXPECT_EQ(step.bytes, 0U);
  EXPECT_EQ(step.largest_share, 1.0);
}

TEST(Traffic, IsCountedAsLongAsEachRankHasSomeLeaves) {
  const particles::CellTree tree = line_of_cells();
  const auto counted = count_traffic(tree, {.of_particle = {10}});
  ASSERT_EQ(counted.size(), 1U) << "4 ranks would have 2 leaves each";
  EXPECT_EQ(counted[0].ranks, 2U);
  EXPECT_TRUE(owners_among(tree, 9).empty());
}

/// What one step of all ranks has sent, after some, and what a rank that has all says of others.
struct Sent {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::vector<engine::StepTraffic> ahead;
};

Sent sent_by(std::size_t ranks, const SphParameters& parameters, const InitialConditions& initial) {
  Sent sent;
  std::mutex lock;
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    trace::Recorder recorder(1, 64);
    tasks::Scheduler scheduler(1, recorder);
    const comm::testing::Polling polling(scheduler, world);
    SphSolver solver(parameters, base::UnitSystem{}, testing::share_of(initial, {comm::number(world.rank()), ranks}),
                     {scheduler, true, world});
    auto step = [&solver, time = 0.0]() mutable {
      tasks::StepContext context;
      context.time = time;
      context.dt = solver.time_step();
      solver.step(context);
      time += context.dt;
    };
    for (int i = 0; i < 2; ++i) step();
    const auto before = recorder.sent();
    step();
    const std::scoped_lock guard(lock);
    for (const auto& phase : recorder.sent()) {
      const auto same = std::ranges::find(before, phase.name, &trace::Recorder::PhaseSum::name);
      sent.messages += phase.messages - (same != before.end() ? same->messages : 0);
      sent.bytes += phase.bytes - (same != before.end() ? same->bytes : 0);
    }
    sent.ahead = solver.traffic();
  });
  return sent;
}

TEST(Traffic, OfFourRanksIsWhatOneRankCounts) {
  for (const Scheme scheme : {Scheme::gadget2, Scheme::sphenix}) {
    SphParameters parameters = testing::plain_parameters();
    parameters.scheme = scheme;
    const InitialConditions gas = testing::uniform_gas(16, 0.4);
    const auto ahead = sent_by(1, parameters, gas).ahead;
    const auto counted = std::ranges::find(ahead, std::size_t{4}, &engine::StepTraffic::ranks);
    ASSERT_NE(counted, ahead.end());
    const Sent sent = sent_by(4, parameters, gas);
    EXPECT_TRUE(sent.ahead.empty()) << "only a rank that has all can count";
    // Within 5 %: measured costs may divide the leaves another way than their particles do.
    EXPECT_NEAR(static_cast<double>(sent.messages), static_cast<double>(counted->messages),
                0.05 * static_cast<double>(counted->messages));
    EXPECT_NEAR(static_cast<double>(sent.bytes), static_cast<double>(counted->bytes),
                0.05 * static_cast<double>(counted->bytes));
    EXPECT_GT(sent.messages, 12U);
  }
}

}  // namespace
}  // namespace tacit::sph::traffic_test
