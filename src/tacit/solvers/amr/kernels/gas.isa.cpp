// The loops over the cells of a sub-grid; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/kernels/gas.hpp"

#include "tacit/base/pack.hpp"
#include "tacit/solvers/amr/kernels/riemann_terms.hpp"

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

template <class P>
struct Conserved {
  P rho, x, y, z, E;
  [[gnu::always_inline]] static Conserved load(const Variables<const double>& U, std::size_t i) {
    return {P::load(U.of(0) + i), P::load(U.of(1) + i), P::load(U.of(2) + i), P::load(U.of(3) + i),
            P::load(U.of(4) + i)};
  }
};

template <class P>
[[gnu::always_inline]] inline P pressure_of(const Conserved<P>& U, const P& inverse_rho, double gamma) {
  const P kinetic = P(0.5) * (U.x * U.x + (U.y * U.y + U.z * U.z)) * inverse_rho;
  return P(gamma - 1.0) * (U.E - kinetic);
}

template <class P>
[[gnu::always_inline]] inline void primitive_of(double gamma, const Variables<const double>& from,
                                                const Variables<double>& to, std::size_t i) {
  const Conserved<P> U = Conserved<P>::load(from, i);
  const P inverse = P(1.0) / U.rho;
  U.rho.store(to.of(0) + i);
  (U.x * inverse).store(to.of(1) + i);
  (U.y * inverse).store(to.of(2) + i);
  (U.z * inverse).store(to.of(3) + i);
  pressure_of(U, inverse, gamma).store(to.of(4) + i);
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

/// Shortens the slopes of velocity where the states at both faces of a cell would have more kinetic energy than the
/// cell, by more than its heat. A cell is a third of each of these states, and of
///
///     U* = 3 U - U_low - U_high      p* / (gamma - 1) = p / (gamma - 1) - rho d^2 (1 + 2 (drho / rho)^2)
///
/// with d and drho the halves of the slopes. Where p* is not negative, and the step short enough that no wave leaves
/// its third, each part stays positive by itself. @see Berthon (2006), J. Comput. Phys. 218, 495
template <class P>
[[gnu::always_inline]] inline void keep_positive(const State<P>& here, State<P>& half, double gamma) {
  const P squares = half.u * half.u + (half.v * half.v + half.w * half.w);
  const P taken = P(gamma - 1.0) * squares * (here.rho * here.rho + P(2.0) * (half.rho * half.rho));
  const P heat = here.rho * here.p;
  const auto is_too_much = taken > heat;
  if (!any(is_too_much)) [[likely]]
    return;
  const P share = select(is_too_much, sqrt(heat / select(is_too_much, taken, P(1.0))), P(1.0));
  half.u *= share;
  half.v *= share;
  half.w *= share;
}

template <Limiter limiter, class P>
[[gnu::always_inline]] inline State<P> half_slopes(const State<P>& low, const State<P>& here, const State<P>& high,
                                                   double gamma) {
  const auto half = [](const P& l, const P& h, const P& r) __attribute__((always_inline)) {
    return P(0.5) * slope_of<limiter>(h - l, r - h);
  };
  State<P> halves{half(low.rho, here.rho, high.rho), half(low.u, here.u, high.u), half(low.v, here.v, high.v),
                  half(low.w, here.w, high.w), half(low.p, here.p, high.p)};
  keep_positive(here, halves, gamma);
  return halves;
}

template <class P>
[[gnu::always_inline]] inline State<P> minus(const State<P>& a, const State<P>& b) {
  return {a.rho - b.rho, a.u - b.u, a.v - b.v, a.w - b.w, a.p - b.p};
}

template <class P>
[[gnu::always_inline]] inline State<P> plus(const State<P>& a, const State<P>& b) {
  return {a.rho + b.rho, a.u + b.u, a.v + b.v, a.w + b.w, a.p + b.p};
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

template <Stage stage, class P>
[[gnu::always_inline]] inline void update_cells(const Update& by, std::size_t variable, std::size_t i) {
  const P advanced = P::load(by.U.of(variable) + i) + P(by.dt) * P::load(by.rate.of(variable) + i);
  if constexpr (stage == Stage::first) {
    advanced.store(by.out.of(variable) + i);
  } else {
    (P(0.5) * (P::load(by.base.of(variable) + i) + advanced)).store(by.out.of(variable) + i);
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
  if (stage == Stage::first) return update_as<Stage::first>(by);
  update_as<Stage::second>(by);
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
