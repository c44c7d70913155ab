// The state of the gas at the present time, its conserved quantities, and what limits its step.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "tacit/base/exact_sum.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/formats/carried.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/solvers/sph/kernels/equation_of_state.hpp"
#include "tacit/solvers/sph/kernels/upper_half.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"
#include "tacit/solvers/sph/traffic.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::sph {

/// What all particles drift and are kicked by to the present time; nothing with a common step.
StepClock::SinceNext SphSolver::since_next() const {
  return clock_.is_common ? StepClock::SinceNext{} : clock_.since_next(steps_.after());
}

SphSolver::Present SphSolver::present(std::size_t i, std::size_t cell, const StepClock::SinceNext& since_them) const {
  if (clock_.is_common) {
    const double rho = gas_.rho[i];
    return {{gas_.x[i], gas_.y[i], gas_.z[i]},
            {gas_.vx[i], gas_.vy[i], gas_.vz[i]},
            rho,
            gas_.is_gas(i) ? physics_.internal_energy(gas_.thermal[i], rho) : 0.0,
            gas_.h[i]};
  }
  const SinceStep since{since_them.begin[gas_.bin[i]], since_them.middle[gas_.bin[i]]};
  const CellData& data = cells_.cells()[cell];
  const auto [x, v, sign, thermal, h, rho] =
      drifted(data.integrated.between_runs(), data.hydro.between_runs(), data.forces.between_runs(),
              i - cells_.tree().range(cell).begin, since, cells_.tree().domain());
  return {x, v, rho, gas_.is_gas(i) ? physics_.internal_energy(thermal, rho) : 0.0, h};
}

