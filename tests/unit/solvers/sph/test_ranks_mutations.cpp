// The bitwise tests of gas on ranks can fail: what must not happen to sums, lists and drifts is done, and found.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "rank_runs.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph::rank_mutations_test {
namespace {

using testing::moving_blast;
using testing::Outcome;
using testing::outcome_of;
using testing::outcome_with;
using testing::RankRun;
namespace vector = kernels::vector;

using DensityFunction = vector::DensitySums (*)(vector::Hits, float);
DensityFunction forwards = nullptr;

/// The same sum with the neighbours in the reverse order.
vector::DensitySums backwards(vector::Hits hits, float inverse_H) {
  const std::size_t room = hits.count + vector::widest;
  std::vector<float> r(hits.r, hits.r + room);
  std::vector<float> m(hits.m, hits.m + room);
  std::reverse(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(hits.count));
  std::reverse(m.begin(), m.begin() + static_cast<std::ptrdiff_t>(hits.count));
  hits.r = r.data();
  hits.m = m.data();
  return forwards(hits, inverse_H);
}

// The program offers no way to do any of this: constness is cast away from what is no constant itself.

/// One rank alone sums in another order.
void reverse_sums(RankRun& run) {
  auto& kernels = const_cast<vector::PairKernels&>(run.solver().step_data().loops.kernels());
  if (run.rank() == 1) kernels.density = backwards;
}

/// Cells of other ranks come behind those of the own, as they are numbered, and not by leaf.
void move_foreign_cells_back(RankRun& run) {
  const particles::CellTree& tree = run.solver().step_data().grid;
  for (std::size_t c = 0; c < tree.cells(); ++c) {
    const auto list = tree.neighbours(c);
    const std::span neighbours(const_cast<particles::Neighbour*>(list.data()), list.size());
    std::ranges::stable_partition(neighbours, [&](const particles::Neighbour& n) { return n.cell < tree.cells(); });
  }
}

/// Idle particles drift from where they are now instead of from where their steps began: the same but for rounding.
void anchor_late(RankRun& run) {
  Gas& gas = const_cast<Gas&>(run.solver().gas());
  const StepClock& clock = run.solver().clock();
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const double passed = clock.line.since_next_begin(gas.bin[i], clock.now);
    if (passed > 0.0) gas.x_before[i] = (gas.x_before[i] + passed * gas.vx[i]) - passed * gas.vx[i];
  }
}

}  // namespace

TEST(RankMutations, AreFoundByEachComparison) {
  const SphParameters parameters = testing::with_own_steps(testing::plain_parameters());
  const InitialConditions gas = moving_blast(8, 3);
  constexpr int steps = 8;
  const Outcome alone = outcome_of(parameters, gas, 1, 1, steps);
  EXPECT_EQ(outcome_with(parameters, gas, 2, steps, [](RankRun&) {}), alone);
  comm::testing::on_ranks(1, [&](comm::Communicator& world) {
    RankRun run(parameters, gas, world, 1);
    forwards = run.solver().step_data().loops.kernels().density;
  });
  EXPECT_NE(outcome_with(parameters, gas, 2, steps, reverse_sums), alone) << "a sum that was reversed";
  EXPECT_NE(outcome_with(parameters, gas, 2, steps, move_foreign_cells_back), alone) << "a foreign list in other order";
  EXPECT_NE(outcome_with(parameters, gas, 2, steps, anchor_late), alone) << "drifts from later places";
  // On one rank there are no foreign cells.
  EXPECT_EQ(outcome_with(parameters, gas, 1, steps, move_foreign_cells_back), alone);
}

}  // namespace tacit::sph::rank_mutations_test
