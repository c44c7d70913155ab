// The loops over pairs of bodies; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fmm/kernels/direct.hpp"

#include "tacit/base/pack.hpp"
#include "tacit/fmm/kernels/softening.hpp"

namespace tacit::fmm::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;

template <class P>
struct Sums {
  P psi{0}, ax{0}, ay{0}, az{0};

  [[gnu::always_inline]] void add(const P& m, const P& f, const PairGravity<P>& pair, const P& dx, const P& dy,
                                  const P& dz) noexcept {
    psi = fma(m, pair.potential, psi);
    ax = fma(f, dx, ax);
    ay = fma(f, dy, ay);
    az = fma(f, dz, az);
  }
  template <class Real>
  [[gnu::always_inline]] void add_to(const SumArrays<Real>& to, std::size_t i) const noexcept {
    to.psi[i] += static_cast<Real>(sum_of(psi));
    to.ax[i] += static_cast<Real>(sum_of(ax));
    to.ay[i] += static_cast<Real>(sum_of(ay));
    to.az[i] += static_cast<Real>(sum_of(az));
  }
};

/// 1 for the numbers from k on that are below `end` and not `skipped`, 0 for others.
template <class P>
[[gnu::always_inline]] inline P present(std::size_t k, std::size_t end, std::size_t skipped) noexcept {
  typename P::value_type lanes[P::width];
  for (std::size_t lane = 0; lane < P::width; ++lane) {
    lanes[lane] = k + lane < end && k + lane != skipped ? typename P::value_type(1) : typename P::value_type(0);
  }
  return P::load(lanes);
}

/// A body, and others as they are seen from there.
template <class P>
struct Point {
  P x, y, z;

  template <class Real>
  [[gnu::always_inline]] Point(const BodyArrays<Real>& of, std::size_t i) noexcept
      : x(of.x[i]), y(of.y[i]), z(of.z[i]) {}
};

template <class Softening, class P, class Real>
[[gnu::always_inline]] inline void add_softened(const BodyArrays<Real>& of, const Group& sinks, const Group& sources,
                                                const SumArrays<Real>& to) {
  const Softening softening(of.length);
  for (std::size_t i = sinks.begin; i < sinks.end(); ++i) {
    const Point<P> at(of, i);
    Sums<P> sums;
    for (std::size_t k = sources.begin; k < sources.end(); k += P::width) {
      P m = P::load(of.m + k);
      // The distance wraps round where i is before k.
      if (k + P::width > sources.end() || i - k < P::width) m *= present<P>(k, sources.end(), i);
      const P dx = P::load(of.x + k) - at.x;
      const P dy = P::load(of.y + k) - at.y;
      const P dz = P::load(of.z + k) - at.z;
      const PairGravity<P> pair = softening(fma(dx, dx, fma(dy, dy, dz * dz)));
      sums.add(m, m * pair.force_over_r, pair, dx, dy, dz);
    }
    sums.add_to(to, i);
  }
}

template <class Softening, class P, class Real>
[[gnu::always_inline]] inline void add_mutual_softened(const BodyArrays<Real>& of, const Group& a, const Group& b,
                                                       const SumArrays<Real>& to) {
  const Softening softening(of.length);
  const bool is_within = a.begin == b.begin;
  for (std::size_t i = a.begin; i < a.end(); ++i) {
    const Point<P> at(of, i);
    const P minus_own_m = -P(of.m[i]);
    Sums<P> sums;
    for (std::size_t k = is_within ? i + 1 : b.begin; k < b.end(); k += P::width) {
      P m = P::load(of.m + k);
      P minus_m_i = minus_own_m;
      if (k + P::width > b.end()) {
        const P there = present<P>(k, b.end(), i);
        m *= there;
        minus_m_i *= there;
      }
      const P dx = P::load(of.x + k) - at.x;
      const P dy = P::load(of.y + k) - at.y;
      const P dz = P::load(of.z + k) - at.z;
      const PairGravity<P> pair = softening(fma(dx, dx, fma(dy, dy, dz * dz)));
      sums.add(m, m * pair.force_over_r, pair, dx, dy, dz);
      const P f = minus_m_i * pair.force_over_r;
      (P::load(to.psi + k) - minus_m_i * pair.potential).store(to.psi + k);
      fma(f, dx, P::load(to.ax + k)).store(to.ax + k);
      fma(f, dy, P::load(to.ay + k)).store(to.ay + k);
      fma(f, dz, P::load(to.az + k)).store(to.az + k);
    }
    sums.add_to(to, i);
  }
}

template <class Real>
void add(const BodyArrays<Real>& of, Group sinks, Group sources, const SumArrays<Real>& to) {
  using P = base::Pack<Real, Isa>;
  static_assert(P::width <= DirectLoops<Real>::widest);
  switch (of.softening) {
    case SofteningKind::none:
      return add_softened<Newtonian<P>, P>(of, sinks, sources, to);
    case SofteningKind::plummer:
      return add_softened<Plummer<P>, P>(of, sinks, sources, to);
    case SofteningKind::wendland_c2:
      return add_softened<WendlandC2<P>, P>(of, sinks, sources, to);
  }
}

template <class Real>
void add_mutual(const BodyArrays<Real>& of, Group a, Group b, const SumArrays<Real>& to) {
  using P = base::Pack<Real, Isa>;
  switch (of.softening) {
    case SofteningKind::none:
      return add_mutual_softened<Newtonian<P>, P>(of, a, b, to);
    case SofteningKind::plummer:
      return add_mutual_softened<Plummer<P>, P>(of, a, b, to);
    case SofteningKind::wendland_c2:
      return add_mutual_softened<WendlandC2<P>, P>(of, a, b, to);
  }
}

}  // namespace

template <class Real, class>
DirectLoops<Real> direct_loops_of() noexcept {
  return {&add<Real>, &add_mutual<Real>};
}
template DirectLoops<float> direct_loops_of<float, Isa>() noexcept;
template DirectLoops<double> direct_loops_of<double, Isa>() noexcept;

}  // namespace tacit::fmm::kernels
