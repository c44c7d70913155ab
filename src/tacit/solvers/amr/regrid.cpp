// Adapts the tree to the state. All follows from data alone, so that no bit depends on threads or restarts.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/regrid.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "tacit/solvers/amr/levels.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::amr {
namespace {

double relative_jump(double low, double high) { return std::abs(high - low) / (high + low); }

double jump_of_leaf(const AmrParameters& parameters, const Levels& levels, const mesh::Node& node,
                    kernels::Variables<const double> U, const StateView& state) {
  const Domain& domain = parameters.domain;
  const auto beyond = [&](Levels::Cell cell, std::size_t axis, std::int64_t by) {
    cell[axis] += by;
    const Levels::Values values = levels.at(node.level, cell, state);
    return gas_of(kernels::Variables<const double>{values.data(), 1}, 0, parameters.gamma);
  };
  double largest = 0.0;
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    const PencilShape shape(domain, axis);
    for (std::size_t lane = 0; lane < shape.lanes(); ++lane) {
      const std::size_t first =
          lane % shape.across[0] * shape.next_across[0] + lane / shape.across[0] * shape.next_across[1];
      const std::size_t last = first + (shape.cells - 1) * shape.next;
      for (std::size_t cell = first; cell <= last; cell += shape.next) {
        const GasState low = cell == first ? beyond(coordinates_of(domain, node, first), axis, -1)
                                           : gas_of(U, cell - shape.next, parameters.gamma);
        const GasState high = cell == last ? beyond(coordinates_of(domain, node, last), axis, 1)
                                           : gas_of(U, cell + shape.next, parameters.gamma);
        largest = std::max({largest, relative_jump(low.rho, high.rho), relative_jump(low.P, high.P)});
      }
    }
  }
  return largest;
}

/// Marks leaves to be divided: with a jump, or beside such.
std::vector<bool> marked(const AmrParameters& parameters, const mesh::Octree& tree, const std::vector<double>& jumps) {
  std::vector<bool> marks(tree.size());
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    if (!(jumps[leaf] > parameters.refine_above)) continue;
    marks[leaf] = true;
    for (const std::size_t other : tree.touching(leaf)) {
      // A finer one has its own mark; one that is coarser follows from the balance.
      if (tree.leaf(other).level <= tree.leaf(leaf).level) marks[other] = true;
    }
  }
  return marks;
}

}  // namespace

std::vector<double> jumps_of(const AmrParameters& parameters, const mesh::Octree& tree, const SubGrids& grids,
                             tasks::Scheduler& scheduler) {
  std::vector<double> jumps(tree.size());
  const Levels levels(parameters.domain, parameters.gamma, tree);
  const StateView state{grids};
  tasks::parallel_for(scheduler, 0, tree.size(), [&](std::size_t leaf) {
    jumps[leaf] = jump_of_leaf(parameters, levels, tree.leaf(leaf), grids.now(leaf), state);
  });
  return jumps;
}

mesh::Octree adapted(const AmrParameters& parameters, const mesh::Octree& tree, const std::vector<double>& jumps) {
  const std::vector<bool> marks = marked(parameters, tree, jumps);
  std::vector<mesh::Node> divided = divided_of(parameters.domain);
  std::set<mesh::Node> kept;
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    const mesh::Node& node = tree.leaf(leaf);
    if (marks[leaf] && node.level < parameters.finest) divided.push_back(node);
    const bool stays = marks[leaf] || !(jumps[leaf] < parameters.coarsen_below);
    if (stays && node.level > 0) kept.insert(tree.parent(node));
  }
  // Of nodes that are divided twice the parts that are divided have none of their own to say so.
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    const mesh::Node& node = tree.leaf(leaf);
    if (node.level < 2) continue;
    kept.insert(tree.parent(tree.parent(node)));
  }
  divided.insert(divided.end(), kept.begin(), kept.end());
  return {tree.spec(), divided};
}

void transfer(const AmrParameters& parameters, const mesh::Octree& from_tree, const SubGrids& from,
              const mesh::Octree& to_tree, SubGrids& to, tasks::Scheduler& scheduler) {
  const Domain& domain = parameters.domain;
  const Levels levels(domain, parameters.gamma, from_tree);
  const StateView state{from};
  tasks::parallel_for(scheduler, 0, to_tree.size(), [&](std::size_t leaf) {
    const mesh::Node& node = to_tree.leaf(leaf);
    const kernels::Variables<double> U = to.now(leaf);
    const auto covering = from_tree.covering(node);
    if (covering && from_tree.leaf(*covering).level == node.level) {
      std::memcpy(U.first, from.now(*covering).first, kernels::variables * from.cells() * sizeof(double));
      return;
    }
    for (std::size_t cell = 0; cell < to.cells(); ++cell) {
      Levels::Cell at = coordinates_of(domain, node, cell);
      Levels::Values values{};
      if (!covering) {
        values = levels.at(node.level, at, state);
      } else {
        std::size_t part = 0;
        for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
          part |= static_cast<std::size_t>(at[axis] & 1) << axis;
          at[axis] >>= 1U;
        }
        values = levels.parts_of(node.level - 1, at, state)[part];
      }
      for (std::size_t k = 0; k < kernels::variables; ++k) U.of(k)[cell] = values[k];
    }
  });
}

}  // namespace tacit::amr
