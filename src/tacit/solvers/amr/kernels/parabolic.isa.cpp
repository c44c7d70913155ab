// The loops of the parabolic reconstruction; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/kernels/parabolic.hpp"

#include "tacit/base/pack.hpp"
#include "tacit/solvers/amr/kernels/parabolic_terms.hpp"

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

/// The cells of some pencils, one after the other.
template <class P>
struct GasWalk {
  ParabolaWalk<P> rho, u, v, w, p;

  [[gnu::always_inline]] FaceStates<P> take(double gamma) {
    Parabola<P> of_rho = rho.take();
    Parabola<P> of_u = u.take();
    Parabola<P> of_v = v.take();
    Parabola<P> of_w = w.take();
    Parabola<P> of_p = p.take();
    keep_positive(of_rho);
    keep_positive(of_p);
    return states_of(of_rho, of_u, of_v, of_w, of_p, gamma);
  }
};

template <Riemann riemann, class P>
[[gnu::always_inline]] inline void sweep_lanes(double gamma, const Pencils& pencils, std::size_t lane) {
  // The velocity along the axis first, the others behind it in their cyclic order.
  const std::size_t order[variables] = {0, 1 + pencils.axis, 1 + (pencils.axis + 1) % 3, 1 + (pencils.axis + 2) % 3, 4};
  const std::size_t next = pencils.lanes;
  const auto walk = [&](std::size_t k) __attribute__((always_inline)) {
    return ParabolaWalk<P>(pencils.primitive.of(order[k]) + lane, next);
  };
  const auto store = [&](const Variables<double>& to, std::size_t i, const Flux<P>& flux)
      __attribute__((always_inline)) {
    flux.rho.store(to.of(order[0]) + i);
    flux.u.store(to.of(order[1]) + i);
    flux.v.store(to.of(order[2]) + i);
    flux.w.store(to.of(order[3]) + i);
    flux.E.store(to.of(order[4]) + i);
  };
  GasWalk<P> gas{walk(0), walk(1), walk(2), walk(3), walk(4)};
  const P scale(pencils.scale);
  State<P> left = gas.take(gamma).high;  // of the first face
  Flux<P> before{};
  for (std::size_t face = 0; face <= pencils.cells; ++face) {
    const FaceStates<P> here = gas.take(gamma);
    const Flux<P> flux = flux_between<riemann>(left, here.low, gamma);
    if (pencils.mass != nullptr) flux.rho.store(pencils.mass + face * next + lane);
    if (face == 0) {
      if (pencils.low.first != nullptr) store(pencils.low, lane, flux);
    } else {
      const Flux<P> rate{scale * (before.rho - flux.rho), scale * (before.u - flux.u), scale * (before.v - flux.v),
                         scale * (before.w - flux.w), scale * (before.E - flux.E)};
      store(pencils.rate, lane + (face - 1) * next, rate);
    }
    left = here.high;
    before = flux;
  }
  if (pencils.high.first != nullptr) store(pencils.high, lane, before);
}

template <Riemann riemann>
void sweep_as(double gamma, const Pencils& pencils) {
  for_packs(
      pencils.lanes, [&]<class P>(std::size_t lane)
                         __attribute__((always_inline)) { sweep_lanes<riemann, P>(gamma, pencils, lane); });
}

void sweep(double gamma, Riemann riemann, const Pencils& pencils) {
  if (riemann == Riemann::hll) return sweep_as<Riemann::hll>(gamma, pencils);
  sweep_as<Riemann::hllc>(gamma, pencils);
}

void sweep_scalars(double gamma, const Fields& fields, const Pencils& pencils) {
  if (fields.has_internal_energy) {
    for_packs(
        pencils.lanes, [&]<class P>(std::size_t lane) __attribute__((always_inline)) {
          sweep_energy<ParabolicFaces<P>, P>(gamma, fields, pencils, lane);
        });
  }
  if (fields.species == 0) return;
  for_packs(
      pencils.lanes, [&]<class P>(std::size_t lane) __attribute__((always_inline)) {
        sweep_species<ParabolicFaces<P>, P>(fields, pencils, lane);
      });
}

}  // namespace

template <class>
ParabolicLoops parabolic_loops_of() noexcept {
  return {&sweep, &sweep_scalars};
}
template ParabolicLoops parabolic_loops_of<Isa>() noexcept;

}  // namespace tacit::amr::kernels
