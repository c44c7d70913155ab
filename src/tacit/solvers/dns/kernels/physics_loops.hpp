// The pointwise loops of scalars, rotation, buoyancy, forcing and shifted grids, compiled once per instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/solvers/dns/kernels/loops.hpp"

namespace tacit::dns::kernels {

/// A scalar theta in a block of columns. Lines and modes are counted as in RowNumbers; row lists are of all kz.
struct ScalarRows {
  const double* flux = nullptr;    ///< lines of kx u theta + ky v theta
  const double* flux_z = nullptr;  ///< lines of w theta
  double* theta = nullptr;         ///< modes
  double* base = nullptr;          ///< rk4 only
  double* acc = nullptr;
  double gradient[3] = {};            ///< of the mean [scalar/length]
  double decay[2 * width] = {};       ///< exp(-kappa (kx^2 + ky^2) dt)
  double half_decay[2 * width] = {};  ///< the same over half of a step
  const double* row_decay = nullptr;  ///< exp(-kappa kz^2 dt)
  const double* row_half_decay = nullptr;
};

/// What a block of columns has in addition to the plain flow.
struct Physics {
  const ScalarRows* scalars = nullptr;
  std::size_t scalar_count = 0;
  /// (cos phi, sin phi / |k|) of each mode, phi = (Omega . k / |k|) dt, laid out as the modes; null: no rotation.
  const double* rotor = nullptr;
  /// Modes of the acceleration by component, without divergence, rows of 2 * width numbers by kz; null: none.
  const double* force[3] = {};
  /// Modes of b/N, and N [1/time]: N (b/N) accelerates along z; null: no stratification.
  const double* buoyancy = nullptr;
  double frequency = 0.0;
};

/// The loops of one instruction set; shapes as in Loops.
struct PhysicsLoops {
  /// out = {u theta, w theta, v theta}
  void (*flux)(std::size_t n, const double* const* velocity, const double* theta, double* const* out);
  /// a becomes kx a + ky b. @param kx  shape (2 * width)   @param ky  shape (rows)
  void (*mix_flux)(std::size_t rows, const double* kx, const double* ky, double* a, const double* b);
  /// Multiplies rows of complex numbers by one factor of the row and one of the column, as modes of a shifted grid or
  /// field are.
  /// @param columns  1 to `width`   @param stride  numbers from one row to the next
  /// @param row  shape (rows) pairs   @param column  shape (columns) pairs
  void (*shift)(std::size_t rows, std::size_t columns, std::size_t stride, const double* row, const double* column,
                double* modes);
  /// As in Loops, with the physics.
  void (*advance_stress)(Substage, const ColumnNumbers&, const RowNumbers&, const double* const* lines, const Modes3& u,
                         const Modes3& base, const Modes3& acc, const Physics&);
  void (*advance_lamb)(Substage, const ColumnNumbers&, const RowNumbers&, const double* const* lines, const Modes3& u,
                       const Modes3& base, const Modes3& acc, const Physics&);
};

template <class Isa>
[[nodiscard]] PhysicsLoops physics_loops_of() noexcept;

}  // namespace tacit::dns::kernels
