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

/// Leads `array` to a copy of its last numbers, from k on.
template <class T>
void copy_from(const T*& array, std::size_t k, std::size_t count, T (&room)[width]) noexcept {
  if (array == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) room[i] = array[k + i];
  array = room;
}

/// The last particles, from k on, copied side by side.
FillSource last_of(const FillSource& source, std::size_t k, Remainder& remainder) noexcept {
  FillSource rest = source;
  rest.count -= k;
  std::size_t used = 0;
  for (auto* field : {&rest.x, &rest.y, &rest.z, &rest.m, &rest.h, &rest.rho, &rest.omega_P, &rest.u}) {
    copy_from(*field, k, rest.count, remainder.doubles[used++]);
  }
  used = 0;
  for (auto* field : {&rest.vx, &rest.vy, &rest.vz, &rest.cs, &rest.balsara, &rest.f, &rest.alpha_v, &rest.alpha_d}) {
    copy_from(*field, k, rest.count, remainder.floats[used++]);
  }
  return rest;
}

// Inlined, or their packs would go through memory.
[[gnu::always_inline]] inline P place(const double* x, const FillAxis& axis, double quantum) noexcept {
  const D round(0x1.8p52);  // what is added to this loses its fraction
  return base::narrowed<P>(
      x, [&](const D& at) { return ((at * D(axis.scale) + round) - round + D(axis.offset)) * D(quantum); });
}

[[gnu::always_inline]] inline P velocity(const float* v, const FillAxis& axis, float per_velocity) noexcept {
  return (P::load(v) * P(axis.turn) - P(axis.velocity)) * P(per_velocity);
}

[[gnu::always_inline]] inline P scaled(const double* values, double factor) noexcept {
  return base::narrowed<P>(values, [factor](const D& value) { return value * D(factor); });
}

/// The first `count` lanes.
Lanes first(std::size_t count) noexcept {
  constexpr float numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return P::load(numbers) < P(count);
}

/// Writes the lanes to keep as records; overwrites those of a whole pack.
[[gnu::always_inline]] inline void put_records(float* to, const Lanes& kept, const P& a, const P& b, const P& c,
                                               const P& d) noexcept {
  store_records(to, compressed(a, kept), compressed(b, kept), compressed(c, kept), compressed(d, kept));
}

/// Appends what is wanted of the pack from particle j on; `there` are the lanes that hold particles.
std::size_t fill_pack(const FillSource& source, std::size_t j, const Lanes& there, const FillRule& rule,
                      const FillTarget& target) noexcept {
  const bool has_gas = source.h != nullptr;
  const P x = place(source.x + j, rule.x, rule.quantum);
  const P y = place(source.y + j, rule.y, rule.quantum);
  const P z = place(source.z + j, rule.z, rule.quantum);
  const P H = has_gas ? scaled(source.h + j, source.support * rule.per_length) : P(0);
  const Lanes kept = is_near(rule.region, x, y, z, max(H, P(rule.region.radius))) & there;
  if (!any(kept)) return 0;
  const std::size_t k = target.size;
  const P m = scaled(source.m + j, rule.per_mass);
  store_compressed(target.x + k, x, kept);
  store_compressed(target.y + k, y, kept);
  store_compressed(target.z + k, z, kept);
  store_compressed(target.m + k, m, kept);
  put_records(target.place + 4 * k, kept, x, y, z, m);
  put_records(target.flow + 4 * k, kept, velocity(source.vx + j, rule.x, rule.per_velocity),
              velocity(source.vy + j, rule.y, rule.per_velocity), velocity(source.vz + j, rule.z, rule.per_velocity),
              has_gas ? P::load(source.cs + j) * P(rule.per_velocity) : P(0));
  if (has_gas) {
    store_compressed(target.H2 + k, H * H, kept);
    put_records(target.state + 4 * k, kept, reciprocal(H), scaled(source.rho + j, rule.per_density),
                scaled(source.omega_P + j, rule.per_omega_P), P::load(source.balsara + j));
  }
  if (source.u != nullptr) {
    put_records(target.thermal + 4 * k, kept, scaled(source.u + j, rule.per_energy), P::load(source.f + j),
                P::load(source.alpha_v + j), source.alpha_d != nullptr ? P::load(source.alpha_d + j) : P(0));
  }
  return count(kept);
}

std::size_t fill(const FillSource& source, const FillRule& rule, FillTarget target) {
  const std::size_t whole = source.count / width * width;
  for (std::size_t j = 0; j < whole; j += width) {
    target.size += fill_pack(source, j, first(width), rule, target);
  }
  if (whole < source.count) {
    Remainder remainder;
    const FillSource last = last_of(source, whole, remainder);
    target.size += fill_pack(last, 0, first(last.count), rule, target);
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
