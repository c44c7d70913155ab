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

/// Room for a source of less than a pack, so that a whole one can be read.
struct Few {
  double doubles[8][width] = {};
  float floats[8][width] = {};
};

/// Leads `array` to a copy of its numbers.
template <class T>
void copy(const T*& array, std::size_t count, T (&room)[width]) noexcept {
  if (array == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) room[i] = array[i];
  array = room;
}

FillSource copied(const FillSource& source, Few& room) noexcept {
  FillSource few = source;
  std::size_t used = 0;
  for (auto* field : {&few.x, &few.y, &few.z, &few.m, &few.h, &few.rho, &few.omega_P, &few.u}) {
    copy(*field, source.count, room.doubles[used++]);
  }
  used = 0;
  for (auto* field : {&few.vx, &few.vy, &few.vz, &few.cs, &few.balsara, &few.f, &few.alpha_v, &few.alpha_d}) {
    copy(*field, source.count, room.floats[used++]);
  }
  return few;
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

/// The lanes in [begin, end).
Lanes between(std::size_t begin, std::size_t end) noexcept {
  constexpr float numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const P lanes = P::load(numbers);
  return (lanes >= P(begin)) & (lanes < P(end));
}

/// Writes the lanes to keep as records; overwrites those of a whole pack.
[[gnu::always_inline]] inline void put_records(float* to, const Lanes& kept, const P& a, const P& b, const P& c,
                                               const P& d) noexcept {
  store_records(to, compressed(a, kept), compressed(b, kept), compressed(c, kept), compressed(d, kept));
}

/// Appends what is wanted of the pack from particle j on; `there` are the lanes that are looked at.
void append(const FillSource& source, std::size_t j, const Lanes& there, const FillRule& rule,
            FillTarget& target) noexcept {
  const bool has_gas = source.h != nullptr;
  const P x = place(source.x + j, rule.x, rule.quantum);
  const P y = place(source.y + j, rule.y, rule.quantum);
  const P z = place(source.z + j, rule.z, rule.quantum);
  const P H = has_gas ? scaled(source.h + j, source.support * rule.per_length) : P(0);
  const Lanes kept = is_near(rule.region, x, y, z, max(H, P(rule.region.radius))) & there;
  if (!any(kept)) return;
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
  target.size += count(kept);
}

/// Appends what is wanted of the particles in [begin, end).
void append_run(const FillSource& source, std::size_t begin, std::size_t end, const FillRule& rule,
                FillTarget& target) noexcept {
  for (std::size_t j = begin; j < end; j += width) {
    if (j + width <= source.count) {
      append(source, j, between(0, end - j), rule, target);
    } else if (source.count >= width) {  // the source's last pack, which holds some that were before
      const std::size_t last = source.count - width;
      append(source, last, between(j - last, end - last), rule, target);
    } else {
      Few room;
      append(copied(source, room), 0, between(j, end), rule, target);
    }
  }
}

/// Which of the groups from g on lie within reach of the region: group g + l in bit l.
std::uint32_t near_groups(const FillGroups& groups, std::size_t g, double support) noexcept {
  const auto side = [&groups, g](std::size_t number) {
    return D::load(groups.boxes.sides + number * groups.boxes.stride + g);
  };
  const auto gap = [&](std::size_t axis) {
    return max(max(side(axis) - D(groups.high[axis]), D(groups.low[axis]) - side(3 + axis)), D(0));
  };
  const D x = gap(0);
  const D y = gap(1);
  const D z = gap(2);
  const std::size_t left = groups.groups.count - g;
  D reach(groups.radius);
  if (groups.h != nullptr)
    reach = max(reach, D(support) * D::load_first(groups.h + g, left < D::width ? left : D::width));
  const std::uint32_t near = bits(x * x + y * y + z * z < reach * reach);
  return left < D::width ? near & ((1U << left) - 1U) : near;
}

/// Appends what is wanted of the groups near the region.
void append_near(const FillSource& source, const FillRule& rule, const FillGroups& groups,
                 FillTarget& target) noexcept {
  const std::uint32_t* begins = groups.groups.begins;
  std::size_t begin = 0;
  std::size_t end = 0;  // of the groups so far that lie side by side
  for (std::size_t g = 0; g < groups.groups.count; g += D::width) {
    for (std::uint32_t near = near_groups(groups, g, source.support); near != 0; near &= near - 1U) {
      const std::size_t found = g + static_cast<std::size_t>(__builtin_ctz(near));
      if (begins[found] != end) {
        append_run(source, begin, end, rule, target);
        begin = begins[found];
      }
      end = begins[found + 1];
    }
  }
  append_run(source, begin, end, rule, target);
}

std::size_t fill(const FillSource& source, const FillRule& rule, const FillGroups& groups, FillTarget target) {
  if (groups.groups.count == 0) {
    append_run(source, 0, source.count, rule, target);
  } else {
    append_near(source, rule, groups, target);
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
