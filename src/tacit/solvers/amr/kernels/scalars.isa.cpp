// The loops over what the gas carries; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/kernels/scalars.hpp"

#include "tacit/base/pack.hpp"
#include "tacit/solvers/amr/kernels/riemann_terms.hpp"

namespace tacit::amr::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;
using Wide = base::Pack<double, Isa>;
using Single = base::Pack<double, base::isa::scalar>;

/// Calls loop.operator()<P>(i) with packs, and with single numbers for those that are too few.
template <class Loop>
[[gnu::always_inline]] inline void for_packs(std::size_t count, const Loop& loop) {
  std::size_t i = 0;
  for (; i + Wide::width <= count; i += Wide::width) loop.template operator()<Wide>(i);
  for (; i < count; ++i) loop.template operator()<Single>(i);
}

void to_primitive(double gamma, const Fields& fields, std::size_t cells, Variables<const double> U,
                  Variables<double> W) {
  if (fields.has_internal_energy) {
    const double* const e = U.of(Fields::internal_energy());
    for_packs(
        cells, [&]<class P>(std::size_t i) __attribute__((always_inline)) {
          const P value = P::load(e + i);
          value.store(W.of(Fields::internal_energy()) + i);
          (P(gamma - 1.0) * value).store(W.of(4) + i);
        });
  }
  for (std::size_t k = fields.first_species(); k < fields.count(); ++k) {
    for_packs(
        cells, [&]<class P>(std::size_t i) __attribute__((always_inline)) {
          (P::load(U.of(k) + i) / P::load(U.of(0) + i)).store(W.of(k) + i);
        });
  }
}

/// Both states at a face of a number, of which the four around it are at i, i + next, ...
template <class P>
struct Sides {
  P left, right;
};
template <Limiter limiter, class P>
[[gnu::always_inline]] inline Sides<P> sides_of(const double* q, std::size_t i, std::size_t next) {
  const P a = P::load(q + i);
  const P b = P::load(q + i + next);
  const P c = P::load(q + i + 2 * next);
  const P d = P::load(q + i + 3 * next);
  const P middle = c - b;
  return {b + P(0.5) * slope_of<limiter>(b - a, middle), c - P(0.5) * slope_of<limiter>(middle, d - c)};
}

template <Limiter limiter, class P>
[[gnu::always_inline]] inline void sweep_energy(double gamma, const Fields& fields, const Pencils& pencils,
                                                std::size_t lane) {
  constexpr std::size_t place = Fields::internal_energy();
  const std::size_t next = pencils.lanes;
  const double* const rho = pencils.primitive.of(0);
  const double* const e = pencils.primitive.of(place);
  P flux_before(0.0);
  P u_before(0.0);
  for (std::size_t face = 0; face <= pencils.cells; ++face) {
    const std::size_t i = face * next + lane;
    const P m = P::load(pencils.mass + i);
    const auto is_left = m >= P(0.0);
    const Sides<P> of_rho = sides_of<limiter, P>(rho, i, next);
    const Sides<P> of_e = sides_of<limiter, P>(e, i, next);
    const P u = m / select(is_left, of_rho.left, of_rho.right);
    const P flux = u * select(is_left, of_e.left, of_e.right);
    if (face == 0) {
      if (pencils.low.first != nullptr) flux.store(pencils.low.of(place) + lane);
    } else {
      const std::size_t cell = i - next;
      const P p = P(gamma - 1.0) * P::load(e + cell + 2 * next);
      (P(pencils.scale) * ((flux_before - flux) + p * (u_before - u))).store(pencils.rate.of(place) + cell);
      absolute(u - u_before).store(pencils.rate.of(fields.count()) + cell);
    }
    flux_before = flux;
    u_before = u;
  }
  if (pencils.high.first != nullptr) flux_before.store(pencils.high.of(place) + lane);
}

