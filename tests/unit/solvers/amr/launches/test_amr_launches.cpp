// Gas in launch slots: the bits of the workers' loops, with any slots, ranks, threads and failures.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <mutex>
#include <string>
#include <vector>

#include "unit/comm/ranks.hpp"
#include "unit/solvers/amr/running_amr.hpp"

namespace tacit::amr {
namespace amr_launches_test {
namespace {

using testing::parameters_of;
using testing::RunningAmr;

/// Alike in no two places, not even turned or mirrored; it moves, with shocks and near vacuums.
GasState rough(const Point& x) {
  const double a = std::sin(5.1 * x[0] + 9.7 * x[1] + 3.3 * x[2] * x[2] + 0.3);
  const double b = std::sin(11.3 * x[0] * x[0] - 4.9 * x[1] + 7.1 * x[2]);
  return {1.0 + 0.9 * a, {2.5 + 1.3 * b, 0.4 - 1.2 * a, 1.3 * a * b}, 1.0 + 0.3 * a * a - 0.9 * b};
}

AmrParameters rough_gas(const std::string& amr) {
  AmrParameters parameters = parameters_of("initial.setup = \"sedov\"\n[amr]\n" + amr);
  parameters.initial.exact = {};
  parameters.initial.deposit.reset();
  parameters.initial.state = rough;
  return parameters;
}

/// Launches whose memory begins with NaNs, in slots of a host device.
mesh::LaunchSetting launches(std::size_t slots, gpu::Fallback fallback) {
  mesh::LaunchSetting setting{
      .slots = slots, .fallback = fallback, .choice = mesh::DeviceChoice::host, .poisons = true};
  setting.device.streams = slots;
  setting.device.memory_bytes = slots * 1'000'000;
  setting.device.pinned_bytes = slots * 500'000;
  setting.device.order = gpu::PhaseOrder::backward;
  return setting;
}

struct Outcome {
  std::vector<double> state;  ///< of all leaves, in their order
  std::vector<double> sums;
  double launched = 0.0;
  friend bool operator==(const Outcome& a, const Outcome& b) { return a.state == b.state && a.sums == b.sums; }
};

Outcome outcome_of(const AmrParameters& parameters, std::size_t steps, std::size_t ranks = 1, std::size_t workers = 1) {
  Outcome outcome;
  std::mutex mutex;
  std::vector<std::vector<double>> parts(ranks);
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    RunningAmr run(parameters, workers, world);
    run.steps(steps);
    std::vector<double> sums{run.time(), run.solver().time_step()};
    for (const auto& one : run.solver().conserved().quantities) {
      sums.insert(sums.end(), one.value.begin(), one.value.end());
    }
    const std::lock_guard lock(mutex);
    parts[number(world.rank())] = run.state();
    outcome.sums = sums;
    if (const gpu::Slots* const slots = run.solver().slots()) {
      outcome.launched += static_cast<double>(slots->counts().launched);
      EXPECT_EQ(slots->counts().failed, slots->counts().rescued);
    }
  });
  for (const std::vector<double>& part : parts) outcome.state.insert(outcome.state.end(), part.begin(), part.end());
  return outcome;
}

struct Case {
  std::string amr;
  kernels::Limiter limiter;
  kernels::Riemann riemann;
};

/// All walls, dimensions, limiters and Riemann solvers; sides beside coarser, finer and like sub-grids.
std::vector<Case> cases() {
  using kernels::Limiter;
  using kernels::Riemann;
  return {
      {"root = [3]\nlow = [\"outflow\"]\nhigh = [\"reflecting\"]\nregions = [2, 0.3, 0.6]\n", Limiter::minmod,
       Riemann::hll},
      {"root = [2, 3]\nlow = [\"reflecting\", \"periodic\"]\nhigh = [\"outflow\", \"periodic\"]\nregions = [1, 0.0, "
       "0.5, 0.0, 0.4]\n",
       Limiter::van_leer, Riemann::hllc},
      {"root = [2, 1]\nblock = 16\n", Limiter::van_leer, Riemann::hll},
      {"root = [2, 1, 1]\nlow = [\"periodic\", \"reflecting\", \"outflow\"]\nhigh = [\"periodic\", \"outflow\", "
       "\"reflecting\"]\nregions = [1, 0.2, 0.6, 0.0, 0.5, 0.0, 0.5]\ndensity_floor = 0.2\n",
       Limiter::monotonised_central, Riemann::hllc},
      {"root = [1, 1, 1]\nlevel = 1\n", Limiter::minmod, Riemann::hllc},
      {"root = [1, 2, 1]\nlevel = 0\nlow = [\"outflow\"]\n", Limiter::monotonised_central, Riemann::hll}};
}

TEST(AmrLaunches, ResultsAreThoseOfTheWorkers) {
  std::size_t number = 0;
  for (const Case& one : cases()) {
    AmrParameters parameters = rough_gas(one.amr);
    parameters.limiter = one.limiter;
    parameters.riemann = one.riemann;
    const Outcome alone = outcome_of(parameters, 3);
    for (const std::size_t slots : {1U, 128U}) {
      parameters.launches = launches(slots, static_cast<gpu::Fallback>((number + slots) % 3));
      if (number % 2 == 0) parameters.launches.device.random_delay_s = 100e-6;
      const std::size_t ranks = std::array<std::size_t, 3>{1, 2, 4}[(number + slots) % 3];
      const Outcome launched = outcome_of(parameters, 3, ranks, ranks == 4 ? 1 : 2);
      EXPECT_TRUE(launched == alone) << one.amr << slots << " slots, " << ranks << " ranks";
      EXPECT_GT(launched.launched, 0.0);
    }
    ++number;
  }
}

/// Sub-grids that follow a blast, and a shock tube, with failures at random, and at last without the device.
TEST(AmrLaunches, FailuresAndLossesChangeNoBit) {
  for (const char* text :
       {"initial.setup = \"sedov\"\n[amr]\nroot = [1, 1, 1]\nlevel = 1\nfinest = 2\nregrid_every = 2\n",
        "initial.setup = \"sod\"\n[amr]\nroot = [4]\nlow = [\"outflow\"]\nfinest = 3\n"}) {
    AmrParameters parameters = parameters_of(text);
    const Outcome alone = outcome_of(parameters, 6);
    for (const gpu::Fallback fallback : {gpu::Fallback::always, gpu::Fallback::never}) {
      parameters.launches = launches(8, fallback);
      parameters.launches.device.failing_share = 0.3;
      parameters.launches.device.lost_at = 60;
      const Outcome launched = outcome_of(parameters, 6, 1, 2);
      EXPECT_TRUE(launched == alone) << text;
      EXPECT_GE(launched.launched, 60.0);
    }
  }
}

TEST(AmrLaunches, AllSubGridsAreLaunchedWhereSlotsWait) {
  AmrParameters parameters = rough_gas("root = [2, 2, 1]\nlevel = 1\n");
  parameters.launches = launches(2, gpu::Fallback::never);
  RunningAmr run(parameters, 2);
  run.step(1e-4);
  const gpu::LaunchCounts counts = run.solver().slots()->counts();
  EXPECT_EQ(counts.launched, 2U * 32U);
  EXPECT_EQ(counts.on_cpu, 0U);
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parameters_of("gpu.slots = 4\n" + text));
  } catch (const config::Error& error) {
    return error.what();
  }
  return "none";
}

TEST(AmrLaunches, KeysSetThem) {
  const std::string sod = "initial.setup = \"sod\"\n[amr]\nroot = [4]\nlow = [\"outflow\"]\n";
  EXPECT_EQ(parameters_of(sod).launches.slots, 0U);
  const AmrParameters p = parameters_of("gpu.slots = 12\ngpu.fallback = \"never\"\ngpu.device = \"host\"\n" + sod);
  EXPECT_EQ(p.launches.slots, 12U);
  EXPECT_EQ(p.launches.fallback, gpu::Fallback::never);
  EXPECT_EQ(p.launches.choice, mesh::DeviceChoice::host);
  EXPECT_EQ(refusal(sod), "none");
  EXPECT_NE(refusal(sod + "species = 2\n").find("gpu.slots: launches stages of density"), std::string::npos);
  EXPECT_NE(refusal(sod + "dual_energy = \"always\"\n").find("gpu.slots: launches stages of density"),
            std::string::npos);
  EXPECT_NE(refusal(sod + "rebalance = \"cost\"\n").find("gpu.slots: leaves no time"), std::string::npos);
}

}  // namespace
}  // namespace amr_launches_test
}  // namespace tacit::amr
