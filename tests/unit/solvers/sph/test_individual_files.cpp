// Steps of their own, bit by bit: threads, restarts, and output in between the ends of steps.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "samples.hpp"

namespace tacit::sph::individual_files_test {
namespace {

using testing::differing_fields;
using testing::SmallRun;
using testing::with_own_steps;
using Names = std::vector<std::string_view>;

constexpr std::array boundaries{Boundary::periodic, Boundary::open, Boundary::reflecting};

SphParameters parameters_of(int dimension, Boundary boundary) {
  SphParameters parameters = with_own_steps(testing::parameters_with(Kernel::cubic_spline, dimension));
  parameters.boundary = boundary;
  return parameters;
}

/// A blast in gas that is stirred, so that particles meet walls too.
InitialConditions stirred_blast(int dimension) {
  constexpr std::array<std::int64_t, 3> sides{100, 16, 8};
  const auto d = static_cast<std::size_t>(dimension);
  InitialConditions gas = make(Sedov{.resolution = sides[d - 1], .jitter = 0.3, .dimension = dimension});
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const std::array velocities{&gas.vx, &gas.vy, &gas.vz};
    for (std::size_t axis = 0; axis < d; ++axis) (*velocities[axis])[i] = 0.5 - base::uniform(9, i, axis);
  }
  return gas;
}

void save(const SmallRun& run, const std::filesystem::path& path) {
  io::FileWriter file(path);
  run.solver.save(file);
  file.commit();
}

/// Positions in a snapshot.
std::vector<double> snapshot_positions(const SmallRun& run, const std::filesystem::path& path) {
  engine::FileContext context;
  context.coordinate = run.time;
  context.double_precision = true;
  run.solver.write_snapshot(path, context);
  std::vector<double> x(3 * run.solver.gas().size());
  io::FileReader(path).read("PartType0/Coordinates", std::span(x));
  return x;
}

}  // namespace

TEST(IndividualFiles, SameBitsOnAnyNumberOfThreads) {
  for (const int d : {1, 2, 3}) {
    for (const Boundary boundary : boundaries) {
      const SphParameters parameters = parameters_of(d, boundary);
      SmallRun reference(parameters, stirred_blast(d));
      reference.advance(20);
      for (const bool deterministic : {false, true}) {
        SmallRun run(parameters, stirred_blast(d), 2, deterministic);
        run.advance(20);
        EXPECT_EQ(differing_fields(run.solver.gas(), reference.solver.gas()), Names{}) << d;
        EXPECT_EQ(run.time, reference.time);
      }
    }
  }
}

TEST(IndividualFiles, ACheckpointContinuesWithTheSameBits) {
  for (const int d : {1, 2, 3}) {
    for (const Boundary boundary : boundaries) {
      const test::Scratch scratch;
      const SphParameters parameters = parameters_of(d, boundary);
      SmallRun whole(parameters, stirred_blast(d));
      for (const double part : {0.0, 0.3}) {  // at the end of a step, and in between
        whole.advance(17);
        if (part > 0.0) whole.step(part * whole.solver.time_step());
        save(whole, scratch / "restart.hdf5");
        SmallRun resumed(parameters, io::FileReader(scratch / "restart.hdf5"), 2);
        EXPECT_EQ(resumed.solver.time_step(), whole.solver.time_step());
        EXPECT_EQ(resumed.solver.sums().energy(), whole.solver.sums().energy());
        EXPECT_EQ(resumed.solver.bins(), whole.solver.bins());
        for (int i = 0; i < 15; ++i) {
          whole.advance(1);
          resumed.advance(1);
          ASSERT_EQ(resumed.solver.updated(), whole.solver.updated());
        }
        EXPECT_EQ(differing_fields(resumed.solver.gas(), whole.solver.gas()), Names{}) << d;
        EXPECT_EQ(resumed.solver.sums().energy(), whole.solver.sums().energy());
      }
    }
  }
}

TEST(IndividualFiles, OutputInBetweenChangesNothing) {
  for (const int d : {1, 2, 3}) {
    for (const Boundary boundary : boundaries) {
      const test::Scratch scratch;
      SmallRun straight(parameters_of(d, boundary), stirred_blast(d));
      SmallRun interrupted(parameters_of(d, boundary), stirred_blast(d));
      for (int i = 0; i < 20; ++i) {
        const double dt = interrupted.solver.time_step();
        for (const double part : {0.25, 0.5}) {
          interrupted.step(part * dt);
          EXPECT_EQ(interrupted.solver.updated(), 0U);
        }
        if (i % 10 == 0) snapshot_positions(interrupted, scratch / "snapshot.hdf5");
        interrupted.advance(1);
        straight.advance(1);
        EXPECT_EQ(interrupted.solver.updated(), straight.solver.updated());
      }
      EXPECT_EQ(differing_fields(interrupted.solver.gas(), straight.solver.gas()), Names{}) << d;
      EXPECT_EQ(interrupted.solver.sums().energy(), straight.solver.sums().energy());
    }
  }
}

TEST(IndividualFiles, PositionsInBetweenAreThoseOfTheTime) {
  // A cold stream feels no forces and needs no steps: all its state is computed in between.
  const test::Scratch scratch;
  InitialConditions start = testing::uniform_gas(40, 0.3, 1);
  start.u.assign(start.size(), 0.0);
  start.vx.assign(start.size(), 1.0);
  for (const Boundary boundary : {Boundary::periodic, Boundary::open}) {
    SmallRun run(parameters_of(1, boundary), start);
    for (const double dt : {0.01, 0.02, 0.03, 0.3}) run.step(dt);
    const auto x = snapshot_positions(run, scratch / "snapshot.hdf5");
    const auto& ids = run.solver.gas().id;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const double flown = start.x[ids[i] - 1] + run.time;
      // A few roundings of numbers near 1.
      EXPECT_NEAR(x[3 * i], boundary == Boundary::periodic ? particles::wrap(flown, 0.0, 1.0) : flown, 1e-14);
    }
  }
}

TEST(IndividualFiles, WallsHoldInSnapshotsAtAnyTime) {
  const test::Scratch scratch;
  SmallRun run(parameters_of(2, Boundary::reflecting), stirred_blast(2));
  std::size_t outside = 0;  // of the particles as they were drifted last, plus the time since
  for (int i = 0; i < 60; ++i) {
    run.advance(1);
    run.step(0.5 * run.solver.time_step());
    const Gas& gas = run.solver.gas();
    const double dt = run.solver.time_step();
    for (std::size_t k = 0; k < gas.size(); ++k) outside += gas.x[k] + dt * gas.vx[k] < 0.0 ? 1U : 0U;
    for (const double x : snapshot_positions(run, scratch / "snapshot.hdf5")) ASSERT_TRUE(x >= 0.0 && x <= 1.0) << x;
  }
  EXPECT_GT(outside, 0U);  // a particle would have been seen behind the wall
}

}  // namespace tacit::sph::individual_files_test
