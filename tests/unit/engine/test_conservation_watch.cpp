// What is watched of conserved quantities: jumps are told once, drift ends a run, looks take a share of the time.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../io/scratch.hpp"
#include "tacit/engine/conservation_watch.hpp"

namespace tacit::engine {
namespace {

std::vector<Quantity> energy_of(double value) { return {{.name = "total_energy", .value = {value}, .scale = 1.0}}; }

TEST(EngineConservationWatch, TellsOfEachQuantityOnceThatItHasJumped) {
  ConservationWatch watch({}, Axis{});
  EXPECT_FALSE(watch.is_watched());
  EXPECT_TRUE(watch.add_line(energy_of(1.0), 0, 0.0).empty());
  EXPECT_TRUE(watch.is_watched());
  EXPECT_TRUE(watch.look(energy_of(1.04), 1, 0.1).empty());  // 5 % of the scale go without a word
  const auto told = watch.look(energy_of(1.5), 2, 0.2);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0],
            "warning: step 2, t = 0.2: the total energy has gone from 1.04 to 1.5 in one step, by 0.46 of its scale: "
            "steps may be too long (cfl, time.dt_max)");
  EXPECT_TRUE(watch.look(energy_of(9.0), 3, 0.3).empty());
}

TEST(EngineConservationWatch, SmallChangesAddUpBetweenLines) {
  ConservationWatch watch({}, Axis{});
  EXPECT_TRUE(watch.add_line(energy_of(1.0), 4, 0.0).empty());
  EXPECT_TRUE(watch.look(energy_of(1.04), 5, 0.1).empty());
  const auto told = watch.add_line(energy_of(1.08), 6, 0.2);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find("from 1 to 1.08 since step 4, by 0.08 of its scale"), std::string::npos) << told[0];
  EXPECT_EQ(watch.line_step(), 6U);
}

TEST(EngineConservationWatch, TheFirstStateAfterARestartHasNoneBeforeIt) {
  ConservationWatch before({}, Axis{});
  EXPECT_TRUE(before.add_line(energy_of(1.0), 3, 0.0).empty());
  ConservationWatch watch({}, Axis{});
  watch.resume(before.of_lines(), before.line_step());
  EXPECT_EQ(watch.last_step(), 3U);
  watch.begin_at(energy_of(1.5), 7);
  EXPECT_EQ(watch.last_step(), 7U);
  EXPECT_TRUE(watch.is_watched());
}

TEST(EngineConservationWatch, DriftsAreThoseOfLines) {
  ConservationWatch watch({.of_any = 0.1}, Axis{});
  static_cast<void>(watch.add_line(energy_of(1.0), 0, 0.0));
  static_cast<void>(watch.look(energy_of(2.0), 1, 0.1));
  EXPECT_NO_THROW(watch.require_small_drift(1, 0.1));
  static_cast<void>(watch.add_line(energy_of(1.2), 2, 0.2));
  EXPECT_EQ(test::message_of<NumericsError>([&] { watch.require_small_drift(2, 0.2); }),
            "step 2, t = 0.2: the total energy has drifted by 0.2 of its scale, more than drift.limit = 0.1 allows\n"
            "  Look at statistics.csv; shorter steps (cfl, time.dt_max) may help; if it may drift so far, raise "
            "drift.limit.");
}

TEST(EngineConservationWatch, LooksTakeAShareOfTheTimeOfSteps) {
  ConservationWatch watch({}, Axis{});
  EXPECT_TRUE(watch.may_look(0.0));
  watch.note_cost(1.0);
  EXPECT_FALSE(watch.may_look(399.0));  // with one more they would have taken 2 s, half a percent of 400 s
  EXPECT_TRUE(watch.may_look(401.0));
}

}  // namespace
}  // namespace tacit::engine
