// The loops over the cells of a sub-grid; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/kernels/gas.hpp"

#include "tacit/base/pack.hpp"
#include "tacit/solvers/amr/kernels/gas_terms.hpp"

namespace tacit::amr::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;
using Wide = base::Pack<double, Isa>;
using Single = base::Pack<double, base::isa::scalar>;

/// Calls wide(i), and single(i) for the cells that are too few for a pack.
template <class WideLoop, class SingleLoop>
[[gnu::always_inline]] inline void for_packs(std::size_t count, WideLoop wide, SingleLoop single) {
  std::size_t i = 0;
  for (; i + Wide::width <= count; i += Wide::width) wide(i);
  for (; i < count; ++i) single(i);
}

void to_primitive(double gamma, std::size_t cells, Variables<const double> U, Variables<double> W) {
  for_packs(
      cells, [&](std::size_t i) __attribute__((always_inline)) { primitive_of<Wide>(gamma, U, W, i); },
      [&](std::size_t i) __attribute__((always_inline)) { primitive_of<Single>(gamma, U, W, i); });
}

/// Where the variables of a pencil lie, as its faces see them.
struct Seen {
  const double* from[variables];
  double* rate[variables];
};

template <class P>
[[gnu::always_inline]] inline State<P> load_state(const Seen& seen, std::size_t i) {
  return {P::load(seen.from[0] + i), P::load(seen.from[1] + i), P::load(seen.from[2] + i), P::load(seen.from[3] + i),
          P::load(seen.from[4] + i)};
}

template <class P>
[[gnu::always_inline]] inline void store_rate(const Seen& seen, std::size_t i, const Flux<P>& low, const Flux<P>& high,
                                              const P& scale) {
  (scale * (low.rho - high.rho)).store(seen.rate[0] + i);
  (scale * (low.u - high.u)).store(seen.rate[1] + i);
  (scale * (low.v - high.v)).store(seen.rate[2] + i);
  (scale * (low.w - high.w)).store(seen.rate[3] + i);
  (scale * (low.E - high.E)).store(seen.rate[4] + i);
}

template <class P>
[[gnu::always_inline]] inline void store_flux(const Variables<double>& to, const std::size_t (&order)[variables],
                                              std::size_t lane, const Flux<P>& flux) {
  if (to.first == nullptr) return;
  flux.rho.store(to.of(order[0]) + lane);
  flux.u.store(to.of(order[1]) + lane);
  flux.v.store(to.of(order[2]) + lane);
  flux.w.store(to.of(order[3]) + lane);
  flux.E.store(to.of(order[4]) + lane);
}

/// Along some pencils, with what belongs to the face before in registers.
template <Limiter limiter, Riemann riemann, class P>
[[gnu::always_inline]] inline void sweep_lanes(double gamma, const Pencils& pencils, const Seen& seen,
                                               const std::size_t (&order)[variables], std::size_t lane) {
  const P scale(pencils.scale);
  const std::size_t next = pencils.lanes;
  State<P> low = load_state<P>(seen, lane);
  State<P> here = load_state<P>(seen, lane + next);
  State<P> high = load_state<P>(seen, lane + 2 * next);
  State<P> left = plus(here, half_slopes<limiter>(low, here, high, gamma));  // of the first face
  Flux<P> before{};
  for (std::size_t face = 0; face <= pencils.cells; ++face) {
    low = here;
    here = high;
    high = load_state<P>(seen, lane + (face + 3) * next);
    const State<P> half = half_slopes<limiter>(low, here, high, gamma);
    const Flux<P> flux = flux_between<riemann>(left, minus(here, half), gamma);
    if (pencils.mass != nullptr) flux.rho.store(pencils.mass + face * next + lane);
    if (face == 0) {
      store_flux(pencils.low, order, lane, flux);
    } else {
      store_rate(seen, lane + (face - 1) * next, before, flux, scale);
    }
    left = plus(here, half);
    before = flux;
  }
  store_flux(pencils.high, order, lane, before);
}

