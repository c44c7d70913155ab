// The state of the gas at the present time, and its conserved quantities.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

#include "tacit/base/exact_sum.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/formats/carried.hpp"
#include "tacit/solvers/sph/kernels/equation_of_state.hpp"
#include "tacit/solvers/sph/kernels/prediction.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::sph {

SphSolver::Present SphSolver::present(std::size_t i, std::size_t cell) const {
  const base::Vec3 x{gas_.x[i], gas_.y[i], gas_.z[i]};
  const base::Vec3 v{gas_.vx[i], gas_.vy[i], gas_.vz[i]};
  if (clock_.is_common) return {x, v, gas_.rho[i], parameters_.internal_energy(gas_.thermal[i], gas_.rho[i])};
  const double drift = clock_.line.span(clock_.now - reports_[cell].drifted_to) + after_;
  const double kick = clock_.line.since_next_middle(gas_.bin[i], clock_.now) + after_;
  const base::Vec3 a{gas_.ax[i], gas_.ay[i], gas_.az[i]};
  const double rho = gas_.rho[i] * kernels::growth(-static_cast<double>(gas_.div_v[i]) * drift);
  const double thermal = kernels::later(gas_.thermal[i], gas_.dthermal_dt[i], kick);
  Present now{x + drift * v, v + kick * a, rho, parameters_.internal_energy(thermal, rho)};
  if (parameters_.boundary == Boundary::reflecting) fold_back(now);
  return now;
}

/// Where a drift took the particle through a wall.
void SphSolver::fold_back(Present& particle) const {
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(parameters_.dimension); ++axis) {
    const auto [value, sign] = particles::reflect(particle.x[axis], 0.0, box_[axis]);
    particle.x[axis] = value;
    particle.v[axis] *= sign;
  }
}

/// Of all particles, in their order; made by all threads.
std::vector<SphSolver::Present> SphSolver::all_present() const {
  std::vector<Present> all(gas_.size());
  tasks::parallel_for(resources_.scheduler, 0, grid_->cells(), [&](std::size_t c) {
    const auto [begin, count] = grid_->range(c);
    for (std::size_t i = begin; i < begin + count; ++i) all[i] = present(i, c);
  });
  return all;
}

std::vector<std::uint64_t> SphSolver::bins() const {
  std::vector<std::uint64_t> counts(TimeLine::bins, 0);
  for (const std::uint8_t bin : gas_.bin) ++counts[bin];
  return counts;
}

/// What is summed over particles.
template <class Sum>
struct SphSolver::Sums {
  Sum mass, kinetic, internal, potential, p_scale, l_scale;
  std::array<Sum, 3> p;
  std::array<Sum, 3> l;

  /// Those of `other`, in the same order.
  template <class Other, class Function>
  void with(Other& other, const Function& function) {
    function(mass, other.mass);
    function(kinetic, other.kinetic);
    function(internal, other.internal);
    function(potential, other.potential);
    function(p_scale, other.p_scale);
    function(l_scale, other.l_scale);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      function(p[axis], other.p[axis]);
      function(l[axis], other.l[axis]);
    }
  }
};

void SphSolver::add_to(Sums<base::BufferedSum>& sums, std::size_t i, const Present& now) const {
  const base::Vec3 momentum = gas_.m[i] * now.v;
  sums.mass.add(gas_.m[i]);
  sums.kinetic.add(0.5 * dot(momentum, now.v));
  sums.internal.add(gas_.m[i] * (now.u + kernels::bath_energy(parameters_.eos, now.rho, rho_0_)));
  if (parameters_.potential.is_present()) {
    sums.potential.add(gas_.m[i] * kernels::specific_energy(parameters_.potential, {now.x.x, now.x.y, now.x.z}));
  }
  sums.p_scale.add(norm(momentum));
  for (std::size_t axis = 0; axis < 3; ++axis) sums.p[axis].add(momentum[axis]);
  if (!keeps_angular_momentum()) return;
  const base::Vec3 angular = cross(now.x, momentum);
  sums.l_scale.add(norm(angular));
  for (std::size_t axis = 0; axis < 3; ++axis) sums.l[axis].add(angular[axis]);
}

