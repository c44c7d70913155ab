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

/// In a periodic box a dense blob drifts, and a hot ball sends shocks through it that meet again and again. Sub-grids
/// follow the blob, not the shocks, which so go through the borders of levels; and one region is always finer.
AmrParameters shocks_through_borders(const std::string& amr) {
  AmrParameters parameters = parameters_of("initial.setup = \"wave\"\n[amr]\nregrid_every = 5\n" + amr);
  parameters.initial.exact = {};
  parameters.initial.state = [axes = parameters.domain.dimensions](const Point& x) {
    const auto distance = [&](double x0, double y0, double z0) {
      return std::hypot(x[0] - x0, axes > 1 ? x[1] - y0 : 0.0, axes > 2 ? x[2] - z0 : 0.0);
    };
    const bool is_hot = distance(0.7, 0.6, 0.55) < 0.13;
    const double r = distance(0.3, 0.4, 0.45);
    return GasState{1.0 + 3.0 * std::exp(-r * r / 0.01), {1.0, 0.5, 0.25}, is_hot ? 20.0 : 1.0};
  };
  return parameters;
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
void expect_sums_to_be_kept_by_fluxes(AmrParameters parameters, std::size_t steps, std::size_t trees) {
  const Drift kept = drift_over(parameters, steps);
  EXPECT_LT(kept.largest, 1e-13);
  EXPECT_GE(kept.trees, trees) << "hardly anything was adapted";
  parameters.border_fluxes = BorderFluxes::of_each;
  const Drift lost = drift_over(parameters, std::min<std::size_t>(steps, 40));
  EXPECT_GT(lost.largest, 1e-6) << "nothing went through the borders of levels that differs on both sides";
}

const bool is_full = std::getenv("TACIT_TEST_FULL") != nullptr;

TEST(AmrConservation, OnALineIsExactOverAThousandSteps) {
  expect_sums_to_be_kept_by_fluxes(
      shocks_through_borders("root = [8]\nregions = [3, 0.4, 0.5]\nfinest = 3\njumps_finest = 0\ndensity_finest = 1\n"
                             "density_above = 1.8\ndensity_below = 1.5\n"),
      1000, 10);
}

/// A fault in the fluxes shows in the first forty steps, see above.
TEST(AmrConservation, InAPlaneIsExact) {
  expect_sums_to_be_kept_by_fluxes(
      shocks_through_borders("root = [4, 4]\nregions = [2, 0.4, 0.5, 0.6, 0.7]\nfinest = 2\njumps_finest = 0\n"
                             "density_finest = 1\ndensity_above = 1.8\ndensity_below = 1.5\n"),
      is_full ? 1000 : 250, is_full ? 10 : 2);
}

TEST(AmrConservation, InSpaceIsExact) {
  expect_sums_to_be_kept_by_fluxes(
      shocks_through_borders(fmt::format("root = [{0}, {0}, {0}]\nregions = [1, 0.4, 0.5, 0.6, 0.7, 0.5, 0.6]\n"
                                         "finest = 1\njumps_finest = 0\ndensity_above = 1.8\ndensity_below = 1.5\n",
                                         is_full ? 4 : 3)),
      is_full ? 1000 : 20, is_full ? 10 : 1);
}

}  // namespace
}  // namespace tacit::amr
