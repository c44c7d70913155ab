// The vector loops of SPHENIX; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/pack.hpp"
#include "tacit/solvers/sph/kernels/pair_terms.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/kernels/vector/pair_kernels.hpp"

namespace tacit::sph::kernels::vector {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;
using P = base::Pack<float, Isa>;
using terms::Gas, terms::Thermal, terms::Vector, terms::Separation;
constexpr std::size_t width = P::width;

/// The particle that sums are for, in every lane.
struct Centre {
  Vector<P> at, v;
  Gas<P> gas;
  Thermal<P> thermal;
  P hubble;

  explicit Centre(const SphenixCentre& i) noexcept
      : at{P(i.gas.motion.at.x), P(i.gas.motion.at.y), P(i.gas.motion.at.z)},
        v{P(i.gas.motion.v.x), P(i.gas.motion.v.y), P(i.gas.motion.v.z)},
        gas{P(i.gas.cs), P(i.gas.inverse_H), P(i.gas.rho), P(i.gas.omega_P), P(i.gas.balsara)},
        thermal{P(i.u), P(i.f), P(i.alpha_v), P(i.alpha_d)},
        hubble(i.gas.hubble) {}
};

/// As many hits as there are lanes.
struct Neighbours {
  P m;
  Vector<P> d;  ///< x_i - x_j
  P r2;
  P v_r;  ///< (v_i - v_j) . d
  Gas<P> gas;
  Thermal<P> thermal;

  // Inlined, or all of it would go through memory.
  [[gnu::always_inline]] Neighbours(const Candidates& candidates, const std::uint32_t* index,
                                    const Centre& i) noexcept {
    const auto place = base::gather4<P>(candidates.place, index);
    const auto flow = base::gather4<P>(candidates.flow, index);
    const auto state = base::gather4<P>(candidates.state, index);
    const auto heat = base::gather4<P>(candidates.thermal, index);
    m = place.d;
    d = i.at - Vector<P>{place.a, place.b, place.c};
    r2 = dot(d, d);
    v_r = dot(i.v - Vector<P>{flow.a, flow.b, flow.c}, d);
    gas = {flow.d, state.a, state.b, state.c, state.d};
    thermal = {heat.a, heat.b, heat.c, heat.d};
  }
};

template <class Kernel>
SphenixGradientSums gradients(Candidates candidates, Hits hits, const SphenixCentre& centre, float beta_v) {
  const Centre i(centre);
  P laplace(0);
  P v_sig(0);
  P alpha_v(0);
  for (std::size_t k = 0; k < hits.count; k += width) {
    const Neighbours j(candidates, hits.index + k, i);
    const Separation<P> separation(j.r2);
    const terms::Signal<P> signal(i.gas, j.gas, j.v_r + i.hubble * j.r2, separation.inverse_r, P(beta_v));
    const P term = terms::laplacian<Kernel>(separation, i.gas.inverse_H, i.thermal.u - j.thermal.u, j.gas.rho);
    // Who lies on top of the particle has no direction; who lies outside is there to fill the pack.
    const auto apart = j.r2 > P(0);
    const auto inside = separation.r * i.gas.inverse_H < P(1);
    laplace = fma(j.m, select(apart, term, P(0)), laplace);
    v_sig = max(v_sig, select(apart & inside, signal.v, P(0)));
    alpha_v = max(alpha_v, select(inside, j.thermal.alpha_v, P(0)));
  }
  return {sum_of(laplace), largest_of(v_sig), largest_of(alpha_v)};
}

template <class Kernel>
SphenixForceSums forces(Candidates candidates, Hits hits, const SphenixCentre& centre,
                        const ForceConstants& constants) {
  const Centre i(centre);
  Vector<P> a{P(0), P(0), P(0)};
  P du_dt(0);
  P v_sig(0);
  for (std::size_t k = 0; k < hits.count; k += width) {
    const Neighbours j(candidates, hits.index + k, i);
    const Separation<P> separation(j.r2);
    const auto pair =
        terms::pair_sphenix<Kernel>(i.gas, j.gas, i.thermal, j.thermal, separation, j.v_r, P(constants.viscosity),
                                    P(constants.norm), constants.dimension, i.hubble * j.r2);
    const P pull = -j.m * pair.along;
    a.x = fma(pull, j.d.x, a.x);
    a.y = fma(pull, j.d.y, a.y);
    a.z = fma(pull, j.d.z, a.z);
    const auto apart = j.r2 > P(0);
    du_dt = fma(j.m, select(apart, pair.du_dt, P(0)), du_dt);
    const auto heard = (separation.r * min(i.gas.inverse_H, j.gas.inverse_H) < P(1)) & apart;
    v_sig = max(v_sig, select(heard, pair.v_sig, P(0)));
  }
  return {sum_of(a.x), sum_of(a.y), sum_of(a.z), sum_of(du_dt), largest_of(v_sig)};
}

}  // namespace

template <class Kernel, class>
SphenixKernels sphenix_kernels_of() noexcept {
  return {&gradients<Kernel>, &forces<Kernel>};
}

template SphenixKernels sphenix_kernels_of<CubicSpline, Isa>() noexcept;
template SphenixKernels sphenix_kernels_of<QuarticSpline, Isa>() noexcept;
template SphenixKernels sphenix_kernels_of<QuinticSpline, Isa>() noexcept;
template SphenixKernels sphenix_kernels_of<WendlandC2, Isa>() noexcept;
template SphenixKernels sphenix_kernels_of<WendlandC4, Isa>() noexcept;
template SphenixKernels sphenix_kernels_of<WendlandC6, Isa>() noexcept;
template SphenixKernels sphenix_kernels_of<WendlandC2Line, Isa>() noexcept;
template SphenixKernels sphenix_kernels_of<WendlandC4Line, Isa>() noexcept;
template SphenixKernels sphenix_kernels_of<WendlandC6Line, Isa>() noexcept;

}  // namespace tacit::sph::kernels::vector
