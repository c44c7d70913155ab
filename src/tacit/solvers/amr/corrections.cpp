// The part of a step in which sub-grids beside finer ones take the fluxes of these.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "tacit/solvers/amr/step.hpp"

namespace tacit::amr {

using kernels::Stage;

void Step::keep_fluxes() {
  const Share& share = grids_.share();
  std::size_t size = 0;
  constexpr std::array none{not_kept, not_kept};
  kept_.assign(grids_.leaves() + grids_.copied().size(), {none, none, none});
  to_pass_.clear();
  to_take_.clear();
  const auto keep = [&](std::size_t leaf, std::size_t axis, std::size_t side) {
    kept_[held_place(leaf)][axis][side] = size;
    size += grids_.fields_count() * shapes_[axis].lanes();
  };
  const auto keep_beside = [&](std::size_t leaf, std::size_t axis, std::size_t side) {
    const mesh::Beside& beside = beside_[own_place(leaf)][axis][side];
    if (beside.relation == mesh::Beside::Relation::outside && !balances_.empty()) {
      keep(leaf, axis, side);
    } else if (beside.relation == mesh::Beside::Relation::coarser) {
      keep(leaf, axis, side);
      const std::size_t beyond = beside.leaves[0];
      if (!share.own.contains(beyond)) to_pass_.push_back({share.division.owner(beyond), leaf, axis, side, beyond});
    } else if (beside.relation == mesh::Beside::Relation::finer) {
      keep(leaf, axis, side);
      for (std::size_t part = 0; part < beside.count; ++part) {
        const std::size_t beyond = beside.leaves[part];
        if (share.own.contains(beyond)) continue;
        keep(beyond, axis, 1 - side);
        to_take_.push_back({share.division.owner(beyond), beyond, axis, 1 - side, leaf});
      }
    }
  };
  for (std::size_t leaf = share.own.begin; leaf < share.own.end; ++leaf) {
    for (std::size_t axis = 0; axis < shapes_.size(); ++axis) {
      for (std::size_t side = 0; side < 2; ++side) keep_beside(leaf, axis, side);
    }
  }
  if (size > fluxes_.capacity()) {
    fluxes_ = {};
    fluxes_.reserve(size + size / 4);
  }
  fluxes_.resize(size);
}

/// Of a leaf that is held. Null where fluxes are not kept.
kernels::Variables<double> Step::kept(std::size_t leaf, std::size_t axis, std::size_t side) {
  const std::size_t place = kept_[held_place(leaf)][axis][side];
  if (place == not_kept) return {};
  return {fluxes_.data() + place, shapes_[axis].lanes()};
}

/// What leaves of this rank have passed through sides with coarser ones of other ranks, and the reverse.
void Step::add_fluxes(Stage stage) {
  exchange::Messages messages;
  const auto message_of = [this](const Passed& one) {
    return exchange::Message{.peer = one.rank,
                             .key = static_cast<std::uint32_t>(6 * one.leaf + 2 * one.axis + one.side),
                             .count = grids_.fields_count() * shapes_[one.axis].lanes()};
  };
  for (const Passed& one : to_pass_) {
    messages.send<double>(message_of(one), tasks::reads(passed_[held_place(one.leaf)]),
                          [this, one](tasks::StepContext& /*step*/, std::span<double> to) {
                            std::copy_n(kept(one.leaf, one.axis, one.side).first, to.size(), to.begin());
                          });
  }
  for (const Passed& one : to_take_) {
    messages.receive<double>(
        message_of(one), tasks::writes(passed_[held_place(one.leaf)]),
        [this, one](tasks::StepContext& /*step*/, std::span<const double> from) { take_fluxes(one, from); });
  }
  exchange_.add(graph_, std::array{"first fluxes", "second fluxes", "third fluxes"}[number_of(stage)],
                std::move(messages));
}

std::vector<double> Step::fluxes_of(const Passed& one) {
  const double* const first = kept(one.leaf, one.axis, one.side).first;
  return {first, first + grids_.fields_count() * shapes_[one.axis].lanes()};
}

void Step::take_fluxes(const Passed& one, std::span<const double> from) {
  std::ranges::copy(from, kept(one.leaf, one.axis, one.side).first);
}

void Step::add_correction(Stage stage, std::size_t leaf) {
  const std::vector<tasks::DatumId>& out = data_of(end_of(stage));
  tasks::Accesses accesses{{out[own_place(leaf)], tasks::AccessMode::write}};
  for (std::size_t axis = 0; axis < parameters_.domain.dimensions; ++axis) {
    for (const mesh::Beside& beside : beside_[own_place(leaf)][axis]) {
      if (beside.relation != mesh::Beside::Relation::finer) continue;
      for (std::size_t i = 0; i < beside.count; ++i) {
        const std::size_t fine = beside.leaves[i];
        const bool is_own = grids_.own().contains(fine);
        const tasks::Access access{is_own ? out[own_place(fine)] : passed_[held_place(fine)], tasks::AccessMode::read};
        if (std::ranges::find(accesses, access) == accesses.end()) accesses.push_back(access);
      }
    }
  }
  const auto compute = [this, stage, leaf](tasks::StepContext& step) {
    costs_.count(own_place(leaf), [&] { correct(stage, leaf, step.dt); });
  };
  graph_.add("correction", accesses, compute, {.cost = 0.1, .key = static_cast<std::uint32_t>(leaf)});
}

void Step::correct(Stage stage, std::size_t leaf, double dt) {
  for (std::size_t axis = 0; axis < parameters_.domain.dimensions; ++axis) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (beside_[own_place(leaf)][axis][side].relation == mesh::Beside::Relation::finer)
        correct_side(stage, leaf, axis, side, dt);
    }
  }
  finish(stage, leaf);
}

