// Temperature, diffusivity and source by formulas, beside set-ups that are the same.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <string>

#include "running_heat.hpp"

namespace tacit::heat::formulas_test {
namespace {

using testing::outcome_of;
using testing::parameters_of;

HeatParameters read(const std::string& text) { return read_parameters(parameters_of(text)); }

const std::string mode =
    "initial.setup = \"formulas\"\n[heat]\ncells = [12, 10]\nbox = [1, 2, 1]\ndiffusivity = 0.5\n"
    "[initial.constants]\nL = 2\n[initial.fields]\ntemperature = \"3*cos(2*pi*x)*cos(2*pi*y/L)\"\n";

TEST(HeatFormulas, MakeAModeToRounding) {
  const HeatParameters built_in = read(
      "initial.setup = \"eigenmode\"\neigenmode.amplitude = 3\n[heat]\ncells = [12, 10]\nbox = [1, 2, 1]\n"
      "diffusivity = 0.5\n");
  const double dt = testing::RunningHeat(built_in).solver().time_step();
  const testing::Outcome one = outcome_of(built_in, 1, 1, 5, dt);
  const testing::Outcome two = outcome_of(read(mode), 1, 1, 5, dt);
  for (std::size_t i = 0; i < one.cells.size(); ++i) EXPECT_NEAR(one.cells[i], two.cells[i], 5e-15) << i;
  for (const std::size_t ranks : {2U, 4U}) EXPECT_TRUE(outcome_of(read(mode), ranks, 2, 5, dt).cells == two.cells);
}

TEST(HeatFormulas, GiveDiffusivityAndSource) {
  const std::string heat = "[heat]\ncells = [16]\nwalls = [\"fixed\"]\nlow = [1, 0, 0]\nhigh = [2, 0, 0]\n";
  const HeatParameters layers =
      read("initial.setup = \"two_layers\"\ntwo_layers.low = 1\ntwo_layers.high = 0.25\n" + heat);
  const std::string fields = "[initial.fields]\ntemperature = 1\ndiffusivity = \"x < 0.5 ? 1 : 0.25\"\n";
  const double dt = testing::RunningHeat(layers).solver().time_step();
  const testing::Outcome one = outcome_of(layers, 1, 1, 7, dt);
  EXPECT_TRUE(outcome_of(read("initial.setup = \"formulas\"\n" + heat + fields), 1, 1, 7, dt).cells == one.cells);
  // d<T>/dt is the mean of the source where nothing passes the walls.
  const HeatParameters warmed = read(
      "initial.setup = \"formulas\"\n[heat]\ncells = [16]\ndiffusivity = 1\n[initial.fields]\ntemperature = 0\n"
      "source = \"4*x\"\n");
  double sum = 0.0;
  for (const double T : outcome_of(warmed, 1, 1, 3, 1e-4).cells) sum += T;
  EXPECT_NEAR(sum / 16.0, 3e-4 * 2.0, 1e-16);
}

TEST(HeatFormulas, SayWhichCellHasNoNumber) {
  std::string text = mode;
  text.replace(text.find("3*cos"), 5, "log(0.7 - x)*cos");
  const HeatParameters parameters = read(text);
  for (const std::size_t ranks : {1U, 4U}) {
    std::mutex mutex;
    std::vector<std::string> texts;
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      try {
        const testing::RunningHeat run(parameters, 1, world);
      } catch (const base::Error& error) {
        const std::lock_guard lock(mutex);
        texts.emplace_back(error.what());
      }
    });
    ASSERT_EQ(texts.size(), ranks);
    for (const std::string& one : texts)
      EXPECT_NE(one.find("initial.fields.temperature: is"), std::string::npos) << one;
    if (ranks > 1) continue;
    EXPECT_NE(texts[0].find(" in the cell (8, 0, 0), at x = 0.708333, y = 0.1"), std::string::npos) << texts[0];
  }
}

}  // namespace
}  // namespace tacit::heat::formulas_test