/// With the states at a face divided by their sum: limiters do not keep it, and the species are all that there is.
template <Limiter limiter, class P>
[[gnu::always_inline]] inline void sweep_species(const Fields& fields, const Pencils& pencils, std::size_t lane) {
  const std::size_t next = pencils.lanes;
  P before[most_species];
  for (std::size_t face = 0; face <= pencils.cells; ++face) {
    const std::size_t i = face * next + lane;
    const P m = P::load(pencils.mass + i);
    const auto is_left = m >= P(0.0);
    P flux[most_species];
    P sum(0.0);
    for (std::size_t k = 0; k < fields.species; ++k) {
      const Sides<P> sides = sides_of<limiter, P>(pencils.primitive.of(fields.first_species() + k), i, next);
      flux[k] = select(is_left, sides.left, sides.right);
      sum += flux[k];
    }
    const P share = m / select(sum > P(0.0), sum, P(1.0));
    for (std::size_t k = 0; k < fields.species; ++k) {
      const std::size_t place = fields.first_species() + k;
      flux[k] *= share;
      if (face == 0) {
        if (pencils.low.first != nullptr) flux[k].store(pencils.low.of(place) + lane);
      } else {
        (P(pencils.scale) * (before[k] - flux[k])).store(pencils.rate.of(place) + (i - next));
        if (face == pencils.cells && pencils.high.first != nullptr) flux[k].store(pencils.high.of(place) + lane);
      }
      before[k] = flux[k];
    }
  }
}

template <Limiter limiter>
void sweep_with(double gamma, const Fields& fields, const Pencils& pencils) {
  if (fields.has_internal_energy) {
    for_packs(
        pencils.lanes, [&]<class P>(std::size_t lane)
                           __attribute__((always_inline)) { sweep_energy<limiter, P>(gamma, fields, pencils, lane); });
  }
  if (fields.species == 0) return;
  for_packs(
      pencils.lanes, [&]<class P>(std::size_t lane)
                         __attribute__((always_inline)) { sweep_species<limiter, P>(fields, pencils, lane); });
}

void sweep(double gamma, Limiter limiter, const Fields& fields, const Pencils& pencils) {
  switch (limiter) {
    case Limiter::minmod:
      return sweep_with<Limiter::minmod>(gamma, fields, pencils);
    case Limiter::van_leer:
      return sweep_with<Limiter::van_leer>(gamma, fields, pencils);
    case Limiter::monotonised_central:
      return sweep_with<Limiter::monotonised_central>(gamma, fields, pencils);
  }
}

void synchronise(const Synchronise& by) {
  const bool falls = by.gravity.first != nullptr;
  double* const e = by.U.of(Fields::internal_energy());
  for_packs(
      by.cells, [&]<class P>(std::size_t i) __attribute__((always_inline)) {
        const P rho = P::load(by.U.of(0) + i);
        const P x = P::load(by.U.of(1) + i);
        const P y = P::load(by.U.of(2) + i);
        const P z = P::load(by.U.of(3) + i);
        const P E = P::load(by.U.of(4) + i);
        const P internal = E - P(0.5) * (x * x + (y * y + z * z)) / rho;
        const P jump = P::load(by.jump + i);
        P errors = P(by.trust.jump) * rho * (jump * jump) + P(1e-11) * absolute(E);
        if (falls) {
          const P g = absolute(P::load(by.gravity.of(0) + i)) +
                      (absolute(P::load(by.gravity.of(1) + i)) + absolute(P::load(by.gravity.of(2) + i)));
          errors += P(by.trust.fall * by.spacing) * rho * g;
        }
        select(internal > errors, internal, P::load(e + i)).store(e + i);
      });
}

}  // namespace

template <class>
ScalarLoops scalar_loops_of() noexcept {
  return {&to_primitive, &sweep, &synchronise};
}
template ScalarLoops scalar_loops_of<Isa>() noexcept;

}  // namespace tacit::amr::kernels
