// The loop that fills caches; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/vector/fill.hpp"

#include "tacit/base/pack.hpp"

namespace tacit::sph::kernels::vector {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;
using P = base::Pack<float, Isa>;
using D = base::Pack<double, Isa>;
using Lanes = P::mask_type;
constexpr std::size_t width = P::width;

/// Room for the last particles of a source, so that whole packs can be read.
struct Remainder {
  static constexpr std::size_t fields = 12;
  double numbers[fields][width] = {};
};

/// The source from particle k on; copied where less than a pack is left.
FillSource from(const FillSource& source, std::size_t k, Remainder& remainder) noexcept {
  FillSource rest = source;
  rest.count -= k;
  std::size_t used = 0;
  for (auto* field : {&rest.x, &rest.y, &rest.z, &rest.m, &rest.vx, &rest.vy, &rest.vz, &rest.H, &rest.rho,
                      &rest.omega_P, &rest.cs, &rest.balsara}) {
    if (*field == nullptr) continue;
    *field += k;
    if (rest.count >= width) continue;
    double* numbers = remainder.numbers[used++];
    for (std::size_t i = 0; i < rest.count; ++i) numbers[i] = (*field)[i];
    *field = numbers;
  }
  return rest;
}

P place(const double* x, const FillAxis& axis, double quantum) noexcept {
  const D round(0x1.8p52);  // what is added to this loses its fraction
  return base::narrowed<P>(
      x, [&](const D& at) { return ((at * D(axis.scale) + round) - round + D(axis.offset)) * D(quantum); });
}

P velocity(const double* v, const FillAxis& axis, double per_velocity) noexcept {
  return base::narrowed<P>(v, [&](const D& at) { return (at * D(axis.turn) - D(axis.velocity)) * D(per_velocity); });
}

P scaled(const double* values, double factor) noexcept {
  return base::narrowed<P>(values, [factor](const D& value) { return value * D(factor); });
}

/// Distance from an interval; 0 inside.
P outside(const P& x, float low, float high) noexcept { return max(max(P(low) - x, x - P(high)), P(0)); }

/// The first `count` lanes.
Lanes first(std::size_t count) noexcept {
  constexpr float numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return P::load(numbers) < P(count);
}

/// The lanes of one pack that become candidates.
struct Kept {
  Lanes lanes;
  std::uint32_t index[width] = {};  // before the count, which fills it
  std::size_t count;

  explicit Kept(const Lanes& wanted) noexcept : lanes(wanted), count(store_indices(index, 0, wanted)) {}

  void put(float* to, const P& values) const noexcept { store_compressed(to, values, lanes); }

  void put_records(float* to, const P& a, const P& b, const P& c, const P& d) const noexcept {
    if (count == width) {
      store_records(to, a, b, c, d);
      return;
    }
    alignas(64) float records[4 * width];
    store_records(records, a, b, c, d);
    for (std::size_t i = 0; i < count; ++i) __builtin_memcpy(to + 4 * i, records + 4 * index[i], 4 * sizeof(float));
  }
};

/// Which particles of the pack lie within reach of the box. A little beyond it is as good: searches look again.
Lanes near_box(const P& x, const P& y, const P& z, const P& reach, const FillRule& rule) noexcept {
  const P dx = outside(x, rule.low.x, rule.high.x);
  const P dy = outside(y, rule.low.y, rule.high.y);
  const P dz = outside(z, rule.low.z, rule.high.z);
  const P limit = fma(reach, P(1.0F + 0x1p-20F), P(0x1p-20F));
  return dx * dx + dy * dy + dz * dz < limit * limit;
}

/// Appends what is wanted of one pack.
std::size_t fill_pack(const FillSource& source, const FillRule& rule, FillTarget target) noexcept {
  const bool has_gas = source.H != nullptr;
  const P x = place(source.x, rule.x, rule.quantum);
  const P y = place(source.y, rule.y, rule.quantum);
  const P z = place(source.z, rule.z, rule.quantum);
  const P H = has_gas ? scaled(source.H, rule.per_length) : P(0);
  const Kept kept(near_box(x, y, z, max(H, P(rule.radius)), rule) & first(source.count));
  if (kept.count == 0) return 0;
  const std::size_t k = target.size;
  const P m = scaled(source.m, rule.per_mass);
  kept.put(target.x + k, x);
  kept.put(target.y + k, y);
  kept.put(target.z + k, z);
  kept.put(target.m + k, m);
  kept.put_records(target.place + 4 * k, x, y, z, m);
  kept.put_records(target.flow + 4 * k, velocity(source.vx, rule.x, rule.per_velocity),
                   velocity(source.vy, rule.y, rule.per_velocity), velocity(source.vz, rule.z, rule.per_velocity),
                   has_gas ? scaled(source.cs, rule.per_velocity) : P(0));
  if (has_gas) {
    kept.put(target.H2 + k, H * H);
    kept.put_records(target.state + 4 * k, reciprocal(H), scaled(source.rho, rule.per_density),
                     scaled(source.omega_P, rule.per_omega_P), scaled(source.balsara, 1.0));
  }
  return kept.count;
}

std::size_t fill(const FillSource& source, const FillRule& rule, FillTarget target) {
  Remainder remainder;
  for (std::size_t k = 0; k < source.count; k += width) {
    target.size += fill_pack(from(source, k, remainder), rule, target);
  }
  return target.size;
}

}  // namespace

template <class>
FillFunction fill_of() noexcept {
  return &fill;
}
template FillFunction fill_of<Isa>() noexcept;

}  // namespace tacit::sph::kernels::vector
