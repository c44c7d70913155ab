// Sums over a thousand steps, while shocks go through the borders of levels and these follow others of them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "running_amr.hpp"

namespace tacit::amr {
namespace {

using testing::parameters_of;
using testing::RunningAmr;

/// An explosion in a periodic box, whose waves meet again and again. Only jumps of a third and more are refined: weaker
/// shocks, and all rarefactions, pass from level to level.
AmrParameters waves_through_borders(const char* roots, const char* region, int finest) {
  return parameters_of(
      fmt::format("initial.setup = \"sedov\"\n[amr]\nroot = {}\nregions = {}\nfinest = {}\nregrid_every = 5\n"
                  "refine_above = 0.3\ncoarsen_below = 0.2\n",
                  roots, region, finest));
}

struct Drift {
  double largest = 0.0;   ///< of mass, momentum and energy, over their scales, after any ten steps
  std::size_t trees = 0;  ///< how often the tree has changed
};

Drift drift_over(const AmrParameters& parameters, std::size_t steps) {
  RunningAmr run(parameters);
  const engine::Conserved before = run.solver().conserved();
  std::vector<mesh::Node> leaves(run.solver().tree().leaves().begin(), run.solver().tree().leaves().end());
  Drift drift;
  for (std::size_t step = 0; step < steps; step += 5) {
    run.steps(5);
    const auto now = run.solver().tree().leaves();
    if (!std::ranges::equal(now, leaves)) ++drift.trees;
    leaves.assign(now.begin(), now.end());
    const engine::Conserved after = run.solver().conserved();
    for (std::size_t k = 0; k < after.quantities.size(); ++k) {
      for (std::size_t i = 0; i < after.quantities[k].value.size(); ++i) {
        const double change = std::abs(after.quantities[k].value[i] - before.quantities[k].value[i]);
        drift.largest = std::max(drift.largest, change / after.quantities[k].scale);
      }
    }
  }
  return drift;
}

/// The fluxes of the finer side are what keeps the sums: without them the same run loses them at once.
void expect_sums_to_be_kept_by_fluxes(AmrParameters parameters, std::size_t steps) {
  const Drift kept = drift_over(parameters, steps);
  EXPECT_LT(kept.largest, 1e-13);
  EXPECT_GT(kept.trees, 30U) << "hardly anything was adapted";
  parameters.border_fluxes = BorderFluxes::of_each;
  const Drift lost = drift_over(parameters, steps / 5);
  EXPECT_GT(lost.largest, 1e-6) << "nothing went through the borders of levels that differs on both sides";
}

TEST(AmrConservation, OnALineIsExactOverAThousandSteps) {
  expect_sums_to_be_kept_by_fluxes(waves_through_borders("[4]", "[1, 0.3, 0.6]", 3), 1000);
}

TEST(AmrConservation, InAPlaneIsExactOverAThousandSteps) {
  expect_sums_to_be_kept_by_fluxes(waves_through_borders("[2, 2]", "[1, 0.3, 0.6, 0.3, 0.4]", 2), 1000);
}

TEST(AmrConservation, InSpaceIsExact) {
  const bool is_full = std::getenv("TACIT_TEST_FULL") != nullptr;
  expect_sums_to_be_kept_by_fluxes(waves_through_borders("[2, 2, 2]", "[1, 0.1, 0.2, 0.3, 0.6, 0.3, 0.6]", 2),
                                   is_full ? 1000 : 60);
}

}  // namespace
}  // namespace tacit::amr
