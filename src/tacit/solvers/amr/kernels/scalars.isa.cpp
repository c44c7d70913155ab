// The loops over what the gas carries; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/kernels/scalars.hpp"

#include "tacit/base/pack.hpp"
#include "tacit/solvers/amr/kernels/scalar_terms.hpp"

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

template <Limiter limiter>
void sweep_with(double gamma, const Fields& fields, const Pencils& pencils) {
  if (fields.has_internal_energy) {
    for_packs(
        pencils.lanes, [&]<class P>(std::size_t lane) __attribute__((always_inline)) {
          sweep_energy<LinearFaces<limiter, P>, P>(gamma, fields, pencils, lane);
        });
  }
  if (fields.species == 0) return;
  for_packs(
      pencils.lanes, [&]<class P>(std::size_t lane) __attribute__((always_inline)) {
        sweep_species<LinearFaces<limiter, P>, P>(fields, pencils, lane);
      });
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
