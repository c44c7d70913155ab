// In an open box the size in the file limits nothing; and what is said where kernels are limited.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "rank_runs.hpp"
#include "samples.hpp"

namespace tacit::sph {
namespace {

using testing::SmallRun;

/// A ball of radius 1 about 0 cut out of a lattice of spacing 1/6, of density 216 / N in its inside.
InitialConditions ball_in(const base::Vec3& box) {
  InitialConditions gas;
  gas.box = box;
  gas.source = "ball";
  for (int i = 0; i < 12 * 12 * 12; ++i) {
    const auto place = [](int k) { return (k + 0.5) / 6.0 - 1.0; };
    const base::Vec3 x{place(i / 144), place(i / 12 % 12), place(i % 12)};
    if (!(norm(x) < 1.0)) continue;
    gas.id.push_back(gas.id.size() + 1);
    gas.x.push_back(x.x);
    gas.y.push_back(x.y);
    gas.z.push_back(x.z);
  }
  for (auto* v : {&gas.vx, &gas.vy, &gas.vz}) v->assign(gas.size(), 0.0);
  gas.m.assign(gas.size(), 1.0 / static_cast<double>(gas.size()));
  gas.u.assign(gas.size(), 0.01);
  return gas;
}

SphParameters open_parameters() {
  SphParameters parameters = testing::plain_parameters();
  parameters.boundary = Boundary::open;
  return parameters;
}

double greatest_density(const SmallRun& run) { return std::ranges::max(run.solver.gas().rho); }

TEST(OpenBox, ItsSizeLimitsNothing) {
  SmallRun large(open_parameters(), ball_in({4.0, 4.0, 4.0}));
  const double inside = 216.0 / static_cast<double>(large.solver.gas().size());
  EXPECT_NEAR(greatest_density(large), inside, 0.05 * inside);
  large.advance_to(0.3);
  // 0: nothing is said of it, wholly or of one side.
  for (const base::Vec3 box : {base::Vec3{0.02, 0.02, 0.02}, base::Vec3{}, base::Vec3{0.0, 0.0, 0.5}}) {
    SmallRun run(open_parameters(), ball_in(box));
    EXPECT_NEAR(greatest_density(run), inside, 0.05 * inside);
    run.advance_to(0.3);
    // The first guess of h follows the box by a part of 1e-6, h itself by the tolerance.
    EXPECT_NEAR(greatest_density(run), greatest_density(large), 1e-4 * inside);
    // Half of the ball and more has a negative coordinate, which readers of a box that begins at 0 leave out.
    const std::vector<std::string> warnings = run.solver.new_warnings();
    ASSERT_EQ(warnings.size(), box.x > 0.0 ? 0U : 1U);
    if (warnings.empty()) continue;
    EXPECT_NE(warnings[0].find("particles have negative coordinates"), std::string::npos) << warnings[0];
    EXPECT_TRUE(run.solver.new_warnings().empty());
  }
}

/// Without a box its middle is the origin, wherever the farthest particle is.
TEST(OpenBox, APotentialStandsAtTheOriginWhereThereIsNoBox) {
  SphParameters parameters = open_parameters();
  parameters.potential.GM_point = 1.0;
  parameters.potential.softening = 0.1;
  InitialConditions ball = ball_in({});
  ball.x[0] = 30.0;
  double exact = 0.0;
  for (std::size_t i = 0; i < ball.size(); ++i) {
    const base::Vec3 at{ball.x[i], ball.y[i], ball.z[i]};
    exact -= ball.m[i] / std::sqrt(dot(at, at) + 0.01);
  }
  SmallRun run(parameters, ball);
  EXPECT_NEAR(run.solver.sums().potential_energy.value(), exact, 1e-12);
  const test::Scratch scratch;
  {
    io::FileWriter file(scratch / "restart.hdf5");
    run.solver.save(file);
    file.commit();
  }
  const SmallRun resumed(parameters, io::FileReader(scratch / "restart.hdf5"));
  EXPECT_EQ(resumed.solver.sums().potential_energy, run.solver.sums().potential_energy);
}

TEST(OpenBox, GasThatExpandsFarKeepsItsNeighbours) {
  InitialConditions gas = ball_in({2.0, 2.0, 2.0});
  for (std::size_t i = 0; i < gas.size(); ++i) {
    gas.vx[i] = gas.x[i];
    gas.vy[i] = gas.y[i];
    gas.vz[i] = gas.z[i];
  }
  gas.u.assign(gas.size(), 0.0);
  SmallRun run(open_parameters(), gas);
  const double before = greatest_density(run);
  const double far = 40.0;  // all lengths are 41 times as long then
  run.advance_to(far);
  const double thinner = std::pow(1.0 + far, 3);
  EXPECT_NEAR(greatest_density(run) * thinner, before, 1e-3 * before);
}

TEST(OpenBox, WhereMostKernelsAreLimitedThatIsSaid) {
  SphParameters parameters = testing::plain_parameters();
  parameters.kernel = Kernel::wendland_c6;
  parameters.smoothing.eta = 1.6;
  set_dimension(parameters, 3);
  SmallRun run(parameters, testing::uniform_gas(3, 0.0));  // supports of 1.31 in a box of 1
  const std::vector<std::string> warnings = run.solver.new_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings.front(),
            "warning: the smoothing lengths of 27 of 27 particles are the longest allowed, 0.408248 (sph.h_max, or a "
            "kernel as wide as the shortest side of the box), so that kernels hold fewer neighbours than sph.eta asks "
            "for; take more particles, a smaller sph.eta, or a larger sph.h_max or box");
  EXPECT_TRUE(run.solver.new_warnings().empty());  // once
  EXPECT_TRUE(SmallRun(parameters, testing::uniform_gas(6, 0.0)).solver.new_warnings().empty());
}

}  // namespace
}  // namespace tacit::sph
