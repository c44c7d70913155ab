// Densities where single precision would fail: huge boxes, particles far away, particles at one place.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "samples.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/solvers/sph/kernels/density.hpp"

namespace tacit::sph::precision_test {
namespace {

using testing::SmallRun;

/// The instruction sets that a run may choose, for as long as it lives.
class Forced {
 public:
  explicit Forced(std::string_view name) { ::setenv("TACIT_INSTRUCTION_SET", std::string(name).c_str(), 1); }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;
  ~Forced() { ::unsetenv("TACIT_INSTRUCTION_SET"); }
};

/// Calls `check` with each way of visiting pairs, with scalar loops and with the widest.
template <class Check>
void for_each_way(const Check& check) {
  for (const Pairs pairs : {Pairs::gather, Pairs::symmetric}) {
    for (const std::string_view set : {"scalar", ""}) {
      SCOPED_TRACE(std::string(pairs == Pairs::gather ? "gather " : "symmetric ") + std::string(set));
      const Forced forced(set);
      check(pairs);
    }
  }
}

SphParameters parameters_of(Boundary boundary, Pairs pairs) {
  SphParameters parameters = testing::plain_parameters();
  parameters.boundary = boundary;
  parameters.pairs = pairs;
  return parameters;
}

/// The places at which a particle is seen: its own, those across periodic faces, those in mirrors.
std::vector<base::Vec3> images_of(const base::Vec3& at, Boundary boundary, const base::Vec3& box) {
  std::vector<base::Vec3> images{at};
  if (boundary == Boundary::open) return images;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t count = images.size();
    for (std::size_t k = 0; k < count; ++k) {
      for (const double side : {-1.0, 1.0}) {
        base::Vec3 image = images[k];
        const bool is_upper = side > 0.0;
        image[axis] = boundary == Boundary::periodic ? image[axis] + side * box[axis]
                                                     : (is_upper ? 2.0 * box[axis] : 0.0) - image[axis];
        images.push_back(image);
      }
    }
  }
  return images;
}

/// The density of particle i at its h by the scalar loop over all particles.
double density_of(const Gas& gas, std::size_t i, Boundary boundary, const base::Vec3& box) {
  kernels::NeighbourCache cache;
  const base::Vec3 at{gas.x[i], gas.y[i], gas.z[i]};
  for (std::size_t j = 0; j < gas.size(); ++j) {
    for (const base::Vec3& image : images_of({gas.x[j], gas.y[j], gas.z[j]}, boundary, box)) {
      testing::add_candidate(cache, image, {}, gas.m[j]);
    }
  }
  const kernels::Space& space = kernels::CubicSpline::spaces[2];
  kernels::find_within(cache, {at.x, at.y, at.z}, space.gamma * gas.h[i]);
  return kernels::density_sum<kernels::CubicSpline>(cache, gas.h[i], space).rho;
}

/// Largest relative difference of the solver's densities from those of the scalar loop.
double worst_density(const SmallRun& run, Boundary boundary, const base::Vec3& box) {
  const Gas& gas = run.solver.gas();
  double worst = 0.0;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const double exact = density_of(gas, i, boundary, box);
    worst = std::max(worst, std::abs(gas.rho[i] / exact - 1.0));
    EXPECT_TRUE(std::isfinite(gas.rho[i])) << i;
  }
  return worst;
}

/// Places in a cell as wide as 32 supports are rounded to 2^-18 of a support, or 2^-16 of the distance of particles; on
/// a lattice all neighbours on one side of a particle may be rounded alike, which moves its density by three times
/// that.
constexpr double tolerance = 1e-4;

/// A lattice that fills a unit cube at the corner of a box of another size.
InitialConditions gas_in_box(double side) {
  InitialConditions gas = testing::uniform_gas(6, 0.0);
  gas.box = {side, side, side};
  return gas;
}

void expect_good(const InitialConditions& gas, Boundary boundary) {
  for_each_way([&](Pairs pairs) {
    SmallRun run(parameters_of(boundary, pairs), gas);
    EXPECT_LT(worst_density(run, boundary, gas.box), tolerance);
    run.advance(2);
    EXPECT_FALSE(run.solver.not_finite().has_value());
    EXPECT_LT(worst_density(run, boundary, gas.box), tolerance);
  });
}

TEST(SphPrecision, DoesNotDependOnTheSizeOfAPeriodicBox) {
  for (const double side : {1.0, 1e5, 1e8, 1e15}) {
    SCOPED_TRACE(side);
    expect_good(gas_in_box(side), Boundary::periodic);
  }
}

TEST(SphPrecision, HoldsAcrossTheFacesOfAHugePeriodicBox) {
  constexpr double side = 1e6;
  InitialConditions gas = gas_in_box(side);
  for (double& x : gas.x) x = particles::wrap(x - 0.5, 0.0, side);
  expect_good(gas, Boundary::periodic);
}

TEST(SphPrecision, DoesNotDependOnTheSizeOfAnOpenBoxOrOfOneWithWalls) {
  for (const double side : {1e2, 1e15}) {
    expect_good(gas_in_box(side), Boundary::open);
    expect_good(gas_in_box(side), Boundary::reflecting);
  }
}

