// The loop that fills caches; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/vector/fill.hpp"

#include "tacit/base/pack.hpp"
#include "tacit/solvers/sph/kernels/vector/near_box.hpp"

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
  double doubles[8][width] = {};
  float floats[8][width] = {};
};

/// The array from k on; copied to `room` where less than a pack is left.
template <class T>
void advance(const T*& array, std::size_t k, std::size_t left, T (&room)[width]) noexcept {
  if (array == nullptr) return;
  array += k;
  if (left >= width) return;
  for (std::size_t i = 0; i < left; ++i) room[i] = array[i];
  array = room;
}

/// The source from particle k on.
FillSource from(const FillSource& source, std::size_t k, Remainder& remainder) noexcept {
  FillSource rest = source;
  rest.count -= k;
  std::size_t used = 0;
  for (auto* field : {&rest.x, &rest.y, &rest.z, &rest.m, &rest.h, &rest.rho, &rest.omega_P, &rest.u}) {
    advance(*field, k, rest.count, remainder.doubles[used++]);
  }
  used = 0;
  for (auto* field : {&rest.vx, &rest.vy, &rest.vz, &rest.cs, &rest.balsara, &rest.f, &rest.alpha_v, &rest.alpha_d}) {
    advance(*field, k, rest.count, remainder.floats[used++]);
  }
  return rest;
}

P place(const double* x, const FillAxis& axis, double quantum) noexcept {
  const D round(0x1.8p52);  // what is added to this loses its fraction
  return base::narrowed<P>(
      x, [&](const D& at) { return ((at * D(axis.scale) + round) - round + D(axis.offset)) * D(quantum); });
}

P velocity(const float* v, const FillAxis& axis, float per_velocity) noexcept {
  return (P::load(v) * P(axis.turn) - P(axis.velocity)) * P(per_velocity);
}

P scaled(const double* values, double factor) noexcept {
  return base::narrowed<P>(values, [factor](const D& value) { return value * D(factor); });
}

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

/// Appends what is wanted of one pack.
std::size_t fill_pack(const FillSource& source, const FillRule& rule, FillTarget target) noexcept {
  const bool has_gas = source.h != nullptr;
  const P x = place(source.x, rule.x, rule.quantum);
  const P y = place(source.y, rule.y, rule.quantum);
  const P z = place(source.z, rule.z, rule.quantum);
  const P H = has_gas ? scaled(source.h, source.support * rule.per_length) : P(0);
  const Kept kept(is_near(rule.region, x, y, z, max(H, P(rule.region.radius))) & first(source.count));
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
                   has_gas ? P::load(source.cs) * P(rule.per_velocity) : P(0));
  if (has_gas) {
    kept.put(target.H2 + k, H * H);
    kept.put_records(target.state + 4 * k, reciprocal(H), scaled(source.rho, rule.per_density),
                     scaled(source.omega_P, rule.per_omega_P), P::load(source.balsara));
  }
  if (source.u != nullptr) {
    kept.put_records(target.thermal + 4 * k, scaled(source.u, rule.per_energy), P::load(source.f),
                     P::load(source.alpha_v), source.alpha_d != nullptr ? P::load(source.alpha_d) : P(0));
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
