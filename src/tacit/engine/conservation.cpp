// Drift of conserved quantities against their natural scales.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/conservation.hpp"

#include <algorithm>
#include <cmath>

namespace tacit::engine {

void Conservation::Drift::add(double change, double natural_scale) {
  scale = std::max(scale, natural_scale);
  largest_change = std::max(largest_change, change);
}

double Conservation::Drift::relative() const {
  // A quantity without a scale (momentum of a gas at rest) has not drifted until it has one.
  return scale > 0.0 ? largest_change / scale : 0.0;
}

void Conservation::add(const Conserved& state) {
  if (!start_) start_ = state;
  last_ = state;
  if (state.mass && start_->mass) mass.add(std::abs(*state.mass - *start_->mass), *state.mass);
  momentum.add(norm(state.momentum - start_->momentum), state.momentum_scale);
  if (state.keeps_energy) {
    energy.add(std::abs(state.energy() - start_->energy()),
               std::max({state.kinetic_energy, state.internal_energy.value_or(0.0),
                         std::abs(state.potential_energy.value_or(0.0))}));
  }
  if (state.angular_momentum && start_->angular_momentum) {
    angular_momentum.add(norm(*state.angular_momentum - *start_->angular_momentum), state.angular_momentum_scale);
  }
}

}  // namespace tacit::engine