TEST(SphPrecision, IsNotLostToAParticleFarAway) {
  for (const double far : {1e4, 1e9, 1e30}) {
    SCOPED_TRACE(far);
    InitialConditions gas = gas_in_box(1.0);
    gas.x[100] = far;
    expect_good(gas, Boundary::open);
  }
}

TEST(SphPrecision, HoldsInTwoCloudsFarApart) {
  InitialConditions gas = gas_in_box(1e5);
  for (std::size_t i = 0; i < gas.size(); i += 2) gas.x[i] += 5e4;
  expect_good(gas, Boundary::periodic);
}

TEST(SphPrecision, ServesADenseCloudInAThinOne) {
  InitialConditions gas = gas_in_box(1.0);
  InitialConditions dense = testing::uniform_gas(4, 0.3);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    gas.id.push_back(1000 + i);
    gas.x.push_back(0.3 + 1e-6 * dense.x[i]);
    gas.y.push_back(0.3 + 1e-6 * dense.y[i]);
    gas.z.push_back(0.3 + 1e-6 * dense.z[i]);
    for (auto* v : {&gas.vx, &gas.vy, &gas.vz}) v->push_back(0.0);
    gas.m.push_back(gas.m[0]);
    gas.u.push_back(1.0);
  }
  for_each_way([&](Pairs pairs) {
    const SmallRun run(parameters_of(Boundary::periodic, pairs), gas);
    EXPECT_LT(worst_density(run, Boundary::periodic, gas.box), tolerance);
    EXPECT_LT(*std::ranges::min_element(run.solver.gas().h), 1e-6);
  });
}

/// Five are more than a cubic spline shall hold by themselves: 5 w(0) > eta^3.
TEST(SphPrecision, AnyNumberOfParticlesMayLieAtOnePlace) {
  for (const std::size_t count : {4U, 5U, 20U}) {
    SCOPED_TRACE(count);
    InitialConditions gas = gas_in_box(1.0);
    for (std::size_t i = 0; i < count; ++i) gas.x[i] = gas.y[i] = gas.z[i] = 0.5;
    expect_good(gas, Boundary::periodic);
    for_each_way([&](Pairs pairs) {
      const SmallRun run(parameters_of(Boundary::periodic, pairs), gas);
      const auto [shortest, longest] = std::ranges::minmax(run.solver.gas().h);
      EXPECT_GT(shortest, 0.25 * longest);  // as if they were one
    });
  }
}

TEST(SphPrecision, AllParticlesMayLieAtOnePlace) {
  InitialConditions gas = testing::uniform_gas(3, 0.0);
  for (auto* x : {&gas.x, &gas.y, &gas.z}) x->assign(gas.size(), 0.5);
  expect_good(gas, Boundary::open);
}

/// Its mirror images lie where it does: eight of it in a corner.
TEST(SphPrecision, AParticleMayLieOnWallsAndInCorners) {
  for (const int walls : {1, 2, 3}) {
    InitialConditions gas = gas_in_box(1.0);
    gas.x[0] = 1.0;
    if (walls > 1) gas.y[0] = 1.0;
    if (walls > 2) gas.z[0] = 1.0;
    expect_good(gas, Boundary::reflecting);
  }
}

/// Many that are not quite at one place leave no smoothing length but one that is lost beside the others.
TEST(SphPrecision, NamesWhoLiesTooNear) {
  InitialConditions gas = gas_in_box(1.0);
  for (std::size_t i = 0; i < 100; ++i) {
    gas.x[i] = 1e-40 * static_cast<double>(i + 1);
    gas.y[i] = gas.z[i] = 0.0;
  }
  for_each_way([&](Pairs pairs) {
    const std::string message =
        test::message_of<engine::NumericsError>([&] { const SmallRun run(parameters_of(Boundary::open, pairs), gas); });
    EXPECT_TRUE(message.starts_with("step 0: particle ")) << message;
    EXPECT_NE(message.find("too near, but not at one place, for any smoothing length\n"
                           "  Move them apart by a part of the particles' distance, or to one place."),
              std::string::npos)
        << message;
  });
}

TEST(SphPrecision, NamesTheFieldAndTheParticleThatAreNotFinite) {
  const InitialConditions gas = gas_in_box(1.0);
  SmallRun run(parameters_of(Boundary::periodic, Pairs::gather), gas);
  EXPECT_FALSE(run.solver.not_finite().has_value());
  const_cast<Gas&>(run.solver.gas()).rho[7] = HUGE_VAL;
  const auto flaw = run.solver.not_finite();
  ASSERT_TRUE(flaw);
  const Gas& now = run.solver.gas();
  EXPECT_TRUE(flaw->text.starts_with("rho (density [density]) of particle " + std::to_string(now.id[7]) + " at ("))
      << flaw->text;
  EXPECT_EQ(flaw->field, "rho");
  EXPECT_EQ(flaw->element, now.id[7]);
  EXPECT_TRUE(flaw->text.ends_with(" is inf")) << flaw->text;
}

}  // namespace
}  // namespace tacit::sph::precision_test
