// What gas on ranks sends in a step: nothing where nobody looks at another's cells, more the more particles end steps,
// and without allocating memory.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <vector>

#include "samples.hpp"
#include "support/under_sanitizer.hpp"
#include "unit/comm/polling.hpp"
#include "unit/comm/ranks.hpp"
#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
#include "unit/comm/quiet_steps.hpp"
#endif

namespace tacit::sph::ranks_messages_test {
namespace {

/// A rank's solver with one worker.
class Rank {
 public:
  Rank(const SphParameters& parameters, const InitialConditions& gas, comm::Communicator& world)
      : polling_(scheduler_, world),
        solver_(parameters, base::UnitSystem{}, testing::share_of(gas, {comm::number(world.rank()), world.size()}),
                {scheduler_, true, world}) {}
  void step(double part = 1.0) {
    tasks::StepContext step;
    step.time = time_;
    step.dt = part * solver_.time_step();
    solver_.step(step);
    time_ += step.dt;
  }
  [[nodiscard]] const SphSolver& solver() const noexcept { return solver_; }
  [[nodiscard]] exchange::Sent sent() const { return solver_.copies()->exchange().sent(); }

 private:
  trace::Recorder recorder_{1, 64};
  tasks::Scheduler scheduler_{1, recorder_};
  comm::testing::Polling polling_;
  SphSolver solver_;
  double time_ = 0.0;
};

/// Steps of the quickest particles in one of the slowest.
constexpr int whole_step = 32;

/// Gas of one pressure at rest along a line, whose sound speed is the highest, by a factor of 16, at a quarter of it:
/// in the middle of what the first of two ranks has. Its time steps are as short there and stay as they are.
InitialConditions hot_in_the_middle_of_a_rank() {
  InitialConditions gas = testing::uniform_gas(512, 0.0, 1);
  for (std::size_t i = 0; i < gas.size(); ++i) {
    gas.u[i] = std::exp2(4.0 * (1.0 + std::sin(2.0 * std::numbers::pi * gas.x[i])));
    gas.m[i] /= gas.u[i];
  }
  return gas;
}

SphParameters of_lines() { return testing::with_own_steps(testing::parameters_with(Kernel::wendland_c2, 1)); }

/// What a rank sent in steps that end the particles of this bin and below.
struct OfBin {
  exchange::Sent most;
  std::uint64_t updated = 0;
};

/// By the highest bin that ended its steps, over a step of the slowest particles.
std::map<std::uint8_t, OfBin> sent_by_bin(Rank& rank) {
  std::map<std::uint8_t, OfBin> bins;
  for (int i = 0; i < whole_step; ++i) {
    const exchange::Sent before = rank.sent();
    rank.step();
    const exchange::Sent now = rank.sent().since(before);
    OfBin& of_bin = bins[rank.solver().clock().active];
    of_bin.updated = rank.solver().updated();
    if (now.bytes >= of_bin.most.bytes) of_bin.most = now;
  }
  return bins;
}

}  // namespace

TEST(RanksMessages, StepsWithoutRemoteWorkSendNothingAndOthersMoreTheMoreIsActive) {
  const InitialConditions gas = hot_in_the_middle_of_a_rank();
  comm::testing::on_ranks(2, [&](comm::Communicator& world) {
    Rank rank(of_lines(), gas, world);
    for (int i = 0; i < whole_step; ++i) rank.step();
    const std::uint64_t sorts = rank.solver().sorts();
    const auto bins = sent_by_bin(rank);
    EXPECT_EQ(rank.solver().sorts(), sorts) << "nothing moves";
    ASSERT_GT(bins.size(), 4U);
    EXPECT_GT(bins.begin()->second.updated, 0U) << "some cells are active";
    EXPECT_EQ(bins.begin()->second.most, exchange::Sent{}) << "but far from those of the other rank";
    EXPECT_GT(bins.rbegin()->second.most.bytes, 0U);
    std::uint64_t before = 0;
    for (const auto& [bin, of_bin] : bins) {
      EXPECT_GE(of_bin.most.bytes, before) << "bin " << int{bin};
      before = of_bin.most.bytes;
    }
#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)
    // Nor does any of these steps allocate.
    comm::testing::expect_no_allocations(
        world, [&] { rank.step(); }, 50);
#endif
  });
}

TEST(RanksMessages, OnlyCellsThatOthersListTravel) {
  const InitialConditions gas = testing::uniform_gas(10, 0.3);
  comm::testing::on_ranks(2, [&](comm::Communicator& world) {
    Rank rank(testing::plain_parameters(), gas, world);
    rank.step(0.01);
    const exchange::Sent before = rank.sent();
    rank.step(0.01);
    const exchange::Sent now = rank.sent().since(before);
    const CellCopies& copies = *rank.solver().copies();
    std::size_t travelling = 0;
    for (std::size_t c = 0; c < rank.solver().cells(); ++c) travelling += copies.has_copy(c) ? 1 : 0;
    EXPECT_GT(travelling, 0U);
    EXPECT_EQ(now.messages, 2 * travelling) << "motion and results of densities";
  });
}

#if !defined(TACIT_UNDER_TSAN) && !defined(TACIT_UNDER_ASAN)

TEST(RanksMessages, AStepThatDoesNotSortAllocatesNothing) {
  const InitialConditions gas = testing::uniform_gas(8, 0.3);
  comm::testing::on_ranks(2, [&](comm::Communicator& world) {
    Rank rank(testing::plain_parameters(), gas, world);
    for (int i = 0; i < 40; ++i) rank.step(1e-3);  // the ring of transfers is full
    const std::uint64_t sorts = rank.solver().sorts();
    comm::testing::expect_no_allocations(
        world, [&] { rank.step(1e-3); }, 50);
    EXPECT_EQ(rank.solver().sorts(), sorts) << "the steps must be short enough not to sort";
  });
}

#endif

}  // namespace tacit::sph::ranks_messages_test
