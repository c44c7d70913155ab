// Gas on ranks of one process: bitwise the gas of one rank, whatever the steps, and what ranks refuse together.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "rank_runs.hpp"
#include "tacit/engine/error.hpp"

namespace tacit::sph::ranks_test {
namespace {

using testing::Cuts;
using testing::moving_blast;
using testing::Outcome;
using testing::outcome_of;
using testing::plain_parameters;
using testing::RankRun;
using testing::with_own_steps;

/// Eight steps are enough: in these, each of the faults of test_ranks_mutations.cpp shows on 512 particles.
void expect_same_on_ranks(const SphParameters& parameters, const InitialConditions& initial, int steps,
                          std::size_t ranks = 3, std::size_t workers = 1) {
  const Outcome alone = outcome_of(parameters, initial, 1, 1, steps);
  EXPECT_EQ(alone.particles.size(), initial.size());
  EXPECT_EQ(outcome_of(parameters, initial, ranks, workers, steps), alone);
}

}  // namespace

TEST(Ranks, CommonStepsLeaveTheBitsOfOneRank) { expect_same_on_ranks(plain_parameters(), moving_blast(8, 3), 8); }

TEST(Ranks, StepsOfTheirOwnLeaveTheBitsOfOneRank) {
  SphParameters parameters = with_own_steps(plain_parameters());
  expect_same_on_ranks(parameters, moving_blast(8, 3), 8);
  parameters.scheme = Scheme::sphenix;
  expect_same_on_ranks(parameters, moving_blast(8, 3), 8, 2, 2);
}

TEST(Ranks, WallsAndOpenBoxesLeaveTheBitsOfOneRank) {
  for (const Boundary boundary : {Boundary::reflecting, Boundary::open}) {
    SphParameters parameters = with_own_steps(plain_parameters());
    parameters.boundary = boundary;
    set_dimension(parameters, 2);
    expect_same_on_ranks(parameters, moving_blast(20, 2), 8);
  }
}

// Wherever leaves go, and whenever: particles that fly through the box are sorted every few steps.
TEST(Ranks, CutAnewEveryFiveStepsLeaveTheSameBits) {
  for (const Boundary boundary : {Boundary::periodic, Boundary::open, Boundary::reflecting}) {
    SphParameters parameters = plain_parameters();
    parameters.boundary = boundary;
    parameters.has_individual_steps = boundary == Boundary::periodic;
    InitialConditions gas = moving_blast(8, 3);
    if (parameters.has_individual_steps) std::ranges::fill(gas.vx, 30.0);  // steps are shorter
    constexpr int steps = 8;
    const Outcome alone = outcome_of(parameters, gas, 1, 1, steps);
    EXPECT_EQ(outcome_of(parameters, gas, 3, 1, steps, Cuts::at_every_sort), alone);
  }
}

TEST(Ranks, OneMayHaveNoParticles) {
  // All of them in one corner of a line: the other leaves are empty.
  SphParameters parameters = with_own_steps(plain_parameters());
  set_dimension(parameters, 1);
  InitialConditions gas = testing::uniform_gas(120, 0.2, 1);
  for (double& x : gas.x) x *= 0.05;
  expect_same_on_ranks(parameters, gas, 8);
}

// The order in a file does not matter: IDs say who is who.
TEST(Ranks, ShuffledParticlesLeaveTheSameBits) {
  const SphParameters parameters = with_own_steps(plain_parameters());
  const InitialConditions gas = moving_blast(8, 3);
  InitialConditions shuffled = gas;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const std::size_t k = (i * 7 + 3) % gas.size();  // 7 and 512 have no common factor
    shuffled.id[i] = gas.id[k];
    for (const auto field :
         {&InitialConditions::x, &InitialConditions::y, &InitialConditions::z, &InitialConditions::vx,
          &InitialConditions::vy, &InitialConditions::vz, &InitialConditions::m, &InitialConditions::u}) {
      (shuffled.*field)[i] = (gas.*field)[k];
    }
  }
  EXPECT_EQ(outcome_of(parameters, shuffled, 2, 1, 8), outcome_of(parameters, gas, 1, 1, 8));
}

TEST(Ranks, FailTogetherWithOneMessage) {
  InitialConditions gas = moving_blast(9, 3);
  gas.vx[5] = std::numeric_limits<double>::infinity();
  std::vector<std::string> messages;
  std::mutex lock;
  comm::testing::on_ranks(2, [&](comm::Communicator& world) {
    const std::string message = test::message_of<engine::NumericsError>([&] {
      RankRun run(plain_parameters(), gas, world, 1);
      run.advance(3);
    });
    const std::scoped_lock guard(lock);
    messages.push_back(message);
  });
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_NE(messages[0].find("particle 6 "), std::string::npos) << messages[0];
}

}  // namespace tacit::sph::ranks_test
