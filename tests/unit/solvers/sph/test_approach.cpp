// What approaches from beyond the kernels: the formula, the tree, and gas that meets gas, walls and images.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "rank_runs.hpp"
#include "samples.hpp"
#include "tacit/solvers/sph/approach.hpp"

namespace tacit::sph::approach_test {
namespace {

using testing::SmallRun;

constexpr double endless = std::numeric_limits<double>::infinity();

/// At a point, with one velocity.
Crowd at(const base::Vec3& x, const base::Vec3& v, double H = 0.1, double rest = endless) {
  Crowd crowd{.place = {}, .velocity = {}, .shortest = H, .longest = H, .rest = rest};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    crowd.place[axis].add(x[axis]);
    crowd.velocity[axis].add(v[axis]);
  }
  return crowd;
}

ApproachRule rule_of(Boundary boundary, int dimension = 3) {
  particles::Domain domain{
      {}, {1.0, 2.0, 4.0}, boundary == Boundary::periodic, dimension, boundary == Boundary::reflecting};
  return {domain, 0.5};
}

TEST(Approach, GapOverClosingSpeed) {
  const ApproachRule rule = rule_of(Boundary::open);
  const Crowd left = at({0.0, 0.0, 0.0}, {3.0, 0.0, 0.0});
  EXPECT_DOUBLE_EQ(longest_step(left, at({1.1, 0.0, 0.0}, {1.0, 0.0, 0.0}), rule), 0.5);  // (1.1 - 0.1) / 2
  EXPECT_DOUBLE_EQ(longest_step(at({1.1, 0.0, 0.0}, {1.0, 0.0, 0.0}), left, rule), 0.5);
  EXPECT_EQ(longest_step(left, at({1.1, 0.0, 0.0}, {3.0, 0.0, 0.0}), rule), endless);
  EXPECT_EQ(longest_step(left, at({1.1, 0.0, 0.0}, {4.0, 0.0, 0.0}), rule), endless);
  // Far along an axis along which they do not close, they never meet.
  EXPECT_EQ(longest_step(left, at({1.1, 1.0, 0.0}, {-9.0, 0.0, 0.0}), rule), endless);
  // Of two axes the later counts, or the gap itself.
  EXPECT_DOUBLE_EQ(longest_step(left, at({4.1, 1.1, 0.0}, {1.0, -1.0, 0.0}), rule), 2.0);
  EXPECT_DOUBLE_EQ(longest_step(left, at({3.0, 4.0, 0.0}, {2.0, -1.0, 0.0}), rule), 3.9);
  EXPECT_DOUBLE_EQ(longest_step(left, at({3.0, 4.0, 0.0}, {0.0, -4.0, 0.0}), rule), 4.9 / 5.0);
  EXPECT_DOUBLE_EQ(longest_step(left, at({4.0, 3.0, 0.0}, {1.0, -2.0, 0.0}), rule), 1.95);
  EXPECT_DOUBLE_EQ(longest_step(left, at({3.0, 0.0, 4.0}, {1.0, 0.0, -2.0}), rule), 1.95);
  // The longer support counts; where they touch, half a support over the closing speed.
  EXPECT_DOUBLE_EQ(longest_step(left, at({1.1, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.6), rule), 0.25);
  EXPECT_DOUBLE_EQ(longest_step(left, at({0.1, 0.0, 0.0}, {1.0, 0.0, 0.0}), rule), 0.025);
  EXPECT_DOUBLE_EQ(longest_step(left, at({0.12, 0.0, 0.0}, {1.0, 0.0, 0.0}), rule), 0.025);
}

TEST(Approach, ImagesAndWalls) {
  const ApproachRule periodic = rule_of(Boundary::periodic);
  const Crowd left = at({0.2, 0.5, 0.5}, {-1.0, 0.0, 0.0});
  EXPECT_DOUBLE_EQ(longest_step(left, at({0.8, 0.5, 0.5}, {0.0, 0.0, 0.0}), periodic), 0.3);   // 0.4 - 0.1
  EXPECT_DOUBLE_EQ(longest_step(left, at({0.8, 0.5, 0.5}, {-2.0, 0.0, 0.0}), periodic), 0.5);  // from behind
  EXPECT_EQ(longest_step(left, left, periodic), endless);
  const ApproachRule walls = rule_of(Boundary::reflecting);
  EXPECT_DOUBLE_EQ(longest_step(left, left, walls), 0.15);  // it meets itself at the wall: (0.4 - 0.1) / 2
  EXPECT_DOUBLE_EQ(longest_step(at({0.2, 0.5, 0.5}, {1.0, 0.0, 0.0}), at({0.2, 0.5, 0.5}, {1.0, 0.0, 0.0}), walls),
                   0.75);  // at the other
  EXPECT_EQ(longest_step(at({0.2, 0.5, 0.5}, {}), at({0.2, 0.5, 0.5}, {}), walls), endless);
  EXPECT_EQ(longest_step(left, left, rule_of(Boundary::open)), endless);
}

TEST(Approach, OnlyRelativeVelocitiesCount) {
  for (const Boundary boundary : {Boundary::open, Boundary::periodic}) {
    const ApproachRule rule = rule_of(boundary);
    for (std::uint64_t k = 0; k < 100; ++k) {
      const auto random = [k](std::uint64_t i) { return base::uniform(5, k, i) - 0.5; };
      const base::Vec3 v{random(0), random(1), random(2)};
      const base::Vec3 x{random(3), random(4), random(5)};
      const base::Vec3 bulk{64.0, -32.0, 128.0};
      const double still = longest_step(at({}, {}), at(x, v), rule);
      const double moving = longest_step(at({}, bulk), at(x, v + bulk), rule);
      if (still == endless) {
        EXPECT_EQ(moving, endless);
      } else {
        EXPECT_NEAR(moving, still, 1e-9 * still);
      }
    }
  }
}

TEST(Approach, ATreeFindsWhatAllPairsSay) {
  for (const Boundary boundary : {Boundary::open, Boundary::periodic, Boundary::reflecting}) {
    for (const int dimension : {1, 2, 3}) {
      const ApproachRule rule = rule_of(boundary, dimension);
      for (const std::size_t n : {0U, 1U, 2U, 3U, 7U, 60U}) {
        std::vector<Crowd> crowds;
        for (std::uint64_t i = 0; i < n; ++i) {
          const auto random = [i](std::uint64_t k) { return base::uniform(17, i, k); };
          crowds.push_back({.place = {}, .velocity = {}, .shortest = 0.002, .longest = 0.004, .rest = random(0)});
          for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
            for (const std::uint64_t k : {1U, 2U}) {
              crowds.back().place[axis].add(rule.domain.size[axis] *
                                            (random(3 + axis) + 0.01 * random(6 + 3 * k + axis)));
              crowds.back().velocity[axis].add(random(20 + axis) + 0.1 * random(30 + 3 * k + axis));
            }
          }
        }
        CrowdTree tree;
        tree.build(crowds);
        for (const Crowd& one : crowds) {
          double expected = one.rest;
          for (const Crowd& other : crowds) {
            const double step = longest_step(one, other, rule);
            if (step < other.rest) expected = std::min(expected, step);
          }
          EXPECT_NEAR(tree.longest_step_of(one, rule), expected, 1e-12 * expected);
        }
      }
    }
  }
}

// ---- gas ------------------------------------------------------------------------------------------------------------

struct Way {
  Scheme scheme;
  bool has_individual_steps;
};
constexpr Way every_way[]{
    {Scheme::sphenix, true}, {Scheme::sphenix, false}, {Scheme::gadget2, true}, {Scheme::gadget2, false}};

SphParameters parameters_of(const Way& way, Boundary boundary, int dimension) {
  SphParameters parameters = testing::parameters_with(Kernel::cubic_spline, dimension);
  parameters.smoothing.tolerance = 1e-4;
  parameters.scheme = way.scheme;
  parameters.has_individual_steps = way.has_individual_steps;
  parameters.boundary = boundary;
  return parameters;
}

/// Appends cold gas of density 1 between two planes; `across` particles along each side that is no normal of them.
void append_slab(InitialConditions& gas, int dimension, double from, double to, std::size_t across, double v) {
  const double spacing = 1.0 / static_cast<double>(across);
  const auto along = static_cast<std::size_t>(std::llround((to - from) / spacing));
  const std::size_t in_plane = dimension == 1 ? 1 : dimension == 2 ? across : across * across;
  const double side = dimension == 1 ? 1.0 : static_cast<double>(across) * spacing;
  for (std::size_t i = 0; i < along * in_plane; ++i) {
    const auto place = [&](std::size_t k) {
      return side * (static_cast<double>(k) + 0.5) / static_cast<double>(across);
    };
    gas.id.push_back(gas.id.size() + 1);
    gas.x.push_back(from + (static_cast<double>(i / in_plane) + 0.5) * spacing);
    gas.y.push_back(dimension > 1 ? place(i % across) : 0.0);
    gas.z.push_back(dimension > 2 ? place(i / across % across) : 0.0);
    gas.vx.push_back(v);
    gas.vy.push_back(0.0);
    gas.vz.push_back(0.0);
    gas.m.push_back(std::pow(spacing, dimension));
    gas.u.push_back(1e-12);
  }
}

/// Two slabs that meet at t = 0.1, by a third of each until t = 0.2: shocks run through gas of density 1 at 4/3.
InitialConditions two_slabs(int dimension, std::size_t across, double bulk = 0.0) {
  InitialConditions gas;
  gas.dimension = dimension;
  gas.box = {1.0, 1.0, 1.0};
  append_slab(gas, dimension, 0.1, 0.4, across, bulk + 1.0);
  append_slab(gas, dimension, 0.6, 0.9, across, bulk - 1.0);
  return gas;
}

/// What a slab of speed 1 has of internal energy after the half that is asked for has met: 4/9 of its 0.15.
constexpr double heat_of_slab = 0.2 / 3.0;

void expect_met(const SmallRun& run, double slabs, double tolerance) {
  const engine::MechanicalSums sums = run.solver.sums();
  EXPECT_NEAR(sums.internal_energy.value(), slabs * heat_of_slab, tolerance * slabs * heat_of_slab);
  EXPECT_NEAR(sums.energy(), 0.15 * slabs, 0.09 * 0.15 * slabs);
}

TEST(ApproachingGas, SlabsMeetOnALine) {
  for (const Way& way : every_way) {
    SmallRun run(parameters_of(way, Boundary::open, 1), two_slabs(1, 250));
    EXPECT_LE(run.solver.time_step(), 0.1);
    run.advance_to(0.2);
    expect_met(run, 2.0, 0.09);
  }
}

TEST(ApproachingGas, SlabsMeetThroughThePeriod) {
  for (const Way& way : every_way) {
    InitialConditions gas;
    gas.dimension = 1;
    gas.box = {1.0, 1.0, 1.0};
    append_slab(gas, 1, 0.1, 0.4, 250, -1.0);
    append_slab(gas, 1, 0.6, 0.9, 250, 1.0);  // a gap of 0.2 across the edge
    SmallRun run(parameters_of(way, Boundary::periodic, 1), gas);
    run.advance_to(0.2);
    expect_met(run, 2.0, 0.09);
  }
}

TEST(ApproachingGas, ASlabMeetsAWall) {
  for (const Way& way : every_way) {
    for (const double v : {-1.0, 1.0}) {
      InitialConditions gas;
      gas.dimension = 1;
      gas.box = {1.0, 1.0, 1.0};
      append_slab(gas, 1, v < 0.0 ? 0.1 : 0.6, v < 0.0 ? 0.4 : 0.9, 250, v);
      SmallRun run(parameters_of(way, Boundary::reflecting, 1), gas);
      run.advance_to(0.2);
      expect_met(run, 1.0, 0.09);
    }
  }
}

/// Against steps that are short from the start. Kernels are wide here: bodies touch before their surfaces do, and half
/// a kernel, by which they may overrun each other then, is a twentieth of a body in space.
void expect_as_with_short_steps(SphParameters parameters, const InitialConditions& gas, double tolerance) {
  SmallRun run(parameters, gas);
  run.advance_to(0.2);
  parameters.dt_max = 2e-3;
  SmallRun exact(parameters, gas);
  while (exact.time < 0.2) exact.step(std::min({exact.solver.time_step(), parameters.dt_max, 0.2 - exact.time}));
  const double heat = exact.solver.sums().internal_energy.value();
  EXPECT_GT(heat, heat_of_slab);
  EXPECT_NEAR(run.solver.sums().internal_energy.value(), heat, tolerance * heat);
}

TEST(ApproachingGas, SlabsMeetInAPlane) {
  InitialConditions gas = two_slabs(2, 40);
  for (const Way& way : every_way) expect_as_with_short_steps(parameters_of(way, Boundary::periodic, 2), gas, 0.02);
}

TEST(ApproachingGas, SlabsMeetInSpace) {
  expect_as_with_short_steps(parameters_of({Scheme::sphenix, true}, Boundary::periodic, 3), two_slabs(3, 16), 0.06);
}

TEST(ApproachingGas, ABulkVelocityShortensNoStep) {
  for (const Way& way : every_way) {
    // Apart, so that they never meet: no step but what potentials or users ask for.
    InitialConditions gas = two_slabs(1, 200, 16.0);
    for (double& v : gas.vx) v = 16.0;
    SmallRun alone(parameters_of(way, Boundary::open, 1), gas);
    gas.vx.assign(gas.size(), 0.0);
    SmallRun still(parameters_of(way, Boundary::open, 1), gas);
    EXPECT_EQ(alone.solver.time_step(), still.solver.time_step());
    SmallRun meeting(parameters_of(way, Boundary::open, 1), two_slabs(1, 200));
    SmallRun moving(parameters_of(way, Boundary::open, 1), two_slabs(1, 200, 16.0));
    const std::uint64_t updates = meeting.advance_to(0.13);
    // Cells do not move along, so that others gather in crowds.
    EXPECT_NEAR(static_cast<double>(moving.advance_to(0.13)), static_cast<double>(updates),
                0.1 * static_cast<double>(updates));
  }
}

TEST(ApproachingGas, FewStepsBridgeAGap) {
  SmallRun run(parameters_of({Scheme::sphenix, true}, Boundary::open, 1), two_slabs(1, 200));
  const double touching =
      0.1 - 0.5 * std::ranges::max(run.solver.gas().h) * run.solver.step_data().physics.kernel_gamma;
  std::uint64_t updates = 0;
  while (run.time < 0.9 * touching) updates += run.advance(1);
  EXPECT_LE(updates, 20 * run.solver.gas().size());
}

TEST(ApproachingGas, IsTheSameOnAnyNumberOfRanks) {
  for (const Boundary boundary : {Boundary::open, Boundary::periodic, Boundary::reflecting}) {
    for (const bool has_individual_steps : {false, true}) {
      if (!has_individual_steps && boundary != Boundary::periodic) continue;  // what approaches is found in one way
      const SphParameters parameters = parameters_of({Scheme::sphenix, has_individual_steps}, boundary, 2);
      const InitialConditions gas = two_slabs(2, 24);
      constexpr int steps = 6;  // of which each is limited by what approaches
      const testing::Outcome alone = testing::outcome_of(parameters, gas, 1, 1, steps);
      EXPECT_EQ(testing::outcome_of(parameters, gas, has_individual_steps ? 3 : 2, 1, steps), alone);
    }
  }
}

TEST(ApproachingGas, GoesOnFromACheckpoint) {
  const SphParameters parameters = parameters_of({Scheme::sphenix, true}, Boundary::reflecting, 1);
  SmallRun whole(parameters, two_slabs(1, 200));
  whole.advance(6);
  const test::Scratch scratch;
  {
    io::FileWriter file(scratch / "checkpoint.hdf5");
    whole.solver.save(file);
    file.commit();
  }
  SmallRun rest(parameters, io::FileReader(scratch / "checkpoint.hdf5"));
  rest.time = whole.time;
  whole.advance(60);
  rest.advance(60);
  EXPECT_TRUE(testing::differing_fields(whole.solver.gas(), rest.solver.gas()).empty());
  EXPECT_EQ(rest.time, whole.time);
}

}  // namespace
}  // namespace tacit::sph::approach_test
