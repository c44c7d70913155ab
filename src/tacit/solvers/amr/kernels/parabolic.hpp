// The loops of the piecewise parabolic reconstruction (PPM), beside those of the linear one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/solvers/amr/kernels/gas.hpp"

namespace tacit::amr::kernels {

/// Ghost cells on each side that parabolas ask for: those of a ghost cell itself, from the two cells around it.
inline constexpr std::size_t parabolic_ghosts = 3;

/// As the sweeps of Loops and ScalarLoops, with parabolas in place of slopes: their values at faces are of order 4, and
/// limiters keep extrema that are smooth. Pencils have parabolic_ghosts.
struct ParabolicLoops {
  void (*sweep)(double gamma, Riemann riemann, const Pencils& pencils);
  void (*sweep_scalars)(double gamma, const Fields& fields, const Pencils& pencils);
};

template <class Isa>
[[nodiscard]] ParabolicLoops parabolic_loops_of() noexcept;

}  // namespace tacit::amr::kernels
