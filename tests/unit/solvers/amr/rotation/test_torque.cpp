// What gravity does to all gas together: no force and no torque, to rounding.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/base/random.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/solvers/amr/gravity.hpp"
#include "tacit/solvers/amr/rotation/torque.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/polling.hpp"

namespace tacit::amr {
namespace {

/// Two clumps of unlike masses beside the middle, with noise in every cell.
double clumps_with_noise(const Point& at) {
  const auto bits = [](double x) { return static_cast<std::uint64_t>(x * 1e6); };
  const double noise = base::uniform(11, bits(at[0]) * 2000003 + bits(at[1]) * 1000003 + bits(at[2]), 0);
  const auto clump = [&](double x, double y, double z, double a) {
    const double r2 = (at[0] - x) * (at[0] - x) + (at[1] - y) * (at[1] - y) + (at[2] - z) * (at[2] - z);
    return 1.0 / ((a * a + r2) * (a * a + r2));
  };
  return (0.5 + noise) * (clump(0.3, 0.4, 0.35, 0.1) + clump(0.7, 0.8, 0.6, 0.05));
}

Domain box_with(std::uint32_t level, std::vector<Region> regions) {
  Domain domain{.level = level, .regions = std::move(regions)};
  for (auto& sides : domain.sides) sides = {Wall::outflow, Wall::outflow};
  return domain;
}

/// Sums over all cells, around a corner of the domain, over those of the lengths of what is added.
struct Rest {
  double force = 0.0;
  double torque = 0.0;
  std::vector<double> g;  // of all cells
};

Rest rest_of(const Domain& domain, const GravityOptions& options) {
  comm::Communicator alone(comm::bootstrap_alone());
  trace::Recorder recorder(1);
  tasks::Scheduler scheduler(1, recorder);
  const comm::testing::Polling polling(scheduler, alone);
  const mesh::Octree tree = make_tree(domain);
  const std::size_t cells = domain.block * domain.block * domain.block;
  std::vector<double> rho;
  for (const mesh::Node& leaf : tree.leaves()) {
    for (std::size_t cell = 0; cell < cells; ++cell) rho.push_back(clumps_with_noise(centre_of(domain, leaf, cell)));
  }
  Gravity gravity(domain, options, tree, {scheduler, false, alone});
  const Share share = share_of(domain, tree, 1, comm::RankId{0});
  gravity.rebuild(share.own, share.division);
  gravity.solve([&](std::size_t leaf) { return rho.data() + leaf * cells; });
  Rest rest;
  std::array<base::ExactSum, 3> force;
  std::array<base::ExactSum, 3> torque;
  double all_force = 0.0;
  double all_torque = 0.0;
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    const auto g = gravity.field(leaf);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const Point x = centre_of(domain, tree.leaf(leaf), cell);
      const double m = rho[leaf * cells + cell] * domain.volume(tree.leaf(leaf).level);
      const std::array<double, 3> F{m * g.of(1)[cell], m * g.of(2)[cell], m * g.of(3)[cell]};
      const std::array<double, 3> T{x[1] * F[2] - x[2] * F[1], x[2] * F[0] - x[0] * F[2], x[0] * F[1] - x[1] * F[0]};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        force[axis].add(F[axis]);
        torque[axis].add(T[axis]);
        rest.g.push_back(g.of(1 + axis)[cell]);
      }
      all_force += std::hypot(F[0], F[1], F[2]);
      all_torque += std::hypot(T[0], T[1], T[2]);
    }
  }
  rest.force = std::hypot(force[0].value(), force[1].value(), force[2].value()) / all_force;
  rest.torque = std::hypot(torque[0].value(), torque[1].value(), torque[2].value()) / all_torque;
  return rest;
}

