// Sources of gravity in the stages of a step, and the work of all of it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/self_gravity.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/solvers/amr/levels.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::amr {
namespace {

using kernels::Stage;
using Relation = mesh::Beside::Relation;

/// Calls each(layer, lane, cell).
template <class Each>
void for_cells(const PencilShape& shape, const Each& each) {
  for (std::size_t layer = 0; layer < shape.cells; ++layer) {
    for (std::size_t slow = 0; slow < shape.across[1]; ++slow) {
      for (std::size_t fast = 0; fast < shape.across[0]; ++fast) {
        each(layer, slow * shape.across[0] + fast,
             layer * shape.next + slow * shape.next_across[1] + fast * shape.next_across[0]);
      }
    }
  }
}

/// Of a cube of 2^3 cells of a leaf, of which this is the lowest.
double mean_of_cube(const double* cells, std::size_t block, std::size_t lowest) {
  std::array<double, 8> numbers{};
  for (std::size_t i = 0; i < 8; ++i)
    numbers[i] = cells[lowest + (i & 1U) + (i >> 1U & 1U) * block + (i >> 2U) * block * block];
  return mean_of(numbers, 8);
}

}  // namespace

/// The keys of connections are not those of the steps.
SelfGravity::SelfGravity(const AmrParameters& parameters, const mesh::Octree& tree, SubGrids& grids,
                         const std::vector<PencilShape>& shapes, LeafCosts& costs, const engine::Resources& resources)
    : parameters_(parameters),
      tree_(tree),
      grids_(grids),
      shapes_(shapes),
      costs_(costs),
      scheduler_(resources.scheduler),
      gravity_(parameters.domain, parameters.gravity.value(), tree, resources),
      faces_size_((parameters.domain.block + 1) * parameters.domain.block * parameters.domain.block),
      exchange_(resources.ranks, {.key = 0x41670000}) {}

void SelfGravity::rebuild(const std::vector<Neighbours>& beside) {
  beside_ = &beside;
  gravity_.rebuild(grids_.own(), grids_.share().division);
  faces_.resize(grids_.leaves() * 3 * faces_size_);
  for (auto* numbers : {&work_, &potentials_}) numbers->resize(grids_.leaves() * grids_.cells());
  through_sides_.assign(grids_.leaves(), 0.0);
  driven_.assign(parameters_.driving ? grids_.leaves() : 0, {});
  copies_.resize(grids_.copied().size() * grids_.cells());
  activation_ = {};
  exchange_.clear();
  graph_ = tasks::Graph();
  add_messages();
  exchange_.connect();
  activation_ = graph_.activate_all();
}

/// Potentials of the cells that ranks see of each other's sub-grids: as those of the state.
void SelfGravity::add_messages() {
  const mesh::OctreeHalo& halo = grids_.share().halo;
  mesh::Box box{.begin = {}, .end = {1, 1, 1, 1}};
  for (std::size_t axis = 0; axis < 3; ++axis) box.end[axis] = static_cast<mesh::Index>(parameters_.domain.block);
  const mesh::Layout layout(box);
  exchange::Messages messages;
  const auto message_of = [](const mesh::SharedCells& part) {
    return exchange::Message{
        .peer = part.rank, .key = static_cast<std::uint32_t>(part.leaf), .count = part.cells.points()};
  };
  for (const mesh::SharedCells& part : halo.send) {
    messages.send<double>(message_of(part), {}, [this, part, layout](tasks::StepContext&, std::span<double> to) {
      mesh::pack<double>(layout, part.cells, std::span(potential(part.leaf), grids_.cells()), to);
    });
  }
  for (const mesh::SharedCells& part : halo.receive) {
    double* const to = copies_.data() + grids_.place_of_copy(part.leaf) * grids_.cells();
    messages.receive<double>(message_of(part), tasks::writes(graph_.add_datum()),
                             [this, part, layout, to](tasks::StepContext&, std::span<const double> from) {
                               mesh::unpack<double>(layout, part.cells, std::span(to, grids_.cells()), from);
                             });
  }
  exchange_.add(graph_, "potentials", std::move(messages));
}