/// The cells at a side get what the finer ones have passed, in place of what this sub-grid took for it.
void Step::correct_side(Stage stage, std::size_t leaf, std::size_t axis, std::size_t side, double dt) {
  const PencilShape& shape = shapes_[axis];
  const mesh::Beside& beside = beside_[own_place(leaf)][axis][side];
  const kernels::Variables<double> own = kept(leaf, axis, side);
  std::array<double, kernels::most_fields * 256> numbers;  // of the sides of 16^2 faces
  const kernels::Variables<double> theirs{numbers.data(), shape.lanes()};
  for (std::size_t part = 0; part < beside.count; ++part) {
    const kernels::Variables<double> fine = kept(beside.leaves[part], axis, 1 - side);
    average_fluxes(shape, grids_.fields_count(), {fine.first, fine.next}, part, theirs);
  }
  const double of_step = mean_weight(stage);
  if (gravity_) {
    double* const mass = gravity_->fluxes_at(leaf, axis, side);
    for (std::size_t lane = 0; lane < shape.lanes(); ++lane)
      mass[lane] += of_step * (theirs.of(0)[lane] - own.of(0)[lane]);
  }
  const double share = of_step * dt * gas_at(leaf).scale[axis];
  const double sign = side == 0 ? share : -share;
  const kernels::Variables<double> out = after(stage, leaf);
  const std::size_t layer = side == 0 ? 0 : (shape.cells - 1) * shape.next;
  for (std::size_t k = 0; k < grids_.fields_count(); ++k) {
    for (std::size_t slow = 0; slow < shape.across[1]; ++slow) {
      for (std::size_t fast = 0; fast < shape.across[0]; ++fast) {
        const std::size_t lane = fast + slow * shape.across[0];
        out.of(k)[layer + fast * shape.next_across[0] + slow * shape.next_across[1]] +=
            sign * (theirs.of(k)[lane] - own.of(k)[lane]);
      }
    }
  }
}

}  // namespace tacit::amr
