// Gravity of all particles at one time: one run of its tasks between two steps, which leaves no traces.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/gravity/present.hpp"

#include <algorithm>
#include <cstdint>

#include "tacit/base/error.hpp"
#include "tacit/solvers/sph/kernels/potential.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::sph {
namespace {

constexpr std::array places_of_gas{&Gas::x, &Gas::y, &Gas::z};
constexpr std::array gravity_of_gas{&Gas::gx, &Gas::gy, &Gas::gz, &Gas::phi};
constexpr std::array passed_of_gas{&Gas::phi_da, &Gas::phi_at};

}  // namespace

PresentGravity::PresentGravity(const Physics& physics, Gas& gas, GasCells& cells, StepClock& clock, double after)
    : physics_(physics), gas_(gas), cells_(cells), clock_(clock), after_(after), since_(clock.since_next(after)) {
  TACIT_EXPECT(!clock.is_common && gas.has_gravity);
  for (std::size_t k = 0; k < places_.size(); ++k) places_[k] = gas.*places_of_gas[k];
  for (std::size_t k = 0; k < gravity_.size(); ++k) gravity_[k] = gas.*gravity_of_gas[k];
  for (std::size_t k = 0; k < passed_.size(); ++k) passed_[k] = gas.*passed_of_gas[k];
  tasks::parallel_for(cells.workers(), 0, cells.tree().cells(), [this](std::size_t c) {
    const auto [begin, count] = cells_.tree().range(c);
    for (std::size_t i = begin; i < begin + count; ++i) move(i);
  });
  // Gravity attracts those whose bins are active: now all are.
  const std::uint8_t active = clock.active;
  clock.active = TimeLine::last_bin;
  if (clock.cosmology != nullptr) clock.a = clock.line.time(clock.now) + after_;
  cells.run(cells.graph().attract, {});
  clock.active = active;
  factor_ = clock.a;
  if (clock.cosmology != nullptr) clock.a = clock.line.time(clock.now);
}

/// The arrays stay where they are: tasks see them through views.
PresentGravity::~PresentGravity() {
  for (std::size_t k = 0; k < places_.size(); ++k) std::ranges::copy(places_[k], (gas_.*places_of_gas[k]).begin());
  for (std::size_t k = 0; k < gravity_.size(); ++k) std::ranges::copy(gravity_[k], (gas_.*gravity_of_gas[k]).begin());
  for (std::size_t k = 0; k < passed_.size(); ++k) std::ranges::copy(passed_[k], (gas_.*passed_of_gas[k]).begin());
}

void PresentGravity::move(std::size_t i) const {
  const double tau = since_.begin[gas_.bin[i]];
  const double since_middle = since_.middle[gas_.bin[i]];
  // Velocities stand at the middle of the step: of a step that ended now, a_0 (dt - tau)/2 less.
  const double surplus = 0.5 * tau - since_middle;
  const auto place = [&](double before, double v, double a) { return before + tau * (v - surplus * a); };
  gas_.x[i] = place(gas_.x_before[i], gas_.vx[i], gas_.ax[i]);
  gas_.y[i] = place(gas_.y_before[i], gas_.vy[i], gas_.ay[i]);
  gas_.z[i] = place(gas_.z_before[i], gas_.vz[i], gas_.az[i]);
}

base::Vec3 PresentGravity::kick(std::size_t i) const {
  base::Vec3 change =
      factor_ * base::Vec3{gas_.gx[i], gas_.gy[i], gas_.gz[i]} -
      clock_.gravity_factor_at_begin(gas_.bin[i]) * base::Vec3{gravity_[0][i], gravity_[1][i], gravity_[2][i]};
  if (physics_.potential.is_present()) {
    const auto pull = [this](double x, double y, double z) {
      return kernels::pull(physics_.potential, {x, y, z}, physics_.gravity.softening).a;
    };
    change =
        change + pull(gas_.x[i], gas_.y[i], gas_.z[i]) - pull(gas_.x_before[i], gas_.y_before[i], gas_.z_before[i]);
  }
  return 0.5 * since_.begin[gas_.bin[i]] * change;
}

}  // namespace tacit::sph
