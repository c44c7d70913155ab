// Adapts the tree to the state. All follows from data alone, so that no bit depends on threads or restarts.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/regrid.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <utility>

#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/amr/levels.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::amr {
namespace {

double relative_jump(double low, double high) { return std::abs(high - low) / (high + low); }

double jump_of_leaf(const AmrParameters& parameters, const mesh::Octree& tree, std::size_t leaf,
                    kernels::Variables<const double> U, const StateView& state) {
  const Levels levels(parameters.domain, parameters.gamma, tree);
  const mesh::Node& node = tree.leaf(leaf);
  const Domain& domain = parameters.domain;
  NearbyLeaves near(tree);
  const auto beyond = [&](Levels::Cell cell, std::size_t axis, std::int64_t by) {
    cell[axis] += by;
    const Levels::Values values = levels.at(node.level, cell, state, near);
    return gas_of(kernels::Variables<const double>{values.data(), 1}, 0, parameters.gamma, parameters.fields);
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
                                           : gas_of(U, cell - shape.next, parameters.gamma, parameters.fields);
        const GasState high = cell == last ? beyond(coordinates_of(domain, node, last), axis, 1)
                                           : gas_of(U, cell + shape.next, parameters.gamma, parameters.fields);
        largest = std::max({largest, relative_jump(low.rho, high.rho), relative_jump(low.P, high.P)});
      }
    }
  }
  return largest;
}

double largest_of(const double* field, std::size_t cells) { return *std::max_element(field, field + cells); }

/// Calls visit(criterion, value in the leaf) for each criterion.
template <class Visit>
void for_criteria(const AmrParameters& parameters, const Indicators& of_leaf, const Visit& visit) {
  visit(parameters.jumps, of_leaf.jump);
  if (parameters.density) visit(*parameters.density, of_leaf.density);
  for (std::size_t k = 0; k < parameters.of_species.size(); ++k) visit(parameters.of_species[k], of_leaf.of_species[k]);
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

/// Each leaf's are those of its owner, all others' are 0: the largest are theirs, without rounding.
void gather_indicators(comm::Communicator& ranks, std::size_t species, std::vector<Indicators>& indicators) {
  if (ranks.size() == 1) return;
  std::vector<double> numbers;
  for (const Indicators& one : indicators) {
    numbers.insert(numbers.end(), {one.jump, one.density});
    numbers.insert(numbers.end(), one.of_species.begin(),
                   one.of_species.begin() + static_cast<std::ptrdiff_t>(species));
  }
  exchange::take_largest(ranks, std::span<double>(numbers));
  const double* from = numbers.data();
  for (Indicators& one : indicators) {
    one.jump = *from++;
    one.density = *from++;
    std::copy_n(from, species, one.of_species.begin());
    from += species;
  }
}

/// The leaves from whose cells those of a node of the next tree are made.
std::vector<std::size_t> sources_of(const mesh::Octree& from, const mesh::Node& node) {
  std::vector<std::size_t> sources;
  const auto covering = from.covering(node);
  if (!covering) {
    for (const mesh::Node& part : from.children(node)) sources.push_back(from.covering(part).value());
    return sources;
  }
  sources.push_back(*covering);
  if (from.leaf(*covering).level == node.level) return sources;
  // Slopes need the cells beside it, too.
  for (std::size_t axis = 0; axis < from.spec().dimensions; ++axis) {
    for (const mesh::Side side : {mesh::Side::low, mesh::Side::high}) {
      const mesh::Beside beside = from.beside(*covering, axis, side);
      sources.insert(sources.end(), beside.leaves.begin(),
                     beside.leaves.begin() + static_cast<std::ptrdiff_t>(beside.count));
    }
  }
  return sources;
}

}  // namespace