/// Of all particles, in their order; made by all threads.
std::vector<SphSolver::Present> SphSolver::all_present() const {
  std::vector<Present> all(gas_.size());
  const StepClock::SinceNext since = since_next();
  tasks::parallel_for(resources_.scheduler, 0, cells_.tree().cells(), [&](std::size_t c) {
    const auto [begin, count] = cells_.tree().range(c);
    for (std::size_t i = begin; i < begin + count; ++i) all[i] = present(i, c, since);
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
  Sum mass, kinetic, internal, potential, given, p_scale, l_scale;
  std::array<Sum, 3> p;
  std::array<Sum, 3> l;

  /// Those of `other`, in the same order.
  template <class Other, class Function>
  void with(Other& other, const Function& function) {
    function(mass, other.mass);
    function(kinetic, other.kinetic);
    function(internal, other.internal);
    function(potential, other.potential);
    function(given, other.given);
    function(p_scale, other.p_scale);
    function(l_scale, other.l_scale);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      function(p[axis], other.p[axis]);
      function(l[axis], other.l[axis]);
    }
  }
};

/// @param phi  of self-gravity, of which each pair is counted from both sides [specific energy]
void SphSolver::add_to(Sums<base::BufferedSum>& sums, std::size_t i, const Present& now, double phi) const {
  const base::Vec3 momentum = gas_.m[i] * now.v;
  sums.mass.add(gas_.m[i]);
  sums.kinetic.add(0.5 * dot(momentum, now.v));
  const bool is_gas = gas_.is_gas(i);
  if (is_gas) sums.internal.add(gas_.m[i] * (now.u + kernels::bath_energy(physics_.eos, now.rho, rho_0_)));
  if (physics_.potential.is_present()) {
    sums.potential.add(gas_.m[i] * kernels::specific_energy(physics_.potential, {now.x.x, now.x.y, now.x.z}));
  }
  if (gas_.has_gravity) sums.potential.add(0.5 * gas_.m[i] * phi);
  if (gas_.has_expansion) sums.given.add(0.5 * gas_.m[i] * gas_.phi_da[i]);
  // The scales are at least those of sound: at rest the sum of m |v| is rounding, as is what would be compared with it.
  const double P = (physics_.gamma - 1.0) * now.rho * now.u;
  const double of_sound = is_gas ? gas_.m[i] * kernels::sound_speed(physics_.eos, P, now.rho, physics_.gamma) : 0.0;
  sums.p_scale.add(std::max(norm(momentum), of_sound));
  for (std::size_t axis = 0; axis < 3; ++axis) sums.p[axis].add(momentum[axis]);
  if (!keeps_angular_momentum()) return;
  const base::Vec3 angular = cross(now.x, momentum);
  sums.l_scale.add(std::max(norm(angular), norm(now.x) * of_sound));
  for (std::size_t axis = 0; axis < 3; ++axis) sums.l[axis].add(angular[axis]);
}

bool SphSolver::keeps_angular_momentum() const noexcept {
  return physics_.boundary == Boundary::open && !physics_.potential.is_present();
}

double SphSolver::scale_factor() const noexcept {
  return clock_.is_common || !physics_.cosmology ? clock_.a : clock_.line.time(clock_.now) + steps_.after();
}

engine::Conserved SphSolver::conserved() const {
  const auto [mechanical, given] = all_sums();
  engine::Conserved result = mechanical.conserved();
  if (!physics_.cosmology) return result;
  const double a2 = scale_factor() * scale_factor();
  const double kept = a2 * mechanical.energy() - given;
  for (engine::Quantity& quantity : result.quantities) {
    if (quantity.name != "energy") continue;
    quantity.value = {kept};
    quantity.scale *= a2;
  }
  result.columns.push_back({"layzer_irvine", kept});
  return result;
}

SphSolver::AllSums SphSolver::all_sums() const {
  using ExactSums = Sums<base::ExactSum>;
  const std::unique_ptr<const PresentGravity> gravity = steps_.gravity_now();
  const StepClock::SinceNext since = since_next();
  const auto of_cells = [&](std::size_t first, std::size_t end) {
    Sums<base::BufferedSum> buffered;
    for (std::size_t c = first; c < end; ++c) {
      const auto [begin, count] = cells_.tree().range(c);
      for (std::size_t i = begin; i < begin + count; ++i) {
        Present now = present(i, c, since);
        if (gravity) {
          now.x = gravity->place(i);
          now.v = now.v + gravity->kick(i);
        }
        add_to(buffered, i, now, gas_.has_gravity ? double{gas_.phi[i]} : 0.0);
      }
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
  const std::size_t cells = cells_.tree().cells();
  const std::size_t chunk = std::max<std::size_t>(1, cells / (8 * resources_.scheduler.workers()));
  ExactSums all = tasks::parallel_reduce(resources_.scheduler, 0, cells, chunk, ExactSums{}, of_cells, together);
  std::vector<base::ExactSum> list;
  all.with(all, [&list](const base::ExactSum& sum, const base::ExactSum&) { list.push_back(sum); });
  reductions_.add(list);
  auto of_all_ranks = list.begin();
  all.with(all, [&of_all_ranks](base::ExactSum& sum, const base::ExactSum&) { sum = *of_all_ranks++; });
  const auto& [mass, kinetic, internal, potential, given, p_scale, l_scale, p, l] = all;
  engine::MechanicalSums result;
  result.mass = mass.value();
  result.momentum = {p[0].value(), p[1].value(), p[2].value()};
  result.momentum_scale = p_scale.value();
  result.opens_momentum = physics_.boundary == Boundary::reflecting || physics_.potential.is_present();
  result.opens_energy = !physics_.sources.empty() || !physics_.is_ideal();
  result.kinetic_energy = kinetic.value();
  result.internal_energy = internal.value();
  result.potential_energy = potential.value();
  if (keeps_angular_momentum()) {
    result.angular_momentum = base::Vec3{l[0].value(), l[1].value(), l[2].value()};
    result.angular_momentum_scale = l_scale.value();
  }
  if (physics_.cosmology) {  // v and u are a^2 dx/dt and a^2 u, the potential that of comoving lengths
    const double a = scale_factor();
    result.kinetic_energy /= a * a;
    *result.internal_energy /= a * a;
    *result.potential_energy /= a;
  }
  return {result, given.value()};
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

/// The first field, and in it the first particle, that holds no finite number; of the first rank that has some.
std::optional<engine::Flaw> SphSolver::not_finite() const {
  std::optional<engine::Flaw> flaw;
  if (!are_finite()) flaw = find_not_finite();
  return engine::first_flaw(resources_.ranks, flaw);
}

std::optional<engine::Flaw> SphSolver::find_not_finite() const {
  std::optional<engine::Flaw> flaw;
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

std::vector<std::string> SphSolver::new_warnings() {
  std::vector<std::string> warnings = std::exchange(start_warnings_, {});
  if (auto of_kernels = warning_of_kernels()) warnings.push_back(std::move(*of_kernels));
  return warnings;
}

std::optional<std::string> SphSolver::warning_of_kernels() {
  if (has_warned_) return {};
  const double largest = kernels::cut_to_upper_half(physics_.smoothing.h_max);
  std::array<std::uint64_t, 1> limited{
      static_cast<std::uint64_t>(std::ranges::count_if(gas_.h, [largest](double h) { return h >= largest; }))};
  exchange::add_over(resources_.ranks, limited);
  if (2 * limited[0] <= cells_.particles()) return {};
  has_warned_ = true;
  return fmt::format(
      "warning: the smoothing lengths of {} of {} particles are the longest allowed, {:.6g} (sph.h_max, "
      "or a kernel as wide as {}), so that kernels hold fewer neighbours than sph.eta asks for; take "
      "more particles, a smaller sph.eta, or a larger sph.h_max or box",
      limited[0], cells_.particles(), physics_.smoothing.h_max,
      physics_.boundary == Boundary::open ? "all of an open gas" : "the shortest side of the box");
}

engine::Origin SphSolver::origin() const { return origin_; }

std::vector<engine::StepTraffic> SphSolver::traffic() const {
  const bool has_further_messages = physics_.gravity.is_present;
  if (physics_.pairs == Pairs::symmetric || resources_.ranks.size() > 1 || has_further_messages) return {};
  const StepBytes bytes{.of_particle = CellCopies::phase_bytes(physics_.scheme),
                        .of_cell = clock_.is_common ? 0 : CellCopies::report_bytes,
                        .times = steps_.runs_per_step()};
  return count_traffic(cells_.tree(), bytes);
}

double SphSolver::time_step() const {
  const double tick = clock_.is_common ? 0.0 : clock_.line.tick();
  if (steps_.shortest() >= tick) return steps_.time_step();
  const engine::StepLimit limit = step_limit();
  throw engine::NumericsError(engine::Flaw{
      .text = fmt::format("{} needs a time step of {:.3g}, below 2^-24 of the shortest first one = {:.3g}\n"
                          "  Look at the last snapshot{}",
                          limit.element, steps_.shortest(), tick, limit.advice),
      .element = limit.id});
}

engine::StepLimit SphSolver::step_limit() const {
  // The first of those that have the shortest step; of all ranks, in their order.
  const auto shortest = std::ranges::min_element(gas_.dt);
  const bool has_some = shortest != gas_.dt.end();
  const double mine = has_some ? static_cast<double>(*shortest) : std::numeric_limits<double>::infinity();
  const double least = reductions_.least(mine);
  std::optional<engine::Flaw> said;  // travels as a flaw does
  if (has_some && mine == least) {
    const auto i = static_cast<std::size_t>(shortest - gas_.dt.begin());
    said = engine::Flaw{
        .text = fmt::format("particle {} at ({:.6g}, {:.6g}, {:.6g})", gas_.id[i], gas_.x[i], gas_.y[i], gas_.z[i]),
        .element = gas_.id[i]};
  }
  const auto first = engine::first_flaw(resources_.ranks, said);
  return {.element = first ? first->text : "no particle",
          .id = first ? first->element : std::nullopt,
          .advice = ": particles on top of each other, or a velocity out of hand?"};
}

}  // namespace tacit::sph
