// The pointwise loops beyond the plain flow; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/kernels/physics_loops.hpp"

#include <cstring>

#include "tacit/base/pack.hpp"
#include "tacit/solvers/dns/kernels/row_terms.hpp"

namespace tacit::dns::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;

void flux(std::size_t n, const double* const* velocity, const double* theta, double* const* out) {
  const double* __restrict u = velocity[0];
  const double* __restrict v = velocity[1];
  const double* __restrict w = velocity[2];
  const double* __restrict t = theta;
  double* __restrict ut = out[0];
  double* __restrict wt = out[1];
  double* __restrict vt = out[2];
  for (std::size_t i = 0; i < n; ++i) {
    ut[i] = u[i] * t[i];
    wt[i] = w[i] * t[i];
    vt[i] = v[i] * t[i];
  }
}

void mix_flux(std::size_t rows, const double* kx, const double* ky, double* a, const double* b) {
  double* __restrict sum = a;
  const double* __restrict second = b;
  for (std::size_t row = 0; row < rows; ++row) {
    const double k = ky[row];
    for (std::size_t j = 0; j < 2 * width; ++j) {
      const std::size_t i = row * 2 * width + j;
      sum[i] = kx[j] * sum[i] + k * second[i];
    }
  }
}

/// One or two complex numbers. Written out, since g++ 12 makes fused operations of x c - y s in some loops, whatever
/// -ffp-contract says, and not in others: results would depend on how columns are divided.
template <std::size_t numbers>
using Complexes [[gnu::vector_size(numbers * sizeof(double))]] = double;

/// a becomes a b.
template <std::size_t numbers>
[[gnu::always_inline]] inline void multiply(Complexes<numbers>& a, const Complexes<numbers>& b) noexcept {
  if constexpr (numbers == 2) {
    constexpr Complexes<2> signs{-1.0, 1.0};
    a = a * __builtin_shufflevector(b, b, 0, 0) +
        __builtin_shufflevector(a, a, 1, 0) * (__builtin_shufflevector(b, b, 1, 1) * signs);
  } else {
    constexpr Complexes<4> signs{-1.0, 1.0, -1.0, 1.0};
    a = a * __builtin_shufflevector(b, b, 0, 0, 2, 2) +
        __builtin_shufflevector(a, a, 1, 0, 3, 2) * (__builtin_shufflevector(b, b, 1, 1, 3, 3) * signs);
  }
}

/// @param numbers  4 for a whole block of columns, 2 for one with fewer
template <std::size_t numbers>
void shift_columns(std::size_t rows, std::size_t columns, std::size_t stride, const double* row_factors,
                   const double* column, double* modes) {
  const std::size_t count = numbers == 4 ? 2 * width : 2 * columns;
  for (std::size_t row = 0; row < rows; ++row) {
    Complexes<numbers> of_row;
    for (std::size_t j = 0; j < numbers; ++j) of_row[j] = row_factors[2 * row + j % 2];
    double* const line = modes + row * stride;
    for (std::size_t j = 0; j < count; j += numbers) {
      Complexes<numbers> factor;
      Complexes<numbers> here;
      std::memcpy(&factor, column + j, sizeof(factor));
      std::memcpy(&here, line + j, sizeof(here));
      multiply<numbers>(factor, of_row);
      multiply<numbers>(here, factor);
      std::memcpy(line + j, &here, sizeof(here));
    }
  }
}

void shift(std::size_t rows, std::size_t columns, std::size_t stride, const double* row_factors, const double* column,
           double* modes) {
  const auto some = columns == width ? &shift_columns<4> : &shift_columns<2>;
  some(rows, columns, stride, row_factors, column, modes);
}

struct Vector {
  double x;
  double y;
  double z;
};

