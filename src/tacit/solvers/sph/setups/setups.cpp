// Dispatch over the set-ups.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::sph {

InitialConditions make(const Setup& setup) {
  return std::visit([](const auto& chosen) { return make(chosen); }, setup);
}

std::uint64_t particle_count(const Setup& setup) {
  if (const auto* sedov = std::get_if<Sedov>(&setup)) {
    const auto n = static_cast<std::uint64_t>(sedov->resolution);
    return n * n * n;
  }
  // Two particles per cubic cell: n x n/2 x n/2 cells on the left, an eighth of that on the right.
  const auto n = static_cast<std::uint64_t>(std::get<Sod>(setup).resolution);
  return 2 * (n * (n / 2) * (n / 2) + (n / 2) * (n / 4) * (n / 4));
}

}  // namespace tacit::sph