void SelfGravity::solve(Moment moment) {
  const SubGrids& grids = grids_;
  gravity_.solve([&](std::size_t leaf) { return grids.at(moment, leaf).of(0); }, &costs_);
  if (parameters_.frame_rotation == 0.0) return;
  tasks::parallel_for(scheduler_, grids_.own().begin, grids_.own().end,
                      [&](std::size_t leaf) { add_centrifugal(leaf); });
}

double SelfGravity::centrifugal_potential(const Point& x) const noexcept {
  const Domain& domain = parameters_.domain;
  const double dx = parameters_.frame_rotation * (x[0] - 0.5 * domain.box[0]);
  const double dy = parameters_.frame_rotation * (x[1] - 0.5 * domain.box[1]);
  return -0.5 * (dx * dx + dy * dy);
}

void SelfGravity::add_centrifugal(std::size_t leaf) {
  const Domain& domain = parameters_.domain;
  const double Omega2 = parameters_.frame_rotation * parameters_.frame_rotation;
  const kernels::Variables<double> field = gravity_.field(leaf);
  for (std::size_t cell = 0; cell < grids_.cells(); ++cell) {
    const Point x = centre_of(domain, tree_.leaf(leaf), cell);
    field.of(0)[cell] += centrifugal_potential(x);
    field.of(1)[cell] += Omega2 * (x[0] - 0.5 * domain.box[0]);
    field.of(2)[cell] += Omega2 * (x[1] - 0.5 * domain.box[1]);
  }
}

void SelfGravity::drive(double time, double dt) {
  if (!parameters_.driving) return;
  const auto& [rate, until] = *parameters_.driving;
  driving_rate_ = until >= time + dt ? rate : rate * std::max(0.0, until - time) / dt;
}

Turned SelfGravity::driven(std::size_t leaf, double dt) const {
  if (driven_.empty()) return {};
  return dt * driven_[place(leaf)];
}

void SelfGravity::begin() {
  for (std::size_t leaf = grids_.own().begin; leaf < grids_.own().end; ++leaf)
    std::copy_n(field(leaf).of(0), grids_.cells(), potentials_.data() + place(leaf) * grids_.cells());
}

void SelfGravity::end(double dt) {
  solve(Moment::now);
  tasks::parallel_for(scheduler_, grids_.own().begin, grids_.own().end, [&](std::size_t leaf) {
    const double* const after = field(leaf).of(0);
    double* const mean = potentials_.data() + place(leaf) * grids_.cells();
    for (std::size_t cell = 0; cell < grids_.cells(); ++cell) mean[cell] = 0.5 * (mean[cell] + after[cell]);
  });
  if (activation_.size() > 0) scheduler_.run(graph_, activation_, {});
  tasks::parallel_for(scheduler_, grids_.own().begin, grids_.own().end, [&](std::size_t leaf) { set_work(leaf, dt); });
}

std::size_t SelfGravity::bytes_held() const noexcept {
  const std::size_t numbers = faces_.capacity() + work_.capacity() + potentials_.capacity() + copies_.capacity();
  return numbers * sizeof(double) + gravity_.bytes_held() + exchange_.memory_bytes();
}

double SelfGravity::rate_of_fall(std::size_t leaf) const {
  const auto g = field(leaf);
  double most = 0.0;
  for (std::size_t cell = 0; cell < grids_.cells(); ++cell)
    most = std::max(most, std::abs(g.of(1)[cell]) + std::abs(g.of(2)[cell]) + std::abs(g.of(3)[cell]));
  return std::sqrt(0.5 * most / parameters_.domain.spacing(0, tree_.leaf(leaf).level));
}