/// a + factor b.
[[gnu::always_inline]] inline Vector sum(const Vector& a, double factor, const Vector& b) noexcept {
  return {a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}

/// Rotation and viscosity, applied to a vector across k over some time: decay (cos u - sin (k/|k|) x u).
struct Rotation {
  double decay;
  double cosine;
  Vector sine;  ///< along k

  [[gnu::always_inline]] Vector operator()(const Vector& u) const noexcept {
    return {decay * (cosine * u.x - (sine.y * u.z - sine.z * u.y)),
            decay * (cosine * u.y - (sine.z * u.x - sine.x * u.z)),
            decay * (cosine * u.z - (sine.x * u.y - sine.y * u.x))};
  }
  /// The same over twice the time, but for the decay.
  [[gnu::always_inline]] Rotation twice(double its_decay) const noexcept {
    const double two = 2.0 * cosine;
    return {its_decay, two * cosine - 1.0, {two * sine.x, two * sine.y, two * sine.z}};
  }
};

/// Angles of one row, each twice, for real and imaginary part: (cos phi, sin phi / |k|).
struct Angles {
  double cosine[2 * width];
  double sine[2 * width];
};

[[gnu::always_inline]] inline void spread(std::size_t columns, const double* rotor, Angles& angles) noexcept {
  for (std::size_t j = 0; j < columns; ++j) {
    angles.cosine[2 * j] = angles.cosine[2 * j + 1] = rotor[2 * j];
    angles.sine[2 * j] = angles.sine[2 * j + 1] = rotor[2 * j + 1];
  }
}

/// advance_row for three components that the rotation mixes. Pointers of their own, so that compilers see vectors.
template <Substage substage, std::size_t fixed>
[[gnu::always_inline]] inline void advance_rotated(const ColumnNumbers& at, const Decay& decay, double kz,
                                                   const double* rotor, const Row& f, const Modes3& to,
                                                   const Modes3& to_base, const Modes3& to_acc) noexcept {
  const std::size_t count = fixed != 0 ? fixed : 2 * at.columns;
  const double dt = at.dt;
  double* __restrict ux = to.x;
  double* __restrict uy = to.y;
  double* __restrict uz = to.z;
  double* __restrict bx = to_base.x;
  double* __restrict by = to_base.y;
  double* __restrict bz = to_base.z;
  double* __restrict ax = to_acc.x;
  double* __restrict ay = to_acc.y;
  double* __restrict az = to_acc.z;
  Angles angles;
  spread(count / 2, rotor, angles);
  for (std::size_t j = 0; j < count; ++j) {
    const double sine = angles.sine[j];  // NOLINT(clang-analyzer-core.uninitialized.Assign): count is even
    const Rotation half{
        decay.half_column[j] * decay.half_row, angles.cosine[j], {sine * at.kx, sine * at.ky[j], sine * kz}};
    const Vector rhs{f.x[j], f.y[j], f.z[j]};
    const Vector u{ux[j], uy[j], uz[j]};
    Vector next{};
    if constexpr (substage == Substage::rk2_first || substage == Substage::rk4_first) {
      const Rotation whole = half.twice(decay.column[j] * decay.row);
      const double weight = substage == Substage::rk2_first ? 0.5 * dt : dt / 6.0;
      const Vector sum_so_far = whole(sum(u, weight, rhs));
      ax[j] = sum_so_far.x;
      ay[j] = sum_so_far.y;
      az[j] = sum_so_far.z;
      if constexpr (substage == Substage::rk2_first) {
        next = whole(sum(u, dt, rhs));
      } else {
        const Vector rotated = half(u);
        bx[j] = rotated.x;
        by[j] = rotated.y;
        bz[j] = rotated.z;
        next = half(sum(u, 0.5 * dt, rhs));
      }
    } else if constexpr (substage == Substage::rk4_second || substage == Substage::rk4_third) {
      const Vector sum_so_far = sum({ax[j], ay[j], az[j]}, dt / 3.0, half(rhs));
      ax[j] = sum_so_far.x;
      ay[j] = sum_so_far.y;
      az[j] = sum_so_far.z;
      const Vector base{bx[j], by[j], bz[j]};
      next = substage == Substage::rk4_second ? sum(base, 0.5 * dt, rhs) : half(sum(base, dt, rhs));
    } else {
      next = sum({ax[j], ay[j], az[j]}, substage == Substage::rk2_last ? 0.5 * dt : dt / 6.0, rhs);
    }
    ux[j] = next.x;
    uy[j] = next.y;
    uz[j] = next.z;
  }
}

/// f += N theta (e_z - k kz / k^2): the buoyancy without its gradient. The mean pressure balances its mean.
template <std::size_t fixed>
[[gnu::always_inline]] inline void add_buoyancy(const ColumnNumbers& at, double kz, double frequency,
                                                const double* __restrict theta, Row& f) noexcept {
  const std::size_t count = fixed != 0 ? fixed : 2 * at.columns;
  for (std::size_t j = 0; j < count; ++j) {
    const double across2 = at.kx * at.kx + at.ky[j] * at.ky[j];
    const double k2 = across2 + kz * kz;
    const double force = frequency * theta[j] / (k2 > 0.0 ? k2 : 1.0);
    f.x[j] -= at.kx * kz * force;
    f.y[j] -= at.ky[j] * kz * force;
    f.z[j] += across2 * force;
  }
}

template <std::size_t fixed>
[[gnu::always_inline]] inline void add_force(const ColumnNumbers& at, const Physics& physics, std::size_t row,
                                             Row& f) noexcept {
  const std::size_t count = fixed != 0 ? fixed : 2 * at.columns;
  const std::size_t offset = row * 2 * width;
  for (std::size_t j = 0; j < count; ++j) {
    f.x[j] += physics.force[0][offset + j];
    f.y[j] += physics.force[1][offset + j];
    f.z[j] += physics.force[2][offset + j];
  }
}

/// d theta/dt = -i (kx u theta + ky v theta + kz w theta) - u . gradient; needs the velocity from before the substage.
template <Substage substage, std::size_t fixed>
[[gnu::always_inline]] inline void advance_scalar(const ColumnNumbers& at, const RowNumbers& rows, std::size_t row,
                                                  const ScalarRows& scalar, const Modes3& u) noexcept {
  const std::size_t count = fixed != 0 ? fixed : 2 * at.columns;
  const std::size_t line = (rows.first_place + row) * 2 * width;
  const std::size_t offset = (rows.first_row + row) * at.stride;
  const double kz = rows.kz[row];
  const double* __restrict flux_xy = scalar.flux + line;
  const double* __restrict flux_z = scalar.flux_z + line;
  double f[2 * width];
  for (std::size_t j = 0; j < count; ++j) {
    const double kept = at.radius2[j] + rows.radius2[row] <= at.limit2 ? at.scale : 0.0;
    f[j] = kept * (flux_xy[j] + kz * flux_z[j]);
  }
  times_minus_i<fixed>(at.columns, f);
  const double gx = scalar.gradient[0];
  const double gy = scalar.gradient[1];
  const double gz = scalar.gradient[2];
  for (std::size_t j = 0; j < count; ++j) {
    f[j] -= gx * u.x[offset + j] + gy * u.y[offset + j] + gz * u.z[offset + j];
  }
  const std::size_t kz_row = rows.first_row + row;
  const Decay decay{scalar.decay, scalar.half_decay, scalar.row_decay[kz_row], scalar.row_half_decay[kz_row]};
  advance_row<substage, fixed>(at, decay, f, scalar.theta + offset, scalar.base + offset, scalar.acc + offset);
}

[[gnu::always_inline]] inline Modes3 from(const Modes3& modes, std::size_t offset) noexcept {
  return {modes.x + offset, modes.y + offset, modes.z + offset};
}

template <Form form, Substage substage, std::size_t fixed>
void advance_rows(const ColumnNumbers& at, const RowNumbers& rows, const double* const* lines, const Modes3& u,
                  const Modes3& base, const Modes3& acc, const Physics& physics) noexcept {
  Row f;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const double kz = rows.kz[row];
    const std::size_t offset = (rows.first_row + row) * at.stride;
    right_side<form, fixed>(at, kz, rows.radius2[row], lines, rows.first_place + row, f);
    if (physics.force[0] != nullptr) add_force<fixed>(at, physics, rows.first_row + row, f);
    if (physics.buoyancy != nullptr) add_buoyancy<fixed>(at, kz, physics.frequency, physics.buoyancy + offset, f);
    // The velocity has its right-hand side, so scalars may change; it changes last, since scalars need the old one.
    for (std::size_t s = 0; s < physics.scalar_count; ++s) {
      advance_scalar<substage, fixed>(at, rows, row, physics.scalars[s], u);
    }
    const Decay decay{at.decay, at.half_decay, rows.decay[row], rows.half_decay[row]};
    if (physics.rotor != nullptr) {
      advance_rotated<substage, fixed>(at, decay, kz, physics.rotor + offset, f, from(u, offset), from(base, offset),
                                       from(acc, offset));
    } else {
      advance_row<substage, fixed>(at, decay, f.x, u.x + offset, base.x + offset, acc.x + offset);
      advance_row<substage, fixed>(at, decay, f.y, u.y + offset, base.y + offset, acc.y + offset);
      advance_row<substage, fixed>(at, decay, f.z, u.z + offset, base.z + offset, acc.z + offset);
    }
  }
}

