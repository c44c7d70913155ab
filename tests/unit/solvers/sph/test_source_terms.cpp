// Source terms: what they are shown, what becomes of their rates, and cooling as the example.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <set>

#include "samples.hpp"
#include "tacit/solvers/sph/cooling.hpp"
#include "tacit/solvers/sph/kernels/equation_of_state.hpp"

namespace tacit::sph::source_terms_test {
namespace {

using testing::SmallRun;

/// Pushes along x as hard as it is late, limits the step, and remembers whom it saw.
class Push final : public SourceTerm {
 public:
  explicit Push(double dt) : dt_(dt) {}
  std::string describe() const override { return "push"; }
  double add(const SourceInput& gas, const SourceRates& rates) const override {
    for (std::size_t i = 0; i < gas.id.size(); ++i) rates.ax[i] += gas.time;
    const std::lock_guard lock(mutex_);
    seen_.insert(gas.id.begin(), gas.id.end());
    return dt_;
  }
  std::size_t seen() const { return seen_.size(); }

 private:
  double dt_;
  mutable std::mutex mutex_;
  mutable std::set<std::uint64_t> seen_;
};

}  // namespace

TEST(SourceTerms, SeeEveryParticleAndMoveThem) {
  const auto push = std::make_shared<Push>(1e-3);
  SphParameters parameters = testing::plain_parameters();
  parameters.sources.push_back(push);
  SmallRun run(parameters, testing::uniform_gas(8, 0.0), 2);
  EXPECT_EQ(push->seen(), 512U);
  EXPECT_EQ(run.solver.time_step(), static_cast<double>(1e-3F));  // stable steps are kept in single precision
  for (int i = 0; i < 100; ++i) run.step(1e-3);
  // The leapfrog integrates a = t exactly: v = t^2 / 2 at t = 0.1, but for a rounding of each a to a float, 0.1 * 2^-25
  // on average over 0.1; and pressure forces, 48 terms of up to 2 * 20 (as in SphSolver.AGasAtRestStaysAtRest) that
  // cancel but for their rounding to floats, 2^-24 of them, the same in each step: 48 * 40 * 2^-24 * 0.1.
  for (const double vx : run.solver.gas().vx) EXPECT_NEAR(vx, 0.005, 1.2e-5);
}

TEST(SourceTerms, CoolingIsExponentialDownToItsFloor) {
  constexpr double tau = 0.1;
  SphParameters parameters = testing::parameters_with(Kernel::cubic_spline, 2);
  parameters.sources.push_back(std::make_shared<ExponentialCooling>(tau, 0.25));
  SmallRun run(parameters, testing::uniform_gas(12, 0.0, 2));
  EXPECT_LE(run.solver.time_step(), 0.1 * tau);
  while (run.time < 0.2) run.step(std::min({run.solver.time_step(), 0.01, 0.2 - run.time}));
  const double exact = 0.25 + 0.75 * std::exp(-2.0);
  const Gas& gas = run.solver.gas();
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const double u = kernels::internal_energy(gas.thermal[i], gas.rho[i], 5.0 / 3.0);
    // 5/12 (dt / tau)^2 = 4.2e-3 per cooling time, two of them, of the 0.1015 left above the floor: 8.6e-4, and the
    // next order of dt / tau = 0.1.
    EXPECT_NEAR(u, exact, 1e-3);
  }
}

TEST(SourceTerms, ColdGasStaysAsItIs) {
  const ExponentialCooling cooling(2.0, 1.0);
  const std::vector<double> u{0.5, 1.0, 3.0};
  std::vector<double> du_dt(3, 0.25);
  std::vector<double> a(3, 0.0);
  SourceInput gas{};
  gas.u = u;
  EXPECT_DOUBLE_EQ(cooling.add(gas, {du_dt, a, a, a}), 0.2);
  EXPECT_EQ(du_dt, (std::vector<double>{0.25, 0.25, -0.75}));  // rates add up
}

TEST(SourceTerms, OthersAreRefusedOnRestart) {
  const test::Scratch scratch;
  SphParameters parameters = testing::plain_parameters();
  parameters.sources.push_back(std::make_shared<ExponentialCooling>(1.0, 0.0));
  const SmallRun run(parameters, testing::uniform_gas(4, 0.0));
  io::FileWriter file(scratch / "restart.hdf5");
  run.solver.save(file);
  file.commit();
  const io::FileReader checkpoint(scratch / "restart.hdf5");
  EXPECT_EQ(test::message_of<base::FormatError>([&] { const SmallRun same(parameters, checkpoint); }), "nothing");
  parameters.sources.clear();
  EXPECT_NE(test::message_of<base::FormatError>([&] { const SmallRun other(parameters, checkpoint); }), "nothing");
}

}  // namespace tacit::sph::source_terms_test