void SelfGravity::add_sources(Stage stage, std::size_t leaf, kernels::Variables<const double> U,
                              const std::array<const double*, 3>& faces, kernels::Variables<double> rate) {
  const auto g = field(leaf);
  double* const work = work_.data() + place(leaf) * grids_.cells();
  const bool is_first = stage == Stage::first;
  const double share = mean_weight(stage);
  if (parameters_.frame_rotation != 0.0) {
    const double twice = 2.0 * parameters_.frame_rotation;
    for (std::size_t cell = 0; cell < grids_.cells(); ++cell) {
      rate.of(1)[cell] += twice * U.of(2)[cell];
      rate.of(2)[cell] -= twice * U.of(1)[cell];
    }
  }
  if (!driven_.empty()) {
    if (is_first) driven_[place(leaf)] = {};
    if (driving_rate_ > 0.0) {
      driven_[place(leaf)] +=
          weight_of_rate(parameters_.integrator, stage) *
          add_driving(driving_rate_, parameters_.frame_rotation, parameters_.domain, tree_.leaf(leaf), U, rate);
    }
  }
  // Not times 0: a step that failed may have left NaN.
  for (std::size_t cell = 0; cell < grids_.cells(); ++cell) work[cell] = is_first ? 0.0 : share * work[cell];
  for (const PencilShape& shape : shapes_) {
    const double* const along = g.of(1 + shape.axis);
    double* const momentum = rate.of(1 + shape.axis);
    for (std::size_t cell = 0; cell < grids_.cells(); ++cell) momentum[cell] += U.of(0)[cell] * along[cell];
    const double* const F = faces[shape.axis];
    for_cells(shape, [&](std::size_t layer, std::size_t lane, std::size_t cell) {
      const std::size_t low = layer * shape.lanes() + lane;
      const double power = 0.5 * (F[low] + F[low + shape.lanes()]) * along[cell];
      rate.of(4)[cell] += power;
      work[cell] += share * power;
    });
    double* const mean = faces_of(leaf, shape.axis);
    if (is_first) {
      std::copy_n(F, faces_size_, mean);
    } else {
      for (std::size_t face = 0; face < faces_size_; ++face) mean[face] = share * (mean[face] + F[face]);
    }
  }
}

double* SelfGravity::fluxes_at(std::size_t leaf, std::size_t axis, std::size_t side) {
  return faces_of(leaf, axis) + (side == 0 ? 0 : shapes_[axis].cells * shapes_[axis].lanes());
}

/// Mean potential in the step.
const double* SelfGravity::potential(std::size_t leaf) const {
  if (grids_.own().contains(leaf)) return potentials_.data() + place(leaf) * grids_.cells();
  return copies_.data() + grids_.place_of_copy(leaf) * grids_.cells();
}

void SelfGravity::take_potentials(const PencilShape& shape, std::size_t leaf, double* at_faces) const {
  const double* const own = potential(leaf);
  const std::size_t lanes = shape.lanes();
  for_cells(shape, [&](std::size_t layer, std::size_t lane, std::size_t cell) {
    if (layer > 0) at_faces[layer * lanes + lane] = 0.5 * (own[cell - shape.next] + own[cell]);
  });
  take_side(shape, leaf, 0, at_faces);
  take_side(shape, leaf, 1, at_faces + shape.cells * lanes);
}

