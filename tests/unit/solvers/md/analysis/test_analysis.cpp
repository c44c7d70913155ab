// What is measured of atoms while a run goes on: crystals, free flight, bits.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "unit/solvers/md/running_md.hpp"
#include "unit/solvers/md/states.hpp"

namespace tacit::md::analysis_test {
namespace {

using testing::crystal;
using testing::parameters_of;
using testing::RunningMd;

/// All numbers of what has been measured.
std::vector<double> all_numbers(const MdSolver& solver) {
  std::vector<double> result;
  const auto add = [&result](const engine::BlockEstimate& estimate) {
    result.insert(result.end(), {estimate.mean, std::isnan(estimate.error) ? -1.0 : estimate.error});
  };
  const Analysis& analysis = solver.analysis().value();
  const std::size_t types = 2;
  for (std::size_t a = 0; a < types; ++a) {
    for (std::size_t b = 0; b < types; ++b) {
      for (std::size_t bin = 0; bin < analysis.pairs()->bins(); ++bin) {
        add(analysis.pairs()->g(a, b, bin));
        add(analysis.pairs()->neighbours(a, b, bin));
      }
    }
    for (const Motion::Lag& lag : analysis.motion()->lags(a)) {
      result.insert(result.end(), {lag.time, static_cast<double>(lag.samples)});
      add(lag.msd);
      for (const engine::BlockEstimate& one : lag.along) add(one);
      add(lag.vacf);
    }
    for (const Motion::Slope& slope : analysis.motion()->slopes(a)) add(slope.diffusion);
  }
  return result;
}

/// Hot silicon carbide, so that some atoms cross the faces of the box.
MdParameters hot_carbide() {
  return read_parameters(parameters_of(
      "initial.setup = \"lattice\"\n[units]\nlength = \"1 Angstrom\"\nmass = \"1.602176634e-20 g\"\nvelocity = \"1e4 "
      "cm/s\"\n[md]\nunits = \"metal\"\ndt = 0.001\nelements = \"Si C\"\nmasses = [28.0855, 12.011]\npotential = "
      "\"tersoff\"\n"
      "[tersoff]\nparameters = \"sic_1989\"\n[lattice]\nstructure = \"zincblende\"\nconstant = 4.32\ncells = 2\n"
      "[velocities]\ntemperature = 6000.0\n[analysis]\npairs_every = 0.003\npair_bins = 40\npair_distance = 4.0\n"
      "motion_every = 0.001\nlongest_lag = 0.06\nbegin = 0.002\n"));
}

}  // namespace

/// Shells of the face-centred cubic lattice at a sqrt(k/2): 12, 6, 24, 12, 24 atoms.
TEST(MdAnalysis, ACrystalHasTheShellsOfItsLattice) {
  const RunningMd run(
      crystal("density = 0.5\ncells = 4\n", "[analysis]\npairs_every = 0.005\npair_distance = 3.2\npair_bins = 32\n"));
  const PairDistribution& pairs = run.solver().analysis()->pairs().value();
  ASSERT_EQ(pairs.samples(), 1U);
  const double constant = 2.0;  // 4 atoms at the density 0.5
  const std::array<double, 5> shells{12.0, 6.0, 24.0, 12.0, 24.0};
  std::vector<double> in_bin(pairs.bins(), 0.0);
  for (std::size_t k = 0; k < shells.size(); ++k) {
    const double r = constant * std::sqrt(0.5 * static_cast<double>(k + 1));
    if (r < 3.2) in_bin.at(static_cast<std::size_t>(r / pairs.width())) += shells.at(k);
  }
  double within = 0.0;
  for (std::size_t bin = 0; bin < pairs.bins(); ++bin) {
    within += in_bin[bin];
    const double inner = pairs.width() * static_cast<double>(bin);
    const double outer = inner + pairs.width();
    const double shell = 4.0 / 3.0 * std::numbers::pi * (std::pow(outer, 3) - std::pow(inner, 3));
    EXPECT_NEAR(pairs.g(0, 0, bin).mean, in_bin[bin] / shell / (255.0 / 512.0), 1e-10) << bin;
    EXPECT_NEAR(pairs.neighbours(0, 0, bin).mean, within, 1e-12) << bin;
  }
  EXPECT_EQ(within, 12.0 + 6.0 + 24.0 + 12.0 + 24.0);
}

/// Without forces x goes on with v: msd = <v^2> t^2 through many periodic faces, and v is remembered for ever.
TEST(MdAnalysis, AtomsThatFlyFreelyAreFollowedThroughFaces) {
  RunningMd run(crystal("density = 0.85\ncells = 3\n",
                        "[velocities]\ntemperature = 50.0\n[lennard_jones]\nepsilon = 1e-15\nsigma = 0.01\ncutoff = "
                        "0.6\n[analysis]\nmotion_every = 0.02\nlongest_lag = 0.9\n[md]\ndt = 0.01\n"));
  run.steps(300, 0.01);
  const Motion& motion = run.solver().analysis()->motion().value();
  const std::vector<Motion::Lag> lags = motion.lags(0);
  const double v2 = lags[0].vacf.mean;
  // 107 of 108 momenta are free.
  EXPECT_NEAR(v2, 3.0 * 50.0 * 107.0 / 108.0, 1e-8);
  ASSERT_EQ(lags.size(), 17U + 8U + 8U);
  EXPECT_NEAR(lags.back().time, 64 * 0.02, 1e-12);
  for (const Motion::Lag& lag : lags) {
    EXPECT_NEAR(lag.msd.mean, v2 * lag.time * lag.time, 1e-10 * (1.0 + lag.msd.mean)) << lag.time;
    EXPECT_NEAR(lag.vacf.mean, v2, 1e-10 * v2) << lag.time;
  }
  EXPECT_EQ(lags[16].samples, 151U - 16U);
  EXPECT_EQ(lags[17].samples, 76U - 9U);  // every second sample, 18 intervals apart
  EXPECT_GT(lags.back().msd.mean, std::pow(5.0, 2)) << "further than the box is wide";
  const std::vector<Motion::Slope> slopes = motion.slopes(0);
  ASSERT_EQ(slopes.size(), 3U);
  EXPECT_NEAR(slopes[1].diffusion.mean, v2 * (slopes[1].to + slopes[1].from) / 6.0, 1e-9 * v2);
}

TEST(MdAnalysis, HasTheSameBitsOnAnyRanksAndThreadsAndAfterARestart) {
  const MdParameters parameters = hot_carbide();
  constexpr std::size_t steps = 30;
  const testing::State alone = testing::state_of(parameters, {.steps = steps}, all_numbers);
  EXPECT_GT(alone.at(0).size(), 1000U);
  for (const testing::StatePlan& plan : {testing::StatePlan{.ranks = 1, .workers = 2, .steps = steps},
                                         testing::StatePlan{.ranks = 2, .until_restart = 17, .steps = steps},
                                         testing::StatePlan{.ranks = 4, .steps = steps}}) {
    EXPECT_TRUE(alone == testing::state_of(parameters, plan, all_numbers)) << plan.ranks << " ranks";
  }
}

TEST(MdAnalysis, RefusesWhatCannotBeMeasured) {
  const auto message_of = [](const std::string& more) -> std::string {
    try {
      static_cast<void>(crystal("density = 0.85\ncells = 3\n", more));
    } catch (const config::Error& error) {
      const std::string text = error.what();
      const std::size_t at = text.find("analysis");
      return at == std::string::npos ? text : text.substr(at, text.find('\n') - at);
    }
    return "nothing";
  };
  const std::vector<std::pair<std::string, std::string>> cases{
      {"[analysis]\npairs_every = 0.012\n", "analysis.pairs_every: is 2.4 times md.dt, expected a whole number"},
      {"[analysis]\npairs_every = 0.01\npair_distance = 4.0\n",
       "analysis.pair_distance: is 4, more than half of the box, 2.51365: beyond it atoms see images of themselves"},
      {"[analysis]\nbegin = 2.0\nmotion_every = 0.01\n", "analysis.begin: is 2, but the run goes from 0 to 1"},
      {"[analysis]\nbegin = 0.5\n", "analysis.begin: is given, but nothing is to be measured"},
      {"[analysis]\nmotion_every = 0.01\n[output]\nsnapshot_every = 0.007\n",
       "analysis.motion_every: needs steps of md.dt, but one is cut short for output.snapshot_every"},
      {"[analysis]\nmotion_every = 0.01\n[minimize]\nmethod = \"fire\"\nforce_tolerance = 1e-3\n",
       "analysis.motion_every: does not go with minimize.method"},
      {"[analysis]\nmotion_every = 0.01\n[strain]\nrates = [0.1, 0.0, 0.0]\n",
       "analysis.motion_every: does not go with strain.rates"},
  };
  for (const auto& [more, expected] : cases) EXPECT_EQ(message_of(more), expected);
}

}  // namespace tacit::md::analysis_test