/// Borders of levels within both clumps and in a corner. Without the correction the same sums say what it takes away.
TEST(AmrTorque, AddsUpToZero) {
  const Domain nested = box_with(2, {{.level = 3, .low = {0.3, 0.3, 0.3}, .high = {0.45, 0.45, 0.45}},
                                     {.level = 4, .low = {0.32, 0.4, 0.33}, .high = {0.35, 0.42, 0.36}}});
  Domain slab = box_with(1, {{.level = 2, .low = {0.0, 0.4, 0.4}, .high = {0.1, 0.6, 0.5}}});
  slab.block = 16;
  slab.roots = {2, 2, 1};
  slab.box = {1.0, 1.0, 0.5};
  for (const auto& [domain, order] : {std::pair{nested, 3}, {nested, 4}, {slab, 2}}) {
    const Rest rest = rest_of(domain, {.order = order});
    EXPECT_LE(rest.force, 1e-15) << order;
    EXPECT_LE(rest.torque, 1e-15) << order;
    const Rest without = rest_of(domain, {.order = order, .has_torque = true});
    EXPECT_LT(without.force, 1e-14) << order;
    EXPECT_GT(without.torque, 1e-7) << order;
    double changed = 0.0;
    double all = 0.0;
    for (std::size_t k = 0; k < rest.g.size(); ++k) {
      changed += (rest.g[k] - without.g[k]) * (rest.g[k] - without.g[k]);
      all += rest.g[k] * rest.g[k];
    }
    // Far less than the errors of accelerations, of 2e-2 to 5e-3.
    EXPECT_LT(std::sqrt(changed / all), 1e-3) << order;
    std::printf("order %d: force %.2e and torque %.2e, without %.2e and %.2e; accelerations changed by %.2e\n", order,
                rest.force, rest.torque, without.force, without.torque, std::sqrt(changed / all));
  }
}

/// Of a body whose inertia has no symmetry, far from the middle; and of one on a line, which has no inverse.
TEST(AmrTorque, IsUndoneByRigidMotion) {
  const std::array<std::array<double, 4>, 4> points{
      {{1.0, 2.0, 1.0, 0.5}, {0.5, 2.5, 1.2, -0.5}, {0.2, 1.5, 2.0, 1.0}, {2.0, 3.0, 0.4, 0.3}}};  // mass, then place
  MassMoments moments;
  for (const auto& [m, x, y, z] : points) {
    moments.mass += m;
    const std::array at{x, y, z};
    std::size_t place = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      moments.first[i] += m * at[i];
      for (std::size_t j = i; j < 3; ++j) moments.second[place++] += m * at[i] * at[j];
    }
  }
  const NetAction action{.force = {0.3, -0.2, 0.1}, .torque = {0.5, 0.7, -0.4}};
  const RigidAcceleration added = opposite_of(action, moments);
  std::array<double, 6> sums{action.force[0],  action.force[1],  action.force[2],
                             action.torque[0], action.torque[1], action.torque[2]};
  for (const auto& [m, x, y, z] : points) {
    const auto& w = added.turn;
    const std::array a{added.shift[0] + w[1] * z - w[2] * y, added.shift[1] + w[2] * x - w[0] * z,
                       added.shift[2] + w[0] * y - w[1] * x};
    for (std::size_t axis = 0; axis < 3; ++axis) sums[axis] += m * a[axis];
    sums[3] += m * (y * a[2] - z * a[1]);
    sums[4] += m * (z * a[0] - x * a[2]);
    sums[5] += m * (x * a[1] - y * a[0]);
  }
  for (const double sum : sums) EXPECT_NEAR(sum, 0.0, 1e-14);

  const RigidAcceleration on_a_line = opposite_of(action, {.mass = 2.0, .first = {}, .second = {1.0, 0, 0, 0, 0, 0}});
  EXPECT_EQ(on_a_line.turn, (std::array{0.0, 0.0, 0.0}));
  EXPECT_EQ(on_a_line.shift, (std::array{-0.15, 0.1, -0.05}));
}

}  // namespace
}  // namespace tacit::amr