/// At the faces of a side. Both sub-grids there find the same bits.
void SelfGravity::take_side(const PencilShape& shape, std::size_t leaf, std::size_t side, double* to) const {
  const mesh::Beside& beside = (*beside_)[place(leaf)][shape.axis][side];
  const double* const own = potential(leaf);
  const std::size_t block = shape.cells;
  const std::size_t layer = side == 0 ? 0 : block - 1;       // of own cells
  const std::size_t beyond = side == 0 ? block - 1 : 0;      // of those of others
  const std::size_t pair = side == 0 ? 0 : block - 2;        // the lower one of two layers of own cells
  const std::size_t their_pair = side == 0 ? block - 2 : 0;  // likewise
  // Where the leaf lies in a coarser one beyond, along the other axes.
  std::array<std::size_t, 2> half{};
  for (std::size_t other = 0; other < 2; ++other) {
    const std::size_t axis = other == 0 ? (shape.axis == 0 ? 1 : 0) : (shape.axis == 2 ? 1 : 2);
    half[other] = static_cast<std::size_t>(tree_.leaf(leaf).at[axis] & 1) * (block / 2);
  }
  const auto at = [&](std::size_t of_layer, std::size_t fast, std::size_t slow) {
    return of_layer * shape.next + fast * shape.next_across[0] + slow * shape.next_across[1];
  };
  for (std::size_t slow = 0; slow < block; ++slow) {
    for (std::size_t fast = 0; fast < block; ++fast) {
      double& face = to[slow * block + fast];
      const double mine = own[at(layer, fast, slow)];
      if (beside.relation == Relation::outside) {
        const double inner = own[at(side == 0 ? 1 : block - 2, fast, slow)];
        face = mine + 0.5 * (mine - inner);
      } else if (beside.relation == Relation::alike) {
        face = 0.5 * (mine + potential(beside.leaves[0])[at(beyond, fast, slow)]);
      } else if (beside.relation == Relation::coarser) {
        const double cube = mean_of_cube(own, block, at(pair, fast / 2 * 2, slow / 2 * 2));
        face = 0.5 * (cube + potential(beside.leaves[0])[at(beyond, half[0] + fast / 2, half[1] + slow / 2)]);
      } else {
        const std::size_t fine = beside.leaves[2 * fast / block + 2 * (2 * slow / block)];
        const std::size_t lowest = at(their_pair, 2 * fast % block, 2 * slow % block);
        face = 0.5 * (mine + mean_of_cube(potential(fine), block, lowest));
      }
    }
  }
}

void SelfGravity::set_work(std::size_t leaf, double dt) {
  std::array<double, std::size_t{17} * 16 * 16> at_faces;  // of any sub-grid
  TACIT_EXPECT(faces_size_ <= at_faces.size());
  const double* const phi = potential(leaf);
  double* const work = work_.data() + place(leaf) * grids_.cells();
  const double scale = 1.0 / parameters_.domain.spacing(0, tree_.leaf(leaf).level);
  const kernels::Variables<double> U = grids_.now(leaf);
  double* const E = U.of(4);
  double through = 0.0;
  for (std::size_t cell = 0; cell < grids_.cells(); ++cell) work[cell] = -work[cell];
  for (const PencilShape& shape : shapes_) {
    take_potentials(shape, leaf, at_faces.data());
    const double* const F = faces_of(leaf, shape.axis);
    for_cells(shape, [&](std::size_t layer, std::size_t lane, std::size_t cell) {
      const std::size_t low = layer * shape.lanes() + lane;
      const std::size_t high = low + shape.lanes();
      work[cell] += scale * (F[high] * (phi[cell] - at_faces[high]) + F[low] * (at_faces[low] - phi[cell]));
    });
    for (std::size_t side = 0; side < 2; ++side) {
      if ((*beside_)[place(leaf)][shape.axis][side].relation != Relation::outside) continue;
      const std::size_t first = side == 0 ? 0 : shape.cells * shape.lanes();
      double sum = 0.0;
      for (std::size_t lane = 0; lane < shape.lanes(); ++lane) sum += F[first + lane] * at_faces[first + lane];
      through += side == 0 ? -sum : sum;
    }
  }
  through_sides_[place(leaf)] = dt / (scale * scale) * through;
  const bool is_free = parameters_.fields.has_internal_energy;
  for (std::size_t cell = 0; cell < grids_.cells(); ++cell) {
    // In cold gas a small part of the work may be all the heat that there is.
    const double heat = E[cell] - kinetic_energy({U.first, U.next}, cell);
    if (is_free || dt * work[cell] > -0.5 * heat) E[cell] += dt * work[cell];
  }
}

}  // namespace tacit::amr
