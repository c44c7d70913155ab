// Gas by formulas of the parameter file, beside set-ups that are the same, and what is no gas.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "running_amr.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::amr::formulas_test {
namespace {

using testing::column;
using testing::parameters_of;
using testing::RunningAmr;

const std::string tube = "amr.root = [2, 2]\namr.low = \"outflow\"\namr.level = 0\namr.finest = 2\namr.species = 2\n";
const std::string tube_formulas =
    "initial.setup = \"formulas\"\n"
    "[initial.constants]\nedge = 0.5\nrho_right = 0.125\n"
    "[initial.fields]\ndensity = \"x < edge ? 1 : rho_right\"\npressure = \"x < edge ? 1 : 0.1\"\n"
    "mass_fraction_1 = \"x < edge\"\n";

std::vector<double> state_after(const std::string& text, std::size_t ranks, std::size_t workers) {
  std::vector<std::vector<double>> parts(ranks);
  const AmrParameters parameters = parameters_of(text);
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    RunningAmr run(parameters, workers, world);
    run.steps(4);
    parts[number(world.rank())] = run.state();
    world.synchronise();
  });
  std::vector<double> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(AmrFormulas, MakeTheShockTubeBitwise) {
  const std::vector<double> built_in = state_after("initial.setup = \"sod\"\n" + tube, 1, 1);
  EXPECT_TRUE(state_after(tube + tube_formulas, 1, 1) == built_in);
  EXPECT_TRUE(state_after(tube + tube_formulas, 1, 2) == built_in);
  EXPECT_TRUE(state_after(tube + tube_formulas, 2, 1) == built_in);
  EXPECT_TRUE(state_after(tube + tube_formulas, 4, 1) == built_in);
  // That the comparison can fail: another number in the table of constants.
  std::string other = tube_formulas;
  other.replace(other.find("0.125"), 5, "0.126");
  EXPECT_FALSE(state_after(tube + other, 1, 1) == built_in);
}

TEST(AmrFormulas, MakeAWaveToRounding) {
  const std::string box = "amr.root = [2, 2, 2]\namr.box = [1, 2, 1]\n";
  const RunningAmr built_in("initial.setup = \"wave\"\nwave.waves = [1, 2, 0]\nwave.amplitude = 0.01\n" + box);
  // c = sqrt(gamma P / rho), k = 2 pi (1, 1, 0)
  const RunningAmr formulas(box +
                            "[initial]\nsetup = \"formulas\"\n[initial.constants]\nrho0 = 1.0\nP0 = 0.6\na = 0.01\n"
                            "gamma = 1.4\nc = 0.916515138991168\n[initial.fields]\n"
                            "density = \"rho0*(1 + a*sin(2*pi*(x + y)))\"\n"
                            "pressure = \"P0*(1 + gamma*a*sin(2*pi*(x + y)))\"\n"
                            "velocity_x = \"a*c*sin(2*pi*(x + y))/sqrt(2)\"\n"
                            "velocity_y = \"a*c*sin(2*pi*(x + y))/sqrt(2)\"\n");
  const std::vector<double> one = built_in.state();
  const std::vector<double> two = formulas.state();
  ASSERT_EQ(one.size(), two.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < one.size(); ++i) largest = std::max(largest, std::abs(one[i] - two[i]));
  EXPECT_LT(largest, 2e-15);  // some roundings of numbers up to 1.6
}

TEST(AmrFormulas, HaveAsManySpeciesAsAreGivenAndARest) {
  const RunningAmr run(
      "amr.root = [1]\namr.box = [0.75, 1, 1]\n[initial]\nsetup = \"formulas\"\n[initial.fields]\ndensity = "
      "2\npressure = 1\n"
      "mass_fraction_1 = 0.25\nmass_fraction_2 = \"x\"\nvelocity_z = 0\n");
  EXPECT_DOUBLE_EQ(column(run, "mass_species_1"), 0.25 * 1.5);
  EXPECT_DOUBLE_EQ(column(run, "mass_species_2"), 0.375 * 1.5);
  EXPECT_DOUBLE_EQ(column(run, "mass_species_3"), 0.375 * 1.5);
}

std::string error_of(const std::string& fields, std::size_t ranks) {
  const AmrParameters parameters =
      parameters_of("amr.root = [4]\ninitial.setup = \"formulas\"\n[initial.fields]\n" + fields);
  std::mutex mutex;
  std::vector<std::string> texts;
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    try {
      const RunningAmr run(parameters, 1, world);
    } catch (const base::Error& error) {
      const std::lock_guard lock(mutex);
      texts.emplace_back(error.what());
    }
  });
  EXPECT_EQ(texts.size(), ranks);  // all of them end
  if (texts.empty()) return {};
  for (const std::string& text : texts)
    EXPECT_NE(text.find(texts[0].substr(texts[0].find("initial."))), std::string::npos) << text;
  return texts[0];
}

TEST(AmrFormulas, SayWhichCellIsNoGas) {
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    // Only the last rank has such cells.
    const std::string text = error_of("density = 1\npressure = \"sqrt(0.9 - x)\"\n", ranks);
    EXPECT_NE(text.find(":6:12: initial.fields.pressure: is nan in the cell (29, 0, 0) of level 0, at x = 0.921875"),
              std::string::npos)
        << text;
  }
  EXPECT_NE(error_of("density = \"x - 0.5\"\npressure = 1\n", 1)
                .find("initial.fields.density: is -0.484375 in the cell (0, 0, 0)"),
            std::string::npos);
  EXPECT_NE(error_of("density = 1\npressure = 1\nmass_fraction_1 = 0.75\nmass_fraction_2 = \"x\"\n", 1)
                .find("initial.fields.mass_fraction_2: and those before it add up to 1.01562 in the cell (8, 0, 0)"),
            std::string::npos);
  EXPECT_NE(
      error_of("density = 1\npressure = 1\nvelocity_x = \"1/(x - x)\"\n", 1).find("expected a number that is finite"),
      std::string::npos);
}

TEST(AmrFormulas, AreRefusedBeforeTheRun) {
  const auto message = [](const std::string& fields) -> std::string {
    try {
      static_cast<void>(parameters_of("amr.root = [4]\ninitial.setup = \"formulas\"\n[initial.fields]\n" + fields));
    } catch (const config::Error& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_NE(message("density = 1\n").find("initial.fields.pressure: is missing; initial.setup = \"formulas\" needs it"),
            std::string::npos);
  EXPECT_NE(
      message("density = 1\npressure = 1\nmass_fraction_2 = 0\n").find("is given, and initial.fields.mass_fraction_1"),
      std::string::npos);
  EXPECT_NE(message("density = \"1 + 0.1*sin(2*pi*xx)\"\npressure = 1\n")
                .find(":5:29: initial.fields.density: 'xx' is unknown (character 18 of"),
            std::string::npos)
      << message("density = \"1 + 0.1*sin(2*pi*xx)\"\npressure = 1\n");
}

}  // namespace
}  // namespace tacit::amr::formulas_test
