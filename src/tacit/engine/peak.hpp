// The most floating-point operations that a core does, by instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/base/cpu_features.hpp"

namespace tacit::engine {

/// Multiplies and adds numbers in registers, in enough chains that none waits for another.
///
/// @return  floating-point operations done
using PeakLoop = double (*)(std::size_t rounds);

/// By precision.
struct PeakLoops {
  PeakLoop of_float;
  PeakLoop of_double;
};

/// @pre  the set is usable
[[nodiscard]] PeakLoops peak_loops(base::InstructionSet set) noexcept;

template <class Isa>
[[nodiscard]] PeakLoops peak_loops_of() noexcept;

}  // namespace tacit::engine