std::vector<Indicators> indicators_of(const AmrParameters& parameters, const mesh::Octree& tree, const SubGrids& grids,
                                      tasks::Scheduler& scheduler, comm::Communicator& ranks) {
  std::vector<Indicators> indicators(tree.size());
  const StateView state{grids};
  tasks::parallel_for(scheduler, grids.own().begin, grids.own().end, [&](std::size_t leaf) {
    const kernels::Variables<const double> U = grids.now(leaf);
    Indicators& here = indicators[leaf];
    here.jump = jump_of_leaf(parameters, tree, leaf, U, state);
    here.density = largest_of(U.of(0), grids.cells());
    for (std::size_t k = 0; k < parameters.of_species.size(); ++k)
      here.of_species[k] = largest_of(U.of(parameters.fields.first_species() + k), grids.cells());
  });
  gather_indicators(ranks, parameters.of_species.size(), indicators);
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

/// The keys of connections are not those of the steps.
Mover::Mover(const AmrParameters& parameters, tasks::Scheduler& scheduler, comm::Communicator& ranks,
             MovingSubGrids* moves)
    : parameters_(parameters),
      scheduler_(scheduler),
      ranks_(ranks),
      exchange_(ranks, {.key = 0x416d0000}),
      moves_(moves) {}

/// Who needs what, all ranks find from both trees.
void Mover::fetch(const mesh::Octree& from, const mesh::Octree& to, const Share& after, SubGrids& grids) {
  if (ranks_.size() == 1) return;
  const Share& before = grids.share();
  std::set<std::size_t> wanted;
  std::set<std::pair<comm::RankId, std::size_t>> sent;  // to whom which
  for (std::size_t leaf = 0; leaf < to.size(); ++leaf) {
    const comm::RankId owner = after.division.owner(leaf);
    for (const std::size_t source : sources_of(from, to.leaf(leaf))) {
      if (before.division.owner(source) == owner) continue;
      if (owner == ranks_.rank()) wanted.insert(source);
      if (before.own.contains(source)) sent.emplace(owner, source);
    }
  }
  grids.set_copied({wanted.begin(), wanted.end()});
  if (moves_ != nullptr) return moves_->move(sent, grids);
  const std::size_t count = grids.fields_count() * grids.cells();
  tasks::Graph graph;
  exchange::Messages messages;
  for (const auto& [rank, leaf] : sent) {
    messages.send<double>({.peer = rank, .key = static_cast<std::uint32_t>(leaf), .count = count}, {},
                          [&grids, leaf = leaf](tasks::StepContext& /*step*/, std::span<double> to_message) {
                            std::memcpy(to_message.data(), grids.now(leaf).first, to_message.size_bytes());
                          });
  }
  for (const std::size_t leaf : wanted) {
    const comm::RankId rank = before.division.owner(leaf);
    messages.receive<double>({.peer = rank, .key = static_cast<std::uint32_t>(leaf), .count = count},
                             tasks::writes(graph.add_datum()),
                             [&grids, leaf](tasks::StepContext& /*step*/, std::span<const double> message) {
                               std::memcpy(grids.copy(leaf).first, message.data(), message.size_bytes());
                             });
  }
  exchange_.add(graph, "sub-grids", std::move(messages));
  exchange_.connect();
  tasks::Activation activation = graph.activate_all();
  scheduler_.run(graph, activation, {});
  exchange_.clear();
}

void Mover::move(const mesh::Octree& from, const mesh::Octree& to, mesh::LeafDivision division, SubGrids& grids) {
  const Domain& domain = parameters_.domain;
  const Levels levels(domain, parameters_.gamma, from);
  Share after = share_of(domain, to, std::move(division), ranks_.rank());
  const mesh::LeafRange own = after.own;
  fetch(from, to, after, grids);
  grids.begin_move(std::move(after));
  const StateView state{grids};
  tasks::parallel_for(scheduler_, own.begin, own.end, [&](std::size_t leaf) {
    const mesh::Node& node = to.leaf(leaf);
    const kernels::Variables<double> U = grids.moved(leaf);
    const auto covering = from.covering(node);
    if (covering && from.leaf(*covering).level == node.level) {
      std::memcpy(U.first, state.of(*covering).first, grids.fields_count() * grids.cells() * sizeof(double));
      return;
    }
    NearbyLeaves near(from);
    for (std::size_t cell = 0; cell < grids.cells(); ++cell) {
      Levels::Cell at = coordinates_of(domain, node, cell);
      Levels::Values values{};
      if (!covering) {
        values = levels.at(node.level, at, state, near);
      } else {
        std::size_t part = 0;
        for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
          part |= static_cast<std::size_t>(at[axis] & 1) << axis;
          at[axis] >>= 1U;
        }
        values = levels.parts_of(node.level - 1, at, state, near)[part];
      }
      for (std::size_t k = 0; k < grids.fields_count(); ++k) U.of(k)[cell] = values[k];
    }
  });
  grids.end_move();
}

}  // namespace tacit::amr