bool SphSolver::keeps_angular_momentum() const noexcept {
  return parameters_.boundary == Boundary::open && !parameters_.potential.is_present();
}

engine::MechanicalSums SphSolver::sums() const {
  using ExactSums = Sums<base::ExactSum>;
  const auto of_cells = [this](std::size_t first, std::size_t end) {
    Sums<base::BufferedSum> buffered;
    for (std::size_t c = first; c < end; ++c) {
      const auto [begin, count] = grid_->range(c);
      for (std::size_t i = begin; i < begin + count; ++i) add_to(buffered, i, present(i, c));
    }
    ExactSums sums;
    sums.with(buffered, [](base::ExactSum& to, base::BufferedSum& from) { to = from.sum(); });
    return sums;
  };
  const auto together = [](ExactSums all, const ExactSums& more) {
    all.with(more, [](base::ExactSum& to, const base::ExactSum& from) { to.merge(from); });
    return all;
  };
  // Sums are exact: the same in chunks of any size.
  const std::size_t cells = grid_->cells();
  const std::size_t chunk = std::max<std::size_t>(1, cells / (8 * resources_.scheduler.workers()));
  const ExactSums all = tasks::parallel_reduce(resources_.scheduler, 0, cells, chunk, ExactSums{}, of_cells, together);
  const auto& [mass, kinetic, internal, potential, p_scale, l_scale, p, l] = all;
  engine::MechanicalSums result;
  result.mass = mass.value();
  result.momentum = {p[0].value(), p[1].value(), p[2].value()};
  result.momentum_scale = p_scale.value();
  result.kinetic_energy = kinetic.value();
  result.internal_energy = internal.value();
  result.potential_energy = potential.value();
  if (keeps_angular_momentum()) {
    result.angular_momentum = base::Vec3{l[0].value(), l[1].value(), l[2].value()};
    result.angular_momentum_scale = l_scale.value();
  }
  return result;
}

/// Whether all numbers of particles are finite, by all threads.
bool SphSolver::are_finite() const {
  std::atomic<bool> are_all{true};
  tasks::parallel_for(resources_.scheduler, 0, fields.size(),
                      [&](std::size_t number) {
                        const auto look = [&](auto array) {
                          std::size_t flaws = 0;  // counted without a branch, several at once
                          using T = typename std::remove_cvref_t<decltype(gas_.*array)>::value_type;
                          if constexpr (std::is_floating_point_v<T>) {
                            for (const T value : gas_.*array)
                              flaws += std::abs(value) <= std::numeric_limits<T>::max() ? 0 : 1;
                          }
                          if (flaws > 0) are_all = false;
                        };
                        std::visit(look, fields[number].array);
                      },
                      {.chunk = 1});
  return are_all;
}

/// The first field, and in it the first particle, that holds no finite number.
std::optional<engine::Flaw> SphSolver::not_finite() const {
  std::optional<engine::Flaw> flaw;
  if (are_finite()) return flaw;
  for (const Field& field : fields) {
    std::visit(
        [&](auto array) {
          const auto& values = gas_.*array;
          const auto bad =
              std::ranges::find_if_not(values, [](auto v) { return std::isfinite(static_cast<double>(v)); });
          if (bad == values.end()) return;
          const auto i = static_cast<std::size_t>(bad - values.begin());
          flaw = {
              .text = fmt::format("{} ({}) of particle {} at ({:.6g}, {:.6g}, {:.6g}) is {}", field.name, field.meaning,
                                  gas_.id[i], gas_.x[i], gas_.y[i], gas_.z[i], static_cast<double>(*bad)),
              .field = std::string(field.name),
              .element = gas_.id[i]};
        },
        field.array);
    if (flaw) break;
  }
  return flaw;
}

engine::Origin SphSolver::origin() const { return origin_; }

}  // namespace tacit::sph
