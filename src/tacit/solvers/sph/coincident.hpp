// The error message for particles that coincide, or nearly so, for which no smoothing length can be found.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "tacit/particles/domain.hpp"
#include "tacit/solvers/sph/gas.hpp"

namespace tacit::sph {

/// Names particle i, those at its place and its mirror images there, if there are any, and says what to do.
///
/// @param i      its support, kernel_gamma h_i, is the shortest that could be told from none
/// Cost: O(N); for a run that ends.
[[nodiscard]] std::string describe_coincident(const Gas& gas, std::size_t i, double kernel_gamma,
                                              const particles::Domain& domain);

}  // namespace tacit::sph
