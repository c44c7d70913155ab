// The most floating-point operations that a core does, by instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/base/cpu_features.hpp"

namespace tacit::bench {

/// Multiplies and adds floats in registers, in enough chains that none waits for another.
///
/// @return  floating-point operations done
using PeakLoop = double (*)(std::size_t rounds);

/// @pre  the set is usable
[[nodiscard]] PeakLoop peak_loop(base::InstructionSet set) noexcept;

template <class Isa>
[[nodiscard]] PeakLoop peak_loop_of() noexcept;

}  // namespace tacit::bench
