// The pointwise loops of a substage, compiled once per instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tacit::dns::kernels {

/// Columns that are worked on at once; complex numbers lie as pairs, so a row of them has 2 * `width` numbers.
inline constexpr std::size_t width = 8;

/// Substages of the Runge-Kutta schemes with exact viscous decay (see flow.hpp); E decays over a step, H over half.
enum class Substage : std::uint8_t {
  rk2_first,   ///< acc = E (u + dt/2 N),   u = E (u + dt N)
  rk4_first,   ///< acc = E (u + dt/6 N),   base = H u,   u = H (u + dt/2 N)
  rk4_second,  ///< acc += dt/3 H N,        u = base + dt/2 N
  rk4_third,   ///< acc += dt/3 H N,        u = H (base + dt N)
  rk2_last,    ///< u = acc + dt/2 N
  rk4_last,    ///< u = acc + dt/6 N
};

/// A piece of the modes of a field: rows of up to `width` columns.
struct Modes3 {
  double* x = nullptr;
  double* y = nullptr;
  double* z = nullptr;
};

/// What all rows of a block of columns share; lists by column have each number twice, for real and imaginary part.
struct ColumnNumbers {
  std::size_t columns = 0;  ///< of the block, 1 to `width`
  std::size_t stride = 0;   ///< numbers from one row of the state to the next
  double kx = 0.0;          ///< wave number [1/length]
  double ky[2 * width] = {};
  double decay[2 * width] = {};       ///< exp(-nu (kx^2 + ky^2) dt)
  double half_decay[2 * width] = {};  ///< the same over half of a step
  double radius2[2 * width] = {};     ///< (kx/nx)^2 + (ky/ny)^2, in waves per grid
  double limit2 = 0.0;                ///< modes beyond are dropped
  double dt = 0.0;                    ///< [time]
  double scale = 0.0;                 ///< 1 / number of points
};

/// What a row of one kz adds; rows of the state are counted from `first_row`, those of lines from `first_place`.
struct RowNumbers {
  std::size_t rows = 0;
  std::size_t first_row = 0;
  std::size_t first_place = 0;
  const double* kz = nullptr;          ///< shape (rows) [1/length]
  const double* decay = nullptr;       ///< exp(-nu kz^2 dt), shape (rows)
  const double* half_decay = nullptr;  ///< shape (rows)
  const double* radius2 = nullptr;     ///< (kz/nz)^2, shape (rows)
};

/// The loops of one instruction set. Points: rows of n numbers. Lines: rows of 2 * width numbers.
struct Loops {
  /// out = {uu - ww, vv - ww, uw, vw, uv}: the stress but for ww times the unit tensor, which pressure takes.
  /// @return  the largest |u| rate[0] + |v| rate[1] + |w| rate[2]
  double (*stress)(std::size_t n, const double* const* velocity, double* const* out, const double* rate);
  /// out = u x omega, of in = {u, v, w, omega_x, omega_y, omega_z}. @return as stress
  double (*lamb)(std::size_t n, const double* const* in, double* const* out, const double* rate);
  /// lines = {xx, yy, xz, yz, xy} become {kx xx + ky xy, kx xy + ky yy, xz, yz}.
  /// @param kx  shape (2 * width)   @param ky  shape (rows)
  void (*mix_stress)(std::size_t rows, const double* kx, const double* ky, double* const* lines);
  /// Ends a substage with the four lines of mix_stress, or with three of the Lamb vector: N is what is left of them
  /// without their gradient, and the modes advance.
  void (*advance_stress)(Substage, const ColumnNumbers&, const RowNumbers&, const double* const* lines, const Modes3& u,
                         const Modes3& base, const Modes3& acc);
  void (*advance_lamb)(Substage, const ColumnNumbers&, const RowNumbers&, const double* const* lines, const Modes3& u,
                       const Modes3& base, const Modes3& acc);
};

template <class Isa>
[[nodiscard]] Loops loops_of() noexcept;

}  // namespace tacit::dns::kernels
