// The vector loops over neighbours; compiled once per instruction set, which TACIT_ISA names.
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
using terms::Gas, terms::Vector, terms::Separation;
constexpr std::size_t width = P::width;

Vector<P> broadcast(const Float3& at) noexcept { return {P(at.x), P(at.y), P(at.z)}; }
Gas<P> broadcast(const GasCentre& i) noexcept {
  return {P(i.cs), P(i.inverse_H), P(i.rho), P(i.omega_P), P(i.balsara)};
}

/// Squared separations from candidates j, j + 1, ...
P separation2(const Candidates& candidates, const Vector<P>& at, std::size_t j) noexcept {
  const Vector<P> d = at - Vector<P>{P::load(candidates.x + j), P::load(candidates.y + j), P::load(candidates.z + j)};
  return dot(d, d);
}

/// The two sums of DensitySums, lane by lane.
struct DensityLanes {
  P sum_w = P(0);
  P sum_q_dw = P(0);

  template <class Kernel>
  void add(const P& r, const P& m, const P& inverse_H) noexcept {
    const P q = terms::kernel_argument(r, inverse_H);
    sum_w = fma(m, Kernel::w(q), sum_w);
    sum_q_dw = fma(m * q, Kernel::dw_dq(q), sum_q_dw);
  }
  [[nodiscard]] DensitySums total() const noexcept { return {sum_of(sum_w), sum_of(sum_q_dw)}; }
};

template <class Kernel>
DensitySums density(Hits hits, float inverse_H) {
  DensityLanes sums;
  for (std::size_t k = 0; k < hits.count; k += width) {
    sums.add<Kernel>(P::load(hits.r + k), P::load(hits.m + k), P(inverse_H));
  }
  return sums.total();
}

template <class Kernel>
DensitySums density_of_all(Candidates candidates, const Float3& centre, float inverse_H) {
  const Vector<P> at = broadcast(centre);
  DensityLanes sums;
  for (std::size_t j = 0; j < candidates.size; j += width) {
    const P r = sqrt(separation2(candidates, at, j));
    sums.add<Kernel>(r, P::load(candidates.m + j), P(inverse_H));
  }
  return sums.total();
}

template <class Kernel>
GradientSums gradients(Candidates candidates, Hits hits, const MovingCentre& i, float inverse_H) {
  const Vector<P> at = broadcast(i.at);
  const Vector<P> v_i = broadcast(i.v);
  P dot_sum(0);
  Vector<P> cross{P(0), P(0), P(0)};
  for (std::size_t k = 0; k < hits.count; k += width) {
    const auto place = base::gather4<P>(candidates.place, hits.index + k);
    const auto flow = base::gather4<P>(candidates.flow, hits.index + k);
    const Vector<P> d = at - Vector<P>{place.a, place.b, place.c};
    const Vector<P> v = v_i - Vector<P>{flow.a, flow.b, flow.c};
    const Separation<P> separation(dot(d, d));
    const P q = terms::kernel_argument(separation.r, P(inverse_H));
    const P weight = place.d * Kernel::dw_dq(q) * separation.inverse_r;
    dot_sum = fma(weight, dot(v, d), dot_sum);
    cross.x = fma(weight, v.y * d.z - v.z * d.y, cross.x);
    cross.y = fma(weight, v.z * d.x - v.x * d.z, cross.y);
    cross.z = fma(weight, v.x * d.y - v.y * d.x, cross.z);
  }
  return {sum_of(dot_sum), sum_of(cross.x), sum_of(cross.y), sum_of(cross.z)};
}

/// The sums of ForceSums, lane by lane.
struct ForceLanes {
  Vector<P> a{P(0), P(0), P(0)};
  P dissipation = P(0);
  P v_sig = P(0);