template <Limiter limiter, Riemann riemann>
void sweep_as(double gamma, const Pencils& pencils) {
  // The velocity along the axis first, the others behind it in their cyclic order.
  const std::size_t order[variables] = {0, 1 + pencils.axis, 1 + (pencils.axis + 1) % 3, 1 + (pencils.axis + 2) % 3, 4};
  Seen seen;
  for (std::size_t k = 0; k < variables; ++k) {
    seen.from[k] = pencils.primitive.of(order[k]);
    seen.rate[k] = pencils.rate.of(order[k]);
  }
  for_packs(
      pencils.lanes, [&](std::size_t lane) { sweep_lanes<limiter, riemann, Wide>(gamma, pencils, seen, order, lane); },
      [&](std::size_t lane) { sweep_lanes<limiter, riemann, Single>(gamma, pencils, seen, order, lane); });
}

template <Limiter limiter>
void sweep_with(double gamma, Riemann riemann, const Pencils& pencils) {
  if (riemann == Riemann::hll) return sweep_as<limiter, Riemann::hll>(gamma, pencils);
  sweep_as<limiter, Riemann::hllc>(gamma, pencils);
}

void sweep(double gamma, Limiter limiter, Riemann riemann, const Pencils& pencils) {
  switch (limiter) {
    case Limiter::minmod:
      return sweep_with<Limiter::minmod>(gamma, riemann, pencils);
    case Limiter::van_leer:
      return sweep_with<Limiter::van_leer>(gamma, riemann, pencils);
    case Limiter::monotonised_central:
      return sweep_with<Limiter::monotonised_central>(gamma, riemann, pencils);
  }
}

template <Stage stage>
void update_as(const Update& by) {
  for (std::size_t variable = 0; variable < by.fields; ++variable) {
    for_packs(
        by.cells, [&](std::size_t i) __attribute__((always_inline)) { update_cells<stage, Wide>(by, variable, i); },
        [&](std::size_t i) __attribute__((always_inline)) { update_cells<stage, Single>(by, variable, i); });
  }
}

void update(Stage stage, const Update& by) {
  switch (stage) {
    case Stage::first:
      return update_as<Stage::first>(by);
    case Stage::second:
      return update_as<Stage::second>(by);
    case Stage::second_of_three:
      return update_as<Stage::second_of_three>(by);
    case Stage::third_of_three:
      return update_as<Stage::third_of_three>(by);
  }
}

/// The largest speed so far, and how many cells have been valid.
template <bool has_internal_energy, class P>
[[gnu::always_inline]] inline std::size_t look_at_cells(const Gas& gas, const Variables<const double>& from,
                                                        std::size_t i, P& fastest) {
  const Conserved<P> U = Conserved<P>::load(from, i);
  const P inverse = P(1.0) / U.rho;
  P p;
  if constexpr (has_internal_energy) {
    p = P(gas.gamma - 1.0) * P::load(from.of(Fields::internal_energy()) + i);
  } else {
    p = pressure_of(U, inverse, gas.gamma);
  }
  const P most(1.7e308);
  auto is_valid = (U.rho > P(0.0)) & (U.rho < most) & (p > P(0.0)) & (p < most);
  if constexpr (has_internal_energy) is_valid = is_valid & (absolute(U.E) < most);
  const P c = sqrt(P(gas.gamma) * p * inverse);
  const P speed = P(gas.scale[0]) * (absolute(U.x * inverse) + c) + P(gas.scale[1]) * (absolute(U.y * inverse) + c) +
                  P(gas.scale[2]) * (absolute(U.z * inverse) + c);
  fastest = max(fastest, select(is_valid, speed, P(0.0)));
  return count(is_valid);
}

template <bool dual>
Condition look_at_all(const Gas& gas, std::size_t cells, Variables<const double> U) {
  Wide fastest(0.0);
  Single fastest_rest(0.0);
  std::size_t valid = 0;
  for_packs(
      cells,
      [&](std::size_t i) __attribute__((always_inline)) { valid += look_at_cells<dual, Wide>(gas, U, i, fastest); },
      [&](std::size_t i)
          __attribute__((always_inline)) { valid += look_at_cells<dual, Single>(gas, U, i, fastest_rest); });
  const double most = largest_of(fastest);
  const double rest = fastest_rest.value();
  return {valid == cells, most > rest ? most : rest};
}

Condition look_at(const Gas& gas, std::size_t cells, Variables<const double> U) {
  return gas.has_internal_energy ? look_at_all<true>(gas, cells, U) : look_at_all<false>(gas, cells, U);
}

}  // namespace

template <class>
Loops loops_of() noexcept {
  return {&to_primitive, &sweep, &update, &look_at};
}
template Loops loops_of<Isa>() noexcept;

}  // namespace tacit::amr::kernels
