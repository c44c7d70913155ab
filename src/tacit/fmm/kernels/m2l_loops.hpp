// Loops over multipoles that act on one local expansion; compiled once per instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/base/cpu_features.hpp"
#include "tacit/fmm/kernels/multipole.hpp"

namespace tacit::fmm::kernels {

/// Sources of one sink.
struct M2LWork {
  const double* multipoles = nullptr;      ///< of all cells: Multipole of the order
  const std::uint32_t* sources = nullptr;  ///< shape (count): which of them act
  std::size_t count = 0;
  double x = 0.0, y = 0.0, z = 0.0;  ///< centre of the sink's expansion
  double softening2 = 0.0;           ///< epsilon^2 of Plummer's softening [length^2]
  double* L = nullptr;               ///< shape (terms(p)), added to
};

/// The loops of one instruction set, by order. Lanes are sources, in their order; the sum over the lanes comes last, so
/// another instruction set rounds otherwise.
struct M2LLoops {
  void (*add[highest_order + 1])(const M2LWork&);
};

template <class Isa>
[[nodiscard]] M2LLoops m2l_loops_of() noexcept;
/// Those of a set that this processor can use.
[[nodiscard]] M2LLoops m2l_loops(base::InstructionSet set) noexcept;

}  // namespace tacit::fmm::kernels
