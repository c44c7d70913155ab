// What a process does that `tacit bench sph` starts to measure it beside others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

namespace tacit::bench {

/// The first argument of such a process; no user types it.
inline constexpr std::string_view stepping_process = "--sph-steps";

/// Makes a shear layer, says "ready" and answers each line of `in` with its updates per second, measured for a while.
/// @param words  after stepping_process: particles along x, number of the processor, seconds of the while
void serve_steps(std::span<const std::string_view> words, std::istream& in, std::ostream& out);

}  // namespace tacit::bench
