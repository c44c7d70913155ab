// Adapts the tree to the state. All follows from data alone, so that no bit depends on threads or restarts.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/regrid.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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

double density_of_leaf(kernels::Variables<const double> U, std::size_t cells) {
  return *std::max_element(U.of(0), U.of(0) + cells);
}

/// Calls visit(criterion, value in the leaf) for each criterion.
template <class Visit>
void for_criteria(const AmrParameters& parameters, const Indicators& of_leaf, const Visit& visit) {
  visit(parameters.jumps, of_leaf.jump);
  if (parameters.density) visit(*parameters.density, of_leaf.density);
}

/// The level that the gas asks for in each leaf, one beyond its own at most: where a criterion refines, and all around.
/// 0 where none does.
std::vector<std::uint32_t> asked_levels(const AmrParameters& parameters, const mesh::Octree& tree,
                                        const std::vector<Indicators>& indicators) {
  std::vector<std::uint32_t> asked(tree.size());
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    const std::uint32_t level = tree.leaf(leaf).level;
    for_criteria(parameters, indicators[leaf], [&](const Criterion& criterion, double value) {
      if (!criterion.refines(level, value)) return;
      const auto ask = [&](std::size_t other) {
        asked[other] = std::max(asked[other], std::min(tree.leaf(other).level + 1, criterion.finest));
      };
      ask(leaf);
      for (const std::size_t other : tree.touching(leaf)) {
        // A finer one speaks for itself; one that is coarser follows from the balance.
        if (tree.leaf(other).level <= level) ask(other);
      }
    });
  }
  return asked;
}

bool is_kept(const AmrParameters& parameters, std::uint32_t level, const Indicators& of_leaf) {
  bool result = false;
  for_criteria(parameters, of_leaf,
               [&](const Criterion& criterion, double value) { result |= criterion.keeps(level, value); });
  return result;
}

}  // namespace

std::vector<Indicators> indicators_of(const AmrParameters& parameters, const mesh::Octree& tree, const SubGrids& grids,
                                      tasks::Scheduler& scheduler) {
  std::vector<Indicators> indicators(tree.size());
  const Levels levels(parameters.domain, parameters.gamma, tree);
  const StateView state{grids};
  tasks::parallel_for(scheduler, 0, tree.size(), [&](std::size_t leaf) {
    const kernels::Variables<const double> U = grids.now(leaf);
    indicators[leaf] = {jump_of_leaf(parameters, levels, tree.leaf(leaf), U, state), density_of_leaf(U, grids.cells())};
  });
  return indicators;
}

mesh::Octree adapted(const AmrParameters& parameters, const mesh::Octree& tree,
                     const std::vector<Indicators>& indicators) {
  const std::vector<std::uint32_t> asked = asked_levels(parameters, tree, indicators);
  std::vector<mesh::Node> divided = divided_of(parameters.domain);
  std::set<mesh::Node> kept;
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    const mesh::Node& node = tree.leaf(leaf);
    if (asked[leaf] > node.level) divided.push_back(node);
    const bool stays = asked[leaf] >= node.level || is_kept(parameters, node.level, indicators[leaf]);
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

void transfer(const AmrParameters& parameters, const mesh::Octree& from, const mesh::Octree& to, SubGrids& grids,
              tasks::Scheduler& scheduler) {
  const Domain& domain = parameters.domain;
  const Levels levels(domain, parameters.gamma, from);
  grids.begin_move(to.size());
  const StateView state{grids};
  tasks::parallel_for(scheduler, 0, to.size(), [&](std::size_t leaf) {
    const mesh::Node& node = to.leaf(leaf);
    const kernels::Variables<double> U = grids.between(leaf);
    const auto covering = from.covering(node);
    if (covering && from.leaf(*covering).level == node.level) {
      std::memcpy(U.first, state.of(*covering).first, kernels::variables * grids.cells() * sizeof(double));
      return;
    }
    for (std::size_t cell = 0; cell < grids.cells(); ++cell) {
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
  grids.end_move();
}

}  // namespace tacit::amr