  template <class Kernel>
  void add(const GasCentre& centre, const base::Pack4<P>& place, const base::Pack4<P>& flow,
           const base::Pack4<P>& state, const ForceConstants& constants) noexcept {
    const Gas<P> i = broadcast(centre);
    const Gas<P> j{flow.d, state.a, state.b, state.c, state.d};
    const Vector<P> d = broadcast(centre.motion.at) - Vector<P>{place.a, place.b, place.c};
    const Vector<P> v = broadcast(centre.motion.v) - Vector<P>{flow.a, flow.b, flow.c};
    const P r2 = dot(d, d);
    const Separation<P> separation(r2);
    const terms::PairForce<P> force =
        terms::pair_force<Kernel>(i, j, separation, dot(v, d), P(constants.viscosity), P(constants.norm),
                                  constants.dimension, P(centre.hubble) * r2);
    const P minus_m = -place.d;
    const P pull = minus_m * force.along;
    a.x = fma(pull, d.x, a.x);
    a.y = fma(pull, d.y, a.y);
    a.z = fma(pull, d.z, a.z);
    dissipation = fma(place.d, force.dissipation, dissipation);
    // Who lies outside both supports, or on top of the particle, sends no signal.
    const P reach = min(i.inverse_H, j.inverse_H);
    const auto heard = (separation.r * reach < P(1)) & (r2 > P(0));
    v_sig = max(v_sig, select(heard, force.v_sig, P(0)));
  }
  [[nodiscard]] ForceSums total() const noexcept {
    return {sum_of(a.x), sum_of(a.y), sum_of(a.z), sum_of(dissipation), largest_of(v_sig)};
  }
};

template <class Kernel>
ForceSums forces(Candidates candidates, Hits hits, const GasCentre& i, const ForceConstants& constants) {
  ForceLanes sums;
  for (std::size_t k = 0; k < hits.count; k += width) {
    const std::uint32_t* index = hits.index + k;
    sums.add<Kernel>(i, base::gather4<P>(candidates.place, index), base::gather4<P>(candidates.flow, index),
                     base::gather4<P>(candidates.state, index), constants);
  }
  return sums.total();
}

template <class Kernel>
ForceSums forces_of_all(Candidates candidates, const GasCentre& i, const ForceConstants& constants) {
  ForceLanes sums;
  std::uint32_t index[width];
  for (std::size_t j = 0; j < candidates.size; j += width) {
    for (std::size_t lane = 0; lane < width; ++lane) index[lane] = static_cast<std::uint32_t>(j + lane);
    sums.add<Kernel>(i, base::gather4<P>(candidates.place, index), base::gather4<P>(candidates.flow, index),
                     base::gather4<P>(candidates.state, index), constants);
  }
  return sums.total();
}

}  // namespace

template <class Kernel, class>
PairKernels pair_kernels_of() noexcept {
  return {Isa::set,
          width,
          fill_of<Isa>(),
          drift_of<Isa>(),
          search_of<Isa>(),
          &density<Kernel>,
          &gradients<Kernel>,
          &forces<Kernel>,
          sphenix_kernels_of<Kernel, Isa>(),
          sweep_kernels_of<Kernel, Isa>(),
          &density_of_all<Kernel>,
          &forces_of_all<Kernel>};
}

template PairKernels pair_kernels_of<CubicSpline, Isa>() noexcept;
template PairKernels pair_kernels_of<QuarticSpline, Isa>() noexcept;
template PairKernels pair_kernels_of<QuinticSpline, Isa>() noexcept;
template PairKernels pair_kernels_of<WendlandC2, Isa>() noexcept;
template PairKernels pair_kernels_of<WendlandC4, Isa>() noexcept;
template PairKernels pair_kernels_of<WendlandC6, Isa>() noexcept;
template PairKernels pair_kernels_of<WendlandC2Line, Isa>() noexcept;
template PairKernels pair_kernels_of<WendlandC4Line, Isa>() noexcept;
template PairKernels pair_kernels_of<WendlandC6Line, Isa>() noexcept;

}  // namespace tacit::sph::kernels::vector