template <Form form, Substage substage>
void advance_as(const ColumnNumbers& at, const RowNumbers& rows, const double* const* lines, const Modes3& u,
                const Modes3& base, const Modes3& acc, const Physics& physics) noexcept {
  if (at.columns == width) {
    advance_rows<form, substage, 2 * width>(at, rows, lines, u, base, acc, physics);
  } else {
    advance_rows<form, substage, 0>(at, rows, lines, u, base, acc, physics);
  }
}

template <Form form>
void advance(Substage substage, const ColumnNumbers& at, const RowNumbers& rows, const double* const* lines,
             const Modes3& u, const Modes3& base, const Modes3& acc, const Physics& physics) {
  switch (substage) {
    case Substage::rk2_first:
      return advance_as<form, Substage::rk2_first>(at, rows, lines, u, base, acc, physics);
    case Substage::rk4_first:
      return advance_as<form, Substage::rk4_first>(at, rows, lines, u, base, acc, physics);
    case Substage::rk4_second:
      return advance_as<form, Substage::rk4_second>(at, rows, lines, u, base, acc, physics);
    case Substage::rk4_third:
      return advance_as<form, Substage::rk4_third>(at, rows, lines, u, base, acc, physics);
    case Substage::rk2_last:
      return advance_as<form, Substage::rk2_last>(at, rows, lines, u, base, acc, physics);
    case Substage::rk4_last:
      return advance_as<form, Substage::rk4_last>(at, rows, lines, u, base, acc, physics);
  }
}

}  // namespace

template <class>
PhysicsLoops physics_loops_of() noexcept {
  return {&flux, &mix_flux, &shift, &advance<Form::stress>, &advance<Form::lamb>};
}
template PhysicsLoops physics_loops_of<Isa>() noexcept;

}  // namespace tacit::dns::kernels
