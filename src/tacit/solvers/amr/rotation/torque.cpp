// Sums of forces and torques over all cells, and the rigid motion that undoes them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/rotation/torque.hpp"

#include <algorithm>

#include "tacit/base/exact_sum.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::amr {
namespace {

using Vector = std::array<double, 3>;

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

constexpr std::size_t lanes = 8;
using Lanes = std::array<double, lanes>;

double sum_of(const Lanes& values) {
  return ((values[0] + values[1]) + (values[2] + values[3])) + ((values[4] + values[5]) + (values[6] + values[7]));
}

}  // namespace

RigidAcceleration opposite_of(const NetAction& action, const MassMoments& moments) noexcept {
  RigidAcceleration result;
  if (!(moments.mass > 0.0)) return result;
  Vector X{};
  for (std::size_t axis = 0; axis < 3; ++axis) X[axis] = moments.first[axis] / moments.mass;
  const Vector of_force = cross(X, action.force);
  Vector torque{};
  for (std::size_t axis = 0; axis < 3; ++axis) torque[axis] = action.torque[axis] - of_force[axis];
  const auto about_centre = [&](std::size_t i, std::size_t j, std::size_t place) {
    return moments.second[place] - moments.mass * X[i] * X[j];
  };
  const double xx = about_centre(0, 0, 0);
  const double yy = about_centre(1, 1, 3);
  const double zz = about_centre(2, 2, 5);
  const double a = yy + zz;
  const double b = xx + zz;
  const double c = xx + yy;
  const double d = -about_centre(0, 1, 1);
  const double e = -about_centre(0, 2, 2);
  const double f = -about_centre(1, 2, 4);
  // The tensor is (a d e, d b f, e f c); by its cofactors.
  const std::array<Vector, 3> cofactors{Vector{b * c - f * f, e * f - d * c, d * f - e * b},
                                        Vector{e * f - d * c, a * c - e * e, d * e - a * f},
                                        Vector{d * f - e * b, d * e - a * f, a * b - d * d}};
  const double determinant = a * cofactors[0][0] + d * cofactors[0][1] + e * cofactors[0][2];
  const double trace = a + b + c;
  constexpr double least = 1e-12;  // of a body on a line it is 0 but for rounding
  if (determinant > least * trace * trace * trace) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector& row = cofactors[i];
      result.turn[i] = -(row[0] * torque[0] + row[1] * torque[1] + row[2] * torque[2]) / determinant;
    }
  }
  const Vector at_centre = cross(result.turn, X);
  for (std::size_t axis = 0; axis < 3; ++axis)
    result.shift[axis] = -action.force[axis] / moments.mass - at_centre[axis];
  return result;
}

NetTorque::NetTorque(const Domain& domain, const mesh::Octree& tree, const engine::Resources& resources)
    : domain_(domain), tree_(tree), scheduler_(resources.scheduler), reductions_(resources.ranks) {}

/// Of a leaf, from the middle of the domain.
Point NetTorque::first_cell(std::size_t leaf) const {
  const mesh::Node& node = tree_.leaf(leaf);
  Point x{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double cells = static_cast<double>(node.at[axis]) * static_cast<double>(domain_.block) + 0.5;
    x[axis] = domain_.spacing(axis, node.level) * cells - 0.5 * domain_.box[axis];
  }
  return x;
}

/// In lanes, which are added up pair by pair: so sums of many cells round little, and alike everywhere.
NetAction NetTorque::action_of(std::size_t leaf, const double* density, kernels::Variables<const double> field) const {
  const Point first = first_cell(leaf);
  const std::uint32_t level = tree_.leaf(leaf).level;
  const double h = domain_.spacing(0, level);
  const double volume = domain_.volume(level);
  const std::size_t block = domain_.block;
  std::array<Lanes, 6> sums{};
  for (std::size_t row = 0; row < block * block; ++row) {
    const double y = first[1] + h * static_cast<double>(row % block);
    const double z = first[2] + h * static_cast<double>(row / block);
    for (std::size_t x0 = 0; x0 < block; x0 += lanes) {
      const std::size_t begin = row * block + x0;
      for (std::size_t k = 0; k < lanes; ++k) {
        const double x = first[0] + h * static_cast<double>(x0 + k);
        const double m = volume * density[begin + k];
        const double fx = m * field.of(1)[begin + k];
        const double fy = m * field.of(2)[begin + k];
        const double fz = m * field.of(3)[begin + k];
        sums[0][k] += fx;
        sums[1][k] += fy;
        sums[2][k] += fz;
        sums[3][k] += y * fz - z * fy;
        sums[4][k] += z * fx - x * fz;
        sums[5][k] += x * fy - y * fx;
      }
    }
  }
  return {.force = {sum_of(sums[0]), sum_of(sums[1]), sum_of(sums[2])},
          .torque = {sum_of(sums[3]), sum_of(sums[4]), sum_of(sums[5])}};
}

void NetTorque::remove(const mesh::LeafRange& own, const MassMoments& moments, const DensityOf& density,
                       const FieldOf& field) {
  using Sums = std::array<base::ExactSum, 6>;
  const auto of_leaves = [&](std::size_t begin, std::size_t end) {
    Sums sums{};
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      const kernels::Variables<double> of_leaf = field(leaf);
      const NetAction action = action_of(leaf, density(leaf), {of_leaf.first, of_leaf.next});
      for (std::size_t axis = 0; axis < 3; ++axis) {
        sums[axis].add(action.force[axis]);
        sums[3 + axis].add(action.torque[axis]);
      }
    }
    return sums;
  };
  const auto together = [](Sums all, const Sums& more) {
    for (std::size_t k = 0; k < all.size(); ++k) all[k].merge(more[k]);
    return all;
  };
  const std::size_t chunk = std::max<std::size_t>(1, (own.size() + 31) / 32);
  const Sums mine = tasks::parallel_reduce(scheduler_, own.begin, own.end, chunk, Sums{}, of_leaves, together);
  exchange::Reduction& all = reductions_.of({.sums = 6});
  std::ranges::copy(mine, all.sums().begin());
  all.run();
  NetAction action;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    action.force[axis] = all.sums()[axis].value();
    action.torque[axis] = all.sums()[3 + axis].value();
  }
  const RigidAcceleration added = opposite_of(action, moments);
  tasks::parallel_for(scheduler_, own.begin, own.end, [&](std::size_t leaf) {
    const Point first = first_cell(leaf);
    const double h = domain_.spacing(0, tree_.leaf(leaf).level);
    const std::size_t block = domain_.block;
    const kernels::Variables<double> g = field(leaf);
    for (std::size_t cell = 0; cell < block * block * block; ++cell) {
      const Vector x{first[0] + h * static_cast<double>(cell % block),
                     first[1] + h * static_cast<double>(cell / block % block),
                     first[2] + h * static_cast<double>(cell / (block * block))};
      const Vector by_turn = cross(added.turn, x);
      for (std::size_t axis = 0; axis < 3; ++axis) g.of(1 + axis)[cell] += added.shift[axis] + by_turn[axis];
    }
  });
}

}  // namespace tacit::amr
