// The loops over angles; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/kernels/bond_loops.hpp"

#include "tacit/base/pack.hpp"
#include "tacit/solvers/md/kernels/exponential.hpp"

namespace tacit::md::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;
using P = base::Pack<double, Isa>;
static_assert(P::width <= Star::widest && Star::most % P::width == 0);

void find_zeta(const AngleNumbers& of, Star& star) {
  constexpr double number[Star::most] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
  const P c2 = P(of.c * of.c);
  const P d2 = P(of.d * of.d);
  const P one_and_ratio = P(1.0 + of.c * of.c / (of.d * of.d));
  const P gamma = P(of.gamma);
  const P steep = P(-2.0 * of.gamma * of.c * of.c);
  const P zero = P(0.0);
  for (std::size_t j = 0; j < star.count; j += P::width) {
    const P own = P::load(number + j);
    const P r = P::load(star.r + j);
    const P x = P::load(star.x + j);
    const P y = P::load(star.y + j);
    const P z = P::load(star.z + j);
    P zeta = zero;
    for (std::size_t k = 0; k < star.count; ++k) {
      const auto is_other = !(own == P(number[k]));
      const P cosine = x * P(star.x[k]) + y * P(star.y[k]) + z * P(star.z[k]);
      const P away = P(of.h) - cosine;
      const P inverse = P(1.0) / (d2 + away * away);
      const P angle = gamma * (one_and_ratio - c2 * inverse);
      const P angle_slope = steep * away * inverse * inverse;
      P factor = P(1.0);
      P factor_slope = zero;
      if (of.lambda3 != 0.0) {
        const P largest = P(200.0);
        const P a = P(of.lambda3) * (r - P(star.r[k]));
        const P power = of.is_cubic ? a * a * a : a;
        factor = exponential(max(min(power, largest), P(-200.0)));
        const P by = of.is_cubic ? P(3.0 * of.lambda3) * a * a : P(of.lambda3);
        factor_slope = select(power > largest, zero, factor * by);
      }
      const P cutoff = select(is_other, P(star.cutoff[k]), zero);
      const P cutoff_slope = select(is_other, P(star.cutoff_slope[k]), zero);
      const P by_distance = cutoff * angle * factor_slope;
      zeta += cutoff * angle * factor;
      (cutoff * angle_slope * factor).store(star.by_cosine[k] + j);
      by_distance.store(star.by_r_ij[k] + j);
      (cutoff_slope * angle * factor - by_distance).store(star.by_r_ik[k] + j);
      cosine.store(star.cosine[k] + j);
    }
    zeta.store(star.zeta + j);
  }
}

void push(Star& star) {
  for (std::size_t k = 0; k < star.count; ++k) star.fx[k] = star.fy[k] = star.fz[k] = 0.0;
  for (std::size_t j = 0; j < star.count; j += P::width) {
    const P r = P::load(star.r + j);
    const P x = P::load(star.x + j);
    const P y = P::load(star.y + j);
    const P z = P::load(star.z + j);
    const P by_zeta = P::load(star.by_zeta + j);
    const P over_r = by_zeta / r;
    P along = P::load(star.by_r + j);
    P on_x = P(0.0);
    P on_y = P(0.0);
    P on_z = P(0.0);
    for (std::size_t k = 0; k < star.count; ++k) {
      const P by_cosine = P::load(star.by_cosine[k] + j);
      const P cosine = P::load(star.cosine[k] + j);
      const P turn_j = over_r * by_cosine;
      const P turn_k = by_zeta * by_cosine * P(1.0 / star.r[k]);
      along += by_zeta * P::load(star.by_r_ij[k] + j) - turn_j * cosine;
      on_x -= turn_j * P(star.x[k]);
      on_y -= turn_j * P(star.y[k]);
      on_z -= turn_j * P(star.z[k]);
      const P along_k = by_zeta * P::load(star.by_r_ik[k] + j) - turn_k * cosine;
      star.fx[k] -= sum_of(turn_k * x + along_k * P(star.x[k]));
      star.fy[k] -= sum_of(turn_k * y + along_k * P(star.y[k]));
      star.fz[k] -= sum_of(turn_k * z + along_k * P(star.z[k]));
    }
    on_x -= along * x;
    on_y -= along * y;
    on_z -= along * z;
    (P::load(star.fx + j) + on_x).store(star.fx + j);
    (P::load(star.fy + j) + on_y).store(star.fy + j);
    (P::load(star.fz + j) + on_z).store(star.fz + j);
  }
}

}  // namespace

template <class>
BondLoops bond_loops_of() noexcept {
  return {&find_zeta, &push};
}
template BondLoops bond_loops_of<Isa>() noexcept;

}  // namespace tacit::md::kernels
